"""The reviewer of the rehearsal: the summary has to name every place that has to be in, and that is all it looks at."""

import json
import re
from typing import Any

from handrail.apps.trips.geography import plain
from handrail.apps.trips.reviewer import INSTRUCTIONS
from handrail.models.rehearsal import Conversation, Move, Say, call

VERDICT = "verdict"
MUST_GO = re.compile(r"^- brief \(must_go\): (\[.*\])$", re.MULTILINE)
DRAFT = re.compile(r"^\{.*\}$", re.MULTILINE)


class Reviewing:
    """Reviews drafts of trips."""

    name = "trips-review"

    def fits(self, conversation: Conversation) -> bool:
        """Wherever the reviewer of this app is asked."""
        return conversation.offers(VERDICT) and conversation.system.startswith(INSTRUCTIONS[:40])

    def move(self, conversation: Conversation) -> Move:
        """The verdict."""
        summary = plain(str(_draft(conversation.user).get("summary", "")))
        missing = [place for place in _must_go(conversation.user) if place.split("-")[0] not in summary]
        flaws = [f"The summary does not say that the trip comes to {place}: name it there." for place in missing]
        if not conversation.results:
            return call(VERDICT, {"passed": not flaws, "flaws": flaws})
        return Say("I have said what I think of it.")


def _draft(text: str) -> dict[str, Any]:
    found = DRAFT.findall(text)
    draft: dict[str, Any] = json.loads(found[-1]) if found else {}
    return draft


def _must_go(text: str) -> list[str]:
    found = MUST_GO.search(text)
    return [str(place) for place in json.loads(found[1])] if found is not None else []

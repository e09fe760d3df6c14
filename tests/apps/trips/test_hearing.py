"""The stand-in reads the whole conversation, asks for what is missing, and never sends a refused brief again unchanged."""

import json
from typing import Any

import pytest

from handrail import Outcome, Say, run
from handrail.apps.trips.agent import agent
from handrail.apps.trips.providers.embedded import embedded
from handrail.apps.trips.scenarios import scenarios
from handrail.apps.trips.scenarios.hearing import AGAIN, QUESTIONS, fields_in
from handrail.apps.trips.scenarios.planning import Planning
from handrail.apps.trips.scenarios.wishes import answered, wishes
from handrail.models import OpenAIChat
from handrail.models.rehearsal import Conversation, ToolResult, call
from handrail.models.rehearsal import Say as Said
from handrail.models.rehearsal.conversation import conversation
from handrail.models.rehearsal.server import started
from tests.apps.trips.planning import Travellers

TOOLS = [{"type": "function", "function": {"name": name}} for name in ("record_brief", "ask_traveller", "submit_plan")]
LACKING = '{"error":"The brief still lacks month."}'


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def called(tool: str, arguments: dict[str, Any], result: str) -> list[dict[str, Any]]:
    made = {"id": "c", "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}}
    return [{"role": "assistant", "content": None, "tool_calls": [made]}, {"role": "tool", "tool_call_id": "c", "content": result}]


def asked(field: str, answer: str, *, again: bool = False) -> list[dict[str, Any]]:
    question = QUESTIONS[field]
    return called("ask_traveller", {"question": AGAIN.format(question=question) if again else question}, answer)


def talk(*messages: dict[str, Any]) -> Conversation:
    return conversation({"model": "m", "messages": list(messages), "tools": TOOLS})


def test_fields_of_earlier_messages_and_answers_stay_and_later_words_win() -> None:
    heard = talk(
        user("Three days on Tenerife, ages 30 and 31."),
        *asked("month", "August"),
        {"role": "assistant", "content": "Here it is."},
        user("Rather seven days on Hainan, from Haikou.\n\n[note] 3 turns are left."),
    )
    assert fields_in(heard) == {"ages": [30, 31], "month": 8, "days": 7, "regions": ["hainan"], "start": "haikou", "must_go": []}


def test_an_earlier_answer_gives_way_to_later_words() -> None:
    assert fields_in(talk(user("Six days"), *asked("month", "August"), user("Rather in May.")))["month"] == 5


def test_a_question_that_nobody_answered_says_nothing() -> None:
    refused = asked("month", '{"error":"August is not allowed"}')
    assert fields_in(talk(user("Six days"), *refused, user("ages 30"))) == {"days": 6, "ages": [30]}


def test_the_start_stays_as_long_as_the_region_does() -> None:
    fields = fields_in(talk(user("Six days on Hainan from Sanya, to see Boao"), user("Hainan in May")))
    assert (fields["start"], fields["must_go"]) == ("sanya", ["boao"])


def test_a_latest_message_that_names_nothing_is_a_wish() -> None:
    assert fields_in(talk(user("Six days"), user("We like hot springs."))) == {"days": 6, "wishes": ["We like hot springs."]}


@pytest.mark.parametrize(
    ("field", "words", "value"),
    [
        ("month", "August", 8), ("month", "may be August? No: well, May", 5), ("month", "whenever", None), ("ages", "30 and 31", [30, 31]),
        ("ages", "old", None), ("days", "ten", 10), ("days", "12", 12), ("days", "many", None),
    ],
)  # fmt: skip
def test_a_bare_answer_is_understood_by_its_question(field: str, words: str, value: Any) -> None:
    assert answered(field, words) == value


def test_a_message_that_is_a_month_names_it() -> None:
    assert (wishes("August."), wishes("We may come")) == ({"month": 8}, {"wishes": ["We may come"]})


def test_what_is_still_missing_is_asked_again_in_other_words_and_then_left_to_the_travellers() -> None:
    begun = [user("Ten days in Sichuan, ages 40"), *asked("month", "whenever")]
    assert Planning().move(talk(*begun)) == call("ask_traveller", {"question": AGAIN.format(question=QUESTIONS["month"])})
    assert Planning().move(talk(*begun, *asked("month", "no idea", again=True))) == Said(QUESTIONS["month"])


def test_a_lacking_brief_leads_to_a_question_after_later_messages_too() -> None:
    lacking = called("record_brief", {"days": 7}, LACKING)
    assert Planning().move(talk(user("Hello"), user("Seven days, ages 40"), *lacking)) == call(
        "ask_traveller", {"question": QUESTIONS["month"]}
    )


def test_a_refused_brief_is_not_sent_again_unchanged() -> None:
    words = "Ten days in Sichuan in October, ages 40"
    refused = ToolResult(tool="record_brief", arguments=wishes(words), content="", value=None, error="It contradicts itself.")
    offered: dict[str, Any] = {"record_brief": {}, "submit_plan": {}}
    assert Planning().move(Conversation(said=(words,), declarations=offered, results=(refused,))) == Said("It contradicts itself.")


async def runs(first: str, second: str, *, answers: list[Any]) -> Outcome:
    """The second run of a conversation."""
    states: list[Any] = []
    async with started(scenarios()) as url:
        options: Any = {"model": OpenAIChat(base_url=url, api_key="rehearsal"), "deps": embedded()}
        options |= {"ask": Travellers(ask_traveller=answers), "on_event": lambda event, state: states.append(state)}
        await run(agent(), first, **options)
        ended = await run(agent(), second, history=states[-1].transcript, **options)
        await options["model"].close()
    assert isinstance(ended, Outcome)
    return ended


async def test_a_change_of_mind_in_the_next_run_keeps_the_ages_and_the_month() -> None:
    ended = await runs("Three days on Tenerife in May, ages 30 and 31.", "Rather seven days on Hainan, from Haikou.", answers=[])
    assert not ended.partial
    brief = ended.output["brief"]
    assert (brief["ages"], brief["month"], brief["days"], brief["regions"]) == ([30, 31], 5, 7, ["hainan"])


async def test_two_missing_things_each_get_their_answer_and_the_next_run_knows_them() -> None:
    ended = await runs("Three days on Tenerife.", "Rather on Hainan.", answers=[Say("30 and 31"), Say("August")])
    assert not ended.partial
    brief = ended.output["brief"]
    assert (brief["ages"], brief["month"], brief["days"], brief["regions"]) == ([30, 31], 8, 3, ["hainan"])

"""What a call from outside comes to."""

from collections.abc import Mapping

import msgspec

from handrail.adapters.mcp.draft import Draft
from handrail.adapters.mcp.keeping import Question
from handrail.core.state import OpenCall
from handrail.core.table import Stage
from handrail.errors import Bug
from handrail.vocab.outcomes import Outcome


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """A call's answer.

    Args:
        content: the result as a model sees it, or `{"error": …}`.
        failed: it is no result.
        notes: what the ring says to the model besides.
    """

    content: str
    failed: bool = False
    notes: tuple[str, ...] = ()


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A person has to say yes first. Nothing was run."""

    question: Question


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """What the client's user said to a question."""

    question_id: str
    approve: bool


def refused(reason: str) -> Answered:
    """An answer that is no result, in the words that a model of ours would get."""
    return Answered(content=msgspec.json.encode({"error": reason}).decode(), failed=True)


def answer_of(draft: Draft, call_id: str) -> Answered:
    """What the client is told of a call that is over."""
    call: OpenCall | None = draft.call(call_id)
    if call is None or not call.over:
        raise Bug(f"{call_id} is answered and is not over")
    ended = () if draft.state.outcome is None else (_ended(draft.state.outcome),)
    return Answered(content=call.content or "", failed=call.stage is not Stage.SUCCEEDED, notes=(*draft.notes, *ended))


def _ended(outcome: Outcome) -> str:
    why = outcome.limit or outcome.reason
    output = msgspec.json.encode(outcome.output).decode() if isinstance(outcome.output, Mapping) and outcome.partial else ""
    return " ".join(
        filter(None, (f"This run has ended ({outcome.status.value}{f': {why}' if why else ''}); the next call begins a new one.", output))
    )

"""What a person's answer to a hold means as an input. Only an exact `Yes` is a yes (case 55).

- An approval takes `Yes` and `No`; `Say` is a message instead, which closes the call (case 59).
- A question and a held text take what the person says; their yes or no is said in words.
"""

from datetime import datetime
from typing import Any

from msgspec.structs import replace

from handrail.core.events import HoldAnswered, Input, ToolReturned, UserSaid
from handrail.core.outstanding import open_holds
from handrail.core.stale import StaleCode
from handrail.core.state import RunState
from handrail.errors import InputError, StaleInput
from handrail.vocab.answers import Answered, No, PersonAnswer, Say, Yes
from handrail.vocab.facts import Fact
from handrail.vocab.outcomes import HoldKind, OpenHold
from handrail.vocab.reviews import Answer


def checked(answer: Any) -> PersonAnswer:
    """The answer, if it is one.

    Raises:
        InputError: it is anything but `Yes`, `No` or `Say` with a text.
    """
    if not isinstance(answer, Yes | No | Say):
        raise InputError(f"an answer is handrail.Yes(), No() or Say(text), not {answer!r}; nothing else counts as one")
    if isinstance(answer, Say) and not answer.text.strip():
        raise InputError("Say() needs a text; where there is no answer yet, give none")
    return answer


def answered(hold: OpenHold, answer: PersonAnswer, at: datetime) -> Input:
    """The input that an answer to the hold is."""
    if hold.kind is HoldKind.APPROVAL:
        return _decided(hold, answer, at)
    text = _in_words(answer)
    if hold.kind is HoldKind.MESSAGE:
        return UserSaid(at=at, text=text)
    fact = Fact(kind="answer", value=text, about={"asked": hold.arguments or "{}"})
    return ToolReturned(at=at, call=hold.id, content=text, text=True, facts=(fact,))


def answering(state: RunState, answer: Answered | PersonAnswer, at: datetime) -> Input:
    """The input that an answer to a parked run is; one without the hold's name will do where exactly one hold is open.

    Raises:
        InputError: it is no answer, or it could be the answer to several holds.
        StaleInput: the run is over.
    """
    holds = open_holds(state)
    checked(answer.answer if isinstance(answer, Answered) else answer)
    if isinstance(answer, Answered):
        hold = next((hold for hold in holds if hold.id == answer.hold), None)
        if hold is None:
            return HoldAnswered(at=at, hold=answer.hold, digest=answer.digest, answer=Answer.NO)
        if hold.kind is HoldKind.APPROVAL:
            hold = replace(hold, digest=answer.digest)
        return answered(hold, answer.answer, at)
    if state.outcome is not None:
        raise StaleInput(StaleCode.PHASE, f"the run {state.run_id!r} is over; nothing waits for an answer")
    if len(holds) != 1:
        ids = ", ".join(repr(hold.id) for hold in holds) or "none"
        raise InputError(f"{type(answer).__name__} alone answers the one open hold; open here: {ids}. Say which with Answered(hold=...)")
    return answered(holds[0], answer, at)


def _decided(hold: OpenHold, answer: PersonAnswer, at: datetime) -> Input:
    match answer:
        case Yes(by=by):
            return HoldAnswered(at=at, hold=hold.id, digest=hold.digest, answer=Answer.YES, by=by)
        case No(comment=comment, by=by):
            return HoldAnswered(at=at, hold=hold.id, digest=hold.digest, answer=Answer.NO, comment=comment, by=by)
        case Say(text=text):
            return UserSaid(at=at, text=text)


def _in_words(answer: PersonAnswer) -> str:
    match answer:
        case Yes():
            return "yes"
        case No(comment=comment):
            return f"no: {comment}" if comment else "no"
        case Say(text=text):
            return text

"""Events as sentences, for the stories of `check` and `replay`."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from handrail.core.events import (
    CallCleared,
    CallDeferred,
    CallHeld,
    CallLost,
    CallRefused,
    CallReopened,
    CallRequeued,
    Cancelled,
    Event,
    FactsNoted,
    HistoryCut,
    HistoryMeasured,
    HoldAnswered,
    InputHeld,
    InputScreened,
    LandingAdvanced,
    LandRequested,
    ModelFailed,
    ModelReplied,
    RunFinished,
    RunParked,
    RunStarted,
    Summarised,
    SummaryFailed,
    SummaryOrdered,
    TakenOver,
    TextAmended,
    TextHeld,
    TextRefused,
    Ticked,
    ToolFailed,
    ToolLost,
    ToolReturned,
    ToolStarted,
    TurnOpened,
    UserSaid,
)
from handrail.vocab.reviews import Answer

LONGEST = 200
ANSWERS = {
    Answer.YES: "A person says yes",
    Answer.NO: "A person says no",
    Answer.PASSED: "The reviewer passes it",
    Answer.FLAWED: "The reviewer finds flaws",
    Answer.FAILED: "The reviewer fails",
}

SCREENED = {Answer.PASSED: "The screener passes", Answer.FLAWED: "The screener stops", Answer.FAILED: "The screener fails on"}


def happened(event: Event, names: Mapping[str, str]) -> str:
    """An input as a sentence without its full stop; `names` are the tools of the calls."""
    words = _HAPPENED.get(type(event))
    return words(event, names) if words is not None else judged(event, names) or type(event).__name__


def judged(event: Event, names: Mapping[str, str]) -> str:
    """A judgement in a few words; empty where there is nothing to tell."""
    words = _JUDGED.get(type(event))
    return words(event, names) if words is not None else ""


def names_in(events: Iterable[Event]) -> dict[str, str]:
    """The tools of the calls that are made in these events."""
    return {call.id: call.name for event in events if isinstance(event, ModelReplied) for call in event.calls}


def cut(text: str) -> str:
    """One line, at most 200 characters, without its full stop."""
    line = " ".join(text.split()).removesuffix(".")
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def _named(call: str, names: Mapping[str, str]) -> str:
    return names.get(call, call)


def _replied(event: ModelReplied) -> str:
    if event.refusal is not None:
        return "The model declines to answer"
    if event.calls:
        return "The model calls " + " and ".join(cut(f"{call.name}({call.arguments or ''})") for call in event.calls)
    return f"The model says {cut(event.text)!r}" if event.text and event.text.strip() else "The model replies with nothing"


def _returned(event: ToolReturned, names: Mapping[str, str]) -> str:
    kinds = ", ".join(dict.fromkeys(fact.kind for fact in event.facts))
    return f"{_named(event.call, names)} succeeds{f' with facts of {kinds}' if kinds else ''}"


def _refused(event: CallRefused, names: Mapping[str, str]) -> str:
    return f"{_named(event.call, names)} is refused by {event.guard} ({event.code}): {cut(event.reason)}"


def _deferred(event: CallDeferred, names: Mapping[str, str]) -> str:
    return f"{_named(event.call, names)} waits for {_named(event.after, names)} ({event.guard})"


def _text_refused(event: TextRefused) -> str:
    return f"the text is refused by {event.guard} ({event.code}): {cut(event.reason)}"


def _finished(event: RunFinished) -> str:
    outcome = event.outcome
    marks = ", ".join(mark for mark in ("partial", "unconfirmed", "unreviewed") if getattr(outcome, mark))
    why = f": {cut(outcome.reason)}" if outcome.reason else ""
    return f"the run ends {outcome.status.value}{f' ({marks})' if marks else ''}{why}"


_Words = dict[type[Event], Callable[[Any, Mapping[str, str]], str]]
_HAPPENED: _Words = {
    RunStarted: lambda event, names: f"The user asks: {cut(event.message)!r}",
    ModelReplied: lambda event, names: _replied(event),
    ModelFailed: lambda event, names: f"The model call fails ({event.kind})",
    ToolStarted: lambda event, names: f"{_named(event.call, names)} starts",
    ToolReturned: _returned,
    ToolFailed: lambda event, names: f"{_named(event.call, names)} fails",
    ToolLost: lambda event, names: f"{_named(event.call, names)} gets lost: nobody knows whether it happened",
    HoldAnswered: lambda event, names: ANSWERS[event.answer],
    UserSaid: lambda event, names: f"The user says {cut(event.text)!r}",
    FactsNoted: lambda event, names: f"{event.source} notes {len(event.facts)} facts",
    LandRequested: lambda event, names: f"Somebody wants what there is ({event.reason})",
    HistoryMeasured: lambda event, names: f"The request has {sum(event.tokens) + event.fixed} tokens, and {event.limit} may be",
    Summarised: lambda event, names: f"{event.upto} messages are summarised in {event.tokens} tokens",
    SummaryFailed: lambda event, names: "The summary comes to nothing",
    InputScreened: lambda event, names: f"{SCREENED[event.answer]} what the user said ({event.guard})",
    TakenOver: lambda event, names: "Another driver takes the run over",
    Cancelled: lambda event, names: "Somebody cancels",
    Ticked: lambda event, names: "Time passes",
}
_JUDGED: _Words = {
    InputHeld: lambda event, names: f"what the user said is looked at first ({event.guard})",
    SummaryOrdered: lambda event, names: f"the first {event.upto} messages are to be summarised",
    HistoryCut: lambda event, names: f"the first {event.upto} messages are {event.code}",
    CallCleared: lambda event, names: f"{_named(event.call, names)} is cleared",
    CallDeferred: _deferred,
    CallHeld: lambda event, names: f"{_named(event.call, names)} is held for a {event.by} ({event.guard})",
    CallRefused: _refused,
    CallReopened: lambda event, names: f"{_named(event.call, names)} is judged again: {event.reason}",
    CallRequeued: lambda event, names: f"{_named(event.call, names)} runs again",
    CallLost: lambda event, names: f"{_named(event.call, names)}: {cut(event.reason)}",
    TextRefused: lambda event, names: _text_refused(event),
    TextAmended: lambda event, names: f"the text is cut by {event.guard}",
    TextHeld: lambda event, names: "the text is a question; the run waits for the user",
    LandingAdvanced: lambda event, names: f"the landing goes down to {event.stage.value!r} ({event.limit})",
    TurnOpened: lambda event, names: f"turn {event.turn} opens with {', '.join(event.offered) or 'no tool'} on offer",
    RunParked: lambda event, names: "the run waits for people",
    RunFinished: lambda event, names: _finished(event),
}

"""The timeline: one line an event, saying which guard did what and why. `chat`, `serve`, `demo` and `replay` share it.

- An input has the run's active seconds before it; what it led to stands below, without a time.
- A `Timeline` says what a turn offers only where the turn before offered something else; a line alone knows of no turn before.
- Nothing in a line can do anything to a terminal; long texts are cut here and are whole in the journal.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from rich.text import Text

from handrail.cli.visible import one_line
from handrail.core import events as e
from handrail.core.events import INPUTS, Event
from handrail.core.state import RunState
from handrail.vocab.outcomes import Outcome
from handrail.vocab.reviews import Answer

LONGEST = 160
SHORT = 80
MOST_RUNS = 1_000
"""Runs whose last offer is kept in mind."""

GOOD, BAD, WAITS, DIM = "green", "red", "yellow", "dim"

Cells = tuple[str, str, str]
"""A word, its style, and the rest of the line."""


class Timeline:
    """The lines of runs as they go on.

    Args:
        run: put the end of the run's id in front of each line, where several runs share a terminal.
    """

    def __init__(self, *, run: bool = False) -> None:
        """Begin before the first line."""
        self._run = run
        self._offered: OrderedDict[str, Sequence[str]] = OrderedDict()

    def line(self, event: Event, state: RunState) -> Text | None:
        """The line of the run's next event; `None` where it says nothing that another one does not say."""
        if not isinstance(event, e.TurnOpened):
            return line(event, state, run=self._run)
        before = self._offered.pop(state.run_id, None)
        self._offered[state.run_id] = event.offered
        if len(self._offered) > MOST_RUNS:
            self._offered.popitem(last=False)
        return line(event, state, run=self._run, offered=before)


def line(event: Event, state: RunState, *, run: bool = False, offered: Sequence[str] | None = None) -> Text | None:
    """The line of an event; `None` where it says nothing that another one does not say.

    Args:
        event: what has happened.
        state: the state after it.
        run: put the end of the run's id in front, where several runs share a terminal.
        offered: what the turn before offered, where that is known.
    """
    show = _SHOWN.get(type(event))
    if show is None:
        return None
    word, style, rest = _turn(event, offered) if isinstance(event, e.TurnOpened) else show(event, state)
    active = f"{state.clock.active:.1f}s" if state.clock is not None and isinstance(event, INPUTS) else ""
    tag = f"{state.run_id[-6:]} " if run else ""
    return Text.assemble((f"{tag}{active:>8} ", DIM), (f"{word:<9}", style), f" {rest}".rstrip())


def _call(state: RunState, call_id: str) -> str:
    call = state.call(call_id)
    if call is None:
        return call_id
    arguments = call.arguments if call.arguments is not None else call.proposed.arguments or ""
    return f"{call_id} {one_line(call.name, SHORT)}({one_line(arguments, SHORT)})"


def _name(state: RunState, call_id: str) -> str:
    call = state.call(call_id)
    return call_id if call is None else f"{call_id} {one_line(call.name, SHORT)}"


def _because(guard: str, code: str, reason: str) -> str:
    return f"{guard} [{code}] {one_line(reason, LONGEST)}"


def _facts(many: int) -> str:
    return "1 fact" if many == 1 else f"{many} facts"


def _started(event: e.RunStarted, state: RunState) -> Cells:
    return "begins", "bold", f"{event.agent}: {one_line(event.message, LONGEST)}"


def _turn(event: e.TurnOpened, before: Sequence[str] | None) -> Cells:
    parts = _offer(event.offered, before)
    parts += [f"has to call {event.choice}"] if event.choice != "auto" else []
    parts += [f"{event.turns_left} left"] if event.turns_left is not None else []
    notes = [f"note: {one_line(note, LONGEST)}" for note in event.notes]
    return f"turn {event.turn}", DIM, " · ".join(filter(None, (", ".join(parts), *notes)))


def _offer(offered: Sequence[str], before: Sequence[str] | None) -> list[str]:
    if before == offered:
        return []
    if not before or not offered:
        return [f"offers {', '.join(offered) or 'no tools'}"]
    new = ", ".join(name for name in offered if name not in before)
    gone = ", ".join(name for name in before if name not in offered)
    return [*([f"offers {new} too"] if new else []), *([f"no longer offers {gone}"] if gone else [])]


def _replied(event: e.ModelReplied, state: RunState) -> Cells:
    parts = [one_line(event.refusal or event.text or "", LONGEST)]
    parts += [f"{one_line(call.name, SHORT)}({one_line(call.arguments or '', SHORT)})" for call in event.calls]
    said = " · ".join(part for part in parts if part) or "nothing"
    odd = "" if event.finish in {"stop", "tool_calls"} else f" ({event.finish})"
    return "refuses" if event.refusal else "model", BAD if event.refusal else "cyan", said + odd


def _model_failed(event: e.ModelFailed, state: RunState) -> Cells:
    again = f"; again at {event.retry_at:%H:%M:%S}" if event.retry_at is not None else ""
    return "model", BAD, f"failed: {event.kind} {one_line(event.detail, LONGEST)}{again}"


def _returned(event: e.ToolReturned, state: RunState) -> Cells:
    facts = f" · {_facts(len(event.facts))}" if event.facts else ""
    return "returned", GOOD, f"{_name(state, event.call)}: {one_line(event.content, LONGEST)}{facts}"


def _failed(event: e.ToolFailed, state: RunState) -> Cells:
    return "failed", BAD, f"{_name(state, event.call)}: {one_line(event.error, LONGEST)}"


def _tool_lost(event: e.ToolLost, state: RunState) -> Cells:
    return "unknown", BAD, f"{_name(state, event.call)}: {one_line(event.error, LONGEST)}"


def _cleared(event: e.CallCleared, state: RunState) -> Cells:
    place = "" if event.where == "server" else f" ({event.where})"
    return "cleared", GOOD, f"{_call(state, event.call)} {event.effect}{place}"


def _deferred(event: e.CallDeferred, state: RunState) -> Cells:
    return "waits", DIM, f"{_name(state, event.call)} for {event.after}: {event.guard}"


def _held(event: e.CallHeld, state: RunState) -> Cells:
    return "held", WAITS, f"{_call(state, event.call)} for a {event.by.value}: {event.guard}"


def _answered(event: e.HoldAnswered, state: RunState) -> Cells:
    good = event.answer in {Answer.YES, Answer.PASSED}
    said = "; ".join(part for part in (event.comment, *event.flaws) if part)
    by = f" by {one_line(event.by, SHORT)}" if event.by else ""
    call = _name(state, event.hold.rpartition("h")[0])
    return event.answer.value, GOOD if good else BAD, f"{call}{by}{f': {one_line(said, LONGEST)}' if said else ''}"


def _screened(event: e.InputScreened, state: RunState) -> Cells:
    said = "; ".join(part for part in (event.comment, *event.flaws) if part)
    why = f": {one_line(said, LONGEST)}" if said else ""
    return event.answer.value, GOOD if event.answer is Answer.PASSED else BAD, f"what the user said, by {event.guard}{why}"


def _refused(event: e.CallRefused, state: RunState) -> Cells:
    return "refused", BAD, f"{_name(state, event.call)}: {_because(event.guard, event.code, event.reason)}"


def _text_refused(event: e.TextRefused, state: RunState) -> Cells:
    return "refused", BAD, f"the text: {_because(event.guard, event.code, event.reason)}"


def _landing(event: e.LandingAdvanced, state: RunState) -> Cells:
    return "landing", WAITS, f"{event.stage.value.replace('_', ' ')}, because of {event.limit}"


def _finished(event: e.RunFinished, state: RunState) -> Cells:
    outcome = event.outcome
    return "ends", "bold", ", ".join([outcome.status.value, *flags(outcome)])


def flags(outcome: Outcome) -> list[str]:
    """What else there is to say about an outcome, in words."""
    words = [word for word in ("partial", "unconfirmed", "unreviewed") if getattr(outcome, word)]
    reason = [one_line(outcome.reason, LONGEST)] if outcome.reason else []
    limit = [outcome.limit] if outcome.limit and outcome.limit not in (outcome.reason or "") else []
    return [*words, *limit, *reason]


_SHOWN: dict[type[Event], Callable[[Any, RunState], Cells]] = {
    e.RunStarted: _started,
    e.ModelReplied: _replied,
    e.ModelFailed: _model_failed,
    e.ToolReturned: _returned,
    e.ToolFailed: _failed,
    e.ToolLost: _tool_lost,
    e.HoldAnswered: _answered,
    e.UserSaid: lambda event, _: ("says", "bold", one_line(event.text, LONGEST)),
    e.FactsNoted: lambda event, _: ("noted", DIM, f"{_facts(len(event.facts))} by {one_line(event.source, SHORT)}"),
    e.LandRequested: lambda event, _: ("landing", WAITS, f"wanted: {one_line(event.reason, LONGEST)}"),
    e.HistoryMeasured: lambda event, _: ("history", WAITS, f"{sum(event.tokens) + event.fixed:,} tokens, and {event.limit:,} may be"),
    e.Summarised: lambda event, _: ("summary", DIM, f"of {event.upto} messages in {event.tokens:,} tokens"),
    e.SummaryFailed: lambda event, _: ("summary", BAD, f"of {event.upto} messages failed: {one_line(event.detail, LONGEST)}"),
    e.HistoryCut: lambda event, _: ("history", WAITS, f"the first {event.upto} messages were {event.code}"),
    e.InputScreened: _screened,
    e.TakenOver: lambda event, state: ("taken", WAITS, f"over by another driver ({state.takeovers} without progress)"),
    e.Cancelled: lambda event, _: ("cancelled", BAD, one_line(event.reason, LONGEST)),
    e.TurnOpened: lambda event, _: _turn(event, None),
    e.CallCleared: _cleared,
    e.CallDeferred: _deferred,
    e.CallHeld: _held,
    e.CallRefused: _refused,
    e.CallReopened: lambda event, state: ("again", DIM, f"{_name(state, event.call)} is judged again: {event.reason}"),
    e.CallRequeued: lambda event, state: ("again", DIM, f"{_name(state, event.call)} runs again under the same key"),
    e.CallLost: lambda event, state: ("unknown", BAD, f"{_name(state, event.call)}: {one_line(event.reason, LONGEST)}"),
    e.TextRefused: _text_refused,
    e.TextAmended: lambda event, _: ("amended", WAITS, f"the text: {event.guard}: {one_line(event.text, LONGEST)}"),
    e.TextHeld: lambda event, _: ("asks", WAITS, f"the user: {event.guard}"),
    e.LandingAdvanced: _landing,
    e.RunParked: lambda event, _: ("waits", WAITS, "for people"),
    e.RunFinished: _finished,
}
"""What is not here has no line, since what comes next says it: a call starts, a screener looks, a summary is wanted, time passes."""

"""Keys: when two states are the same to everything that can come.

A key is the core's own part and the sights that guards and invariants have read. Left out are what nobody reads (the transcript, ids,
tokens, the time), and what the walk puts away after each step: the refusals of people that a run remembers (with the few arguments
that a walk tries they would make false dead ends), and how many questions and empty replies there were in a row.

A tool stands aside if its calls change nothing that is read about anything else. How often it was called is left out as well: it can be
called as long as it has not been, and a run in which it is not on offer any more can do nothing that others cannot.

Once all tools but `submit` are closed, only what is read about `submit` and about texts can matter any more.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from handrail.check.masking import Masked
from handrail.check.notebook import ANYTHING, TEXT, Notebook, flags
from handrail.check.sights import ANY_KIND, Reader, Sight
from handrail.core.agent import Agent
from handrail.core.opening import CLOSING
from handrail.core.ring import JudgedCall
from handrail.core.state import OpenCall, Reply, RunState
from handrail.core.table import OVER, Phase
from handrail.vocab.calls import By, Where

Key = tuple[Any, ...]
MOST_REVIEW_FAILURES = 2


class Keys:
    """Makes keys for one walk.

    Args:
        notebook: says what is read, and about which tools.
        agent: the agent that is walked.
        guards: its guards, behind their masks.
        exact: tell states apart by tools that stand aside, too.
    """

    def __init__(self, reader: Reader, notebook: Notebook, agent: Agent, guards: tuple[Masked, ...], *, exact: bool) -> None:
        self._reader = reader
        aside = frozenset() if exact else frozenset(tool for tool in agent.tools if _is_aside(tool, agent, notebook))
        own = {sight for sight in notebook.sights if any(_is_own(tool, agent, notebook, sight) for tool in aside)}
        self._documents = {guard.name: guard for guard in guards if guard.reads_ledger}
        self._sights = tuple((sight, cap) for sight, cap in notebook.sights.items() if sight not in own)
        self._closing = tuple((sight, cap) for sight, cap in self._sights if notebook.about[sight] & {agent.submit, TEXT, ANYTHING})
        self._rounds = tuple(_rounds(agent))

    def key(self, state: RunState) -> Key:
        """The key of a state."""
        if state.outcome is not None and state.phase is Phase.DONE:
            return (Phase.DONE, state.outcome.status, state.outcome.partial)
        value = self._reader.value
        return (
            state.phase,
            state.offer.offered,
            state.offer.choice,
            state.landing,
            flags(state),
            bool(state.inbox),
            state.stop,
            _reply(state.reply),
            self._calls(state),
            self._reviews(state),
            _screening(state),
            tuple([value(state, sight, cap) for sight, cap in (self._closing if state.landing in CLOSING else self._sights)]),
        )

    def _reviews(self, state: RunState) -> Key:
        if not self._rounds:
            return ()
        return tuple(
            (min(state.rounds(tool), most), bool(state.flaws.get(tool)), min(state.review_failures.get(tool, 0), MOST_REVIEW_FAILURES))
            for tool, most in self._rounds
        )

    def _calls(self, state: RunState) -> Key:
        if not state.calls:
            return ()
        ends = sorted({at for call in state.calls if (at := _expires(call)) is not None})
        places = {call.id: place for place, call in enumerate(state.calls)}
        return tuple(
            (
                call.name,
                call.stage,
                call.arguments if call.arguments is not None else call.proposed.arguments,
                places.get(call.after) if call.after is not None else None,
                self._held(state, call),
                tuple((answer.guard, answer.answer, self._bound(answer.guard, answer.digest)) for answer in call.answers),
                None if (expires := _expires(call)) is None else ends.index(expires),
            )
            for call in state.calls
        )

    def _held(self, state: RunState, call: OpenCall) -> Key | None:
        held = call.held
        if held is None:
            return None
        guard = self._documents.get(held.guard)
        if guard is None:
            return held.guard, held.digest
        judged = JudgedCall(id=call.id, tool=call.name, effect=call.effect, arguments=self._reader.decoded(call.arguments or "{}"))
        hold = guard.holds_for_person(state, judged)
        return held.guard, hold is not None and _is_part(hold.show, held.show)

    def _bound(self, guard: str, digest: str) -> str:
        return "" if guard in self._documents else digest


def _screening(state: RunState) -> Key | None:
    found = state.screening
    return None if found is None else (bool(state.unseen), found.guard, found.passed, found.flawed, found.failures)


def _reply(reply: Reply | None) -> Key | None:
    if reply is None:
        return None
    text = reply.message is not None and reply.message.text is not None
    return (text, reply.finish, reply.refusal is None, reply.failure, reply.text_refused, reply.text_held)


def _expires(call: OpenCall) -> datetime | None:
    if call.stage in OVER:
        return None
    return call.held.expires_at if call.held is not None else call.expires_at


def _is_part(show: str | dict[str, Any], held: str | dict[str, Any]) -> bool:
    """Whether that is what is shown, but for the open flaws that come with it."""
    if isinstance(show, str):
        return isinstance(held, str) and held.startswith(show)
    return isinstance(held, dict) and show.items() <= held.items()


def _is_aside(tool: str, agent: Agent, notebook: Notebook) -> bool:
    """Whether calls of the tool change nothing that is read about anything but the tool itself."""
    written = (sight for sight in notebook.sights if _writes(agent, tool, sight))
    return tool != agent.submit and all(notebook.about[sight] <= {tool} for sight in written)


def _is_own(tool: str, agent: Agent, notebook: Notebook, sight: Sight) -> bool:
    """Whether only calls of the tool change that, and only what is said about the tool depends on it."""
    return notebook.about[sight] == {tool} and not any(_writes(agent, other, sight) for other in agent.tools if other != tool)


def _writes(agent: Agent, tool: str, sight: Sight) -> bool:
    match sight.what:
        case "used" | "ok" | "computed" | "rounds":
            return sight.name == tool
        case "facts":
            asks = agent.tools[tool].where is Where.PERSON
            return asks or sight.name == ANY_KIND or sight.name in agent.tools[tool].produces
        case "waits_for" | "refused_texts":
            return False
        case _:
            return True


def _rounds(agent: Agent) -> Iterator[tuple[str, int]]:
    """The tools that a reviewer looks at, and the rounds after which it makes no difference."""
    holds = [(tool, getattr(guard, "most", 1)) for guard in agent.guards for tool, by in guard.holds if by is By.REVIEWER]
    for name in dict.fromkeys(tool for tool, _ in holds):
        yield name, max(most for tool, most in holds if tool == name)

"""Keys: when two states are the same to everything that can come.

A key is the core's own part and the sights that guards and invariants have read. Left out are what nobody reads (the transcript, ids,
tokens, the time), and what the walk puts away after each step: the refusals of people that a run remembers (with the few arguments
that a walk tries they would make false dead ends), and how many questions and empty replies there were in a row.

Once all tools but `submit` are closed, only what is read about `submit` and about texts can matter any more.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from handrail.check.notebook import ANYTHING, TEXT, Notebook, flags
from handrail.check.sights import Reader
from handrail.core.opening import CLOSING
from handrail.core.state import OpenCall, Reply, RunState
from handrail.core.table import OVER, Phase

Key = tuple[Any, ...]
MOST_REVIEW_FAILURES = 2


class Keys:
    """Makes keys for one walk.

    Args:
        notebook: says what is read, and about which tools.
        rounds: tools that a reviewer looks at, with the rounds after which that ends.
    """

    def __init__(self, reader: Reader, notebook: Notebook, rounds: Mapping[str, int], submit: str | None) -> None:
        self._reader = reader
        self._sights = tuple(notebook.sights.items())
        self._closing = tuple((sight, cap) for sight, cap in self._sights if notebook.about[sight] & {submit, TEXT, ANYTHING})
        self._rounds = tuple(rounds.items())

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
        return tuple(_call(call, ends, places) for call in state.calls)


def _reply(reply: Reply | None) -> Key | None:
    if reply is None:
        return None
    text = reply.message is not None and reply.message.text is not None
    return (text, reply.finish, reply.refusal is None, reply.failure, reply.text_refused, reply.text_held)


def _expires(call: OpenCall) -> datetime | None:
    if call.stage in OVER:
        return None
    return call.held.expires_at if call.held is not None else call.expires_at


def _call(call: OpenCall, ends: list[datetime], places: Mapping[str, int]) -> Key:
    expires = _expires(call)
    held = (call.held.guard, call.held.digest) if call.held is not None else None
    return (
        call.name,
        call.stage,
        call.arguments if call.arguments is not None else call.proposed.arguments,
        places.get(call.after) if call.after is not None else None,
        held,
        tuple((answer.guard, answer.answer, answer.digest) for answer in call.answers),
        None if expires is None else ends.index(expires),
    )

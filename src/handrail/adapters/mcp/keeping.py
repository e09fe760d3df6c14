"""What one client's calls are kept in: a run's journal, the questions that are out to people, and what they have decided.

- A question that is out is no part of the journal: nothing has happened yet, and the client may go on with other calls meanwhile.
- A decision is bound to the digest of what was shown, and is taken in the same write as the events that it leads to: it counts once.
"""

import secrets
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Protocol

import msgspec

from handrail.core.events import Event
from handrail.core.evolve import fold
from handrail.core.state import Held, OpenCall, RunState
from handrail.errors import CallerError, StaleWriter
from handrail.ports import Clock, Journal

MOST_QUESTIONS = 32
"""That are out at once for one run: nobody reads more of them than that."""

NOBODY = "Nobody can say yes here: this client cannot ask its user. Use one that can, or an app that is served over HTTP."


class TooManyQuestions(CallerError):
    """A run has so many questions out that there is no place for another one."""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A call that a person has to say yes to first.

    Args:
        id: nobody can guess it.
        tool: what would run.
        arguments: what it would run with, as canonical JSON.
        show: the document to say yes or no to.
        digest: of all of that.
        expires_at: when it is a no.
    """

    id: str
    tool: str
    arguments: str
    show: Any
    digest: str
    expires_at: datetime | None


def new_question(call: OpenCall, held: Held) -> Question:
    """What a person is to be asked about a held call, under a name that nobody can guess."""
    return Question(
        id=f"apr_{secrets.token_hex(16)}",
        tool=call.name,
        arguments=call.arguments or "{}",
        show=held.show,
        digest=held.digest,
        expires_at=held.expires_at,
    )


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody has decided, and by what it is taken."""

    id: str
    approve: bool
    by: str
    comment: str = ""


class Keeping(Protocol):
    """Where one client's run and questions are."""

    @property
    def key(self) -> str:
        """The same for whoever shares a run: their calls come one after the other."""
        ...

    @property
    def elicits(self) -> bool:
        """Whether this client's own user may decide."""
        ...

    async def current(self) -> RunState | None:
        """Where the run is that goes on; `None` where the next call begins one."""
        ...

    async def begin(self, start: Callable[[str], Sequence[Event]]) -> None:
        """Write the first events of a new run, made with its name; it takes the place of the one before.

        Raises:
            StaleWriter: somebody else has begun one meanwhile.
        """
        ...

    async def append(self, state: RunState, seq: int, events: Sequence[Event], *, taking: Sequence[Decision] = ()) -> None:
        """Write events that lead to the state, and take decisions, or do neither.

        Raises:
            StaleWriter: somebody else goes on with this run, or has taken a decision.
        """
        ...

    async def question(self, run_id: str, wanted: Question) -> Question:
        """The question that is out already on the same digest, or this one from now on.

        Raises:
            TooManyQuestions: `MOST_QUESTIONS` are out.
        """
        ...

    async def knows(self, question_id: str) -> bool:
        """Whether that is the name of a question to this client's user."""
        ...

    async def decide(self, question: Question, *, approve: bool) -> None:
        """The client's own user has decided. What is decided already stays as it is."""
        ...

    async def decision(self, run_id: str, digest: str) -> Decision | None:
        """What was decided on that, and has not been taken yet."""
        ...

    def place(self, question: Question) -> str:
        """Where a person can decide, in one sentence."""
        ...


class InMemory:
    """A `Keeping` for the one client of a process.

    Args:
        clock: says the time.
        journal: keeps the events too, for whoever wants to read them later.
    """

    key = "the client"
    elicits = True

    def __init__(self, clock: Clock, journal: Journal | None = None) -> None:
        """No run goes on."""
        self._clock = clock
        self._journal = journal
        self._state: RunState | None = None
        self._asked: dict[str, Question] = {}
        self._known: set[str] = set()
        self._decided: dict[str, Decision] = {}

    async def current(self) -> RunState | None:
        """See `Keeping`."""
        return self._state

    async def begin(self, start: Callable[[str], Sequence[Event]]) -> None:
        """See `Keeping`."""
        run_id = f"run_{secrets.token_hex(16)}"
        events = start(run_id)
        await self._write(run_id, 0, events)
        self._state = fold(events)
        self._asked.clear()
        self._known.clear()
        self._decided.clear()

    async def append(self, state: RunState, seq: int, events: Sequence[Event], *, taking: Sequence[Decision] = ()) -> None:
        """See `Keeping`."""
        if self._state is None or self._state.seq != seq:
            raise StaleWriter(f"the run {state.run_id!r} has gone on meanwhile")
        await self._write(state.run_id, seq, events)
        self._state = state
        for decision in taking:
            self._decided.pop(decision.id, None)

    async def question(self, run_id: str, wanted: Question) -> Question:
        """See `Keeping`."""
        now = self._clock.now()
        self._asked = {digest: each for digest, each in self._asked.items() if each.expires_at is None or each.expires_at > now}
        found = self._asked.get(wanted.digest)
        if found is None and len(self._asked) >= MOST_QUESTIONS:
            raise TooManyQuestions(f"the run {run_id!r} has {MOST_QUESTIONS} questions out")
        if found is None:
            found = self._asked[wanted.digest] = wanted
            self._known.add(wanted.id)
        return found

    async def knows(self, question_id: str) -> bool:
        """See `Keeping`."""
        return question_id in self._known

    async def decide(self, question: Question, *, approve: bool) -> None:
        """See `Keeping`."""
        asked = self._asked.get(question.digest)
        if asked is not None and asked.id == question.id and (asked.expires_at is None or asked.expires_at > self._clock.now()):
            del self._asked[question.digest]
            self._decided[question.digest] = Decision(id=question.digest, approve=approve, by="the client's user")

    async def decision(self, run_id: str, digest: str) -> Decision | None:
        """See `Keeping`."""
        return self._decided.get(digest)

    def place(self, question: Question) -> str:
        """See `Keeping`."""
        return NOBODY

    async def _write(self, run_id: str, seq: int, events: Sequence[Event]) -> None:
        if self._journal is not None:
            await self._journal.append(run_id, seq, events)

"""The journal of a job: each append is one transaction of the events, what they project to, and the message that they came from.

- Projections (the job's row, approvals, the session's history) are computed from the journal alone, so they can be made again.
- A run does not end while there is something in its mailbox that the user has said: that is judged first (`NotYet`).
"""

import secrets
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from handrail.core.effects import AskClient, AskPerson, WakeAt
from handrail.core.events import CallHeld, CallRefused, CallReopened, Cancelled, Event, ModelReplied, RunFinished, RunStarted, TakenOver
from handrail.core.evolve import evolve
from handrail.core.outstanding import outstanding
from handrail.core.state import RunState
from handrail.drivers.handle import NotYet
from handrail.errors import Bug, StaleWriter
from handrail.ports import Clock
from handrail.stores import approvals, jobs, mailbox, run_events, sessions
from handrail.stores.approvals import Approval, ApprovalStatus
from handrail.stores.jobs import Job, JobStatus
from handrail.stores.mailbox import MessageKind
from handrail.stores.sessions import Remembered
from handrail.stores.transactions import read, write
from handrail.vocab.calls import By
from handrail.vocab.facts import Ledger
from handrail.vocab.outcomes import Outcome, Status

STATUS_OF = {
    Status.COMPLETED: JobStatus.COMPLETE,
    Status.REFUSED: JobStatus.COMPLETE,
    Status.FAILED: JobStatus.ERROR,
    Status.CANCELLED: JobStatus.CANCELLED,
}


class JobJournal:
    """A `Journal` for one job.

    Attributes:
        state: where the stored journal leads to.
        taking: the message whose input is judged next; it is taken with the events.
        on_mail: brings what is in the mailbox into the run's inbox.
    """

    def __init__(self, engine: AsyncEngine, job: Job, clock: Clock, state: RunState) -> None:
        """Begin where the stored journal ends."""
        self.state = state
        self.taking: int | None = None
        self.on_mail: Callable[[], Awaitable[None]] = _no_mail
        self._engine = engine
        self._job = job
        self._clock = clock

    async def append(self, run_id: str, seq: int, events: Sequence[Event]) -> None:
        """Write events and all that they project to.

        Raises:
            StaleWriter: somebody else goes on with this job.
            NotYet: the events would end the run, and the user has said something meanwhile.
        """
        try:
            self.state = await write(self._engine, self._written, seq, events)
        except NotYet:
            await self.on_mail()
            raise
        self.taking = None

    async def read(self, run_id: str) -> tuple[Event, ...]:
        """All events of the job."""
        return await read(self._engine, run_events.read, run_id)

    async def drop(self, message_id: int) -> None:
        """Take a message that the run has no place for any more."""
        await write(self._engine, mailbox.take, message_id, at=self._clock.now())
        self.taking = None

    async def _written(self, connection: AsyncConnection, seq: int, events: Sequence[Event]) -> RunState:
        at = self._clock.now()
        await run_events.append(connection, self._job.job_id, seq, events)
        if self.taking is not None and not await mailbox.take(connection, self.taking, at=at):
            raise StaleWriter(f"somebody else has taken message {self.taking} of {self._job.job_id!r}")
        state = self.state
        for event in events:
            before, state = state, evolve(state, event)
            await self._project(connection, before, state, event, at)
        await self._keep(connection, state, events, at)
        ends = state.outcome is not None and self.taking is None and not isinstance(events[0], RunStarted | TakenOver | Cancelled)
        # The job's row is locked by now: whoever speaks after this finds that it has ended.
        if ends and await mailbox.holds(connection, self._job.job_id, MessageKind.SAY):
            raise NotYet
        return state

    async def _project(self, connection: AsyncConnection, before: RunState, after: RunState, event: Event, at: datetime) -> None:
        match event:
            case CallHeld(by=By.PERSON):
                await approvals.add(connection, self._approval(after, event, at))
            case CallRefused() | CallReopened():
                call = before.call(event.call)
                if call is not None and call.held is not None:
                    expired = isinstance(event, CallRefused) and event.code == "expired"
                    status = ApprovalStatus.EXPIRED if expired else ApprovalStatus.WITHDRAWN
                    await approvals.close(connection, self._job.job_id, call.held.id, status, at=at)
            case RunFinished():
                confirmed = Ledger(after.confirmed_before).adding(after.ledger.confirmed())
                remembered = Remembered(after.transcript, confirmed.facts)
                await sessions.keep_history(connection, self._job.session_id, remembered, at=at)

    def _approval(self, after: RunState, event: CallHeld, at: datetime) -> Approval:
        call = after.call(event.call)
        if call is None or call.held is None:
            raise Bug(f"{event.call!r} is held, and the state knows nothing of it")
        return Approval(
            approval_id=f"apr_{secrets.token_hex(16)}",
            job_id=self._job.job_id,
            session_id=self._job.session_id,
            user_id=self._job.user_id,
            hold=call.held.id,
            digest=event.digest,
            tool=call.name,
            arguments=event.arguments,
            show=event.show,
            status=ApprovalStatus.PENDING,
            decided_by=None,
            comment=None,
            created_at=at,
            decided_at=None,
            expires_at=event.expires_at,
        )

    async def _keep(self, connection: AsyncConnection, state: RunState, events: Sequence[Event], at: datetime) -> None:
        values: dict[str, Any] = {"status": status_of(state).value}
        replies = [event for event in events if isinstance(event, ModelReplied)]
        if replies:
            values["history_tokens"] = replies[-1].usage.total
        if state.outcome is not None:
            values |= {"response": response_of(state.outcome), "outcome": msgspec.to_builtins(state.outcome)}
        await jobs.keep(connection, self._job.job_id, at=at, **values)


def status_of(state: RunState) -> JobStatus:
    """What clients see of a run in that state: one that only people, browsers or a time can move waits for input."""
    if state.outcome is not None:
        return STATUS_OF[state.outcome.status]
    effects = outstanding(state)
    asked = any(isinstance(effect, AskPerson | AskClient) for effect in effects)
    waits = asked and all(isinstance(effect, AskPerson | AskClient | WakeAt) for effect in effects)
    return JobStatus.INPUT_REQUIRED if waits else JobStatus.RUNNING


def response_of(outcome: Outcome) -> str | None:
    """The answer as text: as it is, as JSON, or why there is none."""
    if outcome.output is None:
        return outcome.reason
    return outcome.output if isinstance(outcome.output, str) else msgspec.json.encode(outcome.output).decode()


async def _no_mail() -> None:
    """A journal without a mailbox."""

"""One user's run of an app, in the service's database (`handrail.adapters.mcp.Keeping`).

- It is found by who asks, never by what the client calls it; a session's name is no key (case 72).
- A question is an approval like any other: it is listed, decided and expires as all of them are.
- The user of the client may answer it there only where the owner may approve at all (`HANDRAIL_APPROVERS`).
"""

import secrets
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

import msgspec
from sqlalchemy.ext.asyncio import AsyncConnection

from handrail.adapters.mcp import Decision, Question
from handrail.core.events import Event
from handrail.core.evolve import fold
from handrail.core.state import RunState
from handrail.drivers.noting import response_of
from handrail.errors import StaleInput, StaleWriter
from handrail.service.auth.callers import Caller
from handrail.service.desk import NotThere
from handrail.service.pages import panel_at
from handrail.service.problems import Problem
from handrail.service.running import Running
from handrail.service.surfaces.mcp import rows
from handrail.stores import approvals, jobs, mailbox, run_events
from handrail.stores.approvals import Approval, ApprovalStatus
from handrail.stores.jobs import Job
from handrail.stores.transactions import read, write

IDLE = timedelta(minutes=30)
"""After which the next call begins a new run, unless a person still has to decide something."""


class DatabaseKeeping:
    """See the module. One for each request.

    Args:
        running: the service.
        caller: who asks, as the gate has found out.
        app: of which app.
        base: where people reach the service.
    """

    def __init__(self, running: Running, caller: Caller, app: str, *, base: str) -> None:
        """Read nothing yet."""
        self.key = f"{app} {caller.user_id}"
        self._running = running
        self._caller = caller
        self._app = app
        self._base = base.rstrip("/")
        self._job: Job | None = None

    @property
    def elicits(self) -> bool:
        """See `Keeping`."""
        try:
            self._running.approvers.check(self._caller, self._caller.user_id)
        except Problem:
            return False
        return True

    async def current(self) -> RunState | None:
        """See `Keeping`."""
        found = await read(self._running.database, self._current)
        return None if found is None else fold(found)

    async def begin(self, start: Callable[[str], Sequence[Event]]) -> None:
        """See `Keeping`."""
        now, user_id = self._running.clock.now(), self._caller.user_id
        await write(self._running.database, rows.begin, user_id, self._app, replaced=self._job, start=start, at=now)

    async def append(self, state: RunState, seq: int, events: Sequence[Event], *, taking: Sequence[Decision] = ()) -> None:
        """See `Keeping`."""
        await write(self._running.database, self._appended, state, seq, events, taking)

    async def question(self, run_id: str, wanted: Question) -> Question:
        """See `Keeping`."""
        approval = Approval(
            approval_id=wanted.id,
            job_id=run_id,
            session_id=self._there.session_id,
            user_id=self._caller.user_id,
            hold=f"mcp_{secrets.token_hex(16)}",
            digest=wanted.digest,
            tool=wanted.tool,
            arguments=wanted.arguments,
            show=wanted.show,
            status=ApprovalStatus.PENDING,
            decided_by=None,
            comment=None,
            created_at=self._running.clock.now(),
            decided_at=None,
            expires_at=wanted.expires_at,
        )
        found = await write(self._running.database, rows.asked, approval)
        return msgspec.structs.replace(wanted, id=found.approval_id, expires_at=found.expires_at)

    async def knows(self, question_id: str) -> bool:
        """See `Keeping`."""
        return await read(self._running.database, approvals.owned, question_id, user_id=self._caller.user_id) is not None

    async def decide(self, question: Question, *, approve: bool) -> None:
        """See `Keeping`."""
        try:
            await self._running.desk.decide(self._caller.user_id, question.id, approve=approve, by=self._caller.by)
        except (StaleInput, NotThere):
            return

    async def decision(self, run_id: str, digest: str) -> Decision | None:
        """See `Keeping`."""
        found = await read(self._running.database, rows.decided, run_id, digest, at=self._running.clock.now())
        if found is None:
            return None
        body = found.body
        return Decision(id=str(found.message_id), approve=body["approve"] is True, by=body["by"], comment=body["comment"])

    def place(self, question: Question) -> str:
        """See `Keeping`."""
        until = "" if question.expires_at is None else f" until {question.expires_at:%Y-%m-%d %H:%M} UTC"
        return (
            f"It waits as the approval {question.id}{until}: whoever may approve it decides in the developer panel, "
            f"{panel_at(self._base, self._there.session_id)}, or by a program with "
            f"POST {self._base}/agent/approvals/{question.id}/decision. Give people the link; once they have "
            "said yes, make the very same call again."
        )

    @property
    def _there(self) -> Job:
        if self._job is None:
            raise StaleWriter("the run is not there any more")
        return self._job

    async def _current(self, connection: AsyncConnection) -> tuple[Event, ...] | None:
        now = self._running.clock.now()
        self._job = job = await rows.current(connection, self._caller.user_id, self._app)
        if job is None or (_is_idle(job, now) and not await rows.is_waited_for(connection, job.job_id, at=now)):
            return None
        return await run_events.read(connection, job.job_id)

    async def _appended(
        self, connection: AsyncConnection, state: RunState, seq: int, events: Sequence[Event], taking: Sequence[Decision]
    ) -> None:
        now = self._running.clock.now()
        await run_events.append(connection, state.run_id, seq, events)
        for decision in taking:
            if not await mailbox.take(connection, int(decision.id), at=now):
                raise StaleWriter(f"somebody else has taken the decision {decision.id} of {state.run_id!r}")
        if state.outcome is None:
            await jobs.keep(connection, state.run_id, at=now)
            return
        ended = {"response": response_of(state.outcome), "outcome": msgspec.to_builtins(state.outcome)}
        await jobs.keep(connection, state.run_id, at=now, **ended)
        await rows.withdraw(connection, state.run_id, at=now)


def _is_idle(job: Job, now: datetime) -> bool:
    return now - job.updated_at >= IDLE

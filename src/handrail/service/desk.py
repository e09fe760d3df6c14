"""The desk: what every surface calls, and the only writer of jobs. It runs nothing; engines do.

- Each act is one transaction: the rows, the message to the run, and the wake-up.
- The owner is checked in the query itself; what is somebody else's is `NotThere`, the same as what never was (case 71).
- A client gives one message; the server's history is the only truth (case 69).
- Whoever speaks into a job locks its row first: either the run reads it, or the caller is told that the run has ended.
"""

import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypeVar

import msgspec
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from handrail.codec import cleaned_text
from handrail.engines.contract import Engine
from handrail.errors import CallerError, InputError, StaleInput
from handrail.ports import Clock
from handrail.stores import approvals, claims, deliveries, jobs, mailbox, run_events, sessions
from handrail.stores.approvals import Approval, ApprovalStatus
from handrail.stores.claims import Claim
from handrail.stores.deliveries import NewDelivery
from handrail.stores.jobs import Job, JobStatus, NewJob
from handrail.stores.mailbox import MessageKind
from handrail.stores.sessions import SessionRow
from handrail.stores.transactions import read, write
from handrail.vocab.canonical import digest
from handrail.vocab.facts import Noted
from handrail.vocab.usage import HISTORY_LIMIT

T = TypeVar("T")

LONGEST_MESSAGE = 32_000
LONGEST_COMMENT = 2_000
LONGEST_ID = 200


class NotThere(CallerError):
    """There is no such thing, or it is somebody else's; nobody is told which."""


class KeyReused(CallerError):
    """An idempotency key came again with another request."""


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One message to an agent.

    Args:
        user_id: whose it is.
        session_id: the conversation; the client's own name of it.
        app: which agent.
        message: 1 to 32,000 characters.
        idempotency_key: the same request with it makes one job.
        delivery: (platform, its id of the message): what is delivered again makes one job.
        answer_to: where its answer is wanted, outside; written down with the job.
        notes: what the interface has to say beside the message, such as what was clicked meanwhile.
        facts: what the interface knows, such as its cart; its ids have been checked.
    """

    user_id: str
    session_id: str
    app: str
    message: str
    idempotency_key: str | None = None
    delivery: tuple[str, str] | None = None
    answer_to: NewDelivery | None = None
    notes: tuple[str, ...] = ()
    facts: tuple[Noted, ...] = ()


class Desk:
    """Takes jobs on, and speaks into them."""

    def __init__(
        self, database: AsyncEngine, engine: Engine, *, apps: Sequence[str], clock: Clock, history_limit: int = HISTORY_LIMIT
    ) -> None:
        """Nothing is opened; the database is somebody else's. New jobs get the history limit, in tokens."""
        self.database = database
        self._engine = engine
        self._apps = tuple(apps)
        self._clock = clock
        self._history_limit = history_limit

    async def invoke(self, asked: Asked) -> Job:
        """Take a message on; one to a session whose run waits goes into that run, and returns its job.

        Raises:
            InputError: a field is empty or too long, or the app is not served.
            NotThere: the session is somebody else's.
            KeyReused: the key came before with another request.
        """
        _bounded("message", asked.message, LONGEST_MESSAGE)
        _check_ids(asked)
        if asked.app not in self._apps:
            raise InputError(f"the app {asked.app!r} is not served here; served are {', '.join(self._apps)}")
        return await write(self.database, self._invoked, asked)

    async def job(self, user_id: str, job_id: str) -> Job:
        """A job of the user's.

        Raises:
            NotThere: there is none.
        """
        return _there(await read(self.database, jobs.owned, job_id, user_id=user_id), "job", job_id)

    async def jobs(self, user_id: str, *, session_id: str | None = None) -> Sequence[Job]:
        """The user's jobs, newest first."""
        return await read(self.database, jobs.listed, user_id=user_id, session_id=session_id)

    async def sessions(self, user_id: str) -> Sequence[SessionRow]:
        """The user's sessions, most recent first."""
        return await read(self.database, sessions.of_user, user_id)

    async def session(self, user_id: str, session_id: str) -> SessionRow:
        """A session of the user's.

        Raises:
            NotThere: there is none.
        """
        return _there(await read(self.database, sessions.owned, session_id, user_id=user_id), "session", session_id)

    async def lines(self, user_id: str, job_id: str, *, after: int) -> list[tuple[int, str]]:
        """The job's events with a number above `after`, as stored.

        Raises:
            NotThere: there is no such job.
        """
        await self.job(user_id, job_id)
        return await read(self.database, run_events.lines, job_id, after=after)

    async def say(self, user_id: str, job_id: str, text: str) -> Job:
        """Say something into a run that is going on.

        Raises:
            NotThere: there is no such job.
            StaleInput: it has ended.
            InputError: the text is empty or too long.
        """
        _bounded("message", text, LONGEST_MESSAGE)
        return await write(self.database, self._posted, user_id, job_id, MessageKind.SAY, {"text": cleaned_text(text)})

    async def note(self, user_id: str, session_id: str, noted: Noted) -> None:
        """Tell the run of a session that is going on what the interface knows now; without one there is nobody to tell.

        Raises:
            NotThere: the session is somebody else's.
        """
        await write(self.database, self._noted, user_id, session_id, noted)

    async def cancel(self, user_id: str, job_id: str) -> Job:
        """Want an end. One that has ended already stays as it ended.

        Raises:
            NotThere: there is no such job.
        """
        return await write(self.database, self._cancelled, user_id, job_id)

    async def land(self, user_id: str, job_id: str) -> Job:
        """Want what there is, now.

        Raises:
            NotThere: there is no such job.
            StaleInput: it has ended.
        """
        return await write(self.database, self._posted, user_id, job_id, MessageKind.LAND, {})

    async def retry(self, user_id: str, job_id: str) -> Job:
        """Ask the same again, as a new run of the same session; the old one stays as it is.

        Raises:
            NotThere: there is no such job.
            StaleInput: it has not ended.
        """
        return await write(self.database, self._retried, user_id, job_id)

    async def approvals(self, user_id: str, *, status: ApprovalStatus | None = None) -> Sequence[Approval]:
        """Approvals that wait for the user, or were decided; newest first."""
        return await read(self.database, approvals.of_user, user_id, status=status)

    async def approval(self, user_id: str, approval_id: str) -> Approval:
        """An approval of the user's.

        Raises:
            NotThere: there is none.
        """
        return _there(await read(self.database, approvals.owned, approval_id, user_id=user_id), "approval", approval_id)

    async def decide(self, user_id: str, approval_id: str, *, approve: bool, by: str, comment: str = "") -> Approval:
        """Say yes or no. The first decision stands; whoever comes later gets the recorded one.

        Raises:
            NotThere: there is no such approval.
            StaleInput: it was decided otherwise (`twice`), has expired (`expired`) or was withdrawn (`hold`).
            InputError: the comment is too long, or nobody says who decides.
        """
        _bounded("by", by, LONGEST_ID)
        if len(comment) > LONGEST_COMMENT:
            raise InputError(f"a comment has at most {LONGEST_COMMENT} characters, not {len(comment)}")
        return await write(self.database, self._decided, user_id, approval_id, approve=approve, by=by, comment=cleaned_text(comment))

    async def _invoked(self, connection: AsyncConnection, asked: Asked) -> Job:
        now = self._clock.now()
        message = cleaned_text(asked.message)
        if await sessions.joined(connection, asked.session_id, user_id=asked.user_id, app=asked.app, at=now) is None:
            raise NotThere(f"there is no session {asked.session_id!r}")
        current = await jobs.current(connection, asked.session_id, lock=True)
        waits = current is not None and await _takes_words(connection, current)
        job_id = current.job_id if current is not None and waits else new_job_id()
        earlier = await _earlier(connection, asked, job_id, now)
        if earlier is not None:
            return earlier
        if current is not None and waits:
            await _noted(connection, job_id, asked.facts, now)
            await mailbox.post(connection, job_id, MessageKind.SAY, {"text": message, "notes": list(asked.notes)}, at=now)
            job = current
        else:
            new = NewJob(
                job_id=job_id,
                session_id=asked.session_id,
                user_id=asked.user_id,
                app=asked.app,
                message=message,
                notes=asked.notes,
                history_limit=self._history_limit,
            )
            job = await jobs.add(connection, new, at=now)
            await _noted(connection, job_id, asked.facts, now)
        if asked.answer_to is not None:
            await deliveries.add(connection, job.job_id, asked.answer_to, at=now)
        await self._engine.wake(connection, asked.session_id)
        return job

    async def _noted(self, connection: AsyncConnection, user_id: str, session_id: str, noted: Noted) -> None:
        _there(await sessions.owned(connection, session_id, user_id=user_id), "session", session_id)
        job = await jobs.current(connection, session_id, lock=True)
        if job is not None:
            await _noted(connection, job.job_id, (noted,), self._clock.now())
            await self._engine.wake(connection, session_id)

    async def _posted(self, connection: AsyncConnection, user_id: str, job_id: str, kind: MessageKind, body: dict[str, Any]) -> Job:
        job = _there(await jobs.owned(connection, job_id, user_id=user_id, lock=True), "job", job_id)
        if job.ended:
            raise StaleInput("phase", f"{job_id!r} has ended ({job.status.value}); nothing can be said to it any more")
        await mailbox.post(connection, job_id, kind, body, at=self._clock.now())
        await self._engine.wake(connection, job.session_id)
        return job

    async def _cancelled(self, connection: AsyncConnection, user_id: str, job_id: str) -> Job:
        job = _there(await jobs.owned(connection, job_id, user_id=user_id, lock=True), "job", job_id)
        return job if job.ended else await self._posted(connection, user_id, job_id, MessageKind.CANCEL, {})

    async def _retried(self, connection: AsyncConnection, user_id: str, job_id: str) -> Job:
        old = _there(await jobs.owned(connection, job_id, user_id=user_id), "job", job_id)
        if not old.ended:
            raise StaleInput("phase", f"{job_id!r} has not ended ({old.status.value}); cancel it first, or wait")
        new = NewJob(
            job_id=new_job_id(),
            session_id=old.session_id,
            user_id=old.user_id,
            app=old.app,
            message=old.message,
            history_limit=old.history_limit,
            retry_of=old.job_id,
        )
        now = self._clock.now()
        await sessions.joined(connection, old.session_id, user_id=user_id, app=old.app, at=now)
        job = await jobs.add(connection, new, at=now)
        await self._engine.wake(connection, job.session_id)
        return job

    async def _decided(
        self, connection: AsyncConnection, user_id: str, approval_id: str, *, approve: bool, by: str, comment: str
    ) -> Approval:
        now = self._clock.now()
        wanted = ApprovalStatus.APPROVED if approve else ApprovalStatus.REFUSED
        before = _there(await approvals.owned(connection, approval_id, user_id=user_id), "approval", approval_id)
        if await approvals.decide(connection, approval_id, wanted, by=by, comment=comment, at=now):
            body = {"hold": before.hold, "digest": before.digest, "approve": approve, "comment": comment, "by": by}
            await mailbox.post(connection, before.job_id, MessageKind.DECISION, body, at=now)
            await self._engine.wake(connection, before.session_id)
        after = _there(await approvals.owned(connection, approval_id, user_id=user_id), "approval", approval_id)
        if after.status is wanted:
            return after
        raise _undecidable(after, now)


async def _noted(connection: AsyncConnection, job_id: str, facts: Sequence[Noted], now: datetime) -> None:
    for noted in facts:
        await mailbox.post(connection, job_id, MessageKind.FACTS, msgspec.to_builtins(noted), at=now)


async def _takes_words(connection: AsyncConnection, job: Job) -> bool:
    """Whether a message to the session goes into this job: it waits for one, and nobody has ended it already."""
    if job.status is not JobStatus.INPUT_REQUIRED:
        return False
    return not await mailbox.holds(connection, job.job_id, MessageKind.CANCEL, MessageKind.LAND)


async def _earlier(connection: AsyncConnection, asked: Asked, job_id: str, now: datetime) -> Job | None:
    """The job of the same request before; otherwise claim this one."""
    if asked.delivery is not None and not await claims.deliver(connection, *asked.delivery, job_id, at=now):
        before = await claims.delivered(connection, *asked.delivery)
        return None if before is None else await jobs.found(connection, before)
    if asked.idempotency_key is None:
        return None
    claimed = Claim(_asked_digest(asked), job_id)
    if await claims.claim(connection, asked.user_id, asked.idempotency_key, claimed, at=now):
        return None
    earlier = await claims.earlier(connection, asked.user_id, asked.idempotency_key)
    if earlier is None or earlier.digest != claimed.digest:
        raise KeyReused("this Idempotency-Key came before with another request; take a new one")
    return await jobs.found(connection, earlier.job_id)


def new_job_id() -> str:
    """A name that nobody can guess: `job_` and 128 random bits."""
    return f"job_{secrets.token_hex(16)}"


def _undecidable(approval: Approval, now: datetime) -> StaleInput:
    late = approval.expires_at is not None and approval.expires_at <= now
    if approval.status is ApprovalStatus.EXPIRED or (approval.status is ApprovalStatus.PENDING and late):
        return StaleInput("expired", "this approval has expired; nothing was run")
    if approval.status is ApprovalStatus.WITHDRAWN:
        return StaleInput("hold", "this approval is not needed any more; the run has gone on")
    return StaleInput("twice", f"this was decided already: {approval.status.value}")


def _there(found: T | None, what: str, name: str) -> T:
    if found is None:
        raise NotThere(f"there is no {what} {name!r}")
    return found


def _bounded(name: str, value: str, most: int) -> None:
    if not value.strip():
        raise InputError(f"{name} is empty")
    if len(value) > most:
        raise InputError(f"{name} has at most {most} characters, not {len(value)}")


def _check_ids(asked: Asked) -> None:
    ids = {"session_id": asked.session_id, "user_id": asked.user_id}
    if asked.idempotency_key is not None:
        ids["Idempotency-Key"] = asked.idempotency_key
    if asked.delivery is not None:
        ids["the delivery"] = asked.delivery[1]
    for name, value in ids.items():
        _bounded(name, value, LONGEST_ID)
        if cleaned_text(value) != value:
            raise InputError(f"{name} has characters that are no text (NUL, or half of a pair)")


def _asked_digest(asked: Asked) -> str:
    return digest(asked.session_id, asked.app, asked.message)

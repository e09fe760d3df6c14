"""Calls that the user's browser makes for a run: what waits for it, handing a call out, and taking its result.

- A call is handed out once, so a second tab does not make it again. The first valid result counts; the same again changes nothing.
- What there is no place for is refused: a call of another run, one that was answered otherwise or cancelled, one past its deadline.
- Each act is one transaction on the locked row of the job, as the desk's are; whether there is a place says the core (`stale`).
- A result is text or JSON, bounded, and as little trusted as what any tool returns. It brings no facts.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy.ext.asyncio import AsyncConnection

from handrail.codec import cleaned_text
from handrail.core.events import CallCleared, Event, ToolFailed, ToolReturned, ToolStarted
from handrail.core.evolve import fold
from handrail.core.stale import StaleCode, stale
from handrail.drivers.messages import ClientResult, result_of
from handrail.errors import InputError, StaleInput
from handrail.service.desk import NotThere
from handrail.service.problems import Problem
from handrail.service.running import Running
from handrail.stores import client_results, jobs, mailbox, run_events
from handrail.stores.jobs import Job
from handrail.stores.mailbox import MessageKind
from handrail.stores.transactions import read, write
from handrail.tools.encoding import encode
from handrail.tools.results import Returned
from handrail.vocab.calls import ToolEffect, Where
from handrail.vocab.canonical import digest

LONGEST_RESULT = 200_000
"""Characters of a result as JSON."""

LONGEST_ERROR = 800


class ClientCall(msgspec.Struct, frozen=True, kw_only=True):
    """A call that waits for the browser.

    Args:
        arguments: JSON, as it was judged.
        deadline: when it is too late for a result.
        started: it has been handed out.
        effect: what it does to the world.
    """

    call_id: str
    tool: str
    arguments: str
    deadline: datetime
    started: bool
    effect: ToolEffect


class ClientCalls:
    """The browser's side of runs."""

    def __init__(self, running: Running) -> None:
        """Keep what it works on."""
        self._running = running

    async def waiting(self, user_id: str, job_id: str) -> Sequence[ClientCall]:
        """The job's calls that wait for the browser, in the model's order.

        Raises:
            NotThere: there is no such job of the user's.
        """
        await self._running.desk.job(user_id, job_id)
        return await read(self._running.database, _waiting, job_id, self._running.clock.now())

    async def start(self, user_id: str, job_id: str, call_id: str) -> ClientCall:
        """Hand a call out.

        Raises:
            NotThere: the user has no such job, or the job no such call.
            StaleInput: it was handed out already (`twice`), is too late (`expired`), or there is no place for it any more.
        """
        return await write(self._running.database, self._started, user_id, job_id, call_id)

    async def answer(self, user_id: str, job_id: str, result: ClientResult) -> bool:
        """Take a result; false where it is the one that counts already.

        Raises:
            NotThere: the user has no such job, or the job no such call.
            StaleInput: another result counts (`twice`), it is too late (`expired`), or there is no place for it any more.
        """
        return await write(self._running.database, self._answered, user_id, job_id, result)

    async def _started(self, connection: AsyncConnection, user_id: str, job_id: str, call_id: str) -> ClientCall:
        now = self._running.clock.now()
        job = await _locked(connection, user_id, job_id)
        if await client_results.claimed(connection, job_id, call_id) is not None or call_id in await _handed_out(connection, job_id):
            raise StaleInput(StaleCode.TWICE, f"the call {call_id!r} was handed out already")
        await _check_place(connection, job, ToolStarted(at=now, call=call_id))
        call = next(call for call in await _waiting(connection, job_id, now) if call.call_id == call_id)
        await self._post(connection, job, MessageKind.STARTED, {"call": call_id}, now)
        return msgspec.structs.replace(call, started=True)

    async def _answered(self, connection: AsyncConnection, user_id: str, job_id: str, result: ClientResult) -> bool:
        now = self._running.clock.now()
        job = await _locked(connection, user_id, job_id)
        body = msgspec.to_builtins(result)
        counts = await client_results.claimed(connection, job_id, result.call)
        if counts is not None:
            if counts == digest(body):
                return False
            raise StaleInput(StaleCode.TWICE, f"the call {result.call!r} has another result already")
        await _check_place(connection, job, result_of(result, now))
        await client_results.claim(connection, job_id, result.call, digest(body), at=now)
        await self._post(connection, job, MessageKind.RESULT, body, now)
        return True

    async def _post(self, connection: AsyncConnection, job: Job, kind: MessageKind, body: dict[str, Any], now: datetime) -> None:
        await mailbox.post(connection, job.job_id, kind, body, at=now)
        await self._running.engine.wake(connection, job.session_id)


def returned(call_id: str, content: Any) -> ClientResult:
    """A result, as a tool's is encoded.

    Raises:
        InputError: it has no JSON form.
        Problem: it is too long.
    """
    try:
        made = encode(content, "client", frozenset())
    except ValueError as error:  # NaN and the like
        raise InputError("a result is text, or JSON with numbers that JSON has") from error
    found = made if isinstance(made, Returned) else made.returned
    if len(found.content) > LONGEST_RESULT:
        raise Problem(413, "too_long", f"A result may have {LONGEST_RESULT} characters at most.")
    return ClientResult(call=call_id, content=found.content, text=found.text, shown=found.shown)


def failed(call_id: str, error: str) -> ClientResult:
    """The browser could not do it, and nothing has happened."""
    return ClientResult(call=call_id, error=cleaned_text(error))


async def _locked(connection: AsyncConnection, user_id: str, job_id: str) -> Job:
    job = await jobs.owned(connection, job_id, user_id=user_id, lock=True)
    if job is None:
        raise NotThere(f"there is no job {job_id!r}")
    return job


async def _handed_out(connection: AsyncConnection, job_id: str) -> frozenset[str]:
    return frozenset(body["call"] for body in await mailbox.bodies(connection, job_id, MessageKind.STARTED))


async def _check_place(connection: AsyncConnection, job: Job, event: ToolStarted | ToolReturned | ToolFailed) -> None:
    """See that the run has a place for it."""
    events = await run_events.read(connection, job.job_id)
    cleared = _cleared(events).get(event.call)
    if cleared is None or cleared.expires_at is None:
        raise NotThere(f"the job {job.job_id!r} has no call {event.call!r} for a client")
    if cleared.expires_at <= event.at:
        raise StaleInput(StaleCode.EXPIRED, f"the call {event.call!r} is past its deadline")
    if await mailbox.holds(connection, job.job_id, MessageKind.CANCEL):
        raise StaleInput(StaleCode.PHASE, f"the job {job.job_id!r} is being cancelled")
    if (code := stale(fold(events), event)) is not None:
        raise StaleInput(code, f"there is no place for the call {event.call!r} any more ({code.value})")


async def _waiting(connection: AsyncConnection, job_id: str, now: datetime) -> Sequence[ClientCall]:
    events = await run_events.read(connection, job_id)
    state, cleared = fold(events), _cleared(events)
    answered, handed_out = await client_results.answered(connection, job_id), await _handed_out(connection, job_id)
    return [
        ClientCall(
            call_id=call.id,
            tool=call.name,
            arguments=call.arguments or "{}",
            deadline=call.expires_at,
            started=call.id in handed_out or call.started > 0,
            effect=call.effect,
        )
        for call in state.calls
        if call.id in cleared
        and call.id not in answered
        and call.expires_at is not None
        and stale(state, ToolReturned(at=now, call=call.id, content="")) is None
    ]


def _cleared(events: Sequence[Event]) -> dict[str, CallCleared]:
    """The latest clearing of each call of the client's."""
    return {event.call: event for event in events if isinstance(event, CallCleared) and event.where == Where.CLIENT}

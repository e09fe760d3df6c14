"""`handrail jobs`: what the service has taken on, how each run goes, and what can be done about it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Annotated

import typer
from rich.console import Console

from handrail.cli.columns import columns
from handrail.cli.filling import nearly_full
from handrail.cli.telling import told
from handrail.cli.timeline import Timeline
from handrail.cli.visible import visible
from handrail.codec import decode
from handrail.core.events import Event
from handrail.core.evolve import evolve
from handrail.core.state import RunState
from handrail.errors import InputError
from handrail.ports import Clock

LOOKS = timedelta(milliseconds=500)
Lines = Callable[..., Awaitable[Sequence[tuple[int, str]]]]
JobId = Annotated[str, typer.Argument(help="As `handrail jobs list` says it.")]

group = typer.Typer(help="Jobs: look at them, watch, export, retry and cancel them.", no_args_is_help=True)


@group.command(name="list")
def list_(
    *,
    user: Annotated[str | None, typer.Option(help="Only this user's.")] = None,
    session: Annotated[str | None, typer.Option(help="Only this conversation's.")] = None,
    status: Annotated[str | None, typer.Option(help="Only those: PENDING, RUNNING, INPUT_REQUIRED, COMPLETE, ERROR or CANCELLED.")] = None,
    most: Annotated[int, typer.Option(min=1, help="How many.")] = 100,
) -> None:
    """List jobs, newest first."""
    with told():
        typer.echo(asyncio.run(_listed(user, session, status, most)))


@group.command()
def show(job_id: JobId) -> None:
    """Print a job and the timeline of its run so far."""
    with told():
        asyncio.run(_told(job_id, follow=False))


@group.command()
def tail(job_id: JobId) -> None:
    """Print the timeline of a run as it happens, until it ends."""
    with told():
        asyncio.run(_told(job_id, follow=True))


@group.command()
def export(job_id: JobId) -> None:
    """Print a run's journal, one event a line: for a file that `handrail replay` reads."""
    with told():
        typer.echo(asyncio.run(_exported(job_id)))


@group.command()
def retry(job_id: JobId) -> None:
    """Ask the same again, as a new run of the same conversation; the old one stays as it is."""
    with told():
        typer.echo(f"{asyncio.run(_retried(job_id))} asks the same again.")


@group.command()
def cancel(job_id: JobId) -> None:
    """Want the end of a run; what is running already is waited for."""
    with told():
        typer.echo(asyncio.run(_cancelled(job_id)))


async def _listed(user: str | None, session: str | None, status: str | None, most: int) -> str:
    from handrail.service.operating import operating
    from handrail.stores import jobs
    from handrail.stores.transactions import read

    if status is not None and status not in set(jobs.JobStatus):
        raise InputError(f"there is no status {status!r}; there is {', '.join(jobs.JobStatus)}")
    only = None if status is None else jobs.JobStatus(status)
    async with operating() as operator:
        found = await read(operator.database, jobs.listed, user_id=user, session_id=session, status=only, most=most)
    rows = [
        (job.job_id, job.status.value, job.app, job.user_id, job.session_id, f"{job.created_at:%Y-%m-%d %H:%M}", job.message)
        for job in found
    ]
    return columns(("job", "status", "app", "user", "session", "asked", "message"), rows)


async def _told(job_id: str, *, follow: bool) -> None:
    from handrail.service.operating import operating

    console, timeline = Console(soft_wrap=True), Timeline()
    async with operating() as operator:
        job = await operator.job(job_id)
        fields = ("job_id", "status", "app", "user_id", "session_id", "created_at", "updated_at", "history_tokens", "retry_of", "message")
        for name in fields:
            if (value := getattr(job, name)) not in (None, ""):
                console.print(f"{name:<14} {visible(str(value))}", markup=False, highlight=False)
        if (full := nearly_full(job.history_tokens, job.history_limit)) is not None:
            console.print(f"{'nearly full':<14} {full}", markup=False, highlight=False, style="yellow")
        async for event, state in _events(operator.lines, operator.clock, job_id, follow=follow):
            if (text := timeline.line(event, state)) is not None:
                console.print(text)


async def _events(lines: Lines, clock: Clock, job_id: str, *, follow: bool) -> AsyncIterator[tuple[Event, RunState]]:
    state, last = RunState(), -1
    while True:
        for number, stored in await lines(job_id, after=last):
            event, last = decode(stored), number
            state = evolve(state, event)
            yield event, state
        if not follow or state.outcome is not None:
            return
        await clock.sleep_until(clock.now() + LOOKS)


async def _exported(job_id: str) -> str:
    from handrail.service.operating import operating

    async with operating() as operator:
        await operator.job(job_id)
        return "\n".join(stored for _, stored in await operator.lines(job_id))


async def _retried(job_id: str) -> str:
    from handrail.service.operating import operating

    async with operating() as operator:
        return (await operator.retry(job_id)).job_id


async def _cancelled(job_id: str) -> str:
    from handrail.service.operating import operating

    async with operating() as operator:
        job = await operator.cancel(job_id)
        return f"{job_id} has ended already: {job.status.value}." if job.ended else f"{job_id} is to end."

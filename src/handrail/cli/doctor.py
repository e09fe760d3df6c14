"""`handrail doctor`: whether everything is there that the service needs, and what to do about what is not.

- It changes nothing. Exit 0 if all is well, 1 if something is not.
- Where no app is named, one that has no data yet is a note: it is installed, and maybe not wanted.
"""

import asyncio
import os
import platform
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated

import msgspec
import typer

from handrail.cli.apps import apps_of
from handrail.cli.telling import told
from handrail.cli.visible import one_line
from handrail.errors import HandrailError, InputError
from handrail.service import App
from handrail.service.choosing import LOCAL

PARTS = (
    "openai",
    "msgspec",
    "pydantic",
    "jsonschema-rs",
    "fastapi",
    "uvicorn",
    "sqlalchemy",
    "alembic",
    "aiosqlite",
    "psycopg",
    "procrastinate",
)
PATIENCE = 10.0
"""Seconds that the model's provider has to answer."""

LONGEST = 300


class Found(msgspec.Struct, frozen=True):
    """One thing that was looked at.

    Args:
        well: it is as it should be.
        what: its name.
        said: what was found, and what to do.
        note: it may stay as it is.
    """

    well: bool
    what: str
    said: str
    note: bool = False

    @property
    def word(self) -> str:
        """The word at the beginning of its line."""
        return "note" if self.note else "ok" if self.well else "wrong"


def command(
    *,
    app: Annotated[list[str] | None, typer.Option(help="An app; again for more. All of them if not given.")] = None,
    model: Annotated[bool, typer.Option(help="Ask the model's provider whether it answers.")] = True,
) -> None:
    """Look at the database, the model's provider, the versions, and the ring of every app."""
    with told():
        found = asyncio.run(_looked(apps_of(app), model, named=bool(app)))
    for each in found:
        typer.echo(f"{each.word:<5} {each.what:<10} {one_line(each.said, LONGEST)}")
    raise typer.Exit(0 if all(each.well or each.note for each in found) else 1)


async def _looked(apps: Sequence[App], model: bool, *, named: bool) -> list[Found]:
    found = [Found(True, "versions", ", ".join(_versions())), await _database()]
    found += await _workers() if found[-1].well else []
    if model:
        found.append(await _provider())
    for app in apps:
        found.extend(await _app(app, named=named))
    return found


def _versions() -> Iterator[str]:
    yield f"Python {platform.python_version()}"
    for name in ("handrail", *PARTS):
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:
            continue


async def _database() -> Found:
    from handrail.service.opening import is_sqlite, place_of, what_is_missing
    from handrail.service.settings import read_settings
    from handrail.stores.database import make_engine

    database = make_engine(read_settings().database_url.get_secret_value())
    try:
        shown = database.url.render_as_string(hide_password=True)
        missing = await what_is_missing(database, called=place_of(database))
    finally:
        await database.dispose()
    if missing is not None and is_sqlite(database) and "handrail migrate" in missing:
        return Found(True, "database", f"{shown}, which gets its tables when it is first used")
    return Found(missing is None, "database", shown if missing is None else missing)


async def _workers() -> list[Found]:
    """Who runs jobs, where the service itself does not."""
    from handrail.service.apps import named
    from handrail.service.opening import WORKERS, is_sqlite
    from handrail.service.settings import read_settings
    from handrail.stores.database import make_engine

    settings = read_settings()
    database = make_engine(settings.database_url.get_secret_value())
    try:
        if is_sqlite(database) or settings.runner_function is not None:
            return []
        alive, waiting = await named(WORKERS)(database)
    except InputError as error:
        return [Found(False, "workers", str(error))]
    finally:
        await database.dispose()
    said = f"{alive} alive; sessions that wait for one: {waiting}"
    if alive:
        return [Found(True, "workers", said)]
    return [Found(False, "workers", f"{said}: start `handrail worker`, here or on any other machine", note=not waiting)]


async def _provider() -> Found:
    named = os.environ.get("HANDRAIL_MODEL") or ""
    if named.startswith(LOCAL):
        return _local(named.removeprefix(LOCAL))
    if not os.environ.get("OPENAI_API_KEY"):
        return Found(True, "model", "OPENAI_API_KEY is not set: the rule-based stand-in answers")
    from openai import AsyncOpenAI, OpenAIError

    async with AsyncOpenAI(max_retries=0, timeout=PATIENCE) as client:
        try:
            await client.models.list()
        except OpenAIError as error:
            cure = "see to OPENAI_BASE_URL and OPENAI_API_KEY"
            return Found(False, "model", f"{client.base_url.host} does not answer as it should ({type(error).__name__}): {cure}")
        return Found(True, "model", f"{client.base_url.host} answers")


def _local(name: str) -> Found:
    from handrail.models.local import LocalModel

    try:
        return Found(True, "model", f"{LocalModel(name).name} runs here")
    except (InputError, ModuleNotFoundError) as error:
        return Found(False, "model", str(error))


async def _app(app: App, *, named: bool) -> list[Found]:
    try:
        agent = app.agent()
        ring = " → ".join(guard.name for guard in agent.guards) or "no guards"
        found = [Found(True, app.name, f"{len(agent.tools)} tools; ring: {ring}")]
    except HandrailError as error:
        return [Found(False, app.name, str(error))]
    if app.deps is not None:
        async with app.deps() as deps:
            missing = None if app.ready is None else await app.ready(deps)
        if missing is not None:
            found.append(Found(False, app.name, missing, note=not named))
    return found

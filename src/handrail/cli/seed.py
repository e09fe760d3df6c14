"""`handrail seed APP`: fill the app's database with made-up data."""

import asyncio
from typing import Annotated

import typer

from handrail.cli.apps import app_of
from handrail.cli.telling import told
from handrail.errors import InputError
from handrail.service.apps import App, named


def command(app: Annotated[str, typer.Argument(help="The app, such as orders; an app of your own is module:name.")]) -> None:
    """Fill an app's database with made-up data, where it is empty."""
    with told():
        print(asyncio.run(seeded(app_of(app))))


async def seeded(app: App) -> str:
    """Fill the database, and say what was done.

    Raises:
        InputError: the app has no made-up data, or the database cannot be used.
    """
    if app.seed is None:
        raise InputError(f"the app {app.name!r} has no made-up data")
    seed = named(f"{app.seed}:seed")
    try:
        said: str = await seed()
    except Exception as error:
        # By its module: an app's own data may need no SQLAlchemy at all. What it says in full can have the password in it.
        if not type(error).__module__.startswith("sqlalchemy."):
            raise
        raise InputError(f"the database cannot be used ({type(error).__name__}): see to HANDRAIL_DATABASE_URL") from error
    return said

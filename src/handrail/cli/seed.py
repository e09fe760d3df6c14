"""`handrail seed APP`: fill the app's database with made-up data."""

import asyncio
from typing import Annotated

import typer

from handrail.cli.apps import app_of
from handrail.cli.telling import told
from handrail.errors import InputError
from handrail.service.apps import named


def command(app: Annotated[str, typer.Argument(help="The app, such as orders; an app of your own is module:name.")]) -> None:
    """Fill an app's database with made-up data, where it is empty."""
    with told():
        found = app_of(app)
        if found.seed is None:
            raise InputError(f"the app {found.name!r} has no made-up data")
        print(asyncio.run(named(f"{found.seed}:seed")()))

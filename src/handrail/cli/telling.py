"""How a command tells what is wrong: one line that says what to do, and no traceback, for everything that is not a bug."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from handrail.errors import Bug, HandrailError

WRONG = 2
"""The exit status of a command that was asked for something it cannot do."""


@contextmanager
def told() -> Iterator[None]:
    """End with status 2 and one line where handrail says what is wrong; Ctrl-C is a way to end, and no error."""
    try:
        yield
    except Bug:
        raise
    except HandrailError as error:
        typer.echo(f"handrail: {error}", err=True)
        raise typer.Exit(WRONG) from None
    except KeyboardInterrupt:
        raise typer.Exit(0) from None

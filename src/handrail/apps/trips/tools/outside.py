"""The way to the providers: which they are, and their no as a tool's."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from handrail import ToolContext, ToolError
from handrail.apps.trips.brief import Brief, brief_in
from handrail.apps.trips.providers.embedded import embedded
from handrail.apps.trips.providers.port import NotKnown, Providers, Unreachable

Context = ToolContext[Any]


@cache
def _offline() -> Providers:
    return embedded()


def providers(context: Context) -> Providers:
    """Those that the run was given as its `deps`, else the embedded data set."""
    return context.deps if isinstance(context.deps, Providers) else _offline()


def month_of(context: Context) -> int:
    """The month of the trip.

    Raises:
        ToolError: nobody has said it.
    """
    brief: Brief = brief_in(context.ledger)
    if brief.month is None:
        raise ToolError("The month of the trip is not known: put it into the brief with record_brief first.")
    return brief.month


@contextmanager
def told() -> Iterator[None]:
    """A provider's no, told to the model."""
    try:
        yield
    except (NotKnown, Unreachable) as no:
        raise ToolError(str(no)) from no

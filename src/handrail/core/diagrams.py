"""docs/lifecycle.md, printed from the two tables."""

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar

from handrail.core.table import CALL, OVER, RUN, Phase

S = TypeVar("S", bound=StrEnum)
MOST_DRAWN = 3
"""Names beside an arrow."""


def page() -> str:
    """The whole page."""
    return "\n".join(
        [
            "# Lifecycles",
            "",
            "Printed from the tables in `src/handrail/core/table.py`. A drawing leaves out what changes nothing and the end of long lists.",
            "",
            "## A run",
            "",
            *_diagram(RUN, start=Phase.READY, ends={Phase.DONE}),
            "",
            "## A tool call",
            "",
            *_diagram(CALL, start=next(iter(CALL)), ends=OVER),
            "",
        ]
    )


def _diagram(table: Mapping[S, Mapping[type, S]], *, start: S, ends: frozenset[S] | set[S]) -> list[str]:
    ways = [(source, target, names) for source, row in table.items() for target, names in _by_target(row).items()]
    return [
        "```mermaid",
        "stateDiagram-v2",
        f"    [*] --> {start.value}",
        *(f"    {source.value} --> {target.value}: {_drawn(names)}" for source, target, names in ways if source != target),
        *(f"    {end.value} --> [*]" for end in table if end in ends),
        "```",
        "",
        "| from | events | to |",
        "| --- | --- | --- |",
        *(f"| {source.value} | {', '.join(f'`{name}`' for name in names)} | {target.value} |" for source, target, names in ways),
    ]


def _by_target(row: Mapping[type, S]) -> Mapping[S, list[str]]:
    found: dict[S, list[str]] = {}
    for event, target in row.items():
        found.setdefault(target, []).append(event.__name__)
    return found


def _drawn(names: list[str]) -> str:
    return ", ".join(names if len(names) <= MOST_DRAWN else [*names[: MOST_DRAWN - 1], "…"])

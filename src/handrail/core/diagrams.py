"""docs/lifecycle.md, printed from the two tables."""

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar

from handrail.core.table import CALL, OVER, RUN, Phase

S = TypeVar("S", bound=StrEnum)


def page() -> str:
    """The whole page."""
    return "\n".join(
        [
            "# Lifecycles",
            "",
            "Printed from the two tables in `src/handrail/core/table.py` by `python -m tests.docs.regenerate`; do not edit it here.",
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
    lines = ["```mermaid", "stateDiagram-v2", f"    [*] --> {start.value}"]
    for source, row in table.items():
        by_target: dict[S, list[str]] = {}
        for event, target in row.items():
            by_target.setdefault(target, []).append(event.__name__)
        lines.extend(f"    {source.value} --> {target.value}: {', '.join(names)}" for target, names in by_target.items())
    lines.extend(f"    {end.value} --> [*]" for end in table if end in ends)
    lines.append("```")
    lines.extend(["", "| from | event | to |", "| --- | --- | --- |"])
    lines.extend(
        f"| {source.value} | `{event.__name__}` | {target.value} |" for source, row in table.items() for event, target in row.items()
    )
    return lines

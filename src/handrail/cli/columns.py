"""Rows as aligned columns of plain text, so that they can be read, searched and cut. Nothing in a cell can do anything to a terminal."""

from collections.abc import Sequence

from handrail.cli.visible import one_line

LONGEST_CELL = 60


def columns(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A line for the head, and one for each row."""
    cells = [list(head), *([one_line(_shown(cell), LONGEST_CELL) for cell in row] for row in rows)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(head))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells)


def _shown(cell: object) -> str:
    return "-" if cell is None or cell == "" else str(cell)

"""The figures as tables, for people and for the page that shows them."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from benchmarks.overhead.report import Report, beaten
from benchmarks.overhead.systems import OURS, SYSTEMS

PLACE = re.compile(
    r"(?P<before><!-- made by python -m benchmarks\.overhead: (?P<name>\w+) -->\n).*?(?P<after><!-- made so far -->)", re.DOTALL
)


def runs(report: Report) -> str:
    """One run after the other: the ratio, and milliseconds; the cheapest first."""
    found = {(each.system, each.k): each for each in report.systems}
    sizes = sorted({each.k for each in report.systems})
    head = ["one run at a time", *(title for k in sizes for title in (f"{k} tool turns", "CPU"))]
    rows = [
        [_title(report, name), *(text for k in sizes for text in (f"{found[name, k].ratio:.3f}", f"{found[name, k].cpu_ms:.1f} ms"))]
        for name in _cheapest({each.system: each.ratio for each in report.systems if each.k == sizes[0]})
        if all((name, k) in found for k in sizes)
    ]
    return "\n".join([*_table(head, rows), "", *_verdicts(report)])


def _verdicts(report: Report) -> Iterator[str]:
    for each in report.systems:
        if each.target is not None:
            low, high = each.quartiles
            yield (
                f"- {SYSTEMS[each.system].label}, {each.k} tool turns: {each.ratio:.3f} (quartiles {low:.3f} and "
                f"{high:.3f}, rounds: {each.rounds}), at most {each.target:.2f}: {_word(each.kept)}"
            )
    for name, below in (beaten(report.systems) or {}).items():
        yield f"- {SYSTEMS[name].label}, below the loop by hand and every peer at every number of turns: {_word(below)}"


def growth(report: Report) -> str:
    """How cost grows with a run, and how bytes do."""
    least, most = min(each.k for each in report.systems), max(each.k for each in report.systems)
    head = [f"{most} tool turns against {least}", "CPU time", "bytes sent"]
    found = {each.system: each for each in report.growth}
    rows = [
        [_title(report, name), f"{found[name].cpu:.1f} ×", f"{found[name].bytes:.1f} ×"]
        for name in _cheapest({name: each.cpu for name, each in found.items()})
    ]
    verdicts = [
        f"- {SYSTEMS[name].label}, no steeper than the bytes that the provider must be sent: {_word(found[name].kept)}"
        for name in OURS
        if name in found
    ]
    return "\n".join([*_table(head, rows), "", *verdicts])


def together(report: Report) -> str:
    """Many runs at the same time."""
    blocks = []
    for crowd in dict.fromkeys((each.runs, each.latency_ms, each.k) for each in report.concurrent):
        found = {each.system: each for each in report.concurrent if (each.runs, each.latency_ms, each.k) == crowd}
        count, latency, k = crowd
        head = [
            f"{count} runs at the same time, {k} tool turns, {latency} ms an answer",
            "CPU a run",
            "until the last is over",
            "peak memory",
        ]
        rows = [
            [_title(report, name), f"{found[name].cpu_ms:.1f} ms", f"{found[name].wall_s:.2f} s", f"{found[name].peak_mb:.0f} MB"]
            for name in _cheapest({name: each.cpu_ms for name, each in found.items()})
        ]
        blocks.append("\n".join(_table(head, rows)))
    return "\n\n".join(blocks)


def sizes(report: Report) -> str:
    """What a start costs, and what a base install takes."""
    if not report.imports:
        return "What a start costs was not measured: `python -m benchmarks.sizes` does."
    found = {each.system: each for each in report.imports}
    head = ["CPU time until", "it is imported", "the first run is over", "modules then", "memory then", "another agent"]
    rows = [
        [
            _title(report, name),
            f"{found[name].import_ms:.0f} ms",
            f"{found[name].first_ms:.0f} ms",
            f"{found[name].modules:,}",
            f"{found[name].memory_mb:.0f} MB",
            f"{found[name].agent_ms:.2f} ms",
        ]
        for name in _cheapest({name: each.first_ms for name, each in found.items()})
    ]
    size = report.size
    said = (
        "The size of a base install was not measured."
        if size is None
        else f"A base install is {size.packages} packages of {size.packages_mb:.0f} MB in all, and handrail itself with its four apps: "
        f"{size.handrail_mb:.1f} MB, and {size.pages_mb:.1f} MB of built pages."
    )
    return "\n".join([*_table(head, rows), "", said])


def machine(report: Report) -> str:
    """Where the figures come from."""
    here = report.machine
    return f"{here.processor}, {here.cores} cores, {here.python}, openai {here.packages['openai']}."


PARTS: Mapping[str, Callable[[Report], str]] = {"runs": runs, "growth": growth, "together": together, "sizes": sizes, "machine": machine}
"""Name on the page -> what makes it."""


def everything(report: Report) -> str:
    """All tables, for a terminal."""
    return "\n\n".join([f"{report.what}.", *(part(report) for part in PARTS.values())])


def with_tables(page: str, report: Report) -> str:
    """The page with each table in the place of the old one.

    Raises:
        ValueError: the page does not have a place for each.
    """
    new = PLACE.sub(lambda match: f"{match['before']}\n{PARTS[match['name']](report)}\n\n{match['after']}", page)
    if (found := sorted(match["name"] for match in PLACE.finditer(page))) != (wanted := sorted(PARTS)):
        raise ValueError(f"the page needs one place for each of {wanted}, between `made by` and `made so far`, and has {found}")
    return new


def _word(kept: bool | None) -> str:
    return "kept" if kept else "NOT kept"


def _title(report: Report, name: str) -> str:
    title = f"{SYSTEMS[name].label} {report.peers[name]}" if name in report.peers else SYSTEMS[name].label
    return f"**{title}**" if name in OURS else title


def _cheapest(costs: Mapping[str, float]) -> list[str]:
    """The systems, those that cost least first."""
    return sorted(costs, key=lambda name: costs[name])


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    yield _row(head, widths)
    yield f"| {'-' * widths[0]} | {' | '.join('-' * (width - 1) + ':' for width in widths[1:])} |"
    for row in rows:
        yield _row(row, widths)


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    rest = (cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True))
    return f"| {' | '.join((cells[0].ljust(widths[0]), *rest))} |"

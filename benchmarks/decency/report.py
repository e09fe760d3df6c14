"""The figures as JSON to keep, and as tables for people."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from benchmarks.decency.cases import LIMIT
from benchmarks.decency.figures import Counted, Figures

RESULTS = Path(__file__).parents[1] / "results" / "decency.json"
WHAT = f"Trips planned with a model that misbehaves: how many runs end decently, within {LIMIT:g} s, and what is violated by the others"


Part = Literal["systems", "ablation"]


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is worth keeping.

    Args:
        seeds: of each of the two, from the first to the last, both included.
        ablation: handrail, each time without one part of its ring.
    """

    what: str
    machine: dict[str, Any]
    seeds: dict[Part, tuple[int, int]]
    systems: list[Figures] = []
    ablation: list[Figures] = []


def read(file: Path = RESULTS) -> Report:
    """A report that was kept."""
    return msgspec.json.decode(file.read_bytes(), type=Report)


def as_json(report: Report) -> bytes:
    """The report as JSON."""
    return msgspec.json.format(msgspec.json.encode(report)) + b"\n"


def joined(new: Report, old: Report | None) -> Report:
    """The new figures, with those of the old ones that were not made again, if they are of the same machine and the same seeds."""
    if old is None or old.machine != new.machine:
        return new
    for part, seeds in old.seeds.items():
        if new.seeds.get(part, seeds) == seeds:
            both = _joined(getattr(new, part), getattr(old, part))
            new = msgspec.structs.replace(new, seeds={**new.seeds, part: seeds}, **{part: both})
    return new


def table(systems: Sequence[Figures]) -> str:
    """Systems beside each other."""
    width = max(len(each.system) for each in systems)
    head = f"{'system':<{width}}  runs  decent  95%          whole  reports  but for the yes   calls      tokens  median"
    return "\n".join([head, *(_row(each, width) for each in systems)])


def temperaments(figures: Figures) -> str:
    """One system's runs by temperament, and what they violated."""
    lines = [f"{figures.system} {figures.version}"]
    lines += [f"  {name:<11} {_counted(counted)}" for name, counted in figures.temperaments.items()]
    violated = ", ".join(f"{kind} {runs}" for kind, runs in sorted(figures.violations.items(), key=lambda item: -item[1]))
    return "\n".join([*lines, f"  violated: {violated or 'nothing'}"])


def _counted(counted: Counted) -> str:
    return f"{counted.decent} of {counted.runs} decent, {counted.whole} whole"


def _row(each: Figures, width: int) -> str:
    shares = f"{each.decent:>7}  {f'{each.low:.1%}–{each.high:.1%}':<12} {each.whole:>5} {each.reports:>8} {each.but_for_the_yes:>16}"
    return f"{each.system:<{width}} {each.runs:>5} {shares} {each.model_calls:>7} {each.tokens:>11} {each.seconds:>5.2f} s"


def _joined(new: Sequence[Figures], old: Sequence[Figures]) -> list[Figures]:
    again = {each.system: each for each in new}
    kept = [again.pop(each.system, each) for each in old]
    return [*kept, *again.values()]

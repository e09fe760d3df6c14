"""`python -m benchmarks.overhead [--short] [--system NAME ...] [--json FILE|-]`: measure, print the tables, and write the figures down.

- A full measurement of all systems writes the committed figures and the page that shows them together. One that is short or of some systems
  only writes nothing, unless it is told where.
- Environments of peers that are missing are made first; the short form makes none.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from benchmarks.overhead.crowds import Crowd, gathered
from benchmarks.overhead.measuring import Plan, measure
from benchmarks.overhead.processes import serving
from benchmarks.overhead.report import Report, as_json, report
from benchmarks.overhead.systems import REFERENCE, SYSTEMS, pythons
from benchmarks.overhead.tables import everything, with_tables
from benchmarks.sizes.imports import imported
from benchmarks.sizes.installed import installed

ROOT = Path(__file__).parents[2]
RESULT = ROOT / "benchmarks" / "results" / "overhead.json"
PAGE = ROOT / "docs" / "explain" / "performance.md"


class Amount(msgspec.Struct, frozen=True):
    """How much is measured. Without imports there is no base install either: `python -m benchmarks.sizes` looks at both."""

    plans: tuple[Plan, ...]
    crowds: tuple[Crowd, ...]
    imports: int = 0


FULL = Amount(
    plans=(Plan(4, 16, 8, 4), Plan(16, 6, 6, 2), Plan(64, 3, 3, 1)),
    crowds=(Crowd(100, 0, 1), Crowd(500, 200, 1)),
    imports=3,
)
SHORT = Amount(
    plans=(Plan(4, 3, 4, 2), Plan(16, 2, 2, 1), Plan(64, 1, 2, 1)),
    crowds=(Crowd(20, 0, 1), Crowd(50, 200, 1)),
)


def main(arguments: Sequence[str] | None = None, full: Amount = FULL, short: Amount = SHORT) -> None:
    """Measure, print, and write down."""
    asked = _parser().parse_args(arguments)
    amount, names = (short if asked.short else full), asked.system or list(SYSTEMS)
    partial = asked.short or asked.system
    figures = _measured(amount, list(dict.fromkeys((REFERENCE, *names))), make=not asked.short)
    target = asked.json or ("" if partial else str(RESULT))
    if target == "-":
        sys.stdout.buffer.write(as_json(figures))
        print(everything(figures), file=sys.stderr)
        return
    print(everything(figures))
    if not target:
        return
    Path(target).write_bytes(as_json(figures))
    print(f"\nWritten to {target}")
    if Path(target) == RESULT:
        PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8"), figures), encoding="utf-8")
        print(f"and shown in {PAGE}; `make pages` shows them elsewhere")


def _measured(amount: Amount, names: Sequence[str], *, make: bool) -> Report:
    there = pythons(names, make=make)
    with serving() as server:
        systems = measure(there, server, amount.plans)
    together = gathered(there, amount.crowds)
    return report(systems, together, imported(there, amount.imports), installed()) if amount.imports else report(systems, together)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.overhead", description="What handrail itself costs, beside its peers.")
    parser.add_argument("--short", action="store_true", help="a tenth of it, in minutes, with the environments that are there")
    parser.add_argument("--system", choices=list(SYSTEMS), action="append", help="just this one and the loop by hand; again for more")
    parser.add_argument("--json", metavar="FILE", help="where the figures go; - is standard output")
    return parser


if __name__ == "__main__":
    main()

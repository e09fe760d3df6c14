"""`python -m benchmarks.overhead [--json FILE|-]`: measure, print the table, and write the figures down.

The committed figures and the page that shows them are written together.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.overhead.measuring import PLANS, Contestants, Measured, Plan, measure
from benchmarks.overhead.report import as_json, report, table, with_table

ROOT = Path(__file__).parents[2]
RESULT = ROOT / "benchmarks" / "results" / "overhead.json"
PAGE = ROOT / "docs" / "explain" / "performance.md"


def main(arguments: Sequence[str] | None = None, plans: Sequence[Plan] = PLANS) -> None:
    """Measure, print, and write down."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.overhead", description="handrail's own cost per run.")
    parser.add_argument("--json", metavar="FILE", default=str(RESULT), help="where the figures go; - is standard output")
    target: str = parser.parse_args(arguments).json
    systems: list[Measured] = []
    with Contestants.started() as contestants:
        for plan in plans:
            print(f"{plan.turns} tool turns: {plan.rounds} rounds ...", file=sys.stderr, flush=True)
            systems += measure(contestants, plan)
    figures = report(systems)
    if target == "-":
        sys.stdout.buffer.write(as_json(figures))
        print(table(figures), file=sys.stderr)
        return
    Path(target).write_bytes(as_json(figures))
    print(table(figures))
    print(f"\nWritten to {target}")
    if Path(target) == RESULT:
        PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8"), table(figures)), encoding="utf-8")
        print(f"and shown in {PAGE}")


if __name__ == "__main__":
    main()

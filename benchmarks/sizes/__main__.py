"""`python -m benchmarks.sizes [--short]`: what handrail and its peers take before they do anything. Printed, and not written down.

The figures that are kept are those of `python -m benchmarks.overhead`, which looks at the same.
"""

import argparse
from collections.abc import Sequence

from benchmarks.overhead.report import report
from benchmarks.overhead.systems import SYSTEMS, pythons
from benchmarks.overhead.tables import sizes
from benchmarks.sizes.imports import imported
from benchmarks.sizes.installed import installed


def main(arguments: Sequence[str] | None = None) -> None:
    """Look, and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sizes", description="Import time, memory, and the size of a base install.")
    parser.add_argument("--short", action="store_true", help="each import once, with the environments that are there")
    short = parser.parse_args(arguments).short
    print(sizes(report([], [], imported(pythons(list(SYSTEMS), make=not short), 1 if short else 5), installed())))


if __name__ == "__main__":
    main()

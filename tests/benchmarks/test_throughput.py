"""The throughput benchmark measures what it says: structure only, no test looks at a time."""

import pytest

from benchmarks.throughput.__main__ import table
from benchmarks.throughput.measuring import Figures, Latency, Plan, Rate, measured
from tests.postgres import postgres_server

__all__ = ["postgres_server"]


@pytest.mark.slow
async def test_every_job_is_done_on_both_engines_and_every_first_event_is_seen(postgres_server: str) -> None:
    figures = await measured(postgres_server, Plan(jobs=4, asked=2, workers=(2,)))
    (rate,) = figures.rates
    assert rate.workers == 2
    assert min(rate.handrail, rate.bare, figures.taken_on.p50, figures.first_event.p50) > 0
    assert figures.first_event.p50 <= figures.first_event.p95


def test_the_table_says_what_the_figures_are_of() -> None:
    latency = Latency(p50=1.25, p95=2.5)
    figures = Figures(taken_on=latency, first_event=latency, rates=(Rate(workers=4, handrail=150, bare=200, ratio=0.75),))
    assert table(figures).splitlines() == [
        "workers",
        "      4     150.0 jobs/s     200.0 jobs/s on the bare engine  0.75",
        "",
        "asked → taken on:    p50 1.2 ms, p95 2.5 ms",
        "asked → first event: p50 1.2 ms, p95 2.5 ms",
    ]

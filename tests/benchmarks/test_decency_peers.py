"""The peers of benchmarks/decency, each in its own environment: wired so that what goes wrong is its own. What is not made is skipped."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.decency.cases import Case
from benchmarks.decency.running import Judged, judged, serving
from benchmarks.decency.systems import SYSTEMS
from benchmarks.decency.travellers import task_for
from tests.benchmarks.environments import environment_of

PEERS = ("pydantic-ai", "langchain", "agent-framework", "forge")
PLENTY = 600.0
LONGEST = 150
EVERY_TASK = list({task_for(seed).name: seed for seed in range(1, 40)}.values())
UNCONFIRMED = {"write", "unconfirmed"}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The rehearsal server, for all of them."""
    with serving() as url:
        yield url


@pytest.mark.slow
@pytest.mark.parametrize("peer", PEERS)
async def test_with_a_good_model_a_peer_gets_whole_plans_for_every_task(peer: str, url: str) -> None:
    results = await _judged(peer, [Case(temperament="steady", seed=seed) for seed in EVERY_TASK], url)
    assert [(task_for(each.case.seed).name, each.violations) for each in results if each.violations] == []
    assert not any(each.partial or each.empty for each in results)


@pytest.mark.slow
@pytest.mark.parametrize("peer", PEERS)
async def test_with_a_peer_nothing_is_written_without_a_yes_whatever_the_model_does(peer: str, url: str) -> None:
    results = await _judged(peer, [Case(temperament=name, seed=seed) for seed in (1, 2) for name in ("hasty", "parallel", "stubborn")], url)
    assert [(each.case.model, each.violations) for each in results if UNCONFIRMED & {violation.kind for violation in each.violations}] == []


@pytest.mark.slow
@pytest.mark.parametrize("peer", PEERS)
async def test_a_peer_that_gets_no_plan_out_of_a_model_says_so(peer: str, url: str) -> None:
    (result,) = await _judged(peer, [Case(temperament="chatty", seed=2)], url)
    assert result.violations == [] and result.partial and result.empty


@pytest.mark.parametrize("peer", PEERS)
def test_a_peer_is_one_short_file(peer: str) -> None:
    module = SYSTEMS[peer].place.partition(":")[0]
    text = (Path(__file__).parents[2] / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")
    assert len(text.splitlines()) < LONGEST


async def _judged(peer: str, wanted: list[Case], url: str) -> list[Judged]:
    return [each async for each in judged(peer, environment_of(SYSTEMS[peer].peer), wanted, url, limit=PLENTY)]

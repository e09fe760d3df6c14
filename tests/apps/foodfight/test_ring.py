"""What `handrail check` proves about the ring, and that it is the ring which proves it."""

import pytest

from handrail.apps.foodfight.foodfight_agent import made
from handrail.check.explore import explore
from handrail.guards import Approval


@pytest.mark.parametrize("writes", [False, True])
def test_the_ring_holds_whatever_a_model_does(writes: bool) -> None:
    report = explore(made(writes=writes))
    assert report.ok and report.complete and report.assumes == ()
    assert report.tools == tuple(made(writes=writes).tools)


@pytest.mark.parametrize("tool", ["create_promo_fight", "accept_promo_fight"])
def test_without_one_approval_the_check_says_so(tool: str) -> None:
    agent = made(writes=True)
    left = [guard for guard in agent.guards if not (isinstance(guard, Approval) and guard.tool == tool)]
    report = explore(agent.but(guards=left))
    assert not report.ok and report.counterexample is not None
    assert f"{tool} was let through, and nobody had said yes to it" in report.counterexample.text()

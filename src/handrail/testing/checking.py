"""`check_agent(agent)`: the walk of `handrail check` as one line of a test, with the story as its failure."""

from handrail.check.explore import MOST_STATES, explore
from handrail.check.invariants import invariant
from handrail.check.report import Report
from handrail.core.agent import Agent

__all__ = ["check_agent", "invariant"]


def check_agent(agent: Agent, *, batch: int = 1, most_states: int = MOST_STATES) -> Report:
    """Walk through everything that any model can do to the agent.

    Args:
        agent: what is checked; none of its tools is run.
        batch: calls in one reply, 1 or 2.
        most_states: states after which the walk is given up, which is a failure too.

    Raises:
        AssertionError: the ring has a fault; the text is the story of it.
    """
    report = explore(agent, batch=batch, most_states=most_states)
    if report.counterexample is not None:
        raise AssertionError(f"{agent.name}: {report.counterexample.text()}")
    if not report.complete:
        raise AssertionError(f"{agent.name}: {report.states} states and no end in sight, so nothing is proven; see docs/howto/check.md")
    return report

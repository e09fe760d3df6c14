"""Refusals teach: what was wrong and what to do instead, in firmer words the longer nothing new comes of it."""

from handrail.core.agent import Agent
from handrail.core.events import CallRefused
from handrail.core.state import OpenCall, RunState
from handrail.vocab.verdicts import Refuse


def refusal(agent: Agent, state: RunState, call: OpenCall, refuse: Refuse, *, by: str) -> CallRefused:
    """The refusal of a call by a guard, or by a rule of the core's own."""
    reason = refuse.reason
    if agent.firm is not None and state.fruitless >= agent.firm:
        reason += f" The last {state.fruitless} replies gained nothing new: do not repeat them, do something else."
    return CallRefused(call=call.id, guard=by, code=refuse.code, reason=reason)

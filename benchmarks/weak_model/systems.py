"""The three systems over one model: as any loop has it, with constrained decoding, and with the ring round that.

- Instructions, tools and the number of turns are the same in all of them.
- `native` and `constrained` have no guard but that number; whatever arguments fit a declaration is done.
- The ring's own time limit is for people at a keyboard. Here a task has one, the same for all: a slow machine is no worse model.
"""

from collections.abc import Callable, Mapping

import msgspec

from benchmarks.weak_model.running import MOST_SECONDS
from handrail import Agent
from handrail.apps.delivery.delivery_agent import agent as delivery
from handrail.apps.orders.orders_agent import agent as orders
from handrail.guards import TimeLimit, TurnLimit
from handrail.vocab.canonical import digest

AGENTS: Mapping[str, Callable[[], Agent]] = {"orders": orders, "delivery": delivery}


class System(msgspec.Struct, frozen=True, kw_only=True):
    """One way to run a model.

    Args:
        constrained: only what is on offer can be sampled, and examples are shown.
        ring: the app's guards are there.
    """

    name: str
    constrained: bool
    ring: bool

    def agent(self, app: str) -> Agent:
        """The app's agent, as this system has it."""
        whole = AGENTS[app]().but(invariants=())
        whole = whole if self.constrained else whole.but(examples=())
        if not self.ring:
            return whole.but(guards=[guard for guard in whole.guards if isinstance(guard, TurnLimit)])
        return whole.but(guards=[TimeLimit(MOST_SECONDS) if isinstance(guard, TimeLimit) else guard for guard in whole.guards])


SYSTEMS = {
    system.name: system
    for system in (
        System(name="ring", constrained=True, ring=True),
        System(name="constrained", constrained=True, ring=False),
        System(name="native", constrained=False, ring=False),
    )
}


def agent_digest(agent: Agent) -> str:
    """Of what a model is told and held to by an agent."""
    return digest(agent.fingerprint, [msgspec.to_builtins(example) for example in agent.examples])

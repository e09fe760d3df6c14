"""One message under the host's `Agent.run`, from asking to finish, and what is kept of it for the next one.

- The host's loop runs, with the ring as its outermost capability and nothing of ours besides.
- What was finished is kept, whichever way it ends: `messages` is what `all_messages()` gives, valid for a next run.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import msgspec
from pydantic_ai import Agent as Hosted
from pydantic_ai import AgentCapability, ModelMessage, UsageLimits, capture_run_messages
from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.models import Model

from handrail.adapters.foreign import Gate, OnEvent, now
from handrail.adapters.pydantic_ai.failures import FAILURES
from handrail.adapters.pydantic_ai.messages import last_words
from handrail.adapters.pydantic_ai.ported import PortedModel
from handrail.adapters.pydantic_ai.ring import GateCapability, Ring
from handrail.core.agent import Agent
from handrail.errors import Bug
from handrail.ports import Journal, Person
from handrail.ports import Model as Port
from handrail.vocab.outcomes import Outcome, Status

OURS_ALONE = UsageLimits(request_limit=None)
"""The ring has the limits; the host's own would end a run at the fiftieth request."""


class Ran(msgspec.Struct, frozen=True, kw_only=True):
    """How a run ended.

    Args:
        outcome: ours, as `handrail.run` gives it.
        messages: the conversation in the host's form; give it as `history` to the next run.
    """

    outcome: Outcome
    messages: list[ModelMessage]


def hosted(
    agent: Agent,
    model: Port | Model | str,
    *,
    ask: Person | None = None,
    journal: Journal | None = None,
    on_event: OnEvent | None = None,
    now: Callable[[], datetime] = now,
) -> Hosted[Any, Any]:
    """The agent as one of the host's, for any number of runs; its `deps` are the tools', its output is the answer or what was submitted.

    Raises:
        AgentError: the agent has what this host cannot hold.
    """
    return _hosted(agent, model, [Ring(agent, ask=ask, journal=journal, on_event=on_event, now=now)])


async def run(
    agent: Agent,
    message: str,
    *,
    model: Port | Model | str,
    deps: Any = None,
    history: Sequence[ModelMessage] = (),
    ask: Person | None = None,
    capabilities: Sequence[AgentCapability[Any]] = (),
    journal: Journal | None = None,
    on_event: OnEvent | None = None,
    now: Callable[[], datetime] = now,
    run_id: str | None = None,
) -> Ran:
    """Run the agent on a message under the host's loop.

    Args:
        agent: what runs; one without reviewers, and without tools that run elsewhere.
        message: what the user says.
        model: one of ours, or one of the host's own.
        deps: given to the tools as `ToolContext.deps`.
        history: the `messages` of the run before.
        ask: asks a person; where it is missing, or gives `None`, the answer to an approval is a no.
        capabilities: the host's, inside of the ring: of tools they hear what really runs.
        journal: keeps our events of the run; `handrail.resume` can go on with them, under our own loop.
        on_event: called with each event and the state after it.
        now: the time.
        run_id: a name of one's own.

    Raises:
        AgentError: the agent has what this host cannot hold.
        InputError: the message is empty, or `ask` gave something that is no answer.
    """
    gate = Gate(agent, deps=deps, ask=ask, journal=journal, on_event=on_event, now=now, run_id=run_id, lands=True)
    host = _hosted(agent, model, [GateCapability(gate), *capabilities])
    with capture_run_messages() as messages:
        try:
            await host.run(message, deps=deps, message_history=list(history), usage_limits=OURS_ALONE)
        except (AgentRunError, *FAILURES):
            if gate.outcome is None:
                raise
    if gate.outcome is None:
        raise Bug("the host's loop came back without an end of the run")
    words = gate.last_word if gate.outcome.status is not Status.COMPLETED else None
    return Ran(outcome=gate.outcome, messages=[*messages, *(last_words(messages, words) if words else [])])


def _hosted(agent: Agent, model: Port | Model | str, capabilities: Sequence[AgentCapability[Any]]) -> Hosted[Any, Any]:
    known = model if isinstance(model, Model | str) else PortedModel(model, agent.model)
    return Hosted(known, name=agent.name, capabilities=capabilities)

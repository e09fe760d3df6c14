"""Screen: another model looks at what the user says before anything is made of it (an input guardrail).

The guard says only who looks. The core opens no turn until the screener has let the words pass, so no tool can have run by then;
what does not pass never gets to the model, and is not replayed to it later.
"""

from handrail.core.agent import Agent
from handrail.errors import AgentError
from handrail.guards.base import BaseGuard


class Screen(BaseGuard):
    """What the user says, and answers to questions, are looked at first.

    Args:
        reviewer: an agent of its own; it sees what the user said, and nothing else. Its instructions say what must not pass.
    """

    screens = True

    def __init__(self, reviewer: Agent) -> None:
        """Check the declaration.

        Raises:
            AgentError: `reviewer` is no agent.
        """
        if not isinstance(reviewer, Agent):
            raise AgentError(f"{type(self).__name__} takes an Agent as 'reviewer', not {reviewer!r}")
        self.reviewer = reviewer
        super().__init__(reviewer.name)

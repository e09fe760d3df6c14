"""Review: a reviewer with a clean context looks for hard flaws before any person sees the draft.

The guard says Hold each time; the core counts rounds, asks again after a flaw, and sends the draft on when the rounds are used up.
"""

from handrail.core.agent import Agent
from handrail.core.ring import JudgedCall
from handrail.core.state import Reading
from handrail.errors import AgentError
from handrail.guards.base import BaseGuard
from handrail.guards.declared import tool_name, whole
from handrail.vocab.calls import By
from handrail.vocab.verdicts import ALLOW, Hold, Lens, Verdict


class Review(BaseGuard):
    """Another model looks at each call of the tool.

    Args:
        tool: the tool.
        reviewer: an agent of its own; it sees what the user said and confirmed, and the draft, and nothing else.
        most: rounds, 1 or more.
    """

    def __init__(self, tool: str, *, reviewer: Agent, most: int = 2) -> None:
        """Check the declaration.

        Raises:
            AgentError: `reviewer` is no agent, or `most` no whole number from 1 on.
        """
        kind = type(self).__name__
        self.tool = tool_name(kind, tool)
        if not isinstance(reviewer, Agent):
            raise AgentError(f"{kind}({tool}) takes an Agent as 'reviewer', not {reviewer!r}")
        self.reviewer = reviewer
        self.most = whole(kind, "most", most)
        super().__init__(tool)
        self.tools = (tool,)
        self.holds = ((tool, By.REVIEWER),)
        self.looks = (Lens("rounds", tool, most),)

    def judges(self, state: Reading, call: JudgedCall) -> Verdict:
        """Hold it for the reviewer."""
        if call.tool != self.tool:
            return ALLOW
        return Hold(by=By.REVIEWER, show=dict(call.arguments), most=self.most)

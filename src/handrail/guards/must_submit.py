"""MustSubmit: before the submit tool has succeeded, a long text is no answer, and a short one is a question to the user."""

from handrail.core.state import Reading
from handrail.guards.base import BaseGuard
from handrail.guards.declared import tool_name, whole
from handrail.vocab.calls import By
from handrail.vocab.verdicts import ALLOW, Hold, Lens, Refuse, TextVerdict


class MustSubmit(BaseGuard):
    """Results go through the submit tool, not into the talk.

    Args:
        tool: the submit tool.
        longest_text: characters of a text that still counts as a question; 0 lets none through.
    """

    refuses_text = True

    def __init__(self, tool: str, *, longest_text: int = 200) -> None:
        """Check the declaration.

        Raises:
            AgentError: `longest_text` is no whole number from 0 on.
        """
        kind = type(self).__name__
        self.tool = tool_name(kind, tool)
        self.longest_text = whole(kind, "longest_text", longest_text, least=0)
        super().__init__(tool)
        self.tools = (tool,)
        self.looks = (Lens("ok", tool, 1),)

    def accepts(self, state: Reading, text: str) -> TextVerdict:
        """Refuse long text, hold short text for the user, allow both after the submit."""
        if state.ok(self.tool):
            return ALLOW
        if len(text.strip()) > self.longest_text:
            return Refuse("must_submit", self._teach())
        return Hold(by=By.PERSON, show=text)

    def _teach(self) -> str:
        first = f"This text is not delivered: results go through {self.tool!r}."
        if not self.longest_text:
            return f"{first} Call it now."
        return f"{first} Call it now, or ask the user a question of at most {self.longest_text} characters."

"""CallLimit: a tool that has been called often enough disappears from the model's sight; a call to it anyway is refused.

- Counted are calls that were cleared, whatever came of them, or (`count="succeeded"`) those that succeeded. Refused calls do not count.
- A limit on cleared calls can starve a prerequisite when calls fail: `handrail check` finds that, and `count="succeeded"` is the way out.
- With `count="succeeded"` a call waits for the earlier ones of its reply as soon as they could use the limit up.
"""

from typing import Literal

from handrail.core.ring import JudgedCall
from handrail.core.state import Reading
from handrail.guards.base import BaseGuard
from handrail.guards.declared import one_of, tool_name, whole
from handrail.vocab.verdicts import ALLOW, After, Lens, Refuse, Verdict


class CallLimit(BaseGuard):
    """At most so many calls of a tool.

    Args:
        tool: the tool.
        most: calls, 1 or more.
        per: in the whole run, or since the user last spoke.
        count: calls that were cleared, or that succeeded.
    """

    def __init__(
        self, tool: str, most: int, *, per: Literal["run", "message"] = "run", count: Literal["cleared", "succeeded"] = "cleared"
    ) -> None:
        """Check the declaration.

        Raises:
            AgentError: `most` is no whole number from 1 on, or `per` or `count` is another word.
        """
        kind = type(self).__name__
        self.tool = tool_name(kind, tool)
        self.most = whole(kind, "most", most)
        one_of(kind, "per", per, ("run", "message"))
        one_of(kind, "count", count, ("cleared", "succeeded"))
        self.per = per
        self.count = count
        super().__init__(tool, *(["per=message"] if per == "message" else []), *(["count=succeeded"] if count == "succeeded" else []))
        self.tools = (tool,)
        self.looks = (Lens("used", tool, most),) if count == "cleared" else (Lens("ok", tool, most), Lens("waits_for", tool))

    def offers(self, state: Reading, tool: str) -> bool:
        """Not after the limit."""
        return tool != self.tool or self._counted(state) < self.most

    def judges(self, state: Reading, call: JudgedCall) -> Verdict:
        """Refuse after the limit."""
        if call.tool != self.tool:
            return ALLOW
        counted = self._counted(state)
        if counted >= self.most:
            return Refuse("call_limit", self._teach())
        if self.count == "succeeded":
            return self._after_those_that_may_succeed(state, call, counted)
        return ALLOW

    def _counted(self, state: Reading) -> int:
        read = state.used if self.count == "cleared" else state.ok
        return read(self.tool, per=self.per)

    def _after_those_that_may_succeed(self, state: Reading, call: JudgedCall, succeeded: int) -> Verdict:
        last = earlier = state.waits_for(call.id, self.tool)
        while earlier is not None:
            succeeded += 1
            earlier = state.waits_for(earlier, self.tool)
        return After(last) if last is not None and succeeded >= self.most else ALLOW

    def _teach(self) -> str:
        often = "once" if self.most == 1 else f"{self.most} times"
        span = "in this run" if self.per == "run" else "between two messages of the user's"
        rule = f"may be called {often} {span}, and has been" if self.count == "cleared" else f"may succeed {often} {span}, and has"
        return f"{self.tool!r} {rule}. Go on with what you have, or use another tool."

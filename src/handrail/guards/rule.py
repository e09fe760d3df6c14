"""`@guard`: a rule of your own domain as a plain function `(state, call) -> str | None`.

None allows, a text refuses and goes to the model. The function's docstring says what the rule prevents.
"""

from collections.abc import Callable, Iterable
from inspect import getdoc, iscoroutinefunction
from typing import Any, overload

from handrail.core.ring import JudgedCall
from handrail.core.state import Reading
from handrail.errors import AgentError
from handrail.guards.base import BaseGuard
from handrail.guards.declared import function, tool_name
from handrail.vocab.verdicts import ALLOW, Lens, Refuse, Verdict

# A rule may call what it is given a `RunState`, which is on the door; the masked reading of `check` has the same members.
RuleFunction = Callable[[Any, JudgedCall], str | None]


class Rule(BaseGuard):
    """A guard made of one function.

    Args:
        rule: the function; its name is the guard's.
        tool: the tool whose calls it judges; every call where it is not given.
        looks: all that it reads; where it is not given, `check` may only assume what the rule says.
        code: in timelines; the function's name where it is not given.
    """

    def __init__(
        self, rule: RuleFunction, *, tool: str | None = None, looks: Iterable[Lens] | None = None, code: str | None = None
    ) -> None:
        """Check the declaration.

        Raises:
            AgentError: `rule` is no plain function.
        """
        name = function("@guard", "rule", rule).__name__
        if iscoroutinefunction(rule):
            raise AgentError(
                f"@guard takes a plain function, and {name!r} is async: a guard only reads the state; look things up in a tool"
            )
        super().__init__()
        self.name = name
        self.rule = rule
        self.tool = None if tool is None else tool_name(name, tool)
        self.code = code or name
        self.tools = () if tool is None else (tool,)
        self.looks = None if looks is None else tuple(looks)
        self.__doc__ = getdoc(rule) or ""

    def judges(self, state: Reading, call: JudgedCall) -> Verdict:
        """What the function says."""
        if self.tool is not None and call.tool != self.tool:
            return ALLOW
        reason = self.rule(state, call)
        if reason is None:
            return ALLOW
        return Refuse(self.code, told(self.name, reason))


def told(name: str, reason: Any) -> str:
    """The text that a rule refuses with.

    Raises:
        AgentError: it is no text, such as a `False`, or an empty one; the core refuses the call then, and says why.
    """
    if not isinstance(reason, str) or not reason.strip():
        raise AgentError(f"guard {name!r} returned {reason!r}; return None to allow, or a text that says what to do instead")
    return reason


@overload
def guard(rule: RuleFunction, /) -> Rule: ...
@overload
def guard(*, tool: str | None = None, looks: Iterable[Lens] | None = None, code: str | None = None) -> Callable[[RuleFunction], Rule]: ...
def guard(
    rule: RuleFunction | None = None, /, *, tool: str | None = None, looks: Iterable[Lens] | None = None, code: str | None = None
) -> Rule | Callable[[RuleFunction], Rule]:
    """Make a guard of a function, as `@guard` or `@guard(tool="…", looks=(…), code="…")`; see `Rule`."""
    if rule is not None:
        return Rule(rule, tool=tool, looks=looks, code=code)
    return lambda decorated: Rule(decorated, tool=tool, looks=looks, code=code)

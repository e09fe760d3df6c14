"""An agent: instructions, tools, the ring, and how it lands. A declaration, checked once and never changed.

What is wrong with it is said here, at once and by name, not at the first turn of a run.
"""

import re
from collections.abc import Callable as Function
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from handrail.core.attempt import Raised, attempt
from handrail.core.events import Event
from handrail.core.ring import Callable, Guard, Silent, Unfit
from handrail.core.state import RunState
from handrail.errors import AgentError
from handrail.vocab.calls import By
from handrail.vocab.canonical import canonical, digest
from handrail.vocab.examples import Example
from handrail.vocab.facts import Ledger
from handrail.vocab.verdicts import Limit

Land = Function[[Ledger], Mapping[str, Any] | str]
Invariant = Function[[RunState, Event], str | None]
NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


class ModelSettings(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What goes along with every model call; a field left out is not sent.

    Args:
        temperature: 0 to 2.
        max_tokens: of one reply.
        top_p: 0 to 1.
        seed: for providers that take one.
        parallel_tool_calls: whether one reply may carry several calls.
        extra: further fields of the request, sent as they are.
    """

    temperature: float | None = None
    max_tokens: int | None = None
    top_p: float | None = None
    seed: int | None = None
    parallel_tool_calls: bool | None = None
    extra: dict[str, Any] = {}


class Agent:
    """A model, its tools and the ring around them.

    Args:
        name: letters, digits, `_` and `-`, at most 64.
        instructions: the system text.
        model: the provider's name of the model.
        settings: what goes along with each call.
        tools: made with `@tool`.
        submit: the tool whose success ends the run; without it accepted text does.
        guards: the ring, in order.
        land: composes a result from verified facts when a limit is reached; never writes anything.
        invariants: what must hold at each event: `(state before, event) -> what is wrong | None`; `check` proves them.
        empty_reply: whether an empty reply is sent back once (`nudge`) or is the answer `""` (`accept`).
        summariser: writes the summary of older turns where the history becomes too long; one of ours where none is given.
        examples: how its tools are used, for models that have to be shown (`handrail.models.local`); no other model sees them.
    """

    def __init__(
        self,
        *,
        name: str,
        instructions: str,
        model: str,
        settings: ModelSettings = ModelSettings(),
        tools: Sequence[Callable] = (),
        submit: str | None = None,
        guards: Sequence[Guard] = (),
        land: Land | None = None,
        invariants: Sequence[Invariant] = (),
        empty_reply: Literal["nudge", "accept"] = "nudge",
        summariser: "Agent | None" = None,
        examples: Sequence[Example] = (),
    ) -> None:
        """Check the declaration.

        Raises:
            AgentError: a name is bad or taken twice; a guard, `submit` or an example names a tool that is not there; or an example does not
                fit.
        """
        self.name = name
        self.instructions = instructions
        self.model = model
        self.settings = settings
        self.tools = {tool.name: tool for tool in tools}
        self.submit = submit
        self.guards = tuple(guards)
        self.land = land
        self.invariants = tuple(invariants)
        self.empty_reply = empty_reply
        self.summariser = summariser
        self.examples = tuple(examples)
        self.declared = tuple(tool.declaration for tool in tools)
        self._check(tools)
        self._check_examples()
        self.fingerprint = digest(
            instructions,
            [tool.declaration for tool in tools],
            [[tool.effect, tool.where] for tool in tools],
            [[guard.name, guard.settings] for guard in self.guards],
            submit,
        )
        self.offering = self._with_a_say("offers")
        self.judging = self._with_a_say("judges")
        self.limiting = self._with_a_say("limits")
        self.limits = _fixed(self.limiting)
        self.refuses_text = submit is not None or any(guard.refuses_text for guard in self.guards)
        self.screens = tuple(guard.name for guard in self.guards if getattr(guard, "screens", False))
        self.firm = min((firm for guard in self.guards if isinstance(firm := getattr(guard, "firm", None), int)), default=None)

    def guard(self, name: str) -> Guard:
        """The guard of that name.

        Raises:
            AgentError: there is none.
        """
        for guard in self.guards:
            if guard.name == name:
                return guard
        raise AgentError(f"agent {self.name!r} has no guard {name!r}")

    def holders(self, tool: str, by: By) -> tuple[str, ...]:
        """The guards that can hold the tool for a reviewer or for a person."""
        return tuple(guard.name for guard in self.guards if (tool, by) in guard.holds)

    def but(self, **changes: Any) -> "Agent":
        """The same agent with some arguments of its declaration changed."""
        declared: dict[str, Any] = {
            "name": self.name,
            "instructions": self.instructions,
            "model": self.model,
            "settings": self.settings,
            "tools": tuple(self.tools.values()),
            "submit": self.submit,
            "guards": self.guards,
            "land": self.land,
            "invariants": self.invariants,
            "empty_reply": self.empty_reply,
            "summariser": self.summariser,
            "examples": self.examples,
        }
        return Agent(**(declared | changes))

    def _with_a_say(self, question: str) -> tuple[Guard, ...]:
        """The guards that answer a question in their own way, in the ring's order."""
        silent = getattr(Silent, question)
        return tuple(guard for guard in self.guards if getattr(type(guard), question, None) is not silent)

    def _check(self, tools: Sequence[Callable]) -> None:
        if not NAME.fullmatch(self.name):
            raise AgentError(f"an agent's name is letters, digits, _ and - (at most 64), not {self.name!r}")
        names = [tool.name for tool in tools]
        for twice in sorted({name for name in names if names.count(name) > 1}):
            raise AgentError(f"agent {self.name!r} has two tools named {twice!r}; give one of them another name")
        if self.submit is not None and self.submit not in self.tools:
            raise AgentError(f"agent {self.name!r} submits with {self.submit!r}, which is not among its tools {names!r}")
        taken: set[str] = set()
        for guard in self.guards:
            if guard.name in taken:
                raise AgentError(f"agent {self.name!r} has two guards named {guard.name!r}; give one of them another name")
            taken.add(guard.name)
            for missing in [tool for tool in guard.tools if tool not in self.tools]:
                raise AgentError(f"guard {guard.name!r} names the tool {missing!r}, which is not among {names!r}")

    def _check_examples(self) -> None:
        for call in (call for example in self.examples for call in example.calls):
            if call.tool not in self.tools:
                raise AgentError(f"an example of agent {self.name!r} calls {call.tool!r}, which is not among {list(self.tools)!r}")
            parsed = self.tools[call.tool].parse(canonical(call.arguments))
            if isinstance(parsed, Unfit):
                raise AgentError(f"an example of agent {self.name!r} calls {call.tool!r} with arguments that do not fit: {parsed.reason}")


class _Unread:
    """A state that notes when somebody reads it."""

    was_read = False

    def __getattr__(self, name: str) -> Any:
        self.was_read = True
        raise AttributeError(name)


def _fixed(guards: Sequence[Guard]) -> tuple[Limit, ...] | None:
    """The limits themselves where they cannot change, since no guard reads anything of a run to say them; `None` where one does."""
    limits = []
    for guard in guards:
        state: Any = _Unread()
        limit = attempt(guard.limits, state)
        if state.was_read or isinstance(limit, Raised):
            return None
        if isinstance(limit, Limit):
            limits.append(limit)
    return tuple(limits)

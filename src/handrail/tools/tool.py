"""`@tool`: a plain function becomes something that a model may ask for.

- What running it twice would do has to be said: `effect="read"`, `"idempotent"` or `"write"`.
- A tool that deletes cannot be registered.
- `parse` reads a model's untrusted arguments and never raises; `run` runs arguments that have passed it, and raises only when
  the asker is cancelled.
- A read that fails in any way has `Failed`. Any other tool has `Failed` only if it raised `ToolError`, which says that nothing
  happened; if it timed out, raised anything else or returned what cannot be encoded, it is `Lost`.
"""

import inspect
import logging
import math
from collections.abc import Callable, Collection, Mapping
from typing import Any, Literal

import msgspec

from handrail.core.attempt import Raised, attempt
from handrail.core.ring import Parsed, Unfit
from handrail.errors import AgentError, Bug, ToolError
from handrail.tools.arguments import decode
from handrail.tools.context import ToolContext
from handrail.tools.declaring import Declared, Function, declare
from handrail.tools.encoding import Undeclared, encode
from handrail.tools.repairing import repair, unwrapped
from handrail.tools.results import Failed, Lost, Ran
from handrail.tools.running import Ended, Running, TimedOut, finish
from handrail.tools.wording import cut, raised, safe, shortened
from handrail.vocab.calls import ToolEffect, Where
from handrail.vocab.canonical import canonical, digest
from handrail.vocab.redaction import redacted

logger = logging.getLogger("handrail.tools")
_CHOICES = "'read' (changes nothing), 'idempotent' (a repetition with the same key changes nothing more) or 'write' (anything else)"


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What `@tool` was given."""

    effect: ToolEffect
    where: Where
    timeout: float
    produces: frozenset[str]
    repair: bool


class Tool:
    """A declared tool; made with `@tool`."""

    def __init__(self, function: Function, declared: Declared, settings: Settings, examples: Collection[Mapping[str, Any]]) -> None:
        """Check the examples against the declaration."""
        self.function = function
        self.name = declared.name
        self.effect = settings.effect
        self.where = settings.where
        self.timeout = settings.timeout
        self.produces = settings.produces
        self.repair = settings.repair
        self.declaration = declared.declaration
        self.digest = digest(declared.declaration)
        self._declared = declared
        self._blocking = not inspect.iscoroutinefunction(inspect.unwrap(function))
        self.examples = tuple(self._example(example) for example in examples)

    def __repr__(self) -> str:
        return f"<Tool {self.name} ({self.effect}, {self.where})>"

    def parse(self, arguments: str | None) -> Parsed | Unfit:
        """Read the model's untrusted text: canonical JSON that fits the declaration, or what is wrong with it."""
        value = self._object(arguments)
        if isinstance(value, Unfit):
            return value
        checker = self._declared.checker
        if not checker.fits(value):
            if self.repair:
                repair(checker, value)
            if not checker.fits(value):
                return Unfit(checker.explain(value, len(arguments or "")))
        text = canonical(value)
        values = self._declared.values(text)
        return values if isinstance(values, Unfit) else Parsed(text, msgspec.json.decode(text))

    async def run(
        self,
        arguments: str,
        context: ToolContext[Any],
        *,
        seconds: float | None = None,
        on_late: Callable[[str], None] = logger.warning,
    ) -> Ran:
        """Run the function.

        Args:
            arguments: canonical JSON from `parse`.
            context: goes to the parameter that is annotated with it, if there is one.
            seconds: how long it may take, if not as long as it was declared with.
            on_late: is told, from any thread, when a function that was given up ends after all.
        """
        if self.where is not Where.SERVER:
            raise Bug(f"tool {self.name!r} runs in the {self.where}, not here")
        values = self._declared.values(arguments)
        if isinstance(values, Unfit):
            return Failed(values.reason)
        if self._declared.injected is not None:
            values[self._declared.injected] = context
        seconds = self.timeout if seconds is None else seconds
        late = f"tool {self.name} (run {context.run_id!r}, call {context.call_id!r}) ended after it was given up; its result is discarded"
        running = Running(function=self.function, arguments=values, blocking=self._blocking, late=lambda: on_late(late))
        match await finish(running, seconds=seconds):
            case TimedOut():
                return self._unfinished(f"did not finish within {seconds:g} seconds")
            case Ended(error=ToolError() as error):
                return Failed(shortened(safe(redacted(str(error).strip())) or f"{self.name} failed"))
            case Ended(error=None, value=value):
                return self._encoded(value)
            case Ended(error=error):
                return self._unfinished(f"failed with {raised(error)}" if error is not None else "failed")

    def _object(self, arguments: str | None) -> dict[str, Any] | Unfit:
        if arguments is None or not arguments or arguments.isspace():
            return {}
        decoded = decode(arguments)
        if isinstance(decoded, Unfit):
            return decoded
        value = unwrapped(decoded.value) if self.repair else decoded.value
        if value is None and self._declared.empty:
            return {}
        return value if isinstance(value, dict) else Unfit(f"JSON object expected as the arguments of {self.name}, not {cut(value)}")

    def _encoded(self, value: Any) -> Ran:
        encoded = attempt(encode, value, self.name, self.produces)
        match encoded:
            case Raised(what=what):
                return self._unfinished(f"returned what cannot be encoded: {shortened(safe(what), 300)}")
            case Undeclared(returned=returned, problem=problem):
                if self.effect is ToolEffect.READ:
                    return Failed(f"{self.name} has a bug: {problem}")
                logger.error("tool %s has a bug: %s; they are left out", self.name, problem)
                return returned
            case _:
                return encoded

    def _unfinished(self, what: str) -> Failed | Lost:
        if self.effect is ToolEffect.READ:
            return Failed(f"{self.name} {what}")
        return Lost(f"outcome unknown: {self.name} {what}; it may have happened, so check before repeating it")

    def _example(self, example: Mapping[str, Any]) -> Mapping[str, Any]:
        parsed = self.parse(canonical(example))
        if isinstance(parsed, Unfit):
            raise AgentError(f"an example of tool {self.name!r} does not fit its declaration: {parsed.reason}")
        return parsed.values


def tool(
    function: Function | None = None,
    /,
    *,
    effect: Literal["read", "idempotent", "write"] | None = None,
    where: Literal["server", "client", "person"] = "server",
    timeout: float = 30.0,
    produces: Collection[str] = frozenset(),
    repair: bool = False,
    name: str | None = None,
    examples: Collection[Mapping[str, Any]] = (),
) -> Callable[[Function], Tool]:
    """Declare a function, async or not, as a tool.

    Args:
        function: nothing; there so that `@tool` without parentheses can say what is missing.
        effect: what running it twice would do; has to be said.
        where: on the server, in the user's browser, or with a person whose answer is the result.
        timeout: seconds that one run may take.
        produces: kinds of the facts in its results.
        repair: allow the lossless repairs of arguments (`docs/reference/arguments.md`).
        name: what the model calls it, if not as the function is called.
        examples: arguments that fit; `handrail check` tries them.

    Raises:
        AgentError: it cannot be a tool; the text says why and what to do.
    """
    if function is not None or effect is None:
        what = getattr(function, "__name__", None) or name or "..."
        raise AgentError(f"say what running the tool {what!r} twice would do: @tool(effect=...) with {_CHOICES}")
    settings = Settings(effect=_effect(effect), where=_where(where), timeout=_timeout(timeout), produces=_produces(produces), repair=repair)

    def declaring(function: Function) -> Tool:
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise AgentError(f"{function.__name__!r} is a generator; a tool returns one result")
        return Tool(function, declare(function, name), settings, examples)

    return declaring


def _effect(effect: str) -> ToolEffect:
    if effect == "destroy":
        raise AgentError(
            "a tool that deletes cannot be registered: a model that is wrong once would do what nobody can undo, and no yes given in"
            " passing makes up for that; let the tool mark, archive or propose, and let a person delete outside of the run"
        )
    try:
        return ToolEffect(effect)
    except ValueError:
        raise AgentError(f"effect={effect!r} is unknown; it is {_CHOICES}") from None


def _where(where: str) -> Where:
    try:
        return Where(where)
    except ValueError:
        raise AgentError(f"where={where!r} is unknown; it is 'server', 'client' or 'person'") from None


def _timeout(timeout: float) -> float:
    if not (math.isfinite(timeout) and timeout > 0):
        raise AgentError(f"timeout={timeout!r} is no number of seconds; give one above 0")
    return timeout


def _produces(produces: Collection[str]) -> frozenset[str]:
    if isinstance(produces, str):
        raise AgentError(f"produces={produces!r} is one text; give a set of kinds, such as {{{produces!r}}}")
    return frozenset(produces)

"""What models try and what calls find in a walk: the arguments of each tool, and the values of each kind of fact.

- Arguments are a tool's `examples`, or values made from its schema: one, another for each path that a guard names,
  and one in which these paths lead nowhere, if the schema allows it: an empty list, say, holds nothing that a guard could refuse.
- A kind of fact has the values that stand at the paths of the guards which look for it (the first ones, where they are made up),
  so a call can find what another call has to name, and there is a value that nothing ever finds.
- Of a tool whose arguments no guard looks at one set is enough.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from handrail.check.values import Wish, made
from handrail.core.agent import Agent
from handrail.core.ring import Callable, Guard, Silent, Unfit
from handrail.errors import AgentError
from handrail.guards.rule import Rule
from handrail.vocab.canonical import canonical
from handrail.vocab.paths import values_at

UNNAMED = ("one",)
"""The values of a kind of fact that no guard's path leads to."""
OWN = "handrail.guards."
SHORT = "Which one?"


class Candidates(msgspec.Struct, frozen=True, kw_only=True):
    """What is tried.

    Args:
        arguments: of each tool, as JSON texts.
        known: values that calls find, by the kind of fact.
        made_up: tools without examples.
        looked_at: tools whose arguments a guard looks at.
        texts: a short one, and one that is longer than any guard lets through.
    """

    arguments: Mapping[str, tuple[str, ...]]
    known: Mapping[str, tuple[Any, ...]]
    made_up: frozenset[str]
    looked_at: frozenset[str]
    texts: tuple[str, str]


def candidates(agent: Agent) -> Candidates:
    """The candidates of an agent.

    Raises:
        AgentError: no arguments can be made for a tool that has no examples.
    """
    paths = dict(_paths(agent))
    looked_at = frozenset(_looked_at(agent, paths))
    values = {name: _arguments(tool, paths.get(name, ()), looked_at=name in looked_at) for name, tool in agent.tools.items()}
    return Candidates(
        arguments={name: tuple(map(canonical, each)) for name, each in values.items()},
        known=dict(_known(agent, values)),
        made_up=frozenset(name for name, tool in agent.tools.items() if not _examples(tool)),
        looked_at=looked_at,
        texts=(SHORT, _long(agent)),
    )


def paths_of(guard: Guard) -> tuple[tuple[str, str], ...]:
    """The arguments that a guard looks into: pairs of tool and path."""
    return tuple(getattr(guard, "paths", ()))


def judges_anything(guard: Guard) -> bool:
    """Whether it has a word in calls at all."""
    return getattr(type(guard), "judges", None) is not Silent.judges


def _paths(agent: Agent) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name in agent.tools:
        found = [path for guard in agent.guards for tool, path in paths_of(guard) if tool == name]
        yield name, tuple(dict.fromkeys(found))


def _looked_at(agent: Agent, paths: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    yield from (name for name, named in paths.items() if named)
    for guard in agent.guards:
        yield from (lens.name for lens in guard.looks or () if lens.what == "computed")
        foreign = isinstance(guard, Rule) or not type(guard).__module__.startswith(OWN)
        if foreign and guard.looks is not None and judges_anything(guard):
            yield from guard.tools or agent.tools


def _examples(tool: Callable) -> tuple[Mapping[str, Any], ...]:
    return tuple(getattr(tool, "examples", ()))


def _arguments(tool: Callable, paths: tuple[str, ...], *, looked_at: bool) -> list[Any]:
    examples = list(_examples(tool))
    if examples:
        return examples if looked_at else examples[:1]
    schema = tool.declaration["function"]["parameters"]
    there = tuple(tuple(path.split(".")) for path in paths)
    wishes = [Wish(there=there), *(Wish(there=there, other=(path,)) for path in there), Wish()]
    fitting = {canonical(value): value for value in (made(schema, wish) for wish in wishes) if not isinstance(_parsed(tool, value), Unfit)}
    if not fitting:
        raise AgentError(
            f"no arguments for the tool {tool.name!r} can be made from its declaration: give some with @tool(examples=[…]). "
            f"What was tried: {canonical(made(schema, wishes[0]))}"
        )
    return list(fitting.values())


def _parsed(tool: Callable, value: Any) -> Any:
    return tool.parse(canonical(value))


def _known(agent: Agent, arguments: Mapping[str, list[Any]]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    kinds = {lens.name for guard in agent.guards for lens in guard.looks or () if lens.what == "facts"}
    for kind in sorted(kinds):
        found: dict[str, Any] = {}
        for guard in agent.guards:
            if any(lens.what == "facts" and lens.name == kind for lens in guard.looks or ()):
                found.update({canonical(value): value for value in _values(agent, guard, arguments)})
        yield kind, tuple(found.values()) or UNNAMED


def _values(agent: Agent, guard: Guard, arguments: Mapping[str, list[Any]]) -> Iterator[Any]:
    for tool, path in paths_of(guard):
        sets = arguments[tool] if _examples(agent.tools[tool]) else arguments[tool][:1]
        for values in sets:
            yield from values_at(values, path)


def _long(agent: Agent) -> str:
    sizes: list[Any] = [getattr(guard, name, 0) for guard in agent.guards for name in ("longest_text", "words")]
    return "word " * (max([size for size in sizes if isinstance(size, int)], default=0) + 1)

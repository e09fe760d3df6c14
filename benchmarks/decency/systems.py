"""The systems that are measured beside each other: handrail, the same with an empty ring, a loop by hand, and the peers.

- Each runs in a process of its own, a peer in its own environment. What a peer's users would write is in one file, `peers/NAME.py`.
- A peer whose environment cannot be had is left out, and that is said.
"""

import importlib
import sys
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

import msgspec

from benchmarks.decency import ours
from benchmarks.decency.cases import System
from benchmarks.peers.environments import python_of, version_of

WITHOUT = "without "


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """Where a system comes from.

    Args:
        place: module and function.
        package: whose release is told.
        peer: its environment's name, if it has one of its own.
    """

    place: str
    package: str = ""
    peer: str = ""


SYSTEMS: Mapping[str, Source] = {
    "handrail": Source(place="benchmarks.decency.ours:handrail", package="handrail"),
    "no-ring": Source(place="benchmarks.decency.ours:no_ring", package="handrail"),
    "bare": Source(place="benchmarks.decency.peers.bare:bare", package="openai"),
    "openai-agents": Source(place="benchmarks.decency.peers.openai_agents:openai_agents", peer="openai_agents"),
    "pydantic-ai": Source(place="benchmarks.decency.peers.pydantic_ai:pydantic_ai", peer="pydantic_ai"),
    "langchain": Source(place="benchmarks.decency.peers.langchain:langchain", peer="langchain"),
    "agent-framework": Source(place="benchmarks.decency.peers.agent_framework:agent_framework", peer="agent_framework"),
    "forge": Source(place="benchmarks.decency.peers.forge:forge", peer="forge"),
}
"""By the name that the table has."""


def python_for(name: str) -> Path | None:
    """The interpreter that a system runs in, or `None` where there is none to be had."""
    source = SYSTEMS.get(name)
    return python_of(source.peer) if source is not None and source.peer else Path(sys.executable)


def release_of(name: str) -> str:
    """Which release of it is measured."""
    source = SYSTEMS.get(name, SYSTEMS["handrail"])
    if source.peer:
        return version_of(source.peer)
    return version(source.package) if source.package == "handrail" else f"{source.package} {version(source.package)}"


def system_of(name: str) -> System:
    """The system itself, inside its own environment."""
    if name.startswith(WITHOUT):
        return ours.without(name.removeprefix(WITHOUT))
    module, _, function = SYSTEMS[name].place.partition(":")
    system: System = getattr(importlib.import_module(module), function)
    return system

"""Who takes part: two loops by hand, handrail with either transport, and the peers."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from benchmarks.peers.environments import made, python_of, tell

REFERENCE = "hand"
OURS = ("handrail", "aiohttp")


class System(msgspec.Struct, frozen=True, kw_only=True):
    """One contestant.

    Args:
        name: as it stands in the figures.
        label: as it stands in tables for people.
        peer: runs in the environment of that name, and not in handrail's own.
    """

    name: str
    label: str
    peer: bool = True

    @property
    def module(self) -> str:
        """Where its `Loop` is."""
        return f"benchmarks.overhead.{'peers' if self.peer else 'own'}.{self.name}"


SYSTEMS: Mapping[str, System] = {
    system.name: system
    for system in (
        System(name="hand", label="by hand, chat.completions.create", peer=False),
        System(name="transport", label="by hand, the client's low-level post", peer=False),
        System(name="handrail", label="handrail.run", peer=False),
        System(name="aiohttp", label="handrail.run, HANDRAIL_TRANSPORT=aiohttp", peer=False),
        System(name="openai_agents", label="openai-agents"),
        System(name="pydantic_ai", label="pydantic-ai"),
        System(name="langchain", label="langchain"),
        System(name="agent_framework", label="agent-framework"),
        System(name="agno", label="agno"),
        System(name="strands", label="strands-agents"),
        System(name="smolagents", label="smolagents"),
        System(name="google_adk", label="google-adk"),
    )
}


def pythons(names: Sequence[str], *, make: bool) -> Mapping[str, Path]:
    """System -> the interpreter that it runs with. What has none is left out, after a word.

    Args:
        names: which systems.
        make: whether a peer's environment that is not there yet is made.
    """
    found = {name: _python(SYSTEMS[name], make=make) for name in names}
    return {name: python for name, python in found.items() if python is not None}


def _python(system: System, *, make: bool) -> Path | None:
    if not system.peer:
        return Path(sys.executable)
    if make:
        return python_of(system.name)
    python = made(system.name)
    if python is None:
        tell(f"{system.name} is left out: `python -m benchmarks.peers {system.name}` makes its environment")
    return python

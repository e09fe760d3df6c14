"""Which peers there are, and what is installed for each."""

from collections.abc import Mapping

import msgspec

SHARED = ("httpx2", "openai", "pydantic")
"""The client under all of them and what it stands on: at handrail's own version wherever handrail can stand beside the peer."""


class Peer(msgspec.Struct, frozen=True):
    """What a peer needs.

    Args:
        packages: from the package index; the first is the peer itself.
        python: the oldest Python that it takes.
        beside_handrail: handrail's own base dependencies are there too. Not where a peer wants an older client than handrail does.
    """

    packages: tuple[str, ...]
    python: str = "3.11"
    beside_handrail: bool = True


PEERS: Mapping[str, Peer] = {
    "openai_agents": Peer(("openai-agents",)),
    "pydantic_ai": Peer(("pydantic-ai-slim[openai]",)),
    "langchain": Peer(("langchain", "langchain-openai", "langgraph")),
    "agent_framework": Peer(("agent-framework-core", "agent-framework-openai")),
    "forge": Peer(("forge-guardrails",), python="3.12"),
    "agno": Peer(("agno",)),
    "strands": Peer(("strands-agents[openai]",), beside_handrail=False),
    "smolagents": Peer(("smolagents[openai]",)),
    "google_adk": Peer(("google-adk", "litellm")),
}

"""The OpenAI Agents SDK's loop (`handrail.adapters.openai_agents`) under a name that apps may import. Needs the extra `agents`."""

from handrail.adapters.openai_agents import run

__all__ = ["run"]

"""pydantic-ai's loop (`handrail.adapters.pydantic_ai`) under a name that apps may import. Needs the extra `pydantic-ai`."""

from handrail.adapters.pydantic_ai import run

__all__ = ["run"]

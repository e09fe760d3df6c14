"""MCP: an agent's tools for clients that bring their own model, and our ring about every one of their calls.

Here are explicit, sorted re-exports and nothing else. It needs the extra `mcp`.
"""

from handrail.adapters.mcp.attempt import Review
from handrail.adapters.mcp.calls import Calls
from handrail.adapters.mcp.keeping import MOST_QUESTIONS, Decision, InMemory, Keeping, Question, TooManyQuestions
from handrail.adapters.mcp.server import Context, make_server

__all__ = [
    "MOST_QUESTIONS",
    "Calls",
    "Context",
    "Decision",
    "InMemory",
    "Keeping",
    "Question",
    "Review",
    "TooManyQuestions",
    "make_server",
]

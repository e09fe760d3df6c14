"""A stand-in for a model, for where none can be reached: **rule-based**, with no attempt at understanding language.

Here is what scenarios are written with; the server (`handrail.models.rehearsal.server`) needs the extra `service`.
"""

from handrail.models.rehearsal.scenario import Arguments, Call, Conversation, Move, Say, Scenario, ToolResult, call

__all__ = ["Arguments", "Call", "Conversation", "Move", "Say", "Scenario", "ToolResult", "call"]

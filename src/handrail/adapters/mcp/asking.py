"""An approval as MCP's elicitation: a form with one box, and exactly what would run above it.

- Only `accept` with the box ticked is a yes; `decline`, and a form that is sent without it, is a no; a form that is put away is no answer.
- Nothing of what would run is left away: whoever says yes to it has seen it.
"""

from collections.abc import Mapping
from typing import Any

import msgspec
from mcp.types import ClientCapabilities, ElicitRequestedSchema, ElicitResult

from handrail.adapters.mcp.answers import Said
from handrail.adapters.mcp.declared import title
from handrail.adapters.mcp.keeping import Question

BOX = "approve"
FORM: ElicitRequestedSchema = {
    "type": "object",
    "properties": {BOX: {"type": "boolean", "title": "Yes, run exactly this", "default": False}},
    "required": [BOX],
}
PUT_AWAY = "The person who was asked has not answered; nothing was run. Ask them what they want before you call this again."


def can_ask(capabilities: ClientCapabilities | None) -> bool:
    """Whether the client shows forms to its user: it says so, or (before 2025-11-25) says nothing of modes."""
    found = None if capabilities is None else capabilities.elicitation
    return found is not None and (found.form is not None or found.url is None)


def words(question: Question) -> str:
    """What the person reads."""
    arguments = msgspec.json.decode(question.arguments)
    parts = [f"Run {title(question.tool)} ({question.tool}) with exactly this?", _shown(arguments)]
    if question.show != arguments:
        parts += ["It means:", question.show if isinstance(question.show, str) else _shown(question.show)]
    return "\n\n".join(parts)


def said(question_id: str, result: ElicitResult) -> Said | None:
    """What a form's result says; `None` where it says nothing."""
    match result.action:
        case "accept":
            return Said(question_id=question_id, approve=(result.content or {}).get(BOX) is True)
        case "decline":
            return Said(question_id=question_id, approve=False)
        case _:
            return None


def _shown(value: Mapping[str, Any] | Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()

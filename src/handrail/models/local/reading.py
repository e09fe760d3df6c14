"""What a model wrote in the form, as the answer that any provider gives: a call, or a text.

- The form holds unless the reply was cut off. A text is then taken as far as it goes; a call is not taken at all.
- A call's arguments go on as they were written, but for optional ones that nothing supports (`leaving_out`).
"""

import json
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from handrail.models.local.aliases import Aliases
from handrail.models.local.forms import ARGUMENTS, SAY, TOOL
from handrail.models.local.leaving_out import without_unsupported
from handrail.models.replies import sound
from handrail.vocab.requests import AnsweredCall, ModelAnswer

LEFT_OUT = "left_out"
_begins = re.compile(rf'\s*\{{\s*"{SAY}"\s*:\s*"')
_whole = re.compile(r'(?:[^"\\]|\\u[0-9a-fA-F]{4}|\\[^u])*')


def read(answer: ModelAnswer, schemas: Mapping[str, Mapping[str, Any]], *, said: str, aliases: Aliases) -> ModelAnswer:
    """The answer.

    Args:
        answer: whose text is in the form.
        schemas: of the arguments of each tool on offer.
        said: everything that was said in the conversation.
        aliases: the short ids that the model saw.
    """
    reply = _object(answer.text or "")
    name, arguments = reply.get(TOOL), reply.get(ARGUMENTS)
    if isinstance(name, str) and isinstance(arguments, dict):
        kept, out = without_unsupported(aliases.lengthen(arguments), schemas.get(name, {}), said)
        call = AnsweredCall(provider_id="", name=name, arguments=sound(json.dumps(kept, ensure_ascii=False)))
        extra = {**answer.extra, **({LEFT_OUT: out} if out else {})}
        finish = answer.finish if answer.finish == "length" else "tool_calls"
        return msgspec.structs.replace(answer, text=None, calls=(call,), finish=finish, extra=extra)
    text = str(aliases.lengthen(words(answer.text or "")))
    return msgspec.structs.replace(answer, text=text if text.strip() else None)


def words(written: str) -> str:
    """The words in what has been written so far of a reply, if it is a text."""
    begun = _begins.match(written)
    if begun is None:
        return ""
    whole = _whole.match(written, begun.end())
    inside = whole[0] if whole is not None else ""
    try:
        return sound(json.loads(f'"{inside}"', strict=False))
    except ValueError:
        return ""


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}

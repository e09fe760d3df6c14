"""What a list of messages says: the one that is new, and which conversation it belongs to.

- Only the last message is new. What stands before it is compared, and never taken for what was said (case 69): no role, call or
  result in it has any effect.
- An answer's text comes back with other blanks, or trimmed, so blanks do not count.
- What the server knows nothing of (edited, or from elsewhere) can be quoted: in the user's role, marked, bounded, and line by line,
  so that nothing in it can end the quotation.
"""

from collections.abc import Sequence

import msgspec

from handrail.service.desk import LONGEST_MESSAGE
from handrail.service.problems import Problem
from handrail.service.surfaces.openai.schemas import ChatMessage, Part
from handrail.vocab.canonical import digest

SPEAKING = frozenset({"user", "assistant"})
LONGEST_QUOTED = 8_000
OPENING = "[Said earlier, as the client tells it. This server has not seen it: it is a quotation, and nothing in it is confirmed.]"
CLOSING = "[End of the quotation. What the user says now:]"
LEFT_OUT = "> [what came before is left out]"

Turn = tuple[str, str]
"""Who, and what."""


class Heard(msgspec.Struct, frozen=True):
    """What is new, and what was said before."""

    text: str
    earlier: tuple[Turn, ...]


def heard(messages: Sequence[ChatMessage]) -> Heard:
    """Read the messages.

    Raises:
        Problem: the last one is no text of the user's.
    """
    last = messages[-1]
    if last.role != "user":
        detail = "The last message is the user's: an agent makes its own calls, and takes no results and no answers from a client."
        raise Problem(400, "invalid", detail)
    if isinstance(last.content, list) and any(part.type != "text" for part in last.content):
        raise Problem(400, "unsupported", "This agent reads text only: send no images, audio or files.")
    text = _text(last.content)
    if not text.strip() or len(text) > LONGEST_MESSAGE:
        raise Problem(400, "invalid", f"The last message has 1 to {LONGEST_MESSAGE} characters, and is not blank.")
    earlier = ((message.role, _text(message.content)) for message in messages[:-1] if message.role in SPEAKING)
    return Heard(text, tuple((role, said) for role, said in earlier if said.strip()))


def head(app: str, turns: Sequence[Turn]) -> str:
    """What a conversation with the app is known by, as its client has seen it."""
    return digest(app, [(role, " ".join(said.split())) for role, said in turns])


def quoted(found: Heard) -> str:
    """The new message with what was said before as a quotation: the latest of it, where it is long."""
    room = min(LONGEST_QUOTED, LONGEST_MESSAGE - len(found.text) - len(OPENING) - len(CLOSING) - len(LEFT_OUT) - 10)
    if room < 0:
        return found.text
    lines = [line for role, said in found.earlier for line in _lines(role, said)]
    kept: list[str] = []
    for line in reversed(lines):
        room -= len(line) + 1
        if room < 0:
            kept.append(LEFT_OUT)
            break
        kept.append(line)
    return "\n".join((OPENING, *reversed(kept), CLOSING, "", found.text))


def _lines(role: str, said: str) -> list[str]:
    first, *rest = said.splitlines()
    return [f"> {role}: {first}", *(f"> {line}" for line in rest)]


def _text(content: str | list[Part] | None) -> str:
    if isinstance(content, list):
        return "\n".join(part.text or "" for part in content if part.type == "text")
    return content or ""

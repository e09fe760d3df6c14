"""Text of models, tools and users on a terminal: what could move the cursor, hide itself or turn the line around is shown as its code."""

import re
from typing import Any

import msgspec

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]")


def visible(text: str) -> str:
    """The text with line breaks and tabs as they are, and every other control character as its code."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def one_line(text: str, longest: int) -> str:
    """The text on one line, cut if it is too long."""
    line = visible(" ".join(text.split()))
    return line if len(line) <= longest else line[: longest - 1] + "…"


def document(value: Any) -> str:
    """A document as a person reads it: text as it is, everything else as indented JSON, whole."""
    return visible(value if isinstance(value, str) else msgspec.json.format(msgspec.json.encode(value), indent=2).decode())

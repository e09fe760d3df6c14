"""A model's untrusted text, read as strict JSON.

- The size and the depth are bounded before anything is parsed.
- A key given twice, NaN, an infinite number, NUL, half a surrogate pair and a number of more than 100 digits are refused,
  with the place where it is.
- An integer is exact, however long it is up to there.
- Nothing is repaired, and no text makes this raise.
"""

import json
import math
import re
from collections import Counter
from typing import Any

import msgspec

from handrail.core.ring import Unfit
from handrail.tools.wording import UNFIT, at, cut

MOST_BYTES = 256 * 1024
MOST_DEPTH = 64
MOST_DIGITS = 100
_NEAR = 30
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)


class Decoded(msgspec.Struct, frozen=True):
    """Strict JSON, decoded into Python's own types."""

    value: Any


class _Refused(ValueError):
    """Raised by a hook inside the parser; never leaves this module."""


def decode(text: str) -> Decoded | Unfit:
    """Read one JSON text."""
    if too_large(text):
        return Unfit(f"the arguments are too long: at most {MOST_BYTES // 1024} KiB; send less at a time")
    if _too_deep(text):
        return Unfit(f"the arguments are nested too deeply: at most {MOST_DEPTH} levels")
    try:
        value = _decoder.decode(text)
    except json.JSONDecodeError as error:
        near = text[max(0, error.pos - _NEAR) : error.pos + _NEAR]
        return Unfit(f"the arguments are not valid JSON: {error.msg} at character {error.pos + 1}, near {near!r}")
    except _Refused as error:
        return Unfit(str(error))
    flaw = _flaw(value, (), texts="\\u" in text or not text.isascii())
    return Decoded(value) if flaw is None else Unfit(flaw)


def too_large(text: str) -> bool:
    """Whether the text is beyond the bound, counted in UTF-8."""
    return len(text) > MOST_BYTES or (len(text) * 4 > MOST_BYTES and len(text.encode("utf-8", "surrogatepass")) > MOST_BYTES)


def _too_deep(text: str) -> bool:
    if text.count("[") + text.count("{") <= MOST_DEPTH:
        return False
    depth = 0
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token in "[{":
            depth += 1
            if depth > MOST_DEPTH:
                return True
        elif token in "]}":
            depth -= 1
    return False


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise _Refused(f"the key {cut(twice)} is given twice; give each key once")
    return made


def _integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise _Refused(f"the number {digits[:12]}... has {len(digits)} digits; at most {MOST_DIGITS} are taken")
    return int(digits)


_decoder = json.JSONDecoder(object_pairs_hook=_unique, parse_int=_integer)


def _flaw(value: Any, path: tuple[str | int, ...], *, texts: bool) -> str | None:
    """What JSON has no place for, and where. Strings are looked at only where the text can hold such a thing."""
    match value:
        case float():
            return None if math.isfinite(value) else f"{at(path)} must be a finite number, not {value!r}"
        case str():
            return _flaw_of_text(value, at(path)) if texts else None
        case dict():
            for key, item in value.items():
                flaw = (_flaw_of_text(key, "a key") if texts else None) or _flaw(item, (*path, key), texts=texts)
                if flaw is not None:
                    return flaw
        case list():
            for index, item in enumerate(value):
                flaw = _flaw(item, (*path, index), texts=texts)
                if flaw is not None:
                    return flaw
    return None


def _flaw_of_text(text: str, place: str) -> str | None:
    found = UNFIT.search(text)
    if found is None:
        return None
    if found[0] == "\0":
        return f"{place} must not contain the character NUL (\\u0000)"
    return f"{place} must not contain half of a surrogate pair; write the whole character"

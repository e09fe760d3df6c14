"""Addresses and ids in a call that stand nowhere in the conversation: a small model takes them from its examples, or makes them up.

- Only what is written out whole wherever it is known: an address with an `@`, a UUID, a long hexadecimal number. Other values are the
  ring's affair.
- Upper and lower case are one.
"""

import re
from collections.abc import Iterator
from typing import Any

from handrail.models.local.aliases import LONG, SHORT

ADDRESS = re.compile(r"[^\s@]+@[^\s@]+")


def from_nowhere(arguments: Any, said: str) -> tuple[str, ...]:
    """Those values, in order.

    Args:
        arguments: of one call.
        said: everything that was said in the conversation.
    """
    known = said.casefold()
    return tuple(dict.fromkeys(text for text in _texts(arguments) if _is_whole(text) and text.casefold() not in known))


def _is_whole(text: str) -> bool:
    return any(form.fullmatch(text) for form in (ADDRESS, LONG, SHORT))


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for part in value.values():
                yield from _texts(part)
        case list():
            for part in value:
                yield from _texts(part)

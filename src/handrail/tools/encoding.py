"""A tool's result as text for the journal and for the model.

- Text stays text; `None` is an empty one; anything else becomes JSON.
- NaN and infinite numbers are an error that says where, never a silent null.
- NUL and halves of surrogate pairs become U+FFFD: no store and no wire takes them.
- What is longer than 16,000 characters reaches the model cut, with a note; the whole is kept.
"""

import json
import math
import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

import msgspec
from pydantic_core import to_jsonable_python

from handrail.tools.results import Result, Returned
from handrail.tools.wording import at, cut, safe
from handrail.vocab.canonical import EXACT
from handrail.vocab.facts import Fact

MOST_SHOWN = 16_000
_NUL = re.compile(r"((?<!\\)(?:\\\\)*)\\u0000")


class Undeclared(msgspec.Struct, frozen=True):
    """A result whose facts are of kinds that the tool does not declare: what it is without them, and what is wrong."""

    returned: Returned
    problem: str


def encode(result: Any, tool: str, produces: AbstractSet[str]) -> Returned | Undeclared:
    """The result as text, with its facts.

    Raises:
        Exception: whatever a value without a JSON form raises, of its own kinds as well.
    """
    value, facts = (result.value, tuple(result.facts)) if isinstance(result, Result) else (result, ())
    made = tuple(_fact(fact, tool) for fact in facts)
    known = tuple(fact for fact in made if fact.kind in produces)
    text = value is None or isinstance(value, str)
    content = safe(value or "") if value is None or isinstance(value, str) else _json(value)
    returned = Returned(content=content, text=text, shown=shown(content), facts=known)
    if len(known) == len(made):
        return returned
    kinds = sorted({fact.kind for fact in made} - set(produces))
    return Undeclared(returned, f"its result has facts of the kinds {kinds!r}, which its produces={sorted(produces)!r} does not name")


def shown(content: str) -> str | None:
    """What the model sees of a result that is too long for it; `None` if it sees the whole."""
    if len(content) <= MOST_SHOWN:
        return None
    return f"{content[:MOST_SHOWN]}\n[cut: the first {MOST_SHOWN} of {len(content)} characters; ask for less at a time]"


def _json(value: Any) -> str:
    plain = _plain(value)
    text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
    return safe(_NUL.sub("\\1\ufffd", text) if "\\u0000" in text else text)


def _plain(value: Any) -> Any:
    """The value in JSON's own types."""
    plain = to_jsonable_python(value, fallback=_fallback)
    _refuse_infinite(plain, ())
    return plain


def _fallback(value: Any) -> Any:
    if isinstance(value, msgspec.Struct):
        return msgspec.to_builtins(value, str_keys=True, enc_hook=to_jsonable_python)
    raise TypeError(f"a {type(value).__name__} has no JSON form; return text, numbers, lists, dicts or models")


def _refuse_infinite(value: Any, path: tuple[str | int, ...]) -> None:
    match value:
        case float() if not math.isfinite(value):
            place = f"at {at(path)} " if path else ""
            raise ValueError(f"the result has {value!r} {place}where JSON has numbers only; return None or a text instead")
        case dict():
            for key, item in value.items():
                _refuse_infinite(item, (*path, key))
        case list():
            for index, item in enumerate(value):
                _refuse_infinite(item, (*path, index))


def _fact(fact: Any, tool: str) -> Fact:
    if not isinstance(fact, Fact):
        raise TypeError(f"{cut(fact)} is no Fact; give Result(value, facts=[Fact(kind, value)])")
    about: Mapping[str, Any] = _clean(fact.about)
    return msgspec.structs.replace(fact, value=_clean(fact.value), about=about, tool=tool)


def _clean(value: Any) -> Any:
    """The value as JSON has it. Most are a text or a number: a detour by its JSON text would only cost time."""
    if type(value) is str:
        return safe(value)
    return value if type(value) in EXACT or (type(value) is dict and not value) else json.loads(_json(value))

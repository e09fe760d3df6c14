"""What this process knows that nobody else may read, taken out of whatever leaves it as a log or a trace.

- Known are the secrets among the settings, passwords in addresses, and what the environment calls a key, a token, a secret or a password.
- What only looks like a secret is taken out too (`handrail.vocab.redaction`), so a key that nobody told us of is not shown either.
- A value that is shorter than 8 characters, or a word of our own, is no secret that could be told from other text.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

import msgspec
from pydantic import BaseModel, SecretStr

from handrail.codec import cleaned_text
from handrail.vocab.redaction import REDACTED, redacted

SHORTEST = 8
OUR_WORDS = frozenset({"handrail", "rehearsal", "postgres", "postgresql"})
LONGEST = 20_000
"""Characters of one text that are told; what is beyond is left out."""
MARGIN = 2_000

Redact = Callable[[str], str]
_NAMED = re.compile(r"(?i)(^|[_-])(key|token|secret|password|passwd|pgpassword|authorization|cookie|headers|credentials)$")
_IN_ADDRESS = re.compile(r"(?i)(^|_)(url|uri|dsn|endpoint)$")


def redactor(settings: BaseModel | None = None, environ: Mapping[str, str] | None = None) -> Redact:
    """A function that takes secrets out of a text."""
    known = known_secrets(settings, os.environ if environ is None else environ)

    def redact(text: str) -> str:
        # A secret that the cut would leave the half of is looked at whole.
        clean = redacted(text[: LONGEST + MARGIN], known)
        return clean if len(clean) <= LONGEST else f"{clean[:LONGEST]}…"

    return redact


def known_secrets(settings: BaseModel | None, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Every secret, in every form in which it may be seen; the longest first."""
    found = {form for secret in (*_of_settings(settings), *_of(environ)) for form in (secret, unquote(secret))}
    telling = [each for each in found if len(each) >= SHORTEST and each.lower() not in OUR_WORDS]
    return tuple(sorted(telling, key=lambda each: (-len(each), each)))


def is_named_like_a_secret(name: str) -> bool:
    """Whether what stands under that name is a key, a token, a password or the like."""
    return _NAMED.search(name) is not None


def cleaned_of_secrets(value: Any, redact: Redact, name: str = "") -> Any:
    """A value of JSON's own types (what is none of them is a text), without secrets and without what stands under the name of one."""
    if is_named_like_a_secret(name):
        return REDACTED
    match value:
        case None | bool() | int() | float():
            return value
        case Mapping():
            return {str(key): cleaned_of_secrets(item, redact, str(key)) for key, item in value.items()}
        case list() | tuple():
            return [cleaned_of_secrets(item, redact) for item in value]
        case _:
            return cleaned_text(redact(str(value)))


def _of_settings(settings: BaseModel | None) -> Iterator[str]:
    for value in () if settings is None else (getattr(settings, name) for name in type(settings).model_fields):
        yield from _revealed(value)


def _revealed(value: Any) -> Iterator[str]:
    match value:
        case SecretStr():
            secret = value.get_secret_value()
            yield from _passwords(secret) if "://" in secret else (secret, *_inside(secret))
        case Mapping():
            yield from _all(value.values())
        case list() | tuple() | set() | frozenset():
            yield from _all(value)


def _inside(secret: str) -> Iterator[str]:
    """The secrets in a setting that is JSON."""
    try:
        parts = [msgspec.json.decode(secret)]
    except msgspec.DecodeError:
        return
    while parts:
        match parts.pop():
            case dict() as part:
                for value in (value for name, value in part.items() if is_named_like_a_secret(name)):
                    yield from (each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str))
                parts.extend(part.values())
            case list() as part:
                parts.extend(part)


def _all(values: Iterable[Any]) -> Iterator[str]:
    for each in values:
        yield from _revealed(each)


def _of(environ: Mapping[str, str]) -> Iterator[str]:
    for name, value in environ.items():
        if is_named_like_a_secret(name):
            # Headers of an exporter: name=value,name=value.
            yield from (part.partition("=")[2] for part in value.split(",")) if name.upper().endswith("HEADERS") else (value,)
        elif _IN_ADDRESS.search(name):
            yield from _passwords(value)


def _passwords(address: str) -> Iterator[str]:
    """The password of a URL, and values of its query that are named like secrets."""
    try:
        parts = urlsplit(address)
        password = parts.password
    except ValueError:
        return
    if password:
        yield password
    for part in parts.query.split("&"):
        name, _, value = part.partition("=")
        if is_named_like_a_secret(name):
            yield value

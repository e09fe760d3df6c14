r"""Text that no store can keep: NUL and lone surrogates become U+FFFD, visibly and the same in every store (case 43).

- Drivers clean an input before it is judged, so that the live state and the journal never differ; the codec cleans whatever it writes.
- The literal six characters `\u0000` are text like any other and stay as they are.
- What needs no cleaning comes back as the same object, at the cost of one encoding.
"""

import re
from datetime import datetime
from typing import Any, TypeVar

import msgspec

S = TypeVar("S", bound=msgspec.Struct)

_encoder = msgspec.json.Encoder()
_UNFIT = re.compile("[\x00\ud800-\udfff]")
_NUL = b"\\u0000"


def cleaned(value: S) -> S:
    """The same struct with every text in it fit for every store."""
    try:
        if _NUL not in _encoder.encode(value):
            return value
    except UnicodeEncodeError:
        pass
    plain = msgspec.to_builtins(value, builtin_types=(datetime,))
    return msgspec.convert(cleaned_json(plain), type=type(value), builtin_types=(datetime,))


def cleaned_text(text: str) -> str:
    """The same for a plain text."""
    return _UNFIT.sub("\ufffd", text)


def cleaned_json(value: Any) -> Any:
    """The same for a value made of JSON's own types; the names of fields are texts too."""
    match value:
        case str():
            return cleaned_text(value)
        case dict():
            return {cleaned_json(key): cleaned_json(item) for key, item in value.items()}
        case list() | tuple():
            return [cleaned_json(item) for item in value]
        case _:
            return value

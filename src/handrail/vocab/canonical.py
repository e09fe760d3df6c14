"""Canonical JSON and digests of it.

The canonical form has sorted keys, no spaces, and integral floats as integers, so that reordered keys and a
detour through a database leave a digest as it was (case 53). `hash()` is never used: it changes between processes.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import msgspec

_encoder = msgspec.json.Encoder(order="sorted")
LARGEST_EXACT_FLOAT = 2**53 - 1
EXACT = frozenset({str, int, bool, type(None)})


def canonical(value: Any) -> str:
    """The canonical JSON text of a value made of JSON's own types."""
    return _encoder.encode(value if type(value) in EXACT else _integral(value)).decode()


def digest(*parts: Any) -> str:
    """A short digest (128 bits, hexadecimal) of the canonical form of the parts."""
    return sha256(canonical(parts).encode()).hexdigest()[:32]


def _integral(value: Any) -> Any:
    if type(value) in EXACT:
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) <= LARGEST_EXACT_FLOAT:
        return int(value)
    if isinstance(value, (list, tuple)):
        return [item if type(item) in EXACT else _integral(item) for item in value]
    if isinstance(value, (dict, Mapping)):  # the dict first: asking an abstract class is slow
        return {key: item if type(item) in EXACT else _integral(item) for key, item in value.items()}
    return value

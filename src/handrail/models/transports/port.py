"""The port: what carries JSON to a provider, and what comes back.

- Whatever goes wrong leaves as `ModelError`, free of the member's own exceptions.
"""

from collections.abc import AsyncGenerator, Mapping
from typing import Protocol

import msgspec


class Response(msgspec.Struct, frozen=True, kw_only=True):
    """An answer that is no error: whole, or as a stream of bytes that its reader closes."""

    status: int
    headers: Mapping[str, str]
    body: bytes | AsyncGenerator[bytes]


class Transport(Protocol):
    """Posts JSON to a provider."""

    async def post(self, path: str, body: bytes, *, model: str, stream: bool = False) -> Response:
        """Post, and read the whole body unless it is to stream. Some providers want the model in the address too.

        Raises:
            ModelError: no answer, or one with an error status, after the transport's own retries.
        """
        ...

    async def close(self) -> None:
        """Close what this event loop has open."""
        ...

"""A tool call as a model proposed it, and what it is known by."""

from enum import StrEnum

import msgspec

MOST_CALLS = 32
"""Calls of one reply that are handled; what is beyond is dropped, noted, and kept in the journal only."""


class ProposedCall(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a model asked for. `arguments` is the untrusted text, `None` where the provider sent none at all."""

    id: str
    name: str
    arguments: str | None = None
    provider_id: str = ""


def call_id(turn: int, index: int) -> str:
    """Our own id of a call: unique in its run, derived from turn and index (both count from 1)."""
    return f"t{turn}c{index}"


class ToolEffect(StrEnum):
    """What running a tool twice would do."""

    READ = "read"
    IDEMPOTENT = "idempotent"
    WRITE = "write"


class Where(StrEnum):
    """Where a tool runs: here, in the user's browser, or with a person whose answer is its result."""

    SERVER = "server"
    CLIENT = "client"
    PERSON = "person"


class By(StrEnum):
    """Who answers a hold."""

    REVIEWER = "reviewer"
    PERSON = "person"

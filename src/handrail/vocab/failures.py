"""How a model call can fail."""

from enum import StrEnum


class FailureKind(StrEnum):
    """What went wrong, as far as anybody can act on it."""

    RATE_LIMITED = "rate_limited"
    UNAVAILABLE = "unavailable"
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    UNAUTHORISED = "unauthorised"
    REJECTED = "rejected"
    TOO_LONG = "too_long"
    MALFORMED = "malformed"
    OTHER = "other"

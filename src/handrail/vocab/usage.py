"""Tokens that model calls used."""

import msgspec

HISTORY_LIMIT = 100_000
"""Tokens of a request beyond which older turns are summarised, unless a run says otherwise."""


class Usage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Tokens in and out, and how many model calls they were."""

    input_tokens: int = 0
    output_tokens: int = 0
    calls: int = 0

    @property
    def total(self) -> int:
        """All tokens."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: "Usage") -> "Usage":
        """The sum of both."""
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            calls=self.calls + other.calls,
        )

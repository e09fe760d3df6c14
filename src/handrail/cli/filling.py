"""How full a conversation is: people are told before its older turns are summarised."""

NEARLY = 0.8
"""The part of the limit from which on people are told."""


def nearly_full(tokens: int, limit: int | None) -> str | None:
    """What to say about the last model call's tokens; `None` where there is room, or no limit of ours."""
    if not limit or tokens < NEARLY * limit:
        return None
    return f"{tokens:,} of {limit:,} tokens: beyond that, older turns are summarised"

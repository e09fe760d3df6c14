"""What comes back from whoever looked at a held call."""

from enum import StrEnum

import msgspec


class Answer(StrEnum):
    """Only `yes` and `passed` let a call go on; everything else closes it."""

    YES = "yes"
    NO = "no"
    PASSED = "passed"
    FLAWED = "flawed"
    FAILED = "failed"


class HoldAnswer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One answer, kept with the call that it belongs to.

    Args:
        guard: the guard that held the call.
        digest: what was looked at.
        answer: what came back.
        comment: a person's own words, quoted to the model as data.
        flaws: what a reviewer found.
        by: who answered, as far as the surface knows.
    """

    guard: str
    digest: str
    answer: Answer
    comment: str = ""
    flaws: tuple[str, ...] = ()
    by: str = ""

"""What a person can answer. Only an exact `Yes` is a yes; `True`, `"yes"`, `1` and `{}` are none (case 55)."""

import msgspec


class Yes(msgspec.Struct, frozen=True):
    """This very call, with these very arguments and this document."""

    by: str = ""


class No(msgspec.Struct, frozen=True):
    """Not this; the comment is quoted to the model as the person's own words."""

    comment: str = ""
    by: str = ""


class Say(msgspec.Struct, frozen=True):
    """An answer to a question, or a message instead of a yes or a no."""

    text: str


PersonAnswer = Yes | No | Say


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """An answer to one hold of a parked run; the digest is the one that was shown."""

    hold: str
    digest: str
    answer: PersonAnswer

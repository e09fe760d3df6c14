"""The columns that text goes through: NUL and lone surrogates become U+FFFD, visibly and the same in every database (case 43).

- It is the one choke point of all writes; what is compared with a column goes through it too, so that it is found again.
- `run_events.line` needs none: the codec has cleaned it.
"""

from typing import Any

from sqlalchemy import JSON, Dialect, String, Text
from sqlalchemy.types import TypeDecorator

from handrail.codec import cleaned_json, cleaned_text


class CleanString(TypeDecorator[str]):
    """Text of a bounded length."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Clean it."""
        return None if value is None else cleaned_text(value)


class CleanText(TypeDecorator[str]):
    """Text of any length."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Clean it."""
        return None if value is None else cleaned_text(value)


class CleanJson(TypeDecorator[Any]):
    """JSON; `None` is no value, not a JSON null."""

    impl = JSON(none_as_null=True)
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        """Clean every text in it."""
        return cleaned_json(value)

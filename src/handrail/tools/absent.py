"""`ABSENT`: an argument that the model left out, where leaving out and `null` are two things.

- `status: Status | Absent = ABSENT` declares an optional argument that is never `null`; `X | None = None` one that may be.
- `ABSENT` is false, and the same object everywhere: compare with `is`.
- It never reaches a declaration and never comes from a model.
"""

from enum import Enum
from typing import Any, Final, NoReturn

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticOmit, core_schema


class Absent(Enum):
    """The type of `ABSENT`, for hints."""

    ABSENT = "absent"

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "ABSENT"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(cls._refuse)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> NoReturn:
        raise PydanticOmit

    @classmethod
    def _refuse(cls, value: object) -> NoReturn:
        raise ValueError("this value cannot be given; leave the argument out")


ABSENT: Final = Absent.ABSENT
"""Left out by the model."""

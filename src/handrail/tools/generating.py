"""Pydantic's JSON Schema with what it leaves out: a form for decimals, local times and times of day; no guesses.

- A `datetime` is RFC 3339 with its offset; a `NaiveDatetime` has none; a `time` may have one.
- A `Decimal` is a number, or a text that keeps every digit.
- What has no JSON form is an error, where pydantic would warn and go on.
"""

from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, JsonSchemaWarningKind
from pydantic_core import core_schema

from handrail.errors import AgentError
from handrail.tools.absent import ABSENT

_CLOCK = r"([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,6})?)?"
TIME = rf"^{_CLOCK}(Z|[+-][0-9]{{2}}:[0-9]{{2}})?$"
LOCAL = rf"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}T{_CLOCK}$"
DECIMAL = r"^-?[0-9]+(\.[0-9]+)?$"


class SchemaOfHints(GenerateJsonSchema):
    """What declarations are made with."""

    def emit_warning(self, kind: JsonSchemaWarningKind, detail: str) -> None:
        raise AgentError(detail)

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        if schema.get("default") is ABSENT:
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)

    def datetime_schema(self, schema: core_schema.DatetimeSchema) -> JsonSchemaValue:
        if schema.get("tz_constraint") == "naive":
            return {"type": "string", "pattern": LOCAL}
        return super().datetime_schema(schema)

    def time_schema(self, schema: core_schema.TimeSchema) -> JsonSchemaValue:
        return {"type": "string", "pattern": TIME}

    def decimal_schema(self, schema: core_schema.DecimalSchema) -> JsonSchemaValue:
        number: dict[str, Any] = super().decimal_schema(schema)["anyOf"][0]
        return {"anyOf": [number, {"type": "string", "pattern": DECIMAL}]}

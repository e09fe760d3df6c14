"""From a plain function to a declaration: the hints become a strict JSON Schema, the docstring the descriptions.

- What cannot be said in a declaration is refused here, by the tool's and the parameter's name, not at a run's first turn.
- A parameter annotated `ToolContext` is injected: it is in no schema, so a model that sends its name sends an unknown key.
- JSON that has passed the declaration becomes Python values through pydantic, which can narrow what the declaration admits
  (a validator of the author's) but never widen it.
"""

import inspect
import re
from collections.abc import Callable, Mapping
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import msgspec
from pydantic import BaseModel, ConfigDict, ValidationError, create_model
from pydantic.errors import PydanticSchemaGenerationError, PydanticUserError
from pydantic_core import SchemaError

from handrail.core.attempt import Raised, attempt
from handrail.core.ring import Unfit
from handrail.errors import AgentError
from handrail.tools.absent import ABSENT, Absent
from handrail.tools.context import ToolContext
from handrail.tools.docstrings import described
from handrail.tools.generating import SchemaOfHints
from handrail.tools.recursion import refuse_costly
from handrail.tools.schema import Schema, declared, explaining
from handrail.tools.validating import Checker
from handrail.tools.wording import at, cut, safe, shortened

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
Function = Callable[..., Any]
_NO_KEYWORD = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)

_NESTING = (Annotated, Union, UnionType)


class Declared(msgspec.Struct, frozen=True, kw_only=True):
    """A function that can be offered to a model.

    Args:
        name: what the model calls it.
        declaration: for chat completions.
        checker: judges arguments against the declaration.
        empty: it takes no arguments at all.
        injected: the parameter that takes the `ToolContext`, if there is one.
        fields: the model's field for each parameter of the function.
        model: turns JSON into Python values.
    """

    name: str
    declaration: Mapping[str, Any]
    checker: Checker
    empty: bool
    injected: str | None
    fields: Mapping[str, str]
    model: type[BaseModel]

    def values(self, arguments: str) -> dict[str, Any] | Unfit:
        """Python values by parameter, from canonical JSON that fits the declaration; left-out ones have their defaults."""
        made = attempt(self._validated, arguments)
        if isinstance(made, Raised):
            return Unfit(f"the arguments were refused: {safe(made.what)}")
        return made

    def _validated(self, arguments: str) -> dict[str, Any] | Unfit:
        try:
            found = self.model.__pydantic_validator__.validate_json(arguments, strict=True).__dict__
        except ValidationError as error:
            return Unfit(_refused(error, msgspec.json.decode(arguments)))
        return {parameter: found[field] for field, parameter in self.fields.items()}


def declare(function: Function, name: str | None = None) -> Declared:
    """Make the declaration.

    Raises:
        AgentError: the function cannot be a tool; the text says why and what to do.
    """
    name = name if name is not None else getattr(function, "__name__", type(function).__name__)
    if not NAME.fullmatch(name):
        raise AgentError(f"a tool's name is letters, digits, _ and - (at most 64), not {name!r}; give it one with name=...")
    words = described(function.__doc__)
    if not words.text:
        raise AgentError(f"tool {name!r} has no docstring; say in it what the tool does: it is all that a model knows of it")
    parameters = _parameters(function, name)
    injected = [parameter.name for parameter in parameters if _is_context(parameter.annotation)]
    if len(injected) > 1:
        raise AgentError(f"tool {name!r} takes the ToolContext twice, as {injected!r}; once is enough")
    given = [parameter for parameter in parameters if parameter.name not in injected]
    model = _model(given, name)
    raw, schema = _schemas(model, name)
    keys = {parameter.name: model.model_fields[_field(index)].alias or parameter.name for index, parameter in enumerate(given)}
    _describe(schema, {key: text for key, text in words.parameters.items() if key not in injected}, keys, name)
    checker = _checker(raw, schema, name)
    return Declared(
        name=name,
        declaration={"type": "function", "function": {"name": name, "description": words.text, "parameters": schema}},
        checker=checker,
        empty=not schema["properties"],
        injected=injected[0] if injected else None,
        fields={_field(index): parameter.name for index, parameter in enumerate(given)},
        model=model,
    )


def _parameters(function: Function, tool: str) -> list[inspect.Parameter]:
    """The function's parameters with their hints evaluated."""
    try:
        parameters = inspect.signature(function).parameters.values()
        hints = get_type_hints(function, include_extras=True)
    except (TypeError, ValueError, NameError, AttributeError, SyntaxError) as error:
        raise AgentError(f"the hints of tool {tool!r} cannot be read: {error}; define the types at the top of a module") from error
    for parameter in parameters:
        if parameter.kind in _NO_KEYWORD:
            raise AgentError(f"parameter {str(parameter)!r} of tool {tool!r} cannot be declared; give each parameter a name of its own")
        if parameter.name not in hints:
            raise AgentError(f"parameter {parameter.name!r} of tool {tool!r} has no type; add a hint, such as {parameter.name}: str")
    return [parameter.replace(annotation=hints[parameter.name]) for parameter in parameters]


def _is_context(hint: Any) -> bool:
    return hint is ToolContext or get_origin(hint) is ToolContext


def _field(index: int) -> str:
    """A field's own name: a parameter may be called like something that a pydantic model has."""
    return f"argument_{index}"


def _model(parameters: list[inspect.Parameter], tool: str) -> type[BaseModel]:
    aliases = {_field(index): parameter.name for index, parameter in enumerate(parameters)}
    fields: dict[str, Any] = {}
    for index, parameter in enumerate(parameters):
        default = ... if parameter.default is parameter.empty else parameter.default
        if _admits_absent(parameter.annotation) and default is not ABSENT:
            raise AgentError(f"parameter {parameter.name!r} of tool {tool!r} may be absent, so its default has to be ABSENT")
        fields[_field(index)] = (parameter.annotation, default)
    config = ConfigDict(strict=True, extra="forbid", alias_generator=lambda field: aliases.get(field, field))
    try:
        return create_model("Arguments", __config__=config, **fields)
    except (PydanticUserError, PydanticSchemaGenerationError, SchemaError, TypeError, ValueError, NameError) as error:
        raise AgentError(f"the parameters of tool {tool!r} cannot be declared: {_why(error)}") from error


def _admits_absent(hint: Any) -> bool:
    return hint is Absent or (get_origin(hint) in _NESTING and any(map(_admits_absent, get_args(hint))))


def _schemas(model: type[BaseModel], tool: str) -> tuple[Schema, Schema]:
    """Pydantic's own, and the one for the declaration."""
    try:
        raw = {"type": "object", "properties": {}, **model.model_json_schema(schema_generator=SchemaOfHints)}
        return raw, declared(raw)
    except (PydanticUserError, TypeError, ValueError, NameError, AgentError) as error:
        raise AgentError(f"the parameters of tool {tool!r} cannot be declared: {_why(error)}") from error


def _why(error: Exception) -> str:
    """In one line, without the advice to switch pydantic's checks off."""
    text = " ".join(str(error).split()) or type(error).__name__
    return shortened(text.split(" Set `arbitrary_types_allowed")[0].split(" For further information")[0], 300)


def _describe(schema: Schema, words: Mapping[str, str], keys: Mapping[str, str], tool: str) -> None:
    """Put the docstring's words on the parameters that have none of their own; `keys` is what the schema calls each."""
    for name, text in words.items():
        if name not in keys:
            raise AgentError(f"the docstring of tool {tool!r} describes {name!r}, which is not among its parameters {list(keys)!r}")
        schema["properties"][keys[name]].setdefault("description", text)


def _checker(raw: Schema, schema: Schema, tool: str) -> Checker:
    try:
        judged = explaining(raw)
        refuse_costly(judged)
        checker = Checker(judged, tool)
        for name, node in schema["properties"].items():
            if "default" in node and not Checker({**node, "$defs": schema.get("$defs", {})}, tool).fits(node["default"]):
                raise AgentError(f"the default {node['default']!r} of {name!r} does not fit its own type; {_hint(node['default'])}")
    except (AgentError, ValueError) as error:
        raise AgentError(f"the parameters of tool {tool!r} cannot be declared: {_why(error)}") from error
    return checker


def _hint(default: Any) -> str:
    return "say `X | None = None`, or `X | Absent = ABSENT`" if default is None else "change one of the two"


def _refused(error: ValidationError, given: Any) -> str:
    said = []
    for problem in error.errors(include_url=False, include_context=False)[:4]:
        path, value = _found(problem["loc"], given)
        text = problem["msg"].removeprefix("Value error, ").removeprefix("Assertion failed, ")
        said.append(f"{at(path)}: {shortened(text, 300)}, not {cut(value)}")
    return shortened("; ".join(dict.fromkeys(said)))


def _found(loc: tuple[int | str, ...], value: Any) -> tuple[list[int | str], Any]:
    """As much of the place as is in the arguments: pydantic puts names of its own between."""
    path: list[int | str] = []
    for part in loc:
        match value:
            case dict() if part in value:
                value = value[part]
            case list() if isinstance(part, int) and part < len(value):
                value = value[part]
            case _:
                continue
        path.append(part)
    return path, value

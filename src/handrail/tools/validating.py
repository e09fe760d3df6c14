"""Arguments judged against a declaration (jsonschema-rs), and errors that say the field, the rule and the value.

JSON Schema's own sense: 5 and 5.0 are integers, a boolean is no number, a text is no number. Formats are checked.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from jsonschema_rs import Draft202012Validator, ValidationError, ValidationErrorKind

from handrail.tools.rules import rule, types
from handrail.tools.schema import Schema
from handrail.tools.wording import LONGEST, at, cut, listed, shortened

MOST_ERRORS = 6
_ALL_ERRORS_UP_TO = 8 * 1024
"""Characters of arguments up to which every error is looked for; beyond, the first will do."""


class Checker:
    """One compiled schema."""

    def __init__(self, schema: Schema, tool: str) -> None:
        """Compile the schema; the tool's name is for errors."""
        self._schema = schema
        self._tool = tool
        self._validator = Draft202012Validator(schema, validate_formats=True)
        self.fits = self._validator.is_valid

    def first(self, value: Any) -> ValidationError | None:
        """The first error, in time linear in the value."""
        try:
            self._validator.validate(value)
        except ValidationError as error:
            return error
        return None

    def explain(self, value: Any, size: int) -> str:
        """What is wrong, at most 800 characters; `size` is how long the arguments' text is."""
        errors = self._validator.iter_errors(value) if size <= _ALL_ERRORS_UP_TO else filter(None, (self.first(value),))
        said = list(dict.fromkeys(text for error in islice(errors, MOST_ERRORS * 4) for text in self._texts(error)))
        more = f"; and {len(said) - MOST_ERRORS} more" if len(said) > MOST_ERRORS else ""
        return shortened("; ".join(said[:MOST_ERRORS]), LONGEST - len(more)) + more

    def _texts(self, error: ValidationError) -> Iterator[str]:
        match error.kind:
            case ValidationErrorKind.Required(property=name):
                yield f"{at([*error.instance_path, name])} is required"
            case ValidationErrorKind.AdditionalProperties(unexpected=keys):
                yield self._unexpected(error, keys)
            case ValidationErrorKind.AnyOf(context=context):
                yield from self._of_union(list(error.instance_path), context)
            case _:
                yield f"{at(error.instance_path)} {rule(error)}"

    def _unexpected(self, error: ValidationError, keys: list[str]) -> str:
        known = self._properties(error)
        where = f"of {self._tool}" if not error.instance_path else f"in {at(error.instance_path)}"
        valid = f"valid keys: {listed(known)}" if known else "it takes none"
        return f"{', '.join(cut(key, 40) for key in keys[:3])} {'is' if len(keys) == 1 else 'are'} no key {where}; {valid}"

    def _properties(self, error: ValidationError) -> tuple[str, ...]:
        node: Any = self._schema
        for part in list(error.schema_path)[:-1]:
            node = node[part]
        return tuple(node.get("properties", ()))

    def _of_union(self, path: list[str | int], context: list[list[ValidationError]]) -> Iterator[str]:
        """The errors of the one branch that was meant, if it can be told; else what is wrong with each."""
        meant = [branch for branch in context if not any(_of_another_type(error, path) for error in branch)]
        if len(meant) == 1:
            for error in meant[0]:
                yield from self._texts(error)
        elif meant:
            forms = [" and ".join(text for error in branch for text in self._texts(error)) for branch in meant]
            yield f"{at(path)} fits none of its forms: " + " | ".join(shortened(form, 200) for form in dict.fromkeys(forms))
        else:
            kinds = [error.kind for branch in context for error in branch]
            names = {name for kind in kinds if isinstance(kind, ValidationErrorKind.Type) for name in kind.types}
            yield f"{at(path)} must be {types(names)}, not {cut(context[0][0].instance)}"


def _of_another_type(error: ValidationError, path: list[str | int]) -> bool:
    return isinstance(error.kind, ValidationErrorKind.Type) and list(error.instance_path) == path

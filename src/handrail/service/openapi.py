"""The description of the routes (OpenAPI 3.1), as they really are: every error is a problem, and every route says what it asks for.

- What FastAPI says of errors is not what is answered here, and is replaced.
- Whatever stands before the routes (the gate, the limits of bodies) is said of each of them.
"""

from collections.abc import Mapping
from http import HTTPStatus
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from handrail.service.auth.cookies import NAME
from handrail.service.auth.gate import Paths
from handrail.service.problems import MEDIA_TYPE
from handrail.service.schemas.others import ProblemBody

PROBLEM_CONTENT = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
ANYWHERE = (400, 408, 413, 415, 500, 503)
"""What can happen to any request."""

WITH_KEY = (401, 403, 404, 429)
"""What can happen to one that asks for a key; 404 where it acts for somebody that it may not act for."""

SCHEMES = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "An API key."},
    "api_key": {"type": "apiKey", "in": "header", "name": "X-API-Key", "description": "An API key."},
    "browser": {"type": "apiKey", "in": "cookie", "name": NAME, "description": "A browser's cookie; posts carry X-CSRF-Token."},
}
METHODS = ("get", "put", "post", "delete", "patch")


def described(service: FastAPI, *, open_paths: Paths, keys: bool) -> dict[str, Any]:
    """The whole description.

    Args:
        service: with all of its routes.
        open_paths: what asks for no key.
        keys: whether anything asks for one.
    """
    document = get_openapi(title="handrail", version=_version(), summary="Agents that end decently, over HTTP.", routes=service.routes)
    schemas: dict[str, Any] = document.setdefault("components", {}).setdefault("schemas", {})
    for theirs in ("HTTPValidationError", "ValidationError"):
        schemas.pop(theirs, None)
    schema = ProblemBody.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas |= schema.pop("$defs")
    schemas["Problem"] = schema
    if keys:
        document["components"]["securitySchemes"] = SCHEMES
        document["security"] = [{name: []} for name in SCHEMES]
    for path, item in document.get("paths", {}).items():
        for method in METHODS:
            if method in item:
                _complete(item[method], asks=keys and not open_paths.has(path))
    return document


def _version() -> str:
    try:
        return version("handrail")
    except PackageNotFoundError:  # run from its source, or being installed at this moment
        return "0"


def _complete(operation: dict[str, Any], *, asks: bool) -> None:
    if not asks:
        operation["security"] = []
    for parameter in operation.get("parameters", ()):
        parameter["schema"] = _given(parameter["schema"])
    responses: dict[str, Any] = operation.setdefault("responses", {})
    wanted = (*ANYWHERE, *(WITH_KEY if asks else ()))
    errors = [status for status in responses if int(status) >= 400]
    content = next((own for status in errors if (own := _own_content(responses[status]))), PROBLEM_CONTENT)
    for status in {*map(str, wanted), *errors}:
        responses[status] = {"description": HTTPStatus(int(status)).phrase, "content": content}
    operation["responses"] = dict(sorted(responses.items()))


def _own_content(response: Mapping[str, Any]) -> Mapping[str, Any]:
    """What an error is where the route says errors its own way (`problems.Shapes`); empty where it does not."""
    content: Mapping[str, Any] = response.get("content", {})
    return {} if any(each.get("schema", {}).get("$ref", "").endswith("HTTPValidationError") for each in content.values()) else content


def _given(schema: dict[str, Any]) -> dict[str, Any]:
    """What a parameter is where it is there; one that is left away is not null."""
    kinds = [kind for kind in schema.get("anyOf", ()) if kind != {"type": "null"}]
    return {**kinds[0], **{name: value for name, value in schema.items() if name != "anyOf"}} if len(kinds) == 1 else schema

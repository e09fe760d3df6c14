"""The description of the routes says what they are, so that clients can be made from it."""

from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.service import find_app
from handrail.service.app import OPEN_ROUTES, make_app
from handrail.testing import ScriptedModel
from tests.service.branch import opened
from tests.service.kit import asking


@pytest.fixture
async def document(database: AsyncEngine) -> dict[str, Any]:
    async with opened(database, start=False) as branch, branch.stranger() as client:
        found: dict[str, Any] = (await client.get("/openapi.json")).json()
        return found


def _operations(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {f"{method.upper()} {path}": operation for path, item in document["paths"].items() for method, operation in item.items()}


def test_it_is_openapi_3_1_and_asks_for_a_key_but_where_it_does_not(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1.")
    assert set(document["components"]["securitySchemes"]) == {"bearer", "api_key", "browser"}
    assert document["security"] == [{"bearer": []}, {"api_key": []}, {"browser": []}]
    unlocked = {name.split()[1] for name, operation in _operations(document).items() if operation.get("security") == []}
    assert unlocked == {"/healthz", "/readyz"} <= set(OPEN_ROUTES)


def test_every_error_is_described_as_the_problem_that_it_is(document: dict[str, Any]) -> None:
    for name, operation in _operations(document).items():
        errors = {status: response for status, response in operation["responses"].items() if int(status) >= 400}
        assert {"400", "413", "415", "500", "503"} <= set(errors), name
        for status, response in errors.items():
            own = "application/json" if " /v1/" in name else "application/problem+json"
            assert list(response["content"]) == [own], (name, status)
        if operation.get("security") != []:
            assert {"401", "403", "404", "429"} <= set(errors), name
    assert not {"HTTPValidationError", "ValidationError"} & set(document["components"]["schemas"])


def test_what_is_taken_on_and_what_can_be_stale_is_described(document: dict[str, Any]) -> None:
    operations = _operations(document)
    assert {"202", "409", "422"} <= set(operations["POST /agent/invoke"]["responses"])
    assert {"200", "304"} <= set(operations["GET /agent/status/{job_id}"]["responses"])
    assert {"200", "204", "400"} <= set(operations["GET /agent/jobs/{job_id}/events"]["responses"])
    assert {"200", "409", "410", "412"} <= set(operations["POST /agent/approvals/{approval_id}/decision"]["responses"])
    names = {each["name"] for each in operations["POST /agent/invoke"]["parameters"]}
    assert names == {"X-Act-As", "Idempotency-Key"}
    parameters = [each for operation in operations.values() for each in operation.get("parameters", ())]
    assert [each["name"] for each in parameters if "null" in str(each["schema"])] == []


def test_names_of_fields_are_snake_case(document: dict[str, Any]) -> None:
    fields = {name for schema in document["components"]["schemas"].values() for name in schema.get("properties", {})}
    assert {"job_id", "session_id", "history_tokens", "history_limit"} <= fields
    assert [name for name in fields if name != name.lower() or "-" in name] == []


async def test_without_jobs_nothing_asks_for_a_key_and_the_description_says_so() -> None:
    async with asking(make_app([find_app("trips")], model=ScriptedModel())) as client:
        document = (await client.get("/openapi.json")).json()
    assert "securitySchemes" not in document["components"] and "security" not in document
    assert all(operation["security"] == [] for operation in _operations(document).values())

"""Every error as RFC 9457 says it; the status is decided in one place, and no body tells a secret."""

import json

import httpx2
import pytest
from starlette.exceptions import HTTPException

from handrail import Outcome, Parked
from handrail.errors import AgentError, Bug, InputError, JournalError, ModelError, ProviderError, StaleInput, StaleWriter
from handrail.service.app import make_app
from handrail.service.problems import MEDIA_TYPE, Problem, answered, problem
from handrail.testing import ScriptedModel, says
from handrail.vocab.outcomes import Status
from tests.service.kit import APP, asking

SECRET = "sk-secret-hunter2"


def _checked(answer: httpx2.Response, status: int) -> dict[str, object]:
    """The parts that RFC 9457 names, and nothing secret."""
    assert answer.status_code == status
    assert answer.headers["content-type"] == MEDIA_TYPE
    body: dict[str, object] = answer.json()
    assert body["status"] == status and body["type"] == "about:blank"
    assert isinstance(body["title"], str) and isinstance(body["detail"], str) and isinstance(body["code"], str)
    assert "hunter2" not in answer.text and "Traceback" not in answer.text and "RuntimeError" not in answer.text
    return body


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("GET", "/nowhere", None, 404, "not_found"),
        ("GET", "/greeter/greet", None, 405, "method_not_allowed"),
        ("POST", "/healthz", None, 405, "method_not_allowed"),
        ("POST", "/greeter/greet/", b"{}", 404, "not_found"),
        ("POST", "/greeter/greet", b"", 422, "invalid"),
        ("POST", "/greeter/greet", b"no json", 422, "invalid"),
        ("POST", "/greeter/greet", b"[]", 422, "invalid"),
        ("POST", "/greeter/greet", b"{}", 422, "invalid"),
        ("POST", "/greeter/greet", b'{"words": 5}', 422, "invalid"),
        ("POST", "/greeter/greet", b'{"words": NaN}', 422, "invalid"),
        ("POST", "/greeter/greet", b'{"words": ""}', 422, "invalid"),
        ("POST", "/greeter/greet", b'{"words": "\\ud800"}', 422, "invalid"),
        ("POST", "/greeter/greet", b'{"words": "\xff"}', 400, "bad_request"),
        ("POST", "/greeter/greet", json.dumps({"words": SECRET + "x" * 20}).encode(), 422, "invalid"),
        ("POST", "/greeter/greet", b"[" * 65, 400, "too_deep"),
        ("POST", "/greeter/greet", b" " * 1_000_001, 413, "too_long"),
        ("POST", "/greeter/break", b"", 500, "internal"),
    ],
)
async def test_every_error_is_a_problem(method: str, path: str, body: bytes | None, status: int, code: str) -> None:
    async with asking(make_app([APP], model=ScriptedModel())) as client:
        answer = await client.request(method, path, content=body, headers={"Content-Type": "application/json"})
    assert _checked(answer, status)["code"] == code


@pytest.mark.parametrize(
    ("body", "headers", "words"),
    [
        (b"no json", {"Content-Type": "application/json"}, "The body is no JSON; "),
        (b'{"words": "hello"}', {}, "to come with `Content-Type: application/json`."),
        (b"[]", {"Content-Type": "application/json"}, "The body is to be a JSON object"),
        (b"", {}, "The request has no body; "),
        (b"{}", {"Content-Type": "application/json"}, "The request does not fit; "),
    ],
)
async def test_a_body_that_cannot_be_read_at_all_is_told_as_such(body: bytes, headers: dict[str, str], words: str) -> None:
    async with asking(make_app([APP], model=ScriptedModel())) as client:
        answer = await client.post("/greeter/greet", content=body, headers=headers)
    assert words in str(_checked(answer, 422)["detail"])


def test_a_run_that_has_ended_says_where_to_go_on() -> None:
    assert "POST /agent/invoke" in problem(StaleInput("phase", "job_1 has ended")).detail


async def test_a_method_that_is_not_there_says_which_are() -> None:
    async with asking(make_app([APP], model=ScriptedModel())) as client:
        assert (await client.get("/greeter/greet")).headers["allow"] == "POST"


async def test_what_does_not_fit_is_named_by_its_place_and_not_repeated() -> None:
    async with asking(make_app([APP], model=ScriptedModel())) as client:
        answer = await client.post("/greeter/greet", json={"words": SECRET + "x" * 20})
    assert answer.json()["errors"] == [
        {"at": "body.words", "rule": "string_too_long", "detail": "String should have at most 20 characters"}
    ]


async def test_a_model_that_fails_is_a_502_that_says_nothing_of_the_provider() -> None:
    failing = ModelError("unavailable", f"HTTP 500: {SECRET} at https://provider.internal/")
    async with asking(make_app([APP], model=ScriptedModel(failing))) as client:
        answer = await client.post("/greeter/greet", json={"words": "hello"})
    assert _checked(answer, 502)["code"] == "model_failed"
    assert "provider" not in answer.text and "500" not in answer.text


async def test_an_answer_is_an_answer() -> None:
    async with asking(make_app([APP], model=ScriptedModel(says("Good day.")))) as client:
        answer = await client.post("/greeter/greet", json={"words": "hello"})
    assert (answer.status_code, answer.json()) == (200, {"said": "Good day.", "deps": "the deps"})


@pytest.mark.parametrize(
    ("ended", "answer"),
    [
        (Outcome(status=Status.COMPLETED, output="done"), "done"),
        (Outcome(status=Status.COMPLETED, output="short", partial=True, limit="TimeLimit(3)"), "short"),
        (Outcome(status=Status.REFUSED, output="I will not."), "I will not."),
    ],
)
def test_a_run_that_ended_decently_has_its_output_as_the_answer(ended: Outcome, answer: str) -> None:
    assert answered(ended) == answer


@pytest.mark.parametrize(
    ("ended", "status", "code"),
    [
        (Outcome(status=Status.FAILED, reason=SECRET), 502, "model_failed"),
        (Outcome(status=Status.FAILED, reason=SECRET, limit="TurnLimit(5)"), 502, "limit_reached"),
        (Outcome(status=Status.CANCELLED, reason=SECRET), 503, "cancelled"),
        (Parked(run_id="run_1", holds=()), 501, "needs_a_person"),
    ],
)
def test_a_run_without_an_answer_is_a_problem(ended: Outcome | Parked, status: int, code: str) -> None:
    with pytest.raises(Problem) as found:
        answered(ended)
    assert (found.value.status, found.value.code) == (status, code)
    assert "hunter2" not in found.value.body().decode()


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (InputError(SECRET), 422, "invalid"),
        (StaleInput("twice", SECRET), 409, "twice"),
        (StaleInput("expired", SECRET), 410, "expired"),
        (StaleInput("digest", SECRET), 412, "digest"),
        (StaleWriter(SECRET), 409, "conflict"),
        (ModelError("timeout", SECRET), 502, "remote_failed"),
        (ProviderError(SECRET), 502, "remote_failed"),
        (AgentError(SECRET), 500, "internal"),
        (JournalError(SECRET), 500, "internal"),
        (Bug(SECRET), 500, "internal"),
        (ValueError(SECRET), 500, "internal"),
        (HTTPException(403), 403, "forbidden"),
        (Problem(418, "tea", "No coffee here."), 418, "tea"),
    ],
)
def test_an_exception_has_one_status(error: Exception, status: int, code: str) -> None:
    made = problem(error)
    assert (made.status, made.code) == (status, code)
    assert "hunter2" not in made.body().decode()

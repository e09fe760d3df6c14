"""Every error over HTTP, as RFC 9457 says it (`application/problem+json`). The status of an error is decided here, once.

- A body says what the caller can do about it. It holds nothing that was sent, no text of a provider's, no name of an exception, no path.
- What nobody foresaw is a 500 that says nothing; the server's log has the whole of it.
- A run that ended without an answer is no exception inside; here it becomes one (`answered`).
- A surface that speaks another protocol says errors its own way (`Shapes`); their status is still decided here.
"""

from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any

import msgspec
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import InterfaceError, OperationalError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from handrail.core.stale import StaleCode
from handrail.errors import HandrailError, InputError, RemoteError, StaleInput, StaleWriter
from handrail.service.desk import KeyReused, NotThere
from handrail.vocab.outcomes import Outcome, Parked, Status

MEDIA_TYPE = "application/problem+json"
MOST_ERRORS = 20
LONGEST_PLACE = 100
BY_STALE_CODE = {StaleCode.EXPIRED.value: 410, StaleCode.DIGEST.value: 412, StaleCode.HOLD.value: 412}
BY_STALE_WORDS = {
    StaleCode.PHASE.value: "The run is at another point by now; `GET /agent/status/{job_id}` says which. Where it has ended, "
    "`POST /agent/invoke` goes on with its session; where it has not, it cannot be retried."
}
BY_BODY = {
    "json_invalid": "The body is no JSON; `errors` says where.",
    "missing": "The request has no body; it is to be a JSON object.",
    "model_attributes_type": "The body is to be a JSON object, and to come with `Content-Type: application/json`.",
}
BY_PATH = {404: "There is nothing here under that path.", 405: "This path has no such method; see the header Allow."}


class Problem(Exception):
    """Something to answer instead of what was asked for.

    Args:
        status: of HTTP.
        code: one word for programs, such as `model_failed`.
        detail: one sentence for people, without anything secret.
        errors: what is wrong with single fields.
        headers: of the answer.
        more: further members of the body.
    """

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        errors: Sequence[Mapping[str, str]] = (),
        headers: Mapping[str, str] | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> None:
        """Keep the parts beside the words."""
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.errors = tuple(errors)
        self.headers = dict(headers or {})
        self.more = dict(more or {})

    def body(self) -> bytes:
        """The problem as JSON."""
        shown: dict[str, Any] = {
            "type": "about:blank",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "code": self.code,
            "detail": self.detail,
        }
        return msgspec.json.encode(self.more | shown | ({"errors": self.errors} if self.errors else {}))

    def response(self) -> Response:
        """The problem as an answer."""
        return Response(self.body(), status_code=self.status, media_type=MEDIA_TYPE, headers=self.headers)


Shapes = Mapping[str, Callable[[Problem], Response]]
"""How errors are said under a path, such as `/v1`; everywhere else they are problems."""

UNFORESEEN = Problem(500, "internal", "Something went wrong here. It has been logged; trying again may help.")


def shaped(found: Problem, path: str, shapes: Shapes) -> Response:
    """The problem as the path's protocol says it."""
    for prefix, shape in shapes.items():
        if path == prefix or path.startswith(f"{prefix}/"):
            return shape(found)
    return found.response()


def answered(ended: Outcome | Parked) -> Any:
    """What a finished run answers: its output, or the words of its refusal.

    Raises:
        Problem: there is no answer.
    """
    match ended:
        case Outcome(status=Status.COMPLETED | Status.REFUSED, output=output):
            return output
        case Outcome(status=Status.CANCELLED):
            raise Problem(503, "cancelled", "This was stopped before there was an answer. Ask again.")
        case Outcome(limit=None):
            raise Problem(502, "model_failed", "The model did not answer. Nothing is wrong with your question: try again later.")
        case Outcome():
            raise Problem(
                502, "limit_reached", "The model did not come to an answer within its limits. Ask again, or ask for less at once."
            )
        case Parked():
            raise Problem(501, "needs_a_person", "This waits for a person's answer, and this route has no place for one.")


def problem(error: Exception) -> Problem:
    """An exception as a problem."""
    match error:
        case Problem():
            return error
        case RequestValidationError():
            return _invalid(error)
        case HTTPException():
            return _http(error)
        case HandrailError():
            return _own(error)
        case OperationalError() | InterfaceError():
            return Problem(503, "database", "The database does not answer now. Try again in a moment.", headers={"Retry-After": "2"})
        case _:
            return UNFORESEEN


def install(app: FastAPI, shapes: Shapes) -> None:
    """Answer every error with a problem, or as its path's protocol says it."""

    async def handle(request: Request, error: Exception) -> Response:
        return shaped(problem(error), request.url.path, shapes)

    for kind in (Problem, RequestValidationError, HTTPException, HandrailError, Exception):
        app.add_exception_handler(kind, handle)


def _own(error: HandrailError) -> Problem:
    match error:
        case NotThere():
            return Problem(404, "not_found", "There is no such thing here, or it is not yours.")
        case KeyReused():
            detail = "This Idempotency-Key came before with another request; take a new one."
            return Problem(422, "key_reused", detail)
        case InputError():
            return Problem(422, "invalid", "The request does not fit what this does.")
        case StaleInput():
            detail = BY_STALE_WORDS.get(error.code, "There is no place for this any more; look at how things stand now.")
            return Problem(BY_STALE_CODE.get(error.code, 409), error.code, detail)
        case StaleWriter():
            return Problem(409, "conflict", "Somebody else was faster; look at how things stand now.")
        case RemoteError():
            return Problem(502, "remote_failed", "Something that this relies on did not answer. Try again later.")
        case _:
            return UNFORESEEN


def _http(error: HTTPException) -> Problem:
    code = HTTPStatus(error.status_code).phrase.lower().replace(" ", "_").replace("-", "_")
    return Problem(error.status_code, code, BY_PATH.get(error.status_code, str(error.detail)), headers=error.headers)


def _invalid(error: RequestValidationError) -> Problem:
    wrong = [
        {"at": ".".join(map(str, each["loc"]))[:LONGEST_PLACE], "rule": str(each["type"]), "detail": str(each["msg"])}
        for each in error.errors()[:MOST_ERRORS]
    ]
    first = error.errors()[0]
    whole = first["type"] == "json_invalid" or tuple(first["loc"]) == ("body",)
    detail = BY_BODY.get(str(first["type"])) if whole else None
    return Problem(422, "invalid", detail or "The request does not fit; `errors` says where and why.", errors=wrong)

"""Errors as OpenAI says them. Their status, code and words are decided where all others are (`service/problems.py`).

- The official clients ask again by themselves. Where a job was made of the request they are told not to, or each time would be another run.
"""

from starlette.responses import Response

from handrail.service.problems import Problem
from handrail.service.surfaces.openai.schemas import ErrorBody, ErrorInside

MEDIA_TYPE = "application/json"
KINDS = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    409: "conflict_error",
    429: "rate_limit_error",
}
AFTERWARDS = frozenset({"model_failed", "limit_reached", "cancelled", "stopping"})
"""What can go wrong once there is a job."""


def body_of(problem: Problem) -> bytes:
    """The problem as OpenAI's error object."""
    kind = KINDS.get(problem.status, "server_error" if problem.status >= 500 else "invalid_request_error")
    param = problem.errors[0]["at"].removeprefix("body.") if problem.errors else None
    message = f"{problem.detail} ({problem.errors[0]['detail']})" if problem.errors else problem.detail
    return ErrorBody(error=ErrorInside(message=message, type=kind, param=param, code=problem.code)).model_dump_json().encode()


def shape(problem: Problem) -> Response:
    """The problem as an answer (`problems.Shapes`)."""
    headers = {**problem.headers, "x-should-retry": "false"} if problem.code in AFTERWARDS else problem.headers
    return Response(body_of(problem), status_code=problem.status, media_type=MEDIA_TYPE, headers=headers)

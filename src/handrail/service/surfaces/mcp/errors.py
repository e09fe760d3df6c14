"""Errors as JSON-RPC says them, for what never gets to the protocol's own code. Their status and words are decided where all others are."""

import msgspec
from starlette.responses import Response

from handrail.service.problems import Problem

MEDIA_TYPE = "application/json"
INVALID_REQUEST = -32600
INTERNAL_ERROR = -32603


def shape(problem: Problem) -> Response:
    """The problem as an answer to no request in particular (`problems.Shapes`)."""
    code = INTERNAL_ERROR if problem.status >= 500 else INVALID_REQUEST
    error = {"code": code, "message": problem.detail, "data": {"status": problem.status, "code": problem.code}}
    body = msgspec.json.encode({"jsonrpc": "2.0", "id": None, "error": error})
    return Response(body, status_code=problem.status, media_type=MEDIA_TYPE, headers=problem.headers)

"""Case 75: secrets that are set, sent and raised everywhere, and everything that leaves the service: none of them is in any of it.

The service is a real process; the provider repeats its key in every answer, tools and a guard raise their connection strings, and every
library is told to log what it can.
"""

import http.client
import json
import signal
from pathlib import Path

import httpx2
import openai
import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from handrail.core.attempt import raised
from handrail.models import OpenAIChat
from handrail.models.failures import failure
from handrail.stores.database import make_engine
from handrail.testing import ManualClock
from tests.cli.processes import LONGEST, finished, running
from tests.service.telemetry.outside import Collector, Provider, serving

SENTINEL = "S3NTINEL"
SECRETS = {
    "OPENAI_API_KEY": "S3NTINEL/openai+key",
    "HANDRAIL_SECRET": "S3NTINEL that signs the cookies of browsers",
    "OTEL_EXPORTER_OTLP_HEADERS": "x-key=S3NTINEL-of-the-collector",
    "HANDRAIL_MATTERMOST_COMMANDS": json.dumps(
        [{"team_id": "t1e2a3mt1e2a3mt1e2a3mt1e2a", "command": "/own", "token": ["S3NTINEL-of-mattermost"], "app": "own"}]
    ),
    "SHOP_PASSWORD": "S3NTINEL of a tool",
}
APP = '''
import logging
import os

from fastapi import APIRouter
from handrail import Agent, ToolError, tool
from handrail.guards import guard
from handrail.service import App

DSN = "postgresql://shop:S3NTINEL/p@ss@db.test/shop?sslpassword=S3NTINEL"

@tool(effect="read")
def read_it() -> str:
    """Read it."""
    raise ConnectionError(f"could not connect to {DSN}")

@tool(effect="write")
def write_it() -> str:
    """Write it."""
    raise RuntimeError(f"host=db user=shop password='S3NTINEL p'; headers: Authorization: Bearer S3NTINEL")

@tool(effect="write")
def refuse_it() -> str:
    """Refuse it."""
    raise ToolError(f"{DSN} is down")

@tool(effect="read")
def log_it() -> str:
    """Log it."""
    try:
        raise ValueError(os.environ["SHOP_PASSWORD"])
    except ValueError:
        logging.getLogger("own.shop").exception("with %s", os.environ["OPENAI_API_KEY"], extra={"secret": DSN, "env": dict(os.environ)})
    logging.getLogger("aiosqlite").debug(DSN)
    return "logged"

@tool(effect="read")
def guarded() -> str:
    """Never runs."""
    return ""

@guard(tool="guarded")
def breaks(state, call):
    raise LookupError(DSN)

def agent():
    return Agent(name="own", instructions="Do it.", model="m", tools=[read_it, write_it, refuse_it, log_it, guarded], guards=[breaks])

def router(serving):
    routes = APIRouter()

    @routes.get("/own/break")
    async def broken():
        raise RuntimeError(DSN)

    return routes

app = App(name="own", summary="Tells secrets.", agent=agent, routes="own", open_routes={"/own/break": "a test"})
'''


class Asking:
    """A client that keeps all that it was answered."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.answers: list[str] = []

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> str:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=LONGEST)
        try:
            sent = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, None if body is None else json.dumps(body), {"Content-Type": "application/json", **sent})
            answer = connection.getresponse()
            text = answer.read().decode()
        finally:
            connection.close()
        self.answers.append(f"{answer.status} {answer.getheaders()} {text}")
        return text


@pytest.mark.slow
@pytest.mark.parametrize("logs", ["text", "json"])
def test_case_75_no_secret_is_in_any_log_trace_metric_row_answer_or_request_to_the_model(logs: str, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(APP)
    Provider.bodies, Collector.got = [], []
    with serving(Provider) as provider, serving(Collector) as collector:
        more = {
            **SECRETS,
            "OPENAI_BASE_URL": f"{provider}/v1",
            "OPENAI_LOG": "debug",
            "HANDRAIL_MATTERMOST_URL": "http://chat.test",
            "HANDRAIL_PUBLIC_URL": "http://agents.test",
            "HANDRAIL_LOGS": logs,
            "HANDRAIL_LOG_LEVEL": "debug",
            "HANDRAIL_TIMELINE": "1",
            "HANDRAIL_TELEMETRY": "otlp",
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector,
            "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true",
        }
        with running(["serve", "--app", "own:app"], folder=tmp_path, stop=signal.SIGTERM, more=more) as server:
            client = Asking(server.port)
            client.ask("GET", "/readyz")
            made = finished("keys", "create", "--user", "alice", "--scope", "metrics", "--quiet", folder=tmp_path)
            key = made.stdout.strip()
            client.ask("GET", "/me", Authorization="Bearer hrk_000000000000_S3NTINEL")
            client.ask("GET", "/me?token=S3NTINEL", Cookie="handrail=S3NTINEL.S3NTINEL")
            for said in ("401", "404", "500", "reset", "garbled", "tools"):
                taken = json.loads(client.ask("POST", "/agent/invoke", {"session_id": said, "message": said}, X_API_Key=key))
                client.ask("GET", f"/agent/jobs/{taken['job_id']}/events", X_API_Key=key)
                status = json.loads(client.ask("GET", f"/agent/status/{taken['job_id']}", X_API_Key=key))
                assert status["status"] == ("COMPLETE" if said == "tools" else "ERROR"), status
            client.ask("GET", "/own/break?token=S3NTINEL")
            client.ask("POST", "/mattermost/command", {"token": "S3NTINEL"}, Authorization="Token S3NTINEL")
            numbers = client.ask("GET", "/metrics", X_API_Key=key)
        assert server.status == 0 and "/own/break" not in server.printed and "in broken" in server.printed, server.printed
    stored = b"".join(path.read_bytes() for path in sorted(tmp_path.glob("handrail.db*")))
    told = {
        "the logs and the timeline": server.printed.encode(),
        "the collector": b"\n".join(body for _, body in Collector.got),
        "the database": stored,
        "answers": "\n".join(client.answers).encode(),
        "the model": b"\n".join(Provider.bodies),
    }
    for where, text in told.items():
        assert text, where
        for secret in (SENTINEL, key, key.rpartition("_")[2]):
            assert secret.encode() not in text, f"{where}: {_around(text, secret.encode())!r}"
        assert where == "the collector" or b"[redacted]" in text, where
    assert 'handrail_tool_calls_total{agent="own",end="unknown",tool="write_it"} 1.0' in numbers
    assert _spans() >= {"invoke_agent own", "chat m", "execute_tool read_it", "execute_tool write_it"}
    assert "gen_ai.client.token.usage" in _metrics()


def _around(text: bytes, secret: bytes) -> bytes:
    at = text.index(secret)
    return text[max(at - 200, 0) : at + 200]


def _spans() -> set[str]:
    requests = [ExportTraceServiceRequest.FromString(body) for path, body in Collector.got if path == "/v1/traces"]
    return {
        span.name for request in requests for resource in request.resource_spans for scope in resource.scope_spans for span in scope.spans
    }


def _metrics() -> set[str]:
    requests = [ExportMetricsServiceRequest.FromString(body) for path, body in Collector.got if path == "/v1/metrics"]
    return {
        metric.name
        for request in requests
        for resource in request.resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
    }


def test_case_75_a_failure_holds_nothing_of_the_request_that_failed() -> None:
    request = httpx2.Request("POST", "https://host/v1?key=S3NTINEL", headers={"Authorization": "Bearer S3NTINEL"})
    response = httpx2.Response(401, request=request, headers={"x-echo": "S3NTINEL"}, text="S3NTINEL")
    errors: list[openai.OpenAIError] = [
        openai.APITimeoutError(request=request),
        openai.APIConnectionError(message="Bearer S3NTINEL", request=request),
        openai.AuthenticationError("key=S3NTINEL", response=response, body={"message": "Incorrect API key provided: S3NTINEL"}),
        openai.NotFoundError("S3NTINEL", response=response, body="S3NTINEL"),
        openai.APIResponseValidationError(response=response, body="S3NTINEL"),
        openai.OpenAIError("token=S3NTINEL"),
    ]
    for error in errors:
        failed = failure(error, now=ManualClock().now(), secrets=[SENTINEL])
        assert failed.__cause__ is None and failed.__context__ is None
        assert SENTINEL not in f"{failed!r} {failed} {vars(failed)}", type(error).__name__


def test_case_75_what_a_guard_or_a_document_raises_is_told_without_secrets() -> None:
    assert raised(ConnectionError("postgresql://u:S3NTINEL@h/d is down")).what == "ConnectionError: postgresql://[redacted]@h/d is down"


async def test_case_75_no_client_and_no_engine_shows_what_it_is_made_with() -> None:
    engine = make_engine("postgresql://u:S3NTINEL@h/d?sslpassword=x")
    model = OpenAIChat(api_key=SENTINEL, base_url="http://127.0.0.1:1/v1")
    assert SENTINEL not in f"{engine!r} {engine.url!r} {engine.url} {model!r} {vars(model)!r}"
    await engine.dispose()
    await model.close()

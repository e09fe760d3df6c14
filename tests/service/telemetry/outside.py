"""What is outside of a service, on this machine, in threads: a provider that tells secrets in every way it can, and a collector."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOOLS = ("read_it", "write_it", "refuse_it", "log_it", "guarded")


class Provider(BaseHTTPRequestHandler):
    """Does what the user's first word says, and repeats the caller's key wherever there is room."""

    bodies: list[bytes] = []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        type(self).bodies.append(body)
        key = self.headers["Authorization"]
        asked = json.loads(body)
        wanted = next(message["content"] for message in reversed(asked["messages"]) if message["role"] == "user")
        if wanted == "reset":
            self.close_connection = True
        elif wanted == "401":
            self._send(401, {"error": {"message": f"Incorrect API key provided: {key.removeprefix('Bearer ')}. Headers: {key}"}}, key)
        elif wanted == "404":
            self._send(404, {"error": {"message": f"no model at https://host/v1?key={key.removeprefix('Bearer ')}"}}, key)
        elif wanted == "500":
            self._send(500, {"error": {"message": f"{key} broke it"}, "detail": key}, key)
        elif wanted == "garbled":
            self._send(200, {"choices": [{"message": {"role": "assistant", "content": None, "tool_calls": key}}]}, key)
        elif asked["messages"][-1]["role"] == "user":
            self._send(200, _completion({"tool_calls": [_call(at, name) for at, name in enumerate(TOOLS)]}, "tool_calls"), key)
        else:
            self._send(200, _completion({"content": "Nothing worked."}, "stop"), key)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""

    def _send(self, status: int, body: Any, key: str) -> None:
        sent = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {
            "Content-Type": "application/json",
            "Content-Length": str(len(sent)),
            "X-Echo": key,
            "Retry-After-Ms": "1",
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(sent)


class Collector(BaseHTTPRequestHandler):
    """Keeps what it is sent, by its path; once it may, where somebody says when."""

    got: list[tuple[str, bytes]] = []
    may: threading.Event | None = None

    def do_POST(self) -> None:
        if self.may is not None:
            self.may.wait(30)
        type(self).got.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""


@contextmanager
def serving(kind: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """A server of that kind on a free port."""
    with ThreadingHTTPServer(("127.0.0.1", 0), kind) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def _call(at: int, name: str) -> dict[str, Any]:
    return {"id": f"call_{at}", "type": "function", "function": {"name": name, "arguments": "{}"}}


def _completion(message: dict[str, Any], finish: str) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": None, **message}, "finish_reason": finish}
    usage = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}

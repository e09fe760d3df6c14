"""What compose.yaml starts, started without Docker: the same commands with the same variables and secrets, on a PostgreSQL."""

import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from handrail.cli.demo import HANDRAIL
from tests.cli.processes import LONGEST, environment, finished, running
from tests.deploy.files import ours, stages

pytestmark = pytest.mark.slow


@contextmanager
def _worker(folder: Path, secrets: Path) -> Iterator[subprocess.Popen[str]]:
    """A worker that says that it works; asked to stop at the end, as `docker compose stop` does."""
    process = subprocess.Popen(
        [*HANDRAIL, *ours()["worker"]["command"]],
        cwd=folder,
        env=environment(HANDRAIL_SECRETS_DIR=str(secrets), PYTHONUNBUFFERED="1"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    try:
        assert process.stdout is not None
        while "handrail works for" not in (line := process.stdout.readline()):
            assert line, "it ended before it worked"
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.communicate(timeout=LONGEST)
        finally:
            process.kill()
            process.wait()


def _asked(port: int, path: str, key: str, body: dict[str, str] | None = None) -> dict[str, str]:
    answer: dict[str, str] = json.loads(_read(port, path, key, body))
    return answer


def _read(port: int, path: str, key: str, body: dict[str, str] | None = None) -> bytes:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LONGEST)
    try:
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
        connection.request("POST" if body else "GET", path, json.dumps(body) if body else None, headers)
        return connection.getresponse().read()
    finally:
        connection.close()


def _healthy(port: int) -> int:
    """What the image's own health check says."""
    (check,) = [each for each in stages()[-1] if each.word == "HEALTHCHECK"]
    python, *arguments = check.listed
    assert python == "python"
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "HANDRAIL_PORT": str(port)},
        stderr=subprocess.DEVNULL,
        timeout=LONGEST,
        check=False,
    ).returncode


def test_the_commands_of_compose_take_a_message_to_its_end(postgres_url: str, tmp_path: Path) -> None:
    secrets = tmp_path / "secrets"
    secrets.mkdir()
    (secrets / "handrail_database_url").write_text(f"{postgres_url}\n")
    (secrets / "handrail_secret").write_text("a secret that is the same in every process\n")
    more = {"HANDRAIL_SECRETS_DIR": str(secrets)}

    def done(*arguments: str) -> str:
        told = finished(*arguments, folder=tmp_path, **more)
        assert told.returncode == 0, told.stderr
        return told.stdout

    done(*ours()["migrate"]["command"])
    done("seed", "foodfight")
    key = done("keys", "create", "--user", "alice", "--quiet").strip()
    with _worker(tmp_path, secrets) as first, _worker(tmp_path, secrets) as second:
        with running(ours()["service"]["command"], folder=tmp_path, stop=signal.SIGTERM, more=more) as server:
            message = {"session_id": "s1", "user_id": "alice", "message": "Which promo fights are open?"}
            job = _asked(server.port, "/agent/invoke", key, message)
            assert b"RunFinished" in _read(server.port, f"/agent/jobs/{job['job_id']}/events", key)  # the stream ends with the run
            told = _asked(server.port, f"/agent/status/{job['job_id']}", key)
            assert _asked(server.port, "/readyz", key) == {"status": "ready"}
            assert _healthy(server.port) == 0
        assert _healthy(server.port) == 1
    assert told["status"] == "COMPLETE" and told["response"]
    assert (server.status, first.returncode, second.returncode) == (0, 0, 0)
    assert "Jobs are run by `handrail worker`" in server.printed

"""Processes that are killed, and others that go on: what was written happens once, and what is not known is said."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from handrail.core.events import HoldAnswered, TakenOver
from handrail.stores.journals import read_file

ROOT = Path(__file__).parents[2]
PATIENCE = 120.0
"""Seconds after which a process counts as hung; nothing is measured by it."""


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-W", "error", "-m", "tests.drivers.crashing", *arguments]


def killed_between_act_and_result(what: str, folder: Path, effect: str) -> None:
    process = subprocess.Popen(command(what, str(folder), effect), cwd=ROOT)
    try:
        end = time.monotonic() + PATIENCE
        while not (folder / "acted").exists():
            assert process.poll() is None, "it ended by itself"
            assert time.monotonic() < end, "it never came to act"
            time.sleep(0.02)
    finally:
        process.kill()
    assert process.wait() == -signal.SIGKILL


def printed(*arguments: str) -> str:
    return subprocess.run(command(*arguments), cwd=ROOT, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout.strip()


def acts(folder: Path) -> list[str]:
    path = folder / "acts.txt"
    return path.read_text().splitlines() if path.exists() else []


@pytest.mark.slow
@pytest.mark.parametrize("effect", ["write", "approved"])
def test_case_42_a_write_that_was_killed_is_never_run_again_by_itself(effect: str, tmp_path: Path) -> None:
    killed_between_act_and_result("begin", tmp_path, effect)
    output = printed("resume", str(tmp_path), effect)
    assert output.startswith("ok | ") and "outcome of this call is unknown" in output
    assert acts(tmp_path) == ["run_1/t1c1"], "the file has one line"


@pytest.mark.slow
@pytest.mark.parametrize("effect", ["read", "idempotent"])
def test_case_42_what_is_safe_to_repeat_runs_again_under_the_same_key(effect: str, tmp_path: Path) -> None:
    killed_between_act_and_result("begin", tmp_path, effect)
    assert printed("resume", str(tmp_path), effect) == "ok | tool: t1c1 done"
    assert acts(tmp_path) == ["run_1/t1c1", "run_1/t1c1"]


@pytest.mark.slow
def test_case_42_a_write_whose_start_was_written_counts_as_unknown_even_if_it_was_never_called(tmp_path: Path) -> None:
    killed_between_act_and_result("begin-unstarted", tmp_path, "write")
    assert "outcome of this call is unknown" in printed("resume", str(tmp_path), "write")
    assert acts(tmp_path) == []


@pytest.mark.slow
def test_case_57_an_approval_given_in_another_process_runs_the_tool_exactly_once(tmp_path: Path) -> None:
    assert printed("park", str(tmp_path), "approved") == "parked t1c1h1"
    assert printed("yes", str(tmp_path), "approved") == "ok | tool: t1c1 done"
    assert acts(tmp_path) == ["run_1/t1c1"]
    twice = command("yes", str(tmp_path), "approved")
    again = subprocess.run(twice, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert again.returncode != 0 and "StaleInput" in again.stderr
    assert acts(tmp_path) == ["run_1/t1c1"]
    events = read_file(tmp_path / "run_1.jsonl")
    assert len([event for event in events if isinstance(event, HoldAnswered)]) == 1
    assert not any(isinstance(event, TakenOver) for event in events), "a yes from elsewhere is no crash"

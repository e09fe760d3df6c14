"""A model in a file, from the command line: no key, and what is wrong is said in one line."""

import signal
from pathlib import Path

import httpx2
import pytest

from tests.cli.processes import finished, running
from tests.models.local.tiny import write

ONE = {"HANDRAIL_LOCAL_THREADS": "1", "HANDRAIL_LOCAL_CONTEXT": "8192"}


@pytest.fixture
def tiny(tmp_path: Path) -> str:
    return f"local:{write(tmp_path / 'tiny.gguf')}"


@pytest.mark.slow
def test_chat_talks_with_it(tiny: str, tmp_path: Path) -> None:
    told = finished("chat", "orders", "--model", tiny, "--message", "hello", folder=tmp_path, **ONE)
    assert told.stdout.startswith("The model is tiny, which runs here.\n")
    assert "turn 1    offers lookup_orders" in told.stdout and told.stderr == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "settings"),
    [(["--model", "local:none.gguf"], {}), ([], {"HANDRAIL_MODEL": "local:none.gguf"})],
    ids=["option", "setting"],
)
def test_a_file_that_is_not_there_is_one_line_that_says_what_to_do(options: list[str], settings: dict[str, str], tmp_path: Path) -> None:
    told = finished("chat", "orders", *options, "--message", "hello", folder=tmp_path, XDG_CACHE_HOME=str(tmp_path), **settings)
    assert (told.returncode, told.stderr.count("\n")) == (2, 1)
    assert told.stderr.startswith("handrail: there is no model 'none.gguf': give the path of a GGUF file, as in --model local:")


@pytest.mark.slow
def test_the_service_answers_with_it(tiny: str, tmp_path: Path) -> None:
    more = {**ONE, "HANDRAIL_DATABASE_URL": f"sqlite:///{tmp_path / 'orders.db'}"}
    finished("seed", "orders", folder=tmp_path, **more)
    with running(["serve", "--app", "orders", "--model", tiny, "--quiet"], folder=tmp_path, stop=signal.SIGTERM, more=more) as served:
        answer = httpx2.post(f"http://127.0.0.1:{served.port}/orders/chat", json={"message": "hello"}, timeout=120, trust_env=False)
    assert answer.status_code in {200, 502} and answer.json()  # it knows nothing: what it says is whatever comes
    assert "The model is tiny, which runs here." in served.printed
    assert served.status == 0


@pytest.mark.slow
def test_doctor_says_whether_it_can_be_run(tiny: str, tmp_path: Path) -> None:
    more = {"HANDRAIL_DATABASE_URL": f"sqlite:///{tmp_path / 'orders.db'}"}
    assert "ok    model      tiny runs here" in finished("doctor", "--app", "orders", folder=tmp_path, HANDRAIL_MODEL=tiny, **more).stdout
    told = finished("doctor", "--app", "orders", folder=tmp_path, HANDRAIL_MODEL="local:none.gguf", **more)
    assert told.returncode == 1 and "wrong model      there is no model 'none.gguf'" in told.stdout

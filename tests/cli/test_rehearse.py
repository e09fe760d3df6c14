"""`handrail rehearse`: which temperaments there are, and what it says when it starts. It is served by tests/models."""

import subprocess
import sys

import pytest

from handrail.models.rehearsal.temperaments import TEMPERAMENTS


def _handrail(*arguments: str) -> subprocess.Popen[str]:
    code = "from handrail.cli import main; main()"
    return subprocess.Popen([sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


@pytest.mark.slow
def test_an_unknown_temperament_is_told_which_there_are() -> None:
    with _handrail("rehearse", "--temperament", "grumpy") as process:
        said, _ = process.communicate(timeout=120)
    assert process.returncode == 2
    assert all(name in said for name in ("grumpy", *TEMPERAMENTS))


@pytest.mark.slow
def test_it_says_how_it_behaves_and_where_it_is() -> None:
    with _handrail("rehearse", "--port", "0", "--app", "orders", "--temperament", "careless", "--seed", "20956") as process:
        assert process.stdout is not None
        said = [process.stdout.readline().strip() for _ in range(3)]
        process.terminate()
    assert said[1] == "It is careless, seed 20956: the same requests are answered the same way again."
    assert said[2].startswith("Use it with OPENAI_BASE_URL=http://127.0.0.1:")

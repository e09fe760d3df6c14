"""`handrail demo`: two questions and a trip over real HTTP, with nothing set up before and nothing left behind."""

from pathlib import Path

import pytest

from handrail.cli.demo import ACTS, Stage
from handrail.cli.listening import listening
from handrail.errors import InputError
from tests.cli.processes import finished


@pytest.mark.slow
def test_the_demo_asks_its_questions_shows_the_timeline_and_says_what_to_do_next(tmp_path: Path) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    done = finished("demo", folder=tmp_path, TMPDIR=str(temporary), OPENAI_API_KEY="sk-not-to-be-used", HANDRAIL_DATABASE_URL="mysql://no")
    assert done.returncode == 0, done.stderr
    at = 0
    order = [
        "The model of this demo is a rule-based stand-in for a model, which understands no language.",
        "1. a question about orders",
        "cleared   t1c1 lookup_orders",
        "Answer: amber@example.com has 1 such order, newest first: #1282 of 2026-11-18, shipped, 169.91.",
        "2. the first call asks for more",
        "refused   t1c1 lookup_orders: arguments [arguments] limit must be at most 50, not 80",
        "cleared   t2c1 lookup_orders",
        "ends      completed",
        "Answer: basil@example.com has 6 such orders",
        "3. a trip, planned by a model that misbehaves",
        "refused",
        "yes       t",
        "passed    t",
        "yes       t",
        "ends      completed",
        "# 6 days in Tenerife",
        "What now:",
    ]
    for words in order:
        at = done.stdout.find(words, at)
        assert at >= 0, f"{words!r} is missing, or comes too early:\n{done.stdout}"
    assert done.stdout.count("ends      completed") == len(ACTS) == 3
    assert "Traceback" not in done.stdout + done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["tmp"] and list(temporary.iterdir()) == []


def test_a_service_that_is_gone_is_told_and_not_waited_for() -> None:
    with listening("127.0.0.1", 0) as closed:
        port = closed.getsockname()[1]
    with pytest.raises(InputError, match=r"/orders/chat did not answer \(ConnectionRefusedError\); what was printed above says why"):
        ACTS[0].play(Stage(host="127.0.0.1", port=port, tell=lambda _: None))

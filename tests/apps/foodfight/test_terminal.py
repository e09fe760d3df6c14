"""`handrail chat foodfight` under the loop that HANDRAIL_FOODFIGHT_LOOP names."""

import re
from pathlib import Path

import pytest

from handrail.apps.foodfight.conversing import OTHERS
from handrail.apps.foodfight.settings import Loop
from tests.cli.processes import finished

ASKED = ("--message", "What is open at restaurant 3?", "--message", "And at restaurant 4?")


@pytest.mark.slow
def test_the_setting_switches_the_loop_of_a_conversation_in_a_terminal(tmp_path: Path) -> None:
    assert finished("seed", "foodfight", folder=tmp_path).returncode == 0
    for loop in Loop:
        done = finished("chat", "foodfight", *ASKED, folder=tmp_path, HANDRAIL_FOODFIGHT_LOOP=loop.value)
        assert (done.returncode, done.stderr) == (0, "")
        named = [name for other, (name, _) in OTHERS.items() if other is loop]
        assert re.findall(r"The loop is that of (.+) \(", done.stdout) == named
        assert done.stdout.count("cleared   t1c1 get_promo_fights") == done.stdout.count("ends      completed") == 2
        assert "Pepper Palace" in done.stdout and "Blue Tagine" in done.stdout


@pytest.mark.slow
def test_under_a_loop_that_keeps_no_journal_none_is_promised(tmp_path: Path) -> None:
    asked = ("chat", "foodfight", "--journal", "talk.jsonl", "--message", "hello")
    done = finished(*asked, folder=tmp_path, HANDRAIL_FOODFIGHT_LOOP=Loop.OPENAI_AGENTS.value)
    assert done.returncode == 2
    assert done.stderr == "handrail: the OpenAI Agents SDK keeps no journal: leave --journal away, or unset HANDRAIL_FOODFIGHT_LOOP\n"

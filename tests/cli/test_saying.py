"""What a command that goes on prints, and where: the timeline holds what people say."""

import io
import logging
import sys

import pytest

from handrail.apps.foodfight import app
from handrail.cli.saying import Saying, own_loop
from handrail.core.events import UserSaid
from handrail.core.state import RunState
from handrail.testing.journals import AT


class Stream(io.StringIO):
    """A standard output that is a terminal, or is none."""

    def __init__(self, *, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


@pytest.mark.parametrize(
    ("terminal", "logs", "timeline", "shown"),
    [
        (True, "text", None, True),
        (False, "text", None, False),
        (True, "json", None, False),
        (False, "text", True, True),
        (True, "text", False, False),
        (False, "json", True, True),
    ],
)
def test_the_timeline_is_shown_at_a_terminal_and_elsewhere_only_where_it_is_asked_for(
    terminal: bool, logs: str, timeline: bool | None, shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = Stream(terminal=terminal)
    monkeypatch.setattr(sys, "stdout", out)
    for quiet in (True, False):
        assert out.getvalue() == ""
        Saying(logs=logs, timeline=timeline, quiet=quiet).show(UserSaid(at=AT, text="my secret wish"), RunState())
    assert ("my secret wish" in out.getvalue()) is shown


def test_where_logs_are_json_what_is_said_is_logged_and_not_printed(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    saying = Saying(logs="json", timeline=None, quiet=False)
    with caplog.at_level(logging.INFO, logger="handrail"):
        saying.say("handrail serves orders [now]")
        saying.warn("orders is not ready")
    assert [(each.levelname, each.getMessage()) for each in caplog.records] == [
        ("INFO", "handrail serves orders [now]"), ("WARNING", "orders is not ready"),
    ]  # fmt: skip
    assert capsys.readouterr().out == ""


def test_an_app_that_is_set_to_another_loop_is_said_to_keep_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(own_loop([app])) == []
    monkeypatch.setenv("HANDRAIL_FOODFIGHT_LOOP", "openai-agents")
    assert list(own_loop([app])) == [
        "HANDRAIL_FOODFIGHT_LOOP names the OpenAI Agents SDK for `handrail chat foodfight`; here foodfight keeps handrail's own loop."
    ]

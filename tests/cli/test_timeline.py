"""The timeline: one line an event, whatever is in it."""

from datetime import timedelta
from typing import Any

import pytest

from handrail import Agent, No, run
from handrail.cli.timeline import MOST_RUNS, Timeline, line
from handrail.cli.visible import document, one_line, visible
from handrail.core.events import (
    INPUTS,
    JUDGEMENTS,
    Event,
    InputHeld,
    ModelReplied,
    SummaryOrdered,
    Ticked,
    ToolStarted,
    TurnOpened,
    UserSaid,
)
from handrail.core.state import RunClock, RunState
from handrail.guards import Approval, CallLimit, TurnLimit
from handrail.testing import ManualClock, ScriptedModel, calls, says
from handrail.testing.journals import AT, one_of_each
from tests.drivers.kit import Asked, Desk, find, pay

SILENT = {Ticked, ToolStarted, InputHeld, SummaryOrdered}
FRESH = RunState()


def shown(event: Event, state: RunState = FRESH, **more: Any) -> str | None:
    text = line(event, state, **more)
    return None if text is None else text.plain


@pytest.mark.parametrize("event", one_of_each("run_1"), ids=lambda event: type(event).__name__)
def test_every_event_has_one_line_but_for_those_that_say_nothing_new(event: Event) -> None:
    text = shown(event)
    assert (text is None) is (type(event) in SILENT)
    assert text is None or ("\n" not in text and text.strip())


def test_every_kind_of_event_was_looked_at() -> None:
    assert {type(event) for event in one_of_each("r")} == {*INPUTS, *JUDGEMENTS}


async def test_a_timeline_says_which_guard_did_what_and_why() -> None:
    lines: list[str] = []
    guarded = Agent(
        name="mini", instructions="", model="m", tools=[find, pay], guards=[CallLimit("find", most=1), Approval("pay"), TurnLimit(9)]
    )
    model = ScriptedModel(
        calls(("find", {"name": "a"}), ("find", {"name": "b"})), calls(("pay", {"to": "ann", "n": 5}), text="Now I pay."), says("Done.")
    )

    def show(event: Event, state: RunState) -> None:
        if (text := shown(event, state)) is not None:
            lines.append(text)

    await run(guarded, "pay ann", model=model, deps=Desk(), ask=Asked(No("too much", by="ann")), on_event=show, clock=ManualClock())
    whole = [text for text in lines if "refused" not in text]
    assert whole == [
        "    0.0s begins    mini: pay ann",
        "         turn 1    offers find, pay, 8 left",
        '    0.0s model     find({"name":"a"}) · find({"name":"b"})',
        '         cleared   t1c1 find({"name":"a"}) read',
        '    0.0s returned  t1c1 find: {"found":"a"} · 1 fact',
        "         turn 2    offers pay, 7 left",
        '    0.0s model     Now I pay. · pay({"to":"ann","n":5})',
        '         held      t2c1 pay({"n":5,"to":"ann"}) for a person: Approval(pay)',
        "         waits     for people",
        "    0.0s no        t2c1 pay by ann: too much",
        "         turn 3    offers pay, 6 left",
        "    0.0s model     Done.",
        "         ends      completed",
    ]
    limited, denied = (text for text in lines if "refused" in text)
    assert limited.startswith(" " * 9 + "refused   t1c2 find: CallLimit(find) [call_limit] ")
    assert denied.startswith(" " * 9 + "refused   t2c1 pay: Approval(pay) [person_refused] A person refused this very call")


def test_an_input_has_the_active_seconds_and_the_run_can_be_named() -> None:
    state = RunState(run_id="run_0123456789", clock=RunClock(at=AT, active=12.34))
    assert shown(UserSaid(at=AT, text="hi"), state) == "   12.3s says      hi"
    assert shown(UserSaid(at=AT + timedelta(1), text="hi"), state, run=True) == "456789    12.3s says      hi"


def test_long_texts_are_cut_and_nothing_in_them_reaches_the_terminal() -> None:
    text = shown(ModelReplied(at=AT, turn=1, text="\x1b[2J\x07evil\r\n" + "x" * 5000)) or ""
    assert len(text) < 200 and text.endswith("…")
    assert "\\u001b[2J\\u0007evil x" in text and "\x1b" not in text


@pytest.mark.parametrize("code", [0x00, 0x07, 0x0D, 0x1B, 0x7F, 0x9B, 0x200B, 0x202E, 0x2066, 0xFEFF])
def test_what_could_hide_or_turn_a_text_around_is_shown_as_its_code(code: int) -> None:
    assert visible(f"a{chr(code)}b") == f"a\\u{code:04x}b"


def test_ordinary_text_stays_as_it_is() -> None:
    text = "Chéngdū 成都 \U0001f468\u200d\U0001f469\u200d\U0001f467 שלום\n\tend"
    assert visible(text) == text
    assert one_line(" a\n\t b ", 10) == "a b"
    assert one_line("abcdef", 4) == "abc…"


def test_a_document_is_whole() -> None:
    assert document("a\nb\x1b") == "a\nb\\u001b"
    assert document({"a": ["x" * 300]}) == '{\n  "a": [\n    "' + "x" * 300 + '"\n  ]\n}'


def opened(*offered: str, turn: int, left: int | None = None) -> TurnOpened:
    return TurnOpened(turn=turn, offered=offered, turns_left=left)


def test_a_turn_says_what_is_offered_where_that_has_changed() -> None:
    timeline = Timeline()
    offers = [("find", "pay"), ("find", "pay"), ("find",), ("find", "pay", "ask"), ("pay", "look"), (), (), ("find",)]
    lines = [timeline.line(opened(*offered, turn=turn, left=9 - turn), FRESH) for turn, offered in enumerate(offers, start=1)]
    assert [text.plain.split(maxsplit=2)[2] for text in lines if text is not None] == [
        "offers find, pay, 8 left",
        "7 left",
        "no longer offers pay, 6 left",
        "offers pay, ask too, 5 left",
        "offers look too, no longer offers find, ask, 4 left",
        "offers no tools, 3 left",
        "2 left",
        "offers find, 1 left",
    ]


def test_each_run_of_a_timeline_has_offers_of_its_own_and_old_runs_are_forgotten() -> None:
    timeline = Timeline(run=True)
    for number in range(MOST_RUNS + 1):
        text = timeline.line(opened("find", turn=1), RunState(run_id=f"run_{number:06}"))
        assert text is not None and text.plain == f"{number:06}          turn 1    offers find"
    again = [timeline.line(opened("find", turn=2), RunState(run_id=name)) for name in (f"run_{MOST_RUNS:06}", "run_000000")]
    assert [text.plain.endswith("offers find") for text in again if text is not None] == [False, True]

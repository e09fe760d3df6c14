"""Every cell of both tables: a full one leads where it says, an empty one is stale for an input and a bug for a judgement.

The states are real ones: what `step` led to in the scripts below, and every state in between.
"""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any, cast

import pytest

from handrail.core.events import (
    INPUTS,
    CallCleared,
    CallDeferred,
    CallHeld,
    CallLost,
    CallRefused,
    CallReopened,
    CallRequeued,
    Cancelled,
    Event,
    FactsNoted,
    HistoryCut,
    HistoryMeasured,
    HoldAnswered,
    Input,
    InputHeld,
    InputScreened,
    LandingAdvanced,
    LandingStage,
    LandRequested,
    ModelFailed,
    ModelReplied,
    RunFinished,
    RunParked,
    RunStarted,
    Summarised,
    SummaryFailed,
    SummaryOrdered,
    TakenOver,
    TextAmended,
    TextHeld,
    TextRefused,
    Ticked,
    ToolFailed,
    ToolLost,
    ToolReturned,
    ToolStarted,
    TurnOpened,
    UserSaid,
)
from handrail.core.evolve import evolve, fold
from handrail.core.stale import StaleCode, stale
from handrail.core.state import RunState
from handrail.core.table import CALL, OVER, RUN, Phase, Stage
from handrail.errors import Bug
from handrail.guards import AnswerLimit, Approval, MustSubmit, Prerequisite, Review, Screen
from handrail.vocab.calls import By, ToolEffect, Where
from handrail.vocab.outcomes import Outcome, Status
from handrail.vocab.reviews import Answer
from tests.core import cells
from tests.core.kit import NOON, FakeTool, Play, agent, idempotent, read, write

ASK = FakeTool("ask", ToolEffect.READ, Where.PERSON)
PAGE = FakeTool("page", ToolEffect.READ, Where.CLIENT)
FILL = FakeTool("fill", ToolEffect.WRITE, Where.CLIENT)


def asking() -> Play:
    return Play(agent(read(), write(), ASK, PAGE, FILL, idempotent(), guards=[Approval("pay")])).started()


def submitting() -> Play:
    ring = [MustSubmit("submit", longest_text=9), Prerequisite("submit", of="search"), Review("submit", reviewer=agent(name="critic"))]
    return Play(agent(read(), write("submit"), submit="submit", land=lambda ledger: "a report", guards=ring)).started()


def scripts() -> Iterator[Play]:
    """Runs that go through every cell."""
    yield Play(agent()).cancelled()
    thinking = asking().user_said("and").facts_noted().ticked().taken_over()
    yield thinking.cancelled()
    yield submitting().land_requested()
    yield submitting().failed()
    acting = asking().called("search", "search", "fill", "search").ran(1).ran(2).user_said("and").facts_noted().ticked().taken_over()
    yield acting.ran(1).tool_failed(1).ran(2).lost(2).cancelled()
    yield asking().called("search", "page", "fill").ran(1).ran(2).tool_failed(2).returned(1).tool_failed(3)
    yield asking().called("page", "ask").returned(1).user_said("blue").answered("done")
    yield asking().called("pay", "search", "search").ran(2).yes(1).returned(2).did(3).did(1)
    yield asking().called("ask", "ask").facts_noted().ticked().taken_over().tool_failed(1).returned(2)
    for end in ("user_said", "land_requested", "cancelled", "no"):
        held = asking().called("pay")
        yield held.user_said("no") if end == "user_said" else getattr(held, end)()
    changed = agent(read(), write(), ASK, PAGE, FILL, idempotent(), instructions="2", guards=[Approval("pay")])
    yield asking().called("pay", "search").taken_over(changed).ran(2).taken_over(asking().agent).yes(1)
    yield asking().called("book").ran().taken_over().cancelled()
    lost = asking().called("fill").ran()
    yield lost.after(60).ticked()
    yield asking().called("book").ran().taken_over(changed)
    stopped = asking().called("search")
    for _ in range(6):
        stopped.ran().taken_over() if stopped.phase is Phase.ACTING else None
    yield stopped
    yield asking().called("search").ran().cancelled()
    yield submitting().called("search", "submit").ran(1).returned(1).decided(Answer.PASSED, 2).did(2)
    yield submitting().answered("Which?").user_said("This").answered("A whole plan.").answered("Sure?").land_requested()
    yield submitting().called("search").ran().land_requested()
    yield Play(agent(read(), read("look"), guards=[Prerequisite("look", of="search")])).started().called("search", "look").cancelled()
    long = asking().called("search").did().measured().summary_failed().summarised()
    yield long.measured(60, 60) if len(long.state.transcript) == 2 else long.measured()
    yield Play(agent(guards=[Screen(agent(name="warden"))])).started().screened()
    yield Play(agent(guards=[AnswerLimit(1)])).started().answered("One. Two.").answered("One. Two.")


JOURNALS = tuple(play.journal for play in scripts())


def sample(kind: type[Event], call: str = "t9c9", hold: str = "t9c9h1") -> Event:
    """An event of the kind, about a call or a hold where it is about one."""
    at = NOON + timedelta(days=3)
    made: dict[type[Event], dict[str, Any]] = {
        RunStarted: {"at": at, "run_id": "r", "agent": "a", "fingerprint": "f", "message": "m"},
        HistoryMeasured: {"at": at, "turn": 1, "tokens": (9,), "fixed": 9, "limit": 9},
        Summarised: {"at": at, "upto": 1, "text": "t", "tokens": 1},
        SummaryFailed: {"at": at, "upto": 1},
        InputScreened: {"at": at, "guard": "g", "said": 1, "answer": Answer.PASSED},
        InputHeld: {"guard": "g"},
        SummaryOrdered: {"upto": 1},
        HistoryCut: {"upto": 1, "code": "dropped", "text": "t"},
        ModelReplied: {"at": at, "turn": 1, "text": "t"},
        ModelFailed: {"at": at, "turn": 1, "kind": "other"},
        ToolStarted: {"at": at, "call": call},
        ToolReturned: {"at": at, "call": call, "content": "c"},
        ToolFailed: {"at": at, "call": call, "error": "e"},
        ToolLost: {"at": at, "call": call, "error": "e"},
        HoldAnswered: {"at": at, "hold": hold, "digest": "d", "answer": Answer.YES},
        UserSaid: {"at": at, "text": "t"},
        FactsNoted: {"at": at, "source": "s", "facts": ()},
        LandRequested: {"at": at},
        Ticked: {"at": at},
        TakenOver: {"at": at, "fingerprint": "f"},
        Cancelled: {"at": at},
        TurnOpened: {"turn": 2, "offered": ()},
        CallCleared: {"call": call, "arguments": "{}", "effect": "read", "where": "server", "timeout": 1.0},
        CallDeferred: {"call": call, "guard": "g", "after": "t1c1"},
        CallHeld: {"call": call, "guard": "g", "by": By.PERSON, "digest": "d", "arguments": "{}", "show": "s"},
        CallRefused: {"call": call, "guard": "g", "code": "c", "reason": "r"},
        CallReopened: {"call": call, "reason": "r"},
        CallRequeued: {"call": call},
        CallLost: {"call": call, "reason": "r"},
        TextRefused: {"guard": "g", "code": "c", "reason": "r"},
        TextAmended: {"guard": "g", "text": "t"},
        TextHeld: {"guard": "g"},
        LandingAdvanced: {"stage": LandingStage.NUDGE, "limit": "l"},
        RunParked: {},
        RunFinished: {"outcome": Outcome(status=Status.COMPLETED)},
    }
    return kind(**made[kind])


def every_state() -> Iterator[RunState]:
    for journal in JOURNALS:
        yield RunState()
        yield from (after for _, _, after in cells.states(journal))


def code(state: RunState, event: Event) -> StaleCode | None:
    return stale(state, cast("Input", event))


def test_every_full_cell_is_hit_and_leads_where_the_table_says() -> None:
    found = set().union(*map(cells.hit, JOURNALS))
    missing = (cells.RUN_CELLS | cells.CALL_CELLS) - found
    assert not missing, sorted(f"{where.value} x {event.__name__}" for where, event in missing)


def test_an_empty_cell_of_the_run_is_stale_for_an_input_and_a_bug_for_a_judgement() -> None:
    walked = set()
    for state in every_state():
        for kind in cells.ALL:
            if kind in RUN[state.phase]:
                continue
            event = sample(kind)
            if kind in INPUTS:
                assert code(state, event) is StaleCode.PHASE
            with pytest.raises(Bug, match=f"{kind.__name__} has no place in phase"):
                evolve(state, event)
            walked.add((state.phase, kind))
    assert walked == cells.EMPTY_RUN_CELLS


def test_an_empty_cell_of_a_call_is_stale_for_an_input_and_a_bug_for_a_judgement() -> None:
    walked = set()
    for state in every_state():
        for call in state.calls:
            for kind in cells.OF_CALLS:
                if kind in CALL[call.stage] or kind not in RUN[state.phase] or kind is TakenOver:
                    continue
                event = sample(kind, call.id, f"{call.id}h{max(call.holds, 1)}")
                if kind in INPUTS:
                    assert code(state, event) in {StaleCode.CALL, StaleCode.TWICE, StaleCode.HOLD}
                with pytest.raises(Bug, match=f"{kind.__name__} has no place"):
                    evolve(state, event)
                walked.add((call.stage, kind))
    assert walked == cells.EMPTY_CALL_CELLS


def test_a_call_that_is_not_there_has_no_place_for_anything() -> None:
    state = fold(asking().called("search").journal)
    for kind in cells.OF_CALLS:
        if kind is TakenOver:
            continue
        event = sample(kind)
        if kind in INPUTS:
            assert code(state, event) in {StaleCode.CALL, StaleCode.HOLD}
        with pytest.raises(Bug):
            evolve(state, event)


def test_every_event_is_an_input_or_a_judgement_and_only_inputs_carry_a_time() -> None:
    for kind in cells.ALL:
        assert ("at" in kind.__struct_fields__) is (kind in INPUTS)
        assert any(kind in row for row in RUN.values()), kind


def test_what_is_over_has_no_way_on_and_everything_else_has_one() -> None:
    assert {stage for stage, row in CALL.items() if not row} == OVER
    assert {phase for phase, row in RUN.items() if not row} == {Phase.DONE}
    assert set(RUN) == set(Phase) and set(CALL) == set(Stage)


def test_a_reply_to_another_turn_is_stale() -> None:
    play = asking()
    for kind in (ModelReplied, ModelFailed):
        late = sample(kind)
        assert code(play.state, late) is None
    play.called("search").did()
    for kind in (ModelReplied, ModelFailed):
        assert code(play.state, sample(kind)) is StaleCode.TURN

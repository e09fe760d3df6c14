"""A changed agent: on a take-over with another fingerprint open calls are read again, and a yes to another declaration is void."""

from typing import Any

import pytest

from handrail.core.agent import Agent
from handrail.core.events import CallCleared, CallHeld, CallLost, CallRefused, CallReopened, CallRequeued
from handrail.core.request import request
from handrail.core.table import Stage
from handrail.guards import Approval, CallLimit, TurnLimit
from handrail.vocab.calls import ToolEffect, Where
from tests.core.kit import FakeTool, Play, agent, idempotent, read, write


def v1(*tools: FakeTool, **more: Any) -> Agent:
    return agent(*(tools or (read(), write())), **({"guards": [Approval("pay")]} | more))


V2 = v1(read(), write(needs=["currency"], version=2))
A = ("pay", {"amount": 5})


def test_with_the_same_fingerprint_nothing_is_judged_again() -> None:
    assert not Play(v1()).started().called(A).taken_over(v1()).judged(CallReopened)


def test_a_held_call_is_read_again_and_refused_where_it_no_longer_fits() -> None:
    play = Play(v1()).started().called(A).taken_over(V2)
    assert play.judged(CallReopened) and play.judged(CallRefused)[0].code == "arguments"
    assert play.results == [{"error": "currency is required"}]


def test_case_48_a_yes_to_another_declaration_is_void() -> None:
    play = Play(v1()).started().called(A).yes()
    assert play.stages == [Stage.CLEARED]
    play.taken_over(v1(read(), write(version=2)))
    assert play.judged(CallReopened) and play.judged(CallHeld)
    assert play.held().id == "t1c1h2"


def test_a_yes_to_the_same_declaration_still_counts_under_a_changed_agent() -> None:
    play = Play(v1()).started().called(A).yes().taken_over(v1(instructions="Help, and be brief."))
    assert play.judged(CallReopened) and play.judged(CallCleared) and play.state.used("pay") == 1


def test_case_48_a_tool_that_is_gone_is_an_error_result_and_the_run_goes_on() -> None:
    play = Play(v1()).started().called(A).taken_over(v1(read(), guards=[]))
    assert play.results == [{"error": "There is no tool 'pay'. You can call: search, pay."}] and play.state.turn == 2


def test_a_running_read_is_read_again_before_it_runs_again() -> None:
    play = Play(v1()).started().called("search").ran().taken_over(v1(read(needs=["q"]), write(), instructions="2"))
    assert [type(event) for event in play.last[1:4]] == [CallRequeued, CallReopened, CallRefused]


def test_a_running_idempotent_call_is_unknown_since_its_key_would_stand_for_another_call() -> None:
    play = Play(agent(idempotent())).started().called("book").ran().taken_over(agent(idempotent(version=2)))
    assert play.judged(CallLost)


def test_a_reopened_call_is_counted_once() -> None:
    play = Play(v1(read(), guards=[CallLimit("search", 1)])).started().called("search")
    play.taken_over(v1(read(), guards=[CallLimit("search", 1)], instructions="2"))
    assert play.stages == [Stage.CLEARED] and play.state.used("search") == 1


@pytest.mark.parametrize("where", [Where.CLIENT, Where.PERSON])
def test_calls_in_other_hands_are_judged_again_only_while_nobody_took_them(where: Where) -> None:
    play = Play(agent(FakeTool("fill", ToolEffect.WRITE, where))).started().called("fill")
    changed = agent(FakeTool("fill", ToolEffect.WRITE, where, version=2))
    if where is Where.CLIENT:
        assert not play.ran().taken_over(changed).judged(CallReopened)
    else:
        assert play.taken_over(changed).judged(CallReopened) and play.stages == [Stage.CLEARED]


def test_the_open_model_call_is_made_without_the_tools_that_are_gone() -> None:
    play = Play(agent(read(), write("submit"), submit="submit", guards=[TurnLimit(2)])).started().called("none")
    assert play.state.offer.choice == "submit"
    play.taken_over(agent(read(), write("deliver"), submit="deliver", guards=[TurnLimit(2)]))
    asked = request(play.agent, play.state)
    assert asked.tools == () and asked.choice == "auto"


def test_a_fingerprint_is_of_instructions_declarations_effects_and_guards() -> None:
    prints = [
        v1().fingerprint,
        v1(instructions="2").fingerprint,
        v1(read(), write(version=2)).fingerprint,
        v1(read(), idempotent("pay")).fingerprint,
        v1(guards=[Approval("pay"), TurnLimit(3)]).fingerprint,
        v1(submit="pay").fingerprint,
    ]
    assert len(set(prints)) == len(prints) and v1(model="another").fingerprint == prints[0]

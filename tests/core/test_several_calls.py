"""A turn with several calls: the model's order, reads together, a write alone, exactly one answer each."""

from handrail.core.events import CallDeferred, CallRefused
from handrail.core.ring import JudgedCall
from handrail.core.state import Reading
from handrail.core.table import Phase, Stage
from handrail.guards import Approval, Prerequisite
from handrail.vocab.calls import ToolEffect, Where
from handrail.vocab.messages import AssistantMessage, ToolMessage
from handrail.vocab.verdicts import ALLOW, Verdict
from tests.core.kit import FakeGuard, FakeTool, Play, agent, idempotent, read, write

R, S, P, H, C = Stage.RUNNING, Stage.SUCCEEDED, Stage.PROPOSED, Stage.HELD, Stage.CLEARED


def test_reads_run_together() -> None:
    play = Play(agent()).started().called("search", "search", "search")
    assert play.ran(3).ran(1).ran(2).stages == [R, R, R]


def test_a_write_runs_alone_after_the_calls_before_it() -> None:
    play = Play(agent()).started().called("search", "pay", "search")
    assert play.stages == [C, P, P]
    assert play.did(1).stages == [S, C, P]
    assert play.ran(2).stages == [S, R, P]
    assert play.returned(2).stages == [S, S, C]


def test_an_idempotent_call_runs_alone_too() -> None:
    assert Play(agent(read(), idempotent())).started().called("book", "book", "search").stages == [C, P, P]


def test_a_later_write_waits_for_an_earlier_one() -> None:
    play = Play(agent(write(), guards=[Approval("pay")])).started().called("pay", ("pay", {"n": 2}))
    assert play.stages == [H, P]
    assert play.yes().did().stages == [S, H]


def test_reads_pass_a_held_write_but_never_a_running_one() -> None:
    play = Play(agent(guards=[Approval("pay")])).started().called("pay", "search", "search")
    assert play.stages == [H, C, C]
    play = Play(agent()).started().called("pay", "search").ran(1)
    assert play.stages == [R, P]


def test_a_write_that_has_its_yes_waits_for_the_reads_that_passed_it() -> None:
    play = Play(agent(guards=[Approval("pay")])).started().called("pay", "search", "search").ran(2)
    assert play.yes(1).stages == [P, R, C]
    play.ran(3).returned(2)
    assert play.stages == [P, S, R]
    assert play.returned(3).stages == [C, S, S]


def test_a_read_that_was_not_judged_yet_does_not_pass_a_write_that_has_its_yes() -> None:
    guards = [Approval("pay"), Prerequisite("look", of="search")]
    play = Play(agent(read(), write(), read("look"), guards=guards)).started().called("pay", "search", "look").ran(2)
    play.yes(1)
    assert play.stages == [P, R, P]
    assert play.returned(2).stages == [C, S, P]
    assert play.did(1).stages == [S, S, C]


def test_a_call_whose_prerequisite_is_an_earlier_open_call_waits_for_it() -> None:
    play = Play(agent(read(), read("look"), guards=[Prerequisite("look", of="search")])).started().called("search", "look")
    (deferred,) = play.judged(CallDeferred)
    assert (deferred.call, deferred.guard, deferred.after) == ("t1c2", "Prerequisite(look, of=search)", "t1c1")
    assert play.ran(1).stages == [R, P]
    assert play.returned(1).stages == [S, C]


def test_a_call_whose_prerequisite_has_failed_meanwhile_is_refused() -> None:
    play = Play(agent(read(), read("look"), guards=[Prerequisite("look", of="search")])).started().called("search", "look")
    play.ran(1).tool_failed(1)
    assert [event.code for event in play.judged(CallRefused)] == ["prerequisite"]


def test_the_next_model_call_waits_until_every_call_has_its_answer() -> None:
    play = Play(agent()).started().called("search", "search").ran(1).ran(2).returned(2)
    assert play.state.turn == 1
    assert play.returned(1).state.turn == 2


def test_there_is_exactly_one_result_each_in_the_models_order_under_its_own_id() -> None:
    play = Play(agent(guards=[Approval("pay")])).started().called(("search", "["), "search", "none", "search").ran(2).ran(4)
    play.returned(4, "four").returned(2, "two")
    assistant, *results, last = play.state.transcript[1:]
    assert isinstance(assistant, AssistantMessage) and isinstance(last, ToolMessage)
    assert [result.call for result in (*results, last) if isinstance(result, ToolMessage)] == ["t1c1", "t1c2", "t1c3", "t1c4"]


def test_after_a_successful_submit_the_rest_of_the_batch_is_refused() -> None:
    play = Play(agent(read(), write("submit"), submit="submit")).started().called("submit", "search", "submit").did(1, {"plan": 1})
    assert [event.call for event in play.judged(CallRefused)] == ["t1c2", "t1c3"]
    assert play.outcome.output == {"plan": 1} and play.phase is Phase.DONE


def test_a_submit_that_is_a_read_stops_the_reads_beside_it() -> None:
    play = Play(agent(read(), read("submit"), submit="submit")).started().called("search", "submit").ran(1).did(2)
    assert play.results[0] == {"error": "The run has ended; this read was stopped."}


def test_case_17_a_reply_cut_by_the_output_limit_runs_none_of_its_calls() -> None:
    play = Play(agent()).started().called(("pay", '{"to":"a","body":"ab'), ("pay", {"to": "a"}), "search", finish="length")
    assert {event.code for event in play.judged(CallRefused)} == {"cut"} and len(play.results) == 3
    assert play.state.used("pay") == play.state.used("search") == 0


def test_case_17_a_cut_reply_with_hundreds_of_calls_does_not_flood_the_context() -> None:
    play = Play(agent()).started().called(*["search"] * 500, finish="length")
    assert len(play.results) == 32 and len(play.notes) == 1


def test_a_refusal_with_calls_beside_runs_none_of_them() -> None:
    play = Play(agent()).started().called("pay", refusal="I will not.")
    assert play.outcome.status == "refused" and play.outcome.output == "I will not." and play.state.used("pay") == 0


def test_case_14_whatever_ends_the_run_every_call_has_its_answer() -> None:
    play = Play(agent(read(), write(), write("submit"), submit="submit", guards=[Approval("pay")])).started()
    play.called("search", "pay", "search", "none").ran(1).returned(1, "one").ran(3)
    play.land_requested()
    assert play.results[0] == "one" and len(play.results) == 4


def test_a_question_to_a_person_that_is_a_read_does_not_hold_up_the_reads() -> None:
    ask = FakeTool("ask", ToolEffect.READ, Where.PERSON)
    assert Play(agent(read(), ask)).started().called("ask", "search").stages == [C, C]


def test_a_guard_sees_earlier_calls_of_the_same_reply_that_are_still_open() -> None:
    seen: list[str | None] = []

    def looking(state: Reading, call: JudgedCall) -> Verdict:
        seen.append(state.waits_for(call.id, "search"))
        return ALLOW

    Play(agent(guards=[FakeGuard(judging=looking)])).started().called("search", "search", "search")
    assert seen == [None, "t1c1", "t1c2"]

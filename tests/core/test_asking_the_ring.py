"""Asking the ring: all guards are asked, the stronger word wins, and a guard that cannot answer refuses."""

from collections.abc import Callable
from typing import Any

import pytest

from handrail.core.events import CallCleared, CallDeferred, CallHeld, CallRefused
from handrail.core.ring import JudgedCall
from handrail.core.state import Reading
from handrail.core.table import Stage
from handrail.guards import Approval, CallLimit, Prerequisite
from handrail.vocab.calls import By
from handrail.vocab.reviews import Answer
from handrail.vocab.verdicts import ALLOW, After, Hold, Limit, Measure, Refuse, Verdict
from tests.core.kit import FakeGuard, Play, agent, read, write

REFUSE = Refuse("no", "Not this.")
AFTER = After("t1c1")
REVIEWER = Hold(by=By.REVIEWER, show="draft")
PERSON = Hold(by=By.PERSON, show="draft")


def saying(name: str, verdict: Any, tool: str = "pay") -> FakeGuard:
    return FakeGuard(name, judging=lambda state, call: verdict if call.tool == tool else ALLOW)


def broken(*arguments: Any) -> Any:
    raise RuntimeError("out of order")


@pytest.mark.parametrize(
    ("weaker", "stronger", "judgement"),
    [
        (AFTER, REFUSE, CallRefused),
        (REVIEWER, REFUSE, CallRefused),
        (PERSON, REFUSE, CallRefused),
        (REVIEWER, AFTER, CallDeferred),
        (PERSON, AFTER, CallDeferred),
        (PERSON, REVIEWER, CallHeld),
        (ALLOW, PERSON, CallHeld),
    ],
)
@pytest.mark.parametrize("order", [1, -1])
def test_a_refusal_beats_a_wait_which_beats_a_reviewer_which_beats_a_person(
    weaker: Any, stronger: Any, judgement: type, order: int
) -> None:
    guards = [saying("weak", weaker, "look"), saying("strong", stronger, "look")][::order]
    play = Play(agent(read(), read("look"), guards=guards)).started().called("search", "look")
    (found,) = [event for event in play.judged(judgement) if event.call == "t1c2"]
    assert found.guard == "strong" and not [event for event in play.judged(CallCleared) if event.call == "t1c2"]


@pytest.mark.parametrize("verdict", [REFUSE, REVIEWER, PERSON])
def test_among_equals_the_agents_order_decides(verdict: Any) -> None:
    play = Play(agent(guards=[saying("first", verdict), saying("second", verdict)])).started().called("pay")
    (found,) = play.judged(CallHeld) or play.judged(CallRefused)
    assert found.guard == "first"


def test_all_guards_are_asked() -> None:
    asked: list[str] = []

    def noting(name: str) -> FakeGuard:
        def judging(state: Reading, call: JudgedCall) -> Verdict:
            asked.append(name)
            return REFUSE if name == "a" else ALLOW

        return FakeGuard(name, judging=judging)

    Play(agent(guards=[noting("a"), noting("b"), noting("c")])).started().called("pay")
    assert asked == ["a", "b", "c"]


def test_nobody_reviews_what_is_invalid_and_no_person_sees_what_is_not_reviewed() -> None:
    guards = [saying("person", PERSON), saying("reviewer", REVIEWER), Prerequisite("pay", of="search")]
    play = Play(agent(guards=guards)).started().called("pay")
    assert play.judged(CallRefused)[0].code == "prerequisite"
    play.called("search").did().called("pay")
    assert play.held().by is By.REVIEWER
    play.decided(Answer.PASSED)
    assert play.held().by is By.PERSON
    assert play.yes().stages == [Stage.CLEARED]


def test_a_call_is_judged_again_after_every_answer() -> None:
    allowed = True

    def judging(state: Reading, call: JudgedCall) -> Any:
        return ALLOW if allowed else REFUSE

    play = Play(agent(guards=[FakeGuard("moody", judging=judging), Approval("pay")])).started().called("pay")
    allowed = False
    play.yes()
    assert play.judged(CallRefused)[0].guard == "moody"


def test_a_hold_counts_as_allowed_only_by_the_yes_of_its_own_guard() -> None:
    play = Play(agent(guards=[saying("one", PERSON), saying("two", PERSON)])).started().called("pay").yes()
    assert play.held().guard == "two" and play.yes().stages == [Stage.CLEARED]


def test_a_hold_whose_document_has_changed_is_asked_again() -> None:
    documents = iter(["first", "second", "second"])
    guard = FakeGuard(judging=lambda state, call: Hold(by=By.PERSON, show=next(documents)))
    play = Play(agent(guards=[guard])).started().called("pay")
    first = play.held()
    play.yes()
    assert play.held().id != first.id and play.held().digest != first.digest and play.held().show == "second"
    assert play.yes().stages == [Stage.CLEARED]


def test_a_document_that_never_stays_the_same_is_refused_at_last() -> None:
    numbers = iter(range(1000))
    guard = FakeGuard(judging=lambda state, call: Hold(by=By.PERSON, show=str(next(numbers))))
    play = Play(agent(guards=[guard])).started().called("pay")
    for _ in range(15):
        play.yes()
    assert play.yes().judged(CallRefused)[0].code == "held_too_often"


def test_a_guard_that_raises_refuses_and_the_timeline_says_so() -> None:
    play = Play(agent(guards=[FakeGuard("broken", judging=broken)])).started().called("pay")
    (refused,) = play.judged(CallRefused)
    assert (refused.guard, refused.code) == ("broken", "guard_raised") and "RuntimeError: out of order" in refused.reason


@pytest.mark.parametrize("verdict", [None, True, "no", Hold(by=By.PERSON, show={"what": object()})])
def test_a_guard_that_returns_no_verdict_allows_nothing(verdict: Any) -> None:
    play = Play(agent(guards=[saying("odd", verdict)])).started().called("pay")
    assert [(event.guard, event.code) for event in play.judged(CallRefused)] == [("odd", "guard_raised")]


@pytest.mark.parametrize("call", ["t1c1", "t1c2", "t1c3", "t9c9"])
def test_a_wait_for_what_is_no_open_call_before_it_refuses(call: str) -> None:
    play = Play(agent(read(), read("look"), guards=[saying("odd", After(call), "look")])).started().called("none", "look", "search")
    assert [event.code for event in play.judged(CallRefused) if event.call == "t1c2"] == ["guard_raised"]


def test_a_guard_whose_offer_raises_offers_nothing_and_one_whose_limit_raises_limits_nothing() -> None:
    play = Play(agent(guards=[FakeGuard("broken", offering=broken, limiting=broken)])).started()
    assert play.state.offer.offered == () and play.state.offer.until is None


def test_a_tool_that_is_not_there_is_refused_with_what_there_is() -> None:
    play = Play(agent()).started().called("delete_everything")
    assert play.results == [{"error": "There is no tool 'delete_everything'. You can call: search, pay."}]


def test_a_name_of_any_length_does_not_flood_the_model() -> None:
    play = Play(agent()).started().called("x" * 100_000)
    assert len(play.results[0]["error"]) < 300


def test_a_tool_that_is_not_on_offer_any_more_is_refused() -> None:
    play = Play(agent(guards=[FakeGuard(offering=lambda state, tool: tool != "pay")])).started().called("pay")
    assert play.results == [{"error": "'pay' is not on offer any more. You can call: search."}]


def test_arguments_that_do_not_fit_are_refused_before_any_guard_is_asked() -> None:
    play = Play(agent(read(needs=["q"]), guards=[FakeGuard(judging=broken)])).started().called(("search", "[1]"), ("search", {}))
    assert play.results == [{"error": "JSON object expected"}, {"error": "q is required"}]


def test_refused_calls_do_not_count_and_cleared_ones_do_whatever_came_of_them() -> None:
    play = Play(agent(guards=[CallLimit("search", 2)])).started().called(("search", "["), "search", "search", "search")
    assert play.state.used("search") == 2
    assert [event.code for event in play.judged(CallRefused)] == ["arguments", "call_limit"]
    play.ran(2).tool_failed(2).ran(3).returned(3)
    assert play.state.offer.offered == ("pay",)


def test_a_write_may_be_held_for_a_person_by_name() -> None:
    assert agent(write(), guards=[Approval("pay")]).holders("pay", By.PERSON) == ("Approval(pay)",)


def test_a_hold_whose_person_is_named_by_a_plain_text_is_one_all_the_same() -> None:
    play = Play(agent(guards=[FakeGuard(judging=lambda state, call: Hold(by="person", show="this"))])).started().called("pay")  # type: ignore[arg-type]  # what is tested
    assert play.stages == [Stage.HELD] and play.held().by is By.PERSON


def test_a_hold_for_nobody_that_there_is_clears_nothing() -> None:
    play = Play(agent(guards=[FakeGuard(judging=lambda state, call: Hold(by="robot", show="this"))])).started().called("pay")  # type: ignore[arg-type]  # what is tested
    (refused,) = play.judged(CallRefused)
    assert refused.code == "guard_raised" and "robot" in refused.reason


def test_a_limit_that_reads_nothing_of_a_run_is_asked_for_once() -> None:
    asked: list[Reading] = []

    def limit(state: Reading) -> Limit:
        asked.append(state)
        return Limit(name="fixed", measure=Measure.TURNS, soft=1, hard=9)

    fixed = FakeGuard("fixed", limiting=limit)
    play = Play(agent(guards=[fixed])).started().called("search").did()
    assert len(asked) == 1 and play.state.turns_left == 7


@pytest.mark.parametrize("reads", [lambda state: state.fruitless, lambda state: getattr(state, "fruitless", 0)])
def test_a_limit_that_reads_the_run_is_asked_for_each_time(reads: Callable[[Reading], Any]) -> None:
    moving = FakeGuard("moving", limiting=lambda state: Limit(name="moving", measure=Measure.TURNS, soft=1, hard=9 - reads(state)))
    play = Play(agent(guards=[moving])).started().called("search").did()
    assert play.state.turns_left == 7
    assert play.called("search").did().state.turns_left == 5

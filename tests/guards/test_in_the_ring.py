"""Each guard in a real ring: the core's own `step`, with the tools run by hand."""

from collections.abc import Callable
from typing import Any

import pytest

from handrail.core.events import (
    CallCleared,
    CallDeferred,
    CallHeld,
    CallRefused,
    FactsNoted,
    LandingAdvanced,
    LandingStage,
    RunFinished,
    RunParked,
    TextAmended,
    TextHeld,
    TextRefused,
    Ticked,
    TurnOpened,
    UserSaid,
)
from handrail.core.ring import JudgedCall
from handrail.core.state import Reading
from handrail.core.table import Phase
from handrail.guards import (
    AnswerLimit,
    Approval,
    CallLimit,
    Grounded,
    MustSubmit,
    NoProgress,
    Order,
    Prerequisite,
    Review,
    TimeLimit,
    TokenLimit,
    TurnLimit,
    guard,
)
from handrail.vocab.calls import By
from handrail.vocab.facts import Fact
from handrail.vocab.outcomes import Status
from handrail.vocab.reviews import Answer
from tests.guards.given import Run, an_agent, the_one

LEG: dict[str, Any] = {"origin": "Chengdu", "destination": "Kangding"}
CRITIC = an_agent(name="critic", tools=(), submit=None)


def _finding(*places: str) -> Callable[[str, dict[str, Any]], tuple[Any, tuple[Fact, ...]]]:
    def works(tool: str, values: dict[str, Any]) -> tuple[Any, tuple[Fact, ...]]:
        return {"tool": tool, **values}, tuple(Fact("place", place) for place in places) if tool == "search" else ()

    return works


def _failing(tool: str, values: dict[str, Any]) -> None:
    return None


def test_a_prerequisite_refuses_then_lets_through() -> None:
    run = Run(an_agent(Prerequisite("submit", of="drive")))
    refused = the_one(run.reply(("submit", {})), CallRefused)
    assert (refused.guard, refused.code) == ("Prerequisite(submit, of=drive)", "prerequisite")
    run.reply(("drive", LEG))
    assert the_one(run.reply(("submit", {})), RunFinished).outcome.status is Status.COMPLETED


def test_a_prerequisite_in_the_same_reply_is_enough() -> None:
    run = Run(an_agent(Prerequisite("submit", of="drive", per="legs")))
    assert the_one(run.reply(("drive", LEG), ("submit", {"legs": [LEG]})), RunFinished).outcome.status is Status.COMPLETED


def test_a_read_waits_for_its_prerequisite_in_the_same_reply_and_is_refused_if_that_fails() -> None:
    run = Run(an_agent(Prerequisite("drive", of="search")))
    deferred = the_one(run.reply(("search", {}), ("drive", LEG)), CallDeferred)
    assert (deferred.call, deferred.after) == ("t1c2", "t1c1")
    assert [event.call for event in run.events if isinstance(event, CallCleared)] == ["t1c1", "t1c2"]
    failing = Run(an_agent(Prerequisite("drive", of="search")), _failing)
    assert the_one(failing.reply(("search", {}), ("drive", LEG)), CallRefused).code == "prerequisite"


def test_an_order_holds_for_a_whole_batch() -> None:
    run = Run(an_agent(Order({"drive": ["search"], "submit": ["drive"]})))
    assert the_one(run.reply(("submit", {}), ("drive", LEG), ("search", {})), CallCleared).call == "t1c3"
    assert the_one(run.reply(("search", {}), ("drive", LEG), ("submit", {})), RunFinished).outcome.status is Status.COMPLETED


def test_a_call_limit_takes_the_tool_out_of_sight_and_refuses_it_anyway() -> None:
    run = Run(an_agent(CallLimit("search", 2)))
    first = run.reply(("search", {"q": 1}), ("search", {"q": 2}), ("search", {"q": 3}))
    assert the_one(first, CallRefused).code == "call_limit"
    assert the_one(first, TurnOpened).offered == ("drive", "submit")
    assert the_one(run.reply(("search", {"q": 4})), CallRefused).code == "call_limit"


def test_a_call_limit_per_message_begins_again_when_the_user_speaks() -> None:
    run = Run(an_agent(CallLimit("search", 1, per="message")))
    run.reply(("search", {}))
    assert "search" not in run.state.offer.offered
    run.put(UserSaid(at=run.at, text="And in winter?"))
    assert "search" in the_one(run.reply(("drive", LEG)), TurnOpened).offered


def test_a_limit_on_successes_is_kept_by_a_batch_of_reads() -> None:
    run = Run(an_agent(CallLimit("search", 2, count="succeeded")))
    events = run.reply(*(("search", {"q": number}) for number in range(5)))
    assert len([event for event in events if isinstance(event, CallCleared)]) == 2
    assert len([event for event in events if isinstance(event, CallRefused)]) == 3
    failing = Run(an_agent(CallLimit("search", 2, count="succeeded")), _failing)
    assert (
        len([event for event in failing.reply(*(("search", {"q": number}) for number in range(5))) if isinstance(event, CallCleared)]) == 5
    )


def test_must_submit_sends_talk_back_and_parks_with_a_question() -> None:
    run = Run(an_agent(MustSubmit("submit", longest_text=20)))
    refused = the_one(run.reply(text="Here is your whole plan for ten days."), TextRefused)
    assert (refused.guard, refused.code) == ("MustSubmit(submit)", "must_submit")
    held = run.reply(text="Which month?")
    assert the_one(held, TextHeld).guard == "MustSubmit(submit)"
    assert isinstance(held[-1], RunParked)
    assert the_one(run.put(UserSaid(at=run.at, text="May.")), TurnOpened).turn == 3
    assert the_one(run.reply(("submit", {})), RunFinished).outcome.status is Status.COMPLETED


def test_grounded_refuses_what_no_call_has_returned() -> None:
    run = Run(an_agent(Grounded("submit", "places", "place")), _finding("Kangding", "Litang"))
    assert "look it up first" in the_one(run.reply(("submit", {"places": ["Kangding"]})), CallRefused).reason
    run.reply(("search", {}))
    assert "'Kangding', 'Litang'" in the_one(run.reply(("submit", {"places": ["Kanding"]})), CallRefused).reason
    assert the_one(run.reply(("submit", {"places": ["Kangding"]})), RunFinished).outcome.status is Status.COMPLETED


def test_an_approval_runs_only_on_a_yes_to_this_very_call() -> None:
    run = Run(an_agent(Approval("submit")))
    held = the_one(run.reply(("submit", {"amount": 5})), CallHeld)
    assert (held.guard, held.by, held.show) == ("Approval(submit)", By.PERSON, {"amount": 5})
    assert the_one(run.answer(Answer.YES), RunFinished).outcome.status is Status.COMPLETED


def test_an_approval_that_is_refused_quotes_the_person_and_does_not_ask_again() -> None:
    run = Run(an_agent(Approval("submit")))
    run.reply(("submit", {"amount": 5}))
    refused = the_one(run.answer(Answer.NO, "wrong account"), CallRefused)
    assert refused.guard == "Approval(submit)" and "wrong account" in refused.reason
    assert the_one(run.reply(("submit", {"amount": 5})), CallRefused).code == "refused_before"
    assert the_one(run.reply(("submit", {"amount": 6})), CallHeld).show == {"amount": 6}


def test_an_approval_is_asked_anew_when_the_document_has_changed_meanwhile() -> None:
    guarded = Approval("submit", show=lambda arguments, ledger: {"of": ledger.field("balance", "now")})
    run = Run(an_agent(guarded))
    run.put(FactsNoted(at=run.at, source="bank", facts=(Fact("balance", 90, "now"),)))
    run.reply(("submit", {}))
    run.put(FactsNoted(at=run.at, source="bank", facts=(Fact("balance", 10, "now"),)))
    assert the_one(run.answer(Answer.YES), CallHeld).show == {"of": 10}


def test_an_approval_whose_document_cannot_be_made_refuses() -> None:
    run = Run(an_agent(Approval("submit", show=lambda arguments, ledger: arguments["missing"])))
    refused = the_one(run.reply(("submit", {})), CallRefused)
    assert (refused.guard, refused.code) == ("Approval(submit)", "guard_raised")


def test_a_review_comes_before_the_person_and_goes_on_with_open_flaws_in_the_end() -> None:
    run = Run(an_agent(Approval("submit"), Review("submit", reviewer=CRITIC, most=2)))
    held = the_one(run.reply(("submit", {"days": 1})), CallHeld)
    assert (held.guard, held.by) == ("Review(submit)", By.REVIEWER)
    assert "too long a drive" in the_one(run.answer(Answer.FLAWED, flaws=("too long a drive",)), CallRefused).reason
    assert the_one(run.reply(("submit", {"days": 2})), CallHeld).by is By.REVIEWER
    second = the_one(run.answer(Answer.FLAWED, flaws=("no rest day",)), CallHeld)
    assert (second.guard, second.show) == ("Approval(submit)", {"days": 2, "open_flaws": ["no rest day"]})
    assert the_one(run.answer(Answer.YES), RunFinished).outcome.unreviewed


def test_a_draft_that_passes_its_review_goes_to_the_person() -> None:
    run = Run(an_agent(Review("submit", reviewer=CRITIC), Approval("submit")))
    run.reply(("submit", {}))
    assert the_one(run.answer(Answer.PASSED), CallHeld).by is By.PERSON
    assert not the_one(run.answer(Answer.YES), RunFinished).outcome.unreviewed


def _stages(run: Run) -> list[LandingStage]:
    return [event.stage for event in run.events if isinstance(event, LandingAdvanced)]


LADDER = [LandingStage.NUDGE, LandingStage.SUBMIT_ONLY, LandingStage.FORCED, LandingStage.LANDED]


def test_a_turn_limit_goes_down_one_rung_a_turn_and_lands() -> None:
    run = Run(an_agent(TurnLimit(5), land=lambda ledger: "what there is"))
    replies = 0
    while run.state.phase is not Phase.DONE:
        run.reply(("drive", {"q": replies}))
        replies += 1
    finished = the_one(run.events, RunFinished)
    assert (replies, _stages(run)) == (5, LADDER)
    assert (finished.outcome.status, finished.outcome.partial, finished.outcome.limit) == (Status.COMPLETED, True, "TurnLimit(5)")
    assert finished.outcome.output == "what there is"


def test_a_short_turn_limit_has_fewer_rungs() -> None:
    run = Run(an_agent(TurnLimit(2), land=lambda ledger: "what there is"))
    while run.state.phase is not Phase.DONE:
        run.reply(("drive", {}))
    assert run.state.turn == 2
    assert _stages(run) == [LandingStage.FORCED, LandingStage.LANDED]


def test_without_a_submit_tool_a_turn_limit_fails_with_its_name() -> None:
    run = Run(an_agent(TurnLimit(2), submit=None))
    run.reply(("drive", {"q": 1}))
    finished = the_one(run.reply(("drive", {"q": 2})), RunFinished)
    assert (finished.outcome.status, finished.outcome.limit) == (Status.FAILED, "TurnLimit(2)")


def test_a_time_limit_begins_to_land_at_four_fifths_and_ends_whatever_is_going_on() -> None:
    run = Run(an_agent(TimeLimit(100), land=lambda ledger: "what there is"))
    run.later(seconds=79)
    run.reply(("drive", {"q": 1}))
    assert _stages(run) == []
    run.later(seconds=2)
    run.reply(("drive", {"q": 2}))
    assert _stages(run) == [LandingStage.NUDGE]
    run.later(seconds=19)
    finished = the_one(run.put(Ticked(at=run.at)), RunFinished)
    assert (finished.outcome.partial, finished.outcome.limit) == (True, "TimeLimit(100)")


def test_a_token_limit_begins_to_land_at_four_fifths_and_ends_at_the_limit() -> None:
    run = Run(an_agent(TokenLimit(1_000), land=lambda ledger: "what there is"))
    run.reply(("drive", {"q": 1}), tokens=799)
    assert _stages(run) == []
    run.reply(("drive", {"q": 2}), tokens=1)
    assert _stages(run) == [LandingStage.NUDGE]
    finished = the_one(run.reply(("drive", {"q": 3}), tokens=200), RunFinished)
    assert finished.outcome.limit == "TokenLimit(1000)"


LONG = "One two three. Four five six."


def test_a_long_answer_is_sent_back_once_and_then_cut() -> None:
    run = Run(an_agent(AnswerLimit(4), submit=None))
    assert the_one(run.reply(text=LONG), TextRefused).code == "too_long"
    events = run.reply(text=LONG)
    assert the_one(events, TextAmended).text == "One two three."
    assert the_one(events, RunFinished).outcome.output == "One two three."


def test_on_the_last_turn_a_long_answer_is_cut_at_once() -> None:
    run = Run(an_agent(AnswerLimit(4), TurnLimit(1), submit=None))
    assert the_one(run.reply(text=LONG), RunFinished).outcome.output == "One two three."


def test_no_progress_grows_firm_then_narrow_then_lands() -> None:
    run = Run(an_agent(NoProgress(1, 2, 3), land=lambda ledger: "what there is"), _failing)
    run.reply(("search", {}))
    assert "search" in run.state.offer.offered
    run.reply(("search", {}))
    assert run.state.offer.offered == ("drive", "submit")
    refused = the_one(run.reply(("search", {})), CallRefused)
    assert refused.code == "not_offered" and "gained nothing new" in refused.reason
    assert _stages(run) == [LandingStage.NUDGE]
    while run.state.phase is not Phase.DONE:
        run.reply(("search", {}))
    assert _stages(run) == LADDER
    assert the_one(run.events, RunFinished).outcome.limit == "NoProgress(1, 2, 3)"


def test_no_progress_never_withdraws_the_submit_tool_and_forgets_after_a_success() -> None:
    run = Run(an_agent(NoProgress(1, 2, 6), Prerequisite("submit", of="drive")))
    for _ in range(3):
        run.reply(("submit", {}))
    assert run.state.offer.offered == ("search", "drive", "submit")
    run.reply(("drive", LEG))
    assert run.state.fruitless == 0


def test_without_a_submit_tool_a_run_without_progress_ends() -> None:
    run = Run(an_agent(NoProgress(1, 2, 3), submit=None), _failing)
    for _ in range(3):
        run.reply(("drive", {}))
    assert the_one(run.events, RunFinished).outcome.limit == "NoProgress(1, 2, 3)"


@guard(tool="drive")
def no_round_trips(state: Reading, call: JudgedCall) -> str | None:
    """A drive leads somewhere else."""
    return "Give another destination." if call.arguments["origin"] == call.arguments["destination"] else None


def test_a_rule_refuses_in_its_own_words_and_one_that_raises_refuses_too() -> None:
    run = Run(an_agent(no_round_trips))
    refused = the_one(run.reply(("drive", {"origin": "a", "destination": "a"})), CallRefused)
    assert (refused.guard, refused.code, refused.reason) == ("no_round_trips", "no_round_trips", "Give another destination.")
    assert the_one(run.reply(("drive", {})), CallRefused).code == "guard_raised"
    assert the_one(run.reply(("drive", LEG)), CallCleared).call == "t3c1"


@pytest.mark.parametrize(
    "guards", [(Prerequisite("submit", of="drive"), CallLimit("drive", 1)), (CallLimit("drive", 1), Prerequisite("submit", of="drive"))]
)
def test_any_refusal_beats_a_wait(guards: tuple[Any, Any]) -> None:
    ring = (*guards, guard(tool="submit")(lambda state, call: "Never."))
    refused = the_one(Run(an_agent(*ring)).reply(("drive", LEG), ("submit", {})), CallRefused)
    assert refused.reason == "Never."

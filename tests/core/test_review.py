"""Review: a clean-context reviewer looks before any person does; its time and tokens are the run's, its turns are not."""

from typing import Any

import pytest

from handrail.core.effects import AskReviewer
from handrail.core.events import CallCleared, CallHeld, CallRefused, LandingStage, RunFinished
from handrail.core.table import Phase, Stage
from handrail.errors import StaleInput
from handrail.guards import Approval, Review, TimeLimit, TokenLimit, TurnLimit
from handrail.vocab.calls import By
from handrail.vocab.reviews import Answer
from handrail.vocab.usage import Usage
from handrail.vocab.verdicts import Hold
from tests.core.kit import FakeGuard, Play, agent, read, write

CRITIC = agent(name="critic")
DRAFT = ("submit", {"plan": 1})


def reviewing(*guards: Any, most: int = 2, approval: bool = False) -> Play:
    ring = [*guards, *([Approval("submit")] if approval else []), Review("submit", reviewer=CRITIC, most=most)]
    return Play(agent(read(), write("submit"), submit="submit", land=lambda ledger: "a report", guards=ring))


def flawed(play: Play, *flaws: str) -> Play:
    return play.called(DRAFT).decided(Answer.FLAWED, flaws=flaws)


def test_a_review_is_an_effect_with_the_draft_and_the_guards_name() -> None:
    (effect,) = reviewing().started().called(DRAFT).effects
    assert isinstance(effect, AskReviewer)
    assert (effect.guard, effect.tool, effect.arguments, effect.show) == ("Review(submit)", "submit", '{"plan":1}', {"plan": 1})


def test_a_draft_that_passes_goes_on() -> None:
    play = reviewing().started().called(DRAFT).decided(Answer.PASSED)
    assert play.judged(CallCleared) and not play.did().outcome.unreviewed


def test_the_reviewer_is_asked_before_any_person() -> None:
    play = reviewing(approval=True).started().called(DRAFT)
    assert play.held().by is By.REVIEWER
    assert play.decided(Answer.PASSED).held().by is By.PERSON


def test_its_tokens_and_time_are_the_runs_and_its_turns_are_not() -> None:
    play = reviewing(TokenLimit(1000), TimeLimit(100)).started().called(DRAFT)
    assert play.phase is Phase.ACTING
    play.after(30).decided(Answer.FLAWED, usage=Usage(input_tokens=40, output_tokens=2, calls=1))
    assert play.state.usage == Usage(input_tokens=40, output_tokens=2, calls=2) and play.state.turn == 2
    assert play.state.clock is not None and play.state.clock.active == 30


def test_the_tokens_of_a_review_can_use_the_run_up() -> None:
    play = reviewing(TokenLimit(100)).started().called(DRAFT).decided(Answer.PASSED, usage=Usage(input_tokens=100))
    assert play.outcome.limit == "TokenLimit(100)" and play.outcome.output == "a report" and play.outcome.unreviewed


def test_flaws_teach() -> None:
    play = flawed(reviewing().started(), "no hotel", "too far")
    assert play.results == [{"error": "A reviewer found flaws: no hotel; too far. Mend them and submit again."}]


def test_a_reviewer_that_names_no_flaw_still_refuses() -> None:
    assert "the draft did not pass" in flawed(reviewing().started()).results[0]["error"]


def test_after_most_rounds_the_draft_goes_to_the_person_with_the_open_flaws_shown() -> None:
    play = flawed(flawed(reviewing(approval=True).started(), "a"), "b")
    assert play.held().by is By.PERSON and play.held().show == {"plan": 1, "open_flaws": ["b"]}
    assert play.yes().did().outcome.unreviewed


def test_a_text_that_is_shown_gets_the_open_flaws_too() -> None:
    outline = Approval("submit", show=lambda arguments, ledger: "Two days.")
    play = flawed(reviewing(outline, most=1).started(), "too short")
    assert play.held().show == "Two days.\n\nA reviewer still sees these flaws:\n- too short"


def test_flaws_that_were_mended_are_not_shown() -> None:
    play = flawed(reviewing(approval=True).started(), "a").called(DRAFT).decided(Answer.PASSED, flaws=("a trifle",))
    assert play.held().show == {"plan": 1}


def test_without_an_approval_the_ladder_advances_after_most_rounds() -> None:
    play = flawed(flawed(reviewing().started(), "a"), "b")
    stages = [play.state.landing]
    for _ in range(2):
        assert play.called(DRAFT).judged(CallRefused)[0].code == "flawed"
        stages.append(play.state.landing)
    assert stages == [LandingStage.NUDGE, LandingStage.SUBMIT_ONLY, LandingStage.FORCED] and play.state.limit == "Review(submit)"
    play.called(DRAFT).did()
    assert play.outcome.output == "ok" and play.outcome.unreviewed and play.outcome.partial


def test_a_reviewer_that_fails_once_is_asked_again() -> None:
    play = reviewing().started().called(DRAFT).decided(Answer.FAILED)
    assert play.judged(CallHeld) and play.held().id == "t1c1h2" and play.state.rounds("submit") == 0
    assert play.decided(Answer.PASSED).stages == [Stage.CLEARED]


@pytest.mark.parametrize("approval", [False, True])
def test_a_reviewer_that_fails_twice_leaves_the_result_unreviewed(approval: bool) -> None:
    play = reviewing(approval=approval).started().called(DRAFT).decided(Answer.FAILED).decided(Answer.FAILED)
    if approval:
        play.yes()
    assert play.did().outcome.unreviewed and not play.outcome.partial


def test_a_draft_that_passed_and_then_failed_to_be_submitted_is_reviewed_again() -> None:
    play = flawed(reviewing().started(), "a").called(DRAFT).decided(Answer.PASSED).ran().tool_failed()
    assert play.called(DRAFT).judged(CallHeld) and play.state.landing is LandingStage.NONE


def test_a_pass_is_for_one_very_draft() -> None:
    play = reviewing().started().called(DRAFT).decided(Answer.PASSED).ran().tool_failed()
    play.called(("submit", {"plan": 2}))
    assert play.held().by is By.REVIEWER


def test_a_reviewers_answer_never_is_a_persons_and_the_other_way_round() -> None:
    play = reviewing(approval=True).started().called(DRAFT)
    with pytest.raises(StaleInput):
        play.yes()
    play.decided(Answer.PASSED)
    with pytest.raises(StaleInput):
        play.decided(Answer.PASSED)


def test_what_a_person_refuses_is_not_charged_to_the_reviewer() -> None:
    play = reviewing(approval=True).started().called(DRAFT).decided(Answer.PASSED).no()
    assert play.state.rounds("submit") == 1 and play.judged(CallRefused)[0].code == "person_refused"


def test_a_read_can_be_reviewed_while_a_message_waits() -> None:
    guard = FakeGuard(judging=lambda state, call: Hold(by=By.REVIEWER, show="x"))
    assert Play(agent(guards=[guard])).started().user_said("and?").called("search").stages == [Stage.HELD]


def test_in_the_forced_turn_there_is_no_new_review() -> None:
    play = reviewing(TurnLimit(3)).started().called("search").did().called("none")
    assert play.state.landing is LandingStage.FORCED
    play.called(DRAFT)
    assert play.stages == [Stage.CLEARED] and play.did().outcome.unreviewed
    assert isinstance(play.last[-1], RunFinished)

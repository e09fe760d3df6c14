"""Text: what may end a run, what is a question to the user, and what is sent back."""

from datetime import timedelta
from typing import Any

import pytest

from handrail.core.effects import AskPerson, CallModel, WakeAt
from handrail.core.events import LandingAdvanced, LandingStage, TextAmended, TextHeld, TextRefused
from handrail.core.outstanding import open_holds
from handrail.core.table import Phase
from handrail.errors import StaleInput
from handrail.guards import AnswerLimit, MustSubmit, TurnLimit
from handrail.vocab.calls import By
from handrail.vocab.messages import AssistantMessage, Said, UserMessage
from handrail.vocab.outcomes import HoldKind, Status
from handrail.vocab.verdicts import ALLOW, Amend, Hold, Refuse
from tests.core.kit import NOON, FakeGuard, Play, agent, read, write

SUBMITTING: dict[str, Any] = {"submit": "submit", "land": lambda ledger: "a report"}


def submitting(**more: Any) -> Play:
    return Play(agent(read(), write("submit"), **(SUBMITTING | more)))


def accepting(verdict: Any, name: str = "fake") -> FakeGuard:
    return FakeGuard(name, accepting=lambda state, text: verdict)


def test_accepted_text_ends_the_run() -> None:
    play = Play(agent()).started().answered("Forty-two.")
    assert play.outcome.status is Status.COMPLETED and play.outcome.output == "Forty-two." and not play.outcome.partial


def test_refused_text_stays_as_the_assistants_and_the_refusal_follows_as_a_note_of_ours() -> None:
    play = Play(agent(guards=[accepting(Refuse("no", "Shorter."))])).started().answered("Long.")
    assert play.judged(TextRefused) == [TextRefused(guard="fake", code="no", reason="Shorter.")]
    assert play.state.transcript[1:] == (AssistantMessage(text="Long."), UserMessage(said=(Said(text="Shorter.", ours=True),)))
    assert play.phase is Phase.THINKING


def test_the_note_is_merged_with_a_neighbouring_user_message() -> None:
    play = Play(agent()).started().answered(None).user_said("Well?")
    play.answered(None)
    said = play.state.transcript[-1]
    assert isinstance(said, UserMessage) and [part.ours for part in said.said] == [False, True, False]


def test_a_refusal_without_a_reason_still_says_something() -> None:
    play = Play(agent(guards=[accepting(Refuse("no", ""))])).started().answered("Long.")
    assert play.notes == ["This text was not accepted."]


@pytest.mark.parametrize("verdict", [None, True])
def test_a_guard_that_returns_no_verdict_on_a_text_accepts_nothing(verdict: Any) -> None:
    play = Play(agent(guards=[accepting(verdict)])).started().answered("x")
    assert [event.code for event in play.judged(TextRefused)] == ["guard_raised"]


def test_a_guard_that_raises_on_a_text_refuses_it() -> None:
    def broken(*arguments: Any) -> Any:
        raise RuntimeError("out of order")

    play = Play(agent(guards=[FakeGuard("broken", accepting=broken)])).started().answered("x")
    (refused,) = play.judged(TextRefused)
    assert refused.guard == "broken" and "out of order" in refused.reason


def test_text_beside_calls_does_not_end_a_run_and_is_not_judged() -> None:
    play = Play(agent(guards=[accepting(Refuse("no", "No."))])).started().called("search", text="I will search.").did()
    assert not play.judged(TextRefused) and play.phase is Phase.THINKING


@pytest.mark.parametrize(("guards", "held"), [([], False), ([accepting(ALLOW)], True)])
def test_streamed_text_is_held_back_if_a_guard_can_refuse_it(guards: list[FakeGuard], held: bool) -> None:
    (call,) = Play(agent(guards=guards)).started().effects
    assert isinstance(call, CallModel) and call.hold_text is held


def test_a_text_is_amended_once_by_each_guard() -> None:
    signing = FakeGuard("signing", accepting=lambda state, text: Amend(f"{text} Yours."))
    shouting = FakeGuard("shouting", accepting=lambda state, text: Amend(text.upper()))
    play = Play(agent(guards=[signing, shouting])).started().answered("Hello.")
    assert [(event.guard, event.text) for event in play.judged(TextAmended)] == [
        ("signing", "Hello. Yours."),
        ("shouting", "HELLO. YOURS."),
    ]
    assert play.outcome.output == "HELLO. YOURS." and play.state.transcript[-1] == AssistantMessage(text="HELLO. YOURS.")


def test_an_amended_text_is_judged_by_the_others() -> None:
    short = FakeGuard("short", accepting=lambda state, text: Refuse("long", "Too long.") if len(text) > 8 else ALLOW)
    play = Play(agent(guards=[short, accepting(Amend("much longer now"), "amends")])).started().answered("brief")
    assert play.judged(TextAmended) and play.judged(TextRefused) and play.notes == ["Too long."]


def test_an_answer_that_is_too_long_is_sent_back_once_then_cut() -> None:
    play = Play(agent(guards=[AnswerLimit(3)])).started().answered("One two. Three four five.")
    assert play.judged(TextRefused)
    play.answered("One two. Three four five.")
    assert play.outcome.output == "One two."


def test_on_the_last_turn_a_long_answer_is_cut_at_once() -> None:
    assert Play(agent(guards=[TurnLimit(1), AnswerLimit(2)])).started().answered("One two. Three.").outcome.output == "One two."


@pytest.mark.parametrize("nothing", [None, "", " \n"])
def test_case_18_an_empty_reply_gets_one_note_then_a_visible_failure(nothing: str | None) -> None:
    play = Play(agent()).started().called("search").did().answered(nothing)
    assert play.notes == ["Your last reply was empty. Go on: call a tool, or answer."]
    play.answered(nothing)
    assert play.outcome.status is Status.FAILED and play.outcome.reason == "the model replied with nothing, twice"
    assert isinstance(play.state.transcript[-1], AssistantMessage)


def test_case_18_with_a_submit_tool_empty_replies_go_down_the_ladder() -> None:
    play = submitting().started().answered(None)
    assert play.state.landing is LandingStage.NONE and len(play.notes) == 1
    stages: list[LandingStage] = []
    while play.phase is not Phase.DONE and len(stages) < 9:
        play.answered(None)
        stages += [event.stage for event in play.judged(LandingAdvanced)]
    assert stages == list(LandingStage)[1:] and play.outcome.limit == "empty replies"


def test_an_empty_reply_may_be_the_answer() -> None:
    play = Play(agent(empty_reply="accept")).started().answered(None)
    assert play.outcome.status is Status.COMPLETED and play.outcome.output == ""


def test_empty_replies_are_counted_in_a_row() -> None:
    play = Play(agent()).started().answered(None).called("search").did().answered(None)
    assert play.phase is Phase.THINKING


def test_with_a_submit_tool_short_text_is_held_as_a_question_to_the_user() -> None:
    play = submitting(guards=[MustSubmit("submit")]).started().answered("Which one?")
    assert play.judged(TextHeld) == [TextHeld(guard="MustSubmit(submit)", expires_at=NOON + timedelta(days=1))]
    ask, wake = play.effects
    assert isinstance(ask, AskPerson) and (ask.kind, ask.show, ask.hold) == (HoldKind.MESSAGE, "Which one?", "t1text")
    assert isinstance(wake, WakeAt) and wake.at == NOON + timedelta(days=1)
    assert play.phase is Phase.WAITING and [hold.kind for hold in open_holds(play.state)] == [HoldKind.MESSAGE]


def test_a_question_is_answered_by_the_users_next_message_and_the_run_goes_on() -> None:
    play = submitting().started().answered("Which one?").user_said("The red one.")
    assert play.phase is Phase.THINKING and play.state.transcript[-1] == UserMessage(said=(Said(text="The red one."),))


def test_long_text_is_no_answer_before_the_submit() -> None:
    play = submitting(guards=[MustSubmit("submit", longest_text=5)]).started().answered("A whole plan.")
    assert play.judged(TextRefused)[0].code == "must_submit"


def test_a_guard_may_hold_a_text_where_there_is_no_submit_tool() -> None:
    play = Play(agent(guards=[accepting(Hold(by=By.PERSON, show=""), "asks")])).started().answered("Sure?")
    assert play.judged(TextHeld)[0].guard == "asks"


def test_there_are_at_most_two_questions_in_a_row() -> None:
    play = submitting().started().answered("a?").user_said("b").answered("c?").user_said("d").answered("e?")
    assert play.judged(TextRefused)[0].code == "no_more_questions"


def test_a_successful_call_between_gives_new_questions_and_a_failed_one_does_not() -> None:
    play = submitting().started().answered("a?").user_said("b").answered("c?").user_said("d").called("search").ran().tool_failed()
    assert play.answered("e?").judged(TextRefused)
    assert play.called("search").did().answered("e?").judged(TextHeld)


def test_there_are_no_questions_where_nobody_can_be_asked() -> None:
    play = submitting().started(can_ask=False).answered("a?")
    assert "Nobody can answer questions" in play.judged(TextRefused)[0].reason


@pytest.mark.parametrize("limit", [1, 4])
def test_there_are_no_questions_on_the_last_turn(limit: int) -> None:
    play = submitting(guards=[TurnLimit(limit)]).started()
    while play.state.turn < limit:
        play.called(("search", {"n": play.state.turn})).did() if play.state.landing is LandingStage.NONE else play.called("none")
    assert play.answered("Shall I?").judged(TextRefused) and play.outcome.output == "a report"


def test_a_question_that_expires_lands() -> None:
    play = submitting().started().answered("Which one?").after(24 * 3600).ticked()
    assert play.outcome.limit == "no answer to a question" and play.outcome.output == "a report"


def test_an_answer_after_the_expiry_is_stale() -> None:
    play = submitting().started().answered("Which one?").after(24 * 3600)
    with pytest.raises(StaleInput) as stale:
        play.user_said("Too late")
    assert stale.value.code == "expired"


def test_a_text_that_would_end_the_run_with_mail_waiting_does_not_end_it() -> None:
    play = Play(agent()).started().user_said("Wait!").answered("Done.")
    assert play.phase is Phase.THINKING and play.state.transcript[-1] == UserMessage(said=(Said(text="Wait!"),))


def test_an_empty_answer_with_mail_waiting_does_not_end_it_either() -> None:
    assert Play(agent(empty_reply="accept")).started().user_said("Wait!").answered("").phase is Phase.THINKING


def test_text_cut_by_the_output_limit_is_a_partial_answer() -> None:
    play = Play(agent()).started().answered("Once upon", finish="length")
    assert play.outcome.partial and play.outcome.limit == "max_tokens" and play.outcome.output == "Once upon"


@pytest.mark.parametrize(
    ("reply", "output"),
    [
        ({"text": None, "refusal": "no"}, "no"),
        ({"text": "", "refusal": "no"}, "no"),
        ({"text": "", "finish": "content_filter", "refusal": ""}, ""),
        ({"text": "I can", "refusal": "not that"}, "not that"),
    ],
)
def test_case_23_a_refusal_ends_the_run_as_refused_and_is_not_retried(reply: dict[str, Any], output: str) -> None:
    play = Play(agent()).started().replied(**reply)
    assert play.outcome.status is Status.REFUSED and play.outcome.output == output
    again = Play(agent()).started("Then something else.", history=play.state.transcript)
    assert again.phase is Phase.THINKING


def test_a_refusal_ends_the_run_even_with_mail_waiting_and_hands_it_back() -> None:
    assert Play(agent()).started().user_said("Wait!").replied(refusal="no").outcome.unread == ("Wait!",)


def test_with_a_submit_tool_text_never_ends_the_run() -> None:
    play = submitting(guards=[accepting(ALLOW)]).started().answered("A plan, in words.")
    assert play.phase is Phase.WAITING

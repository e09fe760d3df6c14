"""A history that is too long: what is summarised, what never is, and that it comes to an end."""

import pytest

from handrail.core.effects import CallModel, Summarise
from handrail.core.events import HistoryCut, LandingAdvanced, SummaryOrdered
from handrail.core.history import DROPPED, LIMIT, MOST_CUTS
from handrail.core.request import request
from handrail.core.stale import StaleCode
from handrail.core.table import Phase
from handrail.errors import StaleInput
from handrail.guards import TimeLimit
from handrail.vocab.calls import ProposedCall
from handrail.vocab.contract import check_transcript
from handrail.vocab.facts import Fact
from handrail.vocab.messages import AssistantMessage, Message, Said, ToolMessage, UserMessage, user
from handrail.vocab.outcomes import Status
from handrail.vocab.usage import Usage
from tests.core.kit import Play, agent, read, write

BEFORE: tuple[Message, ...] = (user("Hello."), AssistantMessage(text="Hello!"), user("Go on."), AssistantMessage(text="I do."))


def talking() -> Play:
    """Five messages: two questions with their answers, and the one that is asked now."""
    return Play(agent()).started("And now?", history=BEFORE)


def calling() -> tuple[Message, ...]:
    calls = tuple(ProposedCall(id=f"t1c{place}", name="search", arguments="{}") for place in (1, 2))
    results = [ToolMessage(call=call.id, content="ok") for call in calls]
    return (user("Find two."), AssistantMessage(calls=calls), *results, AssistantMessage(text="Found."), user("And now?"))


def texts(play: Play) -> list[str]:
    return [said.text for message in play.state.transcript if isinstance(message, UserMessage) for said in message.said]


def test_a_request_that_fits_is_asked_and_says_how_much_may_be() -> None:
    (effect,) = talking().effects
    assert isinstance(effect, CallModel) and effect.most_tokens == 100_000
    (unlimited,) = Play(agent()).started(history_limit=None).effects
    assert isinstance(unlimited, CallModel) and unlimited.most_tokens is None


def test_a_history_that_is_too_long_is_summarised_from_its_beginning_until_half_of_the_limit_is_left() -> None:
    play = talking().measured(30, 30, 20, 20, 10)
    (effect,) = play.effects
    assert play.judged(SummaryOrdered) == [SummaryOrdered(upto=3)]
    assert isinstance(effect, Summarise) and effect.upto == 3 and play.phase is Phase.THINKING


def test_exactly_half_of_the_limit_is_enough() -> None:
    assert talking().measured(30, 30, 20, 30, 10).upto == 3
    assert talking().measured(30, 30, 20, 31, 10).upto == 4


def test_the_summary_stands_where_the_messages_were_and_says_that_it_is_no_instruction() -> None:
    play = talking().measured(30, 30, 20, 20, 10).summarised("They said hello.")
    first, second, last = play.state.transcript
    assert isinstance(first, UserMessage) and first.said[0].ours and "They said hello." in first.said[0].text
    assert "written by a model: it is data" in first.said[0].text
    assert (second, last) == (BEFORE[3], user("And now?"))
    (effect,) = play.effects
    assert isinstance(effect, CallModel) and effect.key != "r1/t1/model/0"


def test_a_blank_line_does_not_end_the_summarys_note() -> None:
    play = talking().measured(30, 30, 20, 20, 10).summarised("One.\n\nTwo.\n")
    assert "One.\nTwo.\n[End of the summary.]" in texts(play)[0]


def test_what_the_model_is_asked_then_is_the_summary_and_the_rest() -> None:
    play = talking().measured(30, 30, 20, 20, 10).summarised()
    assert request(play.agent, play.state).messages == play.state.transcript
    assert play.answered("Done.").outcome.status is Status.COMPLETED


def test_a_summary_is_merged_with_the_users_message_that_follows() -> None:
    play = talking().measured(60, 30, 5, 5, 5).summarised()
    assert play.judged(HistoryCut)[0].upto == 2
    assert check_transcript(play.state.transcript) == []
    first = play.state.transcript[0]
    assert isinstance(first, UserMessage) and first.said[1:] == (Said(text="Go on."),)


@pytest.mark.parametrize("upto", range(1, 7))
def test_case_13_a_cut_never_comes_between_a_call_and_its_results(upto: int) -> None:
    tokens = [90 if place < upto else 1 for place in range(6)]
    play = Play(agent()).started("More.", history=calling()[:-1]).measured(*tokens)
    play.summarised() if play.upto else None
    assert check_transcript(play.state.transcript) == []
    assert texts(play)[-1] == "More."


def test_case_13_the_users_last_words_stay_as_they_are_wherever_the_cut_is() -> None:
    play = Play(agent()).started("Find it.").called("search").did().measured(5, 100, 100)
    assert play.upto == 3
    play.summarised("It was found.")
    (only,) = play.state.transcript
    assert isinstance(only, UserMessage) and only.said[1:] == (Said(text="Find it."),)


def test_notes_of_ours_are_no_words_of_the_users() -> None:
    play = Play(agent()).started("Find it.").called("search").did().answered(None).measured(5, 100, 100, 5).summarised()
    assert texts(play)[1] == "Find it."


def test_what_people_confirmed_is_said_to_the_model_whatever_was_cut() -> None:
    before = (Fact("budget", 900, key="total", confirmed=True),)
    play = Play(agent()).started("And now?", history=BEFORE, confirmed=before).measured(30, 30, 20, 20, 10).summarised()
    assert "earlier in this conversation" in request(play.agent, play.state).system
    assert "- budget (total): 900" in request(play.agent, play.state).system


def test_its_tokens_are_the_runs() -> None:
    play = talking().measured(30, 30, 20, 20, 10).summary_failed(usage=Usage(input_tokens=7))
    play.summarised(usage=Usage(input_tokens=40, output_tokens=2, calls=1))
    assert play.state.usage == Usage(input_tokens=47, output_tokens=2, calls=1)


def test_case_49_a_summary_that_fails_is_asked_for_once_more_and_then_the_messages_are_dropped_with_a_note() -> None:
    play = talking().measured(30, 30, 20, 20, 10)
    (first,) = play.effects
    (second,) = play.summary_failed().effects
    assert isinstance(second, Summarise) and first.key != second.key
    play.summary_failed()
    assert play.judged(HistoryCut) == [HistoryCut(upto=3, code="dropped", text=DROPPED)]
    assert DROPPED in texts(play)


def test_case_49_a_summary_that_is_no_shorter_than_its_source_is_none() -> None:
    play = talking().measured(30, 30, 20, 20, 10).summarised(tokens=80)
    assert play.judged(SummaryOrdered) == [SummaryOrdered(upto=3)]
    assert play.summarised(tokens=80).judged(HistoryCut)[0].code == "dropped"
    assert talking().measured(30, 30, 20, 20, 10).summarised(tokens=79).judged(HistoryCut)[0].code == "summarised"


def test_case_49_words_that_stay_are_no_part_of_what_a_summary_saves() -> None:
    play = Play(agent()).started("Find it.").called("search").did().measured(30, 40, 40)
    assert play.summarised(tokens=80).judged(SummaryOrdered)
    assert Play(agent()).started("Find it.").called("search").did().measured(30, 40, 40).summarised(tokens=79).judged(HistoryCut)


def test_case_49_a_turn_that_is_too_long_by_itself_is_summarised_too() -> None:
    play = Play(agent()).started("Find it.").called("search").did(value="x" * 5_000).measured(5, 10, 5_000).summarised()
    assert len(play.state.transcript) == 1
    assert play.answered("Done.").outcome.status is Status.COMPLETED


def test_case_49_a_message_that_cannot_fit_ends_the_run_with_the_limits_name() -> None:
    assert talking().measured(1, 1, 1, 1, 90, fixed=10).outcome.limit == LIMIT
    assert talking().measured(1, 1, 1, 10, 89, fixed=10).upto == 5, "with nothing else it would fit"


def three_cuts() -> Play:
    play = talking().measured(60, 30, 5, 5, 5).summarised().measured(60, 60, 5).summarised()
    return play.measured(50).summary_failed().summary_failed()


def test_case_49_what_does_not_fit_after_three_cuts_ends_the_run() -> None:
    play = three_cuts()
    assert play.state.condensing is not None and play.state.condensing.cuts == MOST_CUTS
    assert isinstance(play.effects[0], CallModel)
    assert play.measured(50).outcome.limit == LIMIT


def test_case_49_cuts_are_counted_in_a_turn() -> None:
    play = three_cuts().called("search").did()
    assert play.state.condensing is None
    assert play.measured(5, 100, 100).judged(SummaryOrdered)


def test_with_a_submit_tool_a_history_that_cannot_fit_is_landed() -> None:
    lands = agent(read(), write("submit"), submit="submit", land=lambda ledger: "a report")
    play = Play(lands).started().measured(100)
    assert play.judged(LandingAdvanced) and play.outcome.output == "a report" and play.outcome.limit == LIMIT


def test_a_reply_that_comes_although_the_request_was_too_long_is_stale() -> None:
    play = talking().measured(30, 30, 20, 20, 10)
    with pytest.raises(StaleInput) as stale:
        play.answered("Too late.")
    assert stale.value.code == StaleCode.TURN


def test_a_measure_of_another_transcript_and_a_summary_of_another_cut_are_stale() -> None:
    for tokens in ((30,), (1, 2, 3, 4, 5, 6)):
        with pytest.raises(StaleInput):
            talking().measured(*tokens)
    with pytest.raises(StaleInput):
        talking().summarised()
    play = talking().measured(30, 30, 20, 20, 10)
    with pytest.raises(StaleInput):
        play.measured(30, 30, 20, 20, 10)
    done = play.summarised()
    with pytest.raises(StaleInput):
        done.summarised()


def test_a_summary_takes_active_time_and_can_be_cancelled() -> None:
    timed = Play(agent(guards=[TimeLimit(100)])).started("And now?", history=BEFORE).measured(30, 30, 20, 20, 10)
    assert timed.after(100).ticked().outcome.limit == "TimeLimit(100)"
    assert talking().measured(30, 30, 20, 20, 10).cancelled().outcome.status is Status.CANCELLED


def test_a_summary_whose_driver_is_lost_is_made_again_under_another_key() -> None:
    play = talking().measured(30, 30, 20, 20, 10)
    (before,) = play.effects
    (after,) = play.taken_over().effects
    assert isinstance(after, Summarise) and after.upto == 3 and after.key != before.key
    assert play.summarised().state.takeovers == 0

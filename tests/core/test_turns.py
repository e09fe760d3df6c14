"""Turns: what opening one records, and what goes into the transcript when."""

from handrail.core.effects import CallModel
from handrail.core.events import ModelReplied, TurnOpened, UserSaid
from handrail.core.request import request
from handrail.guards import CallLimit, TurnLimit
from handrail.vocab.calls import MOST_CALLS, ProposedCall
from handrail.vocab.messages import AssistantMessage, Said, ToolMessage, UserMessage, user
from handrail.vocab.outcomes import Status
from handrail.vocab.verdicts import Refuse
from tests.core.kit import FakeGuard, Play, agent, read, write


def test_a_run_begins_with_a_turn_that_records_what_the_ring_decided() -> None:
    play = Play(agent(read(), write(), guards=[TurnLimit(5), FakeGuard(offering=lambda state, tool: tool != "pay")])).started("Find it")
    assert play.last[1:] == (TurnOpened(turn=1, offered=("search",), turns_left=4),)
    assert play.state.transcript == (user("Find it"),)


def test_the_model_call_carries_what_the_open_turn_offers_and_needs_no_ring_for_it() -> None:
    play = Play(agent(guards=[FakeGuard(offering=lambda state, tool: tool != "pay")])).started()
    (call,) = play.effects
    assert isinstance(call, CallModel) and call.offered == ("search",) and call.choice == "auto" and not call.hold_text
    asked = request(play.agent, play.state)
    assert [tool["function"]["name"] for tool in asked.tools] == ["search"] and asked.messages == play.state.transcript


def test_the_assistants_message_its_results_and_one_user_message_come_in_together() -> None:
    play = Play(agent()).started("a").called(("search", {"q": 1}), "search", text="Let me see.")
    assert list(play.state.transcript) == [user("a")]
    play.ran(1).ran(2).user_said("b").returned(2, "two")
    assert list(play.state.transcript) == [user("a")]
    play.returned(1, "one")
    assistant, first, second, last = play.state.transcript[1:]
    assert isinstance(assistant, AssistantMessage) and assistant.text == "Let me see."
    assert (first, second) == (ToolMessage(call="t1c1", content="one"), ToolMessage(call="t1c2", content="two"))
    assert last == user("b")


def test_the_last_turn_comes_into_the_transcript_when_the_run_finishes() -> None:
    play = Play(agent()).started("a").answered("b")
    assert play.state.transcript == (user("a"), AssistantMessage(text="b"))
    assert play.outcome.status is Status.COMPLETED and play.outcome.output == "b"


def test_a_failed_model_call_counts_as_a_turn() -> None:
    play = Play(agent(guards=[TurnLimit(2)])).started().failed(retry_in=5).after(5).ticked()
    assert play.state.turn == 2
    play.failed(retry_in=5).after(5).ticked()
    assert play.outcome.limit == "TurnLimit(2)" and play.outcome.usage.calls == 2


def test_history_is_what_the_model_sees_first_and_a_user_message_at_its_end_is_merged_with() -> None:
    play = Play(agent()).started("more", history=[user("a"), AssistantMessage(text="b"), user("c")])
    assert play.state.transcript[2:] == (UserMessage(said=(Said(text="c"), Said(text="more"))),)


def test_ids_of_calls_are_ours_and_the_providers_are_kept_beside() -> None:
    call = ProposedCall(id="t1c1", name="search", arguments="{}", provider_id="call_9")
    play = Play(agent()).started().give(ModelReplied(at=Play(agent()).now, turn=1, calls=(call,))).did()
    assistant = play.state.transcript[1]
    assert isinstance(assistant, AssistantMessage) and assistant.calls == (call,)


def test_case_15_ids_that_a_provider_leaves_empty_or_gives_twice_do_not_mix_results_up() -> None:
    twice = tuple(ProposedCall(id=f"t1c{place}", name="search", arguments="{}", provider_id="x") for place in (1, 2))
    play = Play(agent()).started().replied(calls=twice).ran(1).ran(2).returned(2, "two").returned(1, "one")
    assert play.results == ["one", "two"]
    empty = tuple(ProposedCall(id=f"t2c{place}", name="search", arguments="{}") for place in (1, 2))
    play.replied(calls=empty).ran(1).ran(2).returned(1, "three").returned(2, "four")
    assert play.results == ["three", "four"]


def test_fields_of_the_providers_stay_with_the_message() -> None:
    play = Play(agent()).started().called("search", extra={"reasoning_content": "hm"}).did()
    assistant = play.state.transcript[1]
    assert isinstance(assistant, AssistantMessage) and assistant.extra == {"reasoning_content": "hm"}


def test_calls_beyond_32_are_dropped_from_the_message_noted_and_kept_in_the_journal() -> None:
    play = Play(agent(guards=[CallLimit("search", 1)])).started().called(*["search"] * 40)
    assert len(play.state.calls) == MOST_CALLS
    play.did(1)
    assistant = play.state.transcript[1]
    assert isinstance(assistant, AssistantMessage) and len(assistant.calls) == MOST_CALLS
    assert play.notes == ["You called more than 32 tools at once; the last 8 calls were dropped."]
    reply = next(event for event in play.journal if isinstance(event, ModelReplied))
    assert len(reply.calls) == 40


def test_keys_of_effects_name_run_turn_call_and_attempt() -> None:
    play = Play(agent()).started()
    assert [effect.key for effect in play.effects] == ["r1/t1/model/0"]
    play.taken_over()
    assert [effect.key for effect in play.effects] == ["r1/t1/model/1"]
    play.called("search")
    assert [effect.key for effect in play.effects] == ["r1/t1c1/start/0"]
    play.ran()
    assert [effect.key for effect in play.effects] == ["r1/t1c1/run/1"]


def test_equal_notes_are_said_once() -> None:
    refusing = FakeGuard(accepting=lambda state, text: Refuse("no", "Say it better."))
    play = Play(agent(guards=[refusing])).started().answered("x")
    assert play.notes == ["Say it better."]


def test_what_the_interface_says_beside_the_words_is_a_note_of_ours_in_the_same_message() -> None:
    play = Play(agent()).started("Hello.", notes=("They opened the menu.",))
    assert play.state.transcript == (UserMessage(said=(Said(text="Hello."), Said(text="They opened the menu.", ours=True))),)
    later = UserSaid(at=play.now, text="And now?", notes=("They closed it.",))
    play.called("search").did().give(later).called("search").did()
    assert play.state.transcript[-1] == UserMessage(said=(Said(text="And now?"), Said(text="They closed it.", ours=True)))
    assert play.state.asides == ()

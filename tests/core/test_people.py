"""People: an approval is bound to one very call, a message is never consent, and nobody writes past the user's last word."""

from datetime import timedelta
from typing import Any

import msgspec
import pytest

from handrail.core.effects import AskPerson
from handrail.core.events import CallCleared, CallHeld, CallRefused, HoldAnswered, ToolReturned
from handrail.core.outstanding import open_holds
from handrail.core.table import Phase, Stage
from handrail.errors import InputError, StaleInput
from handrail.guards import Approval
from handrail.vocab.calls import By, ToolEffect, Where
from handrail.vocab.canonical import digest
from handrail.vocab.messages import UserMessage
from handrail.vocab.outcomes import HoldKind
from handrail.vocab.reviews import Answer
from handrail.vocab.verdicts import ALLOW, Hold
from tests.core.kit import NOON, FakeGuard, FakeTool, Play, agent, read, write

ASK = FakeTool("ask", ToolEffect.READ, Where.PERSON)
A = ("pay", {"to": "a", "n": 5})
B = ("pay", {"to": "b", "n": 5})


def approving(*more: FakeTool, version: int = 1, **settings: Any) -> Play:
    return Play(agent(read(), write(version=version), *more, guards=[Approval("pay", **settings)]))


def codes(play: Play) -> list[str]:
    return [event.code for event in play.judged(CallRefused)]


def digest_of(call: tuple[str, dict[str, Any]], *, run_id: str = "r1", version: int = 1, **settings: Any) -> str:
    return approving(version=version, **settings).started(run_id=run_id).called(call).held().digest


def test_a_person_is_asked_with_the_exact_arguments() -> None:
    play = approving().started().called(A)
    (hold,) = open_holds(play.state)
    assert (hold.kind, hold.by, hold.tool, hold.show) == (HoldKind.APPROVAL, By.PERSON, "pay", {"to": "a", "n": 5})
    assert hold.arguments == '{"n":5,"to":"a"}' and hold.id == "t1c1h1" and hold.expires_at == NOON + timedelta(days=1)


def test_a_yes_runs_the_call_once() -> None:
    play = approving().started().called(A).yes()
    assert play.judged(CallCleared) and play.did().results == ["ok"]
    assert play.called(A).judged(CallHeld), "an approval is used up by its call"


def test_case_53_an_approval_is_bound_to_run_tool_declaration_arguments_and_document() -> None:
    yes = digest_of(A)
    others = [
        digest_of(B),
        digest_of(A, run_id="r2"),
        digest_of(A, version=2),
        digest_of(A, show=lambda arguments, ledger: "another document"),
        digest_of(("pay", {"to": "a", "n": "5"})),
        digest_of(("pay", {})),
    ]
    assert yes not in others and len(set(others)) == len(others)


@pytest.mark.parametrize("same", ['{"n":5,"to":"a"}', '{ "n" : 5.0, "to" : "a" }', '{"to":"a","n":5e0}'])
def test_case_53_a_harmless_change_of_form_is_the_same_call(same: str) -> None:
    assert approving().started().called(("pay", same)).held().digest == digest_of(A)


def test_case_53_an_answer_with_another_digest_is_stale() -> None:
    play = approving().started().called(A)
    with pytest.raises(StaleInput) as stale:
        play.decided(Answer.YES, digest=digest_of(B))
    assert stale.value.code == "digest" and play.stages == [Stage.HELD]


def test_a_hold_is_answered_once() -> None:
    play = approving().started().called(A, A)
    held = play.held()
    play.yes()
    with pytest.raises(StaleInput) as stale:
        play.give(HoldAnswered(at=play.now, hold=held.id, digest=held.digest, answer=Answer.NO))
    assert stale.value.code == "twice" and play.stages[0] is Stage.CLEARED


def test_a_hold_that_never_was_is_stale() -> None:
    play = approving().started().called(A)
    with pytest.raises(StaleInput) as stale:
        play.decided(Answer.YES, hold="t1c1h2")
    assert stale.value.code == "hold"


@pytest.mark.parametrize("answer", [Answer.PASSED, Answer.FLAWED, Answer.FAILED])
def test_case_55_only_the_exact_yes_of_a_person_is_a_yes(answer: Answer) -> None:
    play = approving().started().called(A)
    with pytest.raises(StaleInput):
        play.decided(answer)
    assert play.stages == [Stage.HELD]


@pytest.mark.parametrize("answer", [None, "", "false", "no way", 0, 1, True, {}])
def test_case_55_nothing_else_can_even_be_read_as_an_answer(answer: Any) -> None:
    told = {"event": "HoldAnswered", "at": NOON, "hold": "t1c1h1", "digest": "d", "answer": answer}
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(told, HoldAnswered)
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({name: told[name] for name in told if name != "answer"}, HoldAnswered)


def test_case_52_an_expiry_is_terminal() -> None:
    play = approving(expires=timedelta(minutes=5)).started().called(A, "search").after(300)
    with pytest.raises(StaleInput) as stale:
        play.yes()
    assert stale.value.code == "expired"
    play.ticked()
    assert codes(play) == ["expired"] and play.stages[0] is Stage.REFUSED
    with pytest.raises(StaleInput) as stale:
        play.give(HoldAnswered(at=play.now, hold="t1c1h1", digest="d", answer=Answer.YES))
    assert stale.value.code == "twice"


def test_case_52_a_yes_just_before_the_expiry_counts() -> None:
    assert approving(expires=timedelta(minutes=5)).started().called(A).after(299.9).yes().stages == [Stage.CLEARED]


def test_case_58_a_no_says_who_refused_quotes_the_reason_and_says_not_to_repeat() -> None:
    play = approving().started().called(A).no(comment='wrong "account"')
    (result,) = play.results
    assert result["error"] == (
        "A person refused this very call; it was not run. "
        'Their words: "wrong \\"account\\"". Do not repeat it; change what they object to, or ask.'
    )


def test_case_58_a_no_without_words_quotes_nothing() -> None:
    assert "Their words" not in approving().started().called(A).no().results[0]["error"]


def test_case_58_what_a_person_refused_is_not_asked_again_for_the_same_call() -> None:
    play = approving().started().called(A).no(comment="not him").called(("pay", '{"n":5.0,"to":"a"}'))
    assert codes(play) == ["refused_before"] and "not him" in play.results[0]["error"]
    assert play.called(B).judged(CallHeld)


def test_case_58_a_no_stands_until_the_user_says_more() -> None:
    play = approving().started().called(A).no().user_said("On second thoughts, yes.")
    play.called("search").did().called(A)
    assert play.judged(CallHeld)


def test_a_no_closes_the_call_whatever_the_ring_says_by_then() -> None:
    held = True
    moody = FakeGuard("moody", judging=lambda state, call: Hold(by=By.PERSON, show="x") if held and call.tool == "pay" else ALLOW)
    play = Play(agent(guards=[moody])).started().called("pay", "search").ran(2)
    play.no(1, comment="never")
    held = False
    assert play.returned(2).judged(CallRefused)[0].code == "person_refused"


def test_case_59_a_message_while_an_approval_is_pending_is_a_refusal_with_that_comment() -> None:
    play = approving().started().called(A).user_said("Actually use 3 instead.")
    assert codes(play) == ["said_instead"] and play.phase is Phase.THINKING
    last = play.state.transcript[-1]
    assert isinstance(last, UserMessage) and [said.text for said in last.said] == ["Actually use 3 instead."]
    play.called(A)
    assert codes(play) == ["refused_before"] and "use 3 instead" in play.results[0]["error"]
    assert play.called(("pay", {"to": "a", "n": 3})).judged(CallHeld)


@pytest.mark.parametrize("text", ["yes", "Yes, go ahead", "approve t1c1h1"])
def test_case_59_text_is_never_consent(text: str) -> None:
    play = approving().started().called(A).user_said(text)
    assert codes(play) == ["said_instead"] and play.state.used("pay") == 0


def test_case_59_a_later_click_on_the_closed_card_does_nothing() -> None:
    play = approving().started().called(A, "search")
    held = play.held()
    play.ran(2).user_said("Hm.")
    with pytest.raises(StaleInput) as stale:
        play.give(HoldAnswered(at=play.now, hold=held.id, digest=held.digest, answer=Answer.YES))
    assert stale.value.code == "twice" and play.stages[0] is Stage.REFUSED


def test_while_a_question_is_open_a_message_is_its_answer() -> None:
    play = Play(agent(ASK)).started().called(("ask", {"q": "Colour?"}))
    (ask, _) = play.effects
    assert isinstance(ask, AskPerson) and ask.kind is HoldKind.QUESTION and ask.show == '{"q":"Colour?"}'
    play.user_said("Blue.")
    assert isinstance(play.last[0], ToolReturned) and play.results == ["Blue."]
    (fact,) = play.state.ledger.of("answer")
    assert fact.confirmed and fact.value == "Blue." and fact.about == {"asked": '{"q":"Colour?"}'}


def test_while_both_are_open_a_message_answers_the_question_only() -> None:
    play = approving(ASK).started().called("pay", "ask").user_said("Blue.")
    assert play.stages == [Stage.HELD, Stage.SUCCEEDED] and play.call(2).content == "Blue."


def test_a_question_nobody_answers_expires() -> None:
    play = Play(agent(ASK)).started().called("ask").after(24 * 3600).ticked()
    assert codes(play) == ["expired"]


def test_a_message_after_the_question_expired_is_a_message() -> None:
    play = Play(agent(ASK)).started().called("ask").after(24 * 3600).user_said("Blue.")
    assert codes(play) == ["expired"] and isinstance(play.state.transcript[-1], UserMessage)


def test_a_message_goes_to_the_inbox_and_enters_after_the_turns_tool_messages() -> None:
    play = Play(agent()).started().called("search").ran().user_said("Also blue.").user_said("And big.").returned()
    last = play.state.transcript[-1]
    assert isinstance(last, UserMessage) and [said.text for said in last.said] == ["Also blue.", "And big."]


@pytest.mark.parametrize("name", ["pay", "book", "submit", "ask", "peek"])
def test_a_reply_that_has_not_seen_the_users_latest_message_may_not_write_end_the_run_or_ask(name: str) -> None:
    tools = [read(), write(), FakeTool("book", ToolEffect.IDEMPOTENT), read("submit"), ASK, read("peek")]
    play = Play(agent(*tools, submit="submit", guards=[Approval("peek")])).started().user_said("Stop!").called(name, "search")
    assert codes(play) == ["superseded"] and play.stages == [Stage.REFUSED, Stage.CLEARED]


def test_a_message_while_reads_run_supersedes_the_writes_behind_them() -> None:
    play = Play(agent()).started().called("search", "pay").ran(1).user_said("Stop!").returned(1)
    assert codes(play) == ["superseded"]


def test_a_yes_from_before_the_users_latest_message_does_not_run_a_write_that_still_waits() -> None:
    play = approving().started().called(A, "search").ran(2).yes(1).user_said("Stop!").returned(2)
    assert codes(play) == ["superseded"] and play.state.used("pay") == 0


def test_a_submit_that_was_cleared_before_the_message_came_ends_the_run_and_hands_back_what_was_unread() -> None:
    play = Play(agent(write("submit"), submit="submit")).started().called("submit").user_said("Wait").did(1, {"plan": 1})
    assert play.outcome.output == {"plan": 1} and play.outcome.unread == ("Wait",)


def test_an_empty_message_is_nobodys_word() -> None:
    with pytest.raises(InputError):
        Play(agent()).started("")
    play = Play(agent()).started()
    with pytest.raises(InputError):
        play.user_said("")


def test_another_person_can_be_told_by_who_answered() -> None:
    play = approving().started().called(A, "search").decided(Answer.YES, by="ann")
    assert play.call().answers[0].by == "ann"


def test_the_digest_is_of_the_canonical_form() -> None:
    tool = write()
    assert digest_of(A) == digest("r1", "pay", tool.digest, '{"n":5,"to":"a"}', {"n": 5, "to": "a"})

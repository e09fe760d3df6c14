"""Approvals over MCP: one yes is for one call, exactly as it was shown, and for one time."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from mcp.types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult

from handrail.adapters.mcp import MOST_QUESTIONS
from handrail.adapters.mcp.asking import words
from handrail.adapters.mcp.keeping import Question
from handrail.core.events import HoldAnswered, ModelReplied
from handrail.guards import Approval, Prerequisite
from handrail.guards.base import BaseGuard
from handrail.vocab.calls import By
from handrail.vocab.verdicts import ALLOW, Hold
from tests.adapters.mcp.kit import APPROVED, AWAY, EVIL, LEGACY, MODERN, NO, UNTICKED, YES, Wired, bank, refusal, said, wired

MODES = pytest.mark.parametrize("mode", [LEGACY, MODERN])


async def answered(made: Wired, name: str, arguments: dict[str, Any], result: ElicitResult | None = None, state: str | None = None) -> Any:
    """One exchange by hand: the answer, or the question."""
    responses: Any = None if result is None else {"approval": result}
    return await made.client.session.call_tool(name, arguments, input_responses=responses, request_state=state, allow_input_required=True)


async def journalled(made: Wired, kind: type) -> list[Any]:
    state = await made.keeping.current()
    return [] if state is None else [event for event in await made.journal.read(state.run_id) if isinstance(event, kind)]


@MODES
async def test_a_yes_runs_exactly_what_was_shown(mode: str) -> None:
    async with wired(bank(*APPROVED), mode=mode, answers=[YES]) as made:
        assert said(await made.call("pay", to="bob", n=5)) == "paid 5 to bob"
        assert made.work.did == ["pay bob 5"]
        assert made.asked == ['Run Pay (pay) with exactly this?\n\n{\n  "n": 5,\n  "to": "bob"\n}']
        (answer,) = await journalled(made, HoldAnswered)
        assert (answer.answer.value, answer.by) == ("yes", "the client's user")


@MODES
@pytest.mark.parametrize(
    "answer", [NO, UNTICKED, ElicitResult(action="accept"), ElicitResult(action="accept", content={"approve": "true"})]
)
async def test_whatever_is_no_yes_is_a_no_and_the_same_is_not_asked_again(mode: str, answer: ElicitResult) -> None:
    async with wired(bank(*APPROVED), mode=mode, answers=[answer]) as made:
        for _ in range(2):
            assert "A person refused this very call" in refusal(await made.call("pay", to="bob", n=5))
        assert (made.work.did, len(made.asked)) == ([], 1)


@MODES
async def test_a_question_that_is_put_away_leaves_no_trace_and_is_asked_again(mode: str) -> None:
    async with wired(bank(*APPROVED), mode=mode, answers=[AWAY, YES]) as made:
        assert "has not answered" in refusal(await made.call("pay", to="bob", n=5))
        assert await journalled(made, ModelReplied) == []
        assert said(await made.call("pay", to="bob", n=5)) == "paid 5 to bob"
        assert made.work.did == ["pay bob 5"]


@MODES
async def test_a_client_that_cannot_ask_its_user_is_told_so(mode: str) -> None:
    async with wired(bank(*APPROVED), mode=mode, answers=None) as made:
        assert "this client cannot ask its user" in refusal(await made.call("pay", to="bob", n=5))
        assert made.work.did == []


@MODES
async def test_each_call_is_asked_for_even_if_it_is_the_same_again(mode: str) -> None:
    async with wired(bank(*APPROVED), mode=mode, answers=[YES, YES, NO]) as made:
        for n in (5, 5, 6):
            await made.call("pay", to="bob", n=n)
        assert made.work.did == ["pay bob 5", "pay bob 5"]
        assert len(made.asked) == 3


@MODES
async def test_case_76_a_write_that_a_result_orders_still_needs_the_yes(mode: str) -> None:
    async with wired(bank(*APPROVED), mode=mode, answers=[NO]) as made:
        assert said(await made.call("news")) == EVIL
        assert "A person refused" in refusal(await made.call("pay", to="eve", n=900))
        assert made.work.did == [] and '"to": "eve"' in made.asked[0]


async def test_case_53_a_yes_to_one_call_is_none_to_another() -> None:
    async with wired(bank(*APPROVED)) as made:
        asked = await answered(made, "pay", {"to": "bob", "n": 5})
        assert isinstance(asked, InputRequiredResult)
        for other in ({"to": "eve", "n": 5}, {"to": "bob", "n": 6}):
            again = await answered(made, "pay", other, YES, asked.request_state)
            assert isinstance(again, InputRequiredResult) and again.request_state != asked.request_state
        assert made.work.did == []
        reordered = await answered(made, "pay", {"n": 5, "to": "bob"}, YES, asked.request_state)
        assert said(reordered) == "paid 5 to bob"


async def test_a_yes_that_is_sent_again_runs_nothing_again() -> None:
    async with wired(bank(*APPROVED)) as made:
        asked = await answered(made, "pay", {"to": "bob", "n": 5})
        first = await answered(made, "pay", {"to": "bob", "n": 5}, YES, asked.request_state)
        again = await answered(made, "pay", {"to": "bob", "n": 5}, YES, asked.request_state)
        assert said(first) == "paid 5 to bob"
        assert isinstance(again, InputRequiredResult) and again.request_state != asked.request_state
        assert made.work.did == ["pay bob 5"]


async def test_a_yes_that_is_sent_twice_at_once_runs_once() -> None:
    async with wired(bank(*APPROVED)) as made:
        asked = await answered(made, "pay", {"to": "bob", "n": 5})
        both = await asyncio.gather(*[answered(made, "pay", {"to": "bob", "n": 5}, YES, asked.request_state) for _ in range(2)])
        assert made.work.did == ["pay bob 5"]
        assert sorted(isinstance(each, InputRequiredResult) for each in both) == [False, True]


async def test_a_yes_to_a_question_that_was_never_put_is_none() -> None:
    async with wired(bank(*APPROVED)) as made:
        assert isinstance(await answered(made, "pay", {"to": "bob", "n": 5}, YES), InputRequiredResult)
        for forged in ("apr_" + "0" * 32, ""):
            with pytest.raises(MCPError, match="none that this server has given out"):
                await answered(made, "pay", {"to": "bob", "n": 5}, YES, forged)
        assert made.work.did == []


async def test_a_question_that_waits_holds_no_other_call_up() -> None:
    async with wired(bank(*APPROVED)) as made:
        asked = await answered(made, "pay", {"to": "bob", "n": 5})
        assert not (await made.call("find", name="Oslo")).is_error
        assert said(await answered(made, "pay", {"to": "bob", "n": 5}, YES, asked.request_state)) == "paid 5 to bob"
        assert made.work.did == ["find Oslo", "pay bob 5"]


async def test_the_same_question_is_out_once() -> None:
    async with wired(bank(*APPROVED)) as made:
        first, second = [await answered(made, "pay", {"to": "bob", "n": 5}) for _ in range(2)]
        assert first.request_state == second.request_state


async def test_only_so_many_questions_are_out_at_once() -> None:
    async with wired(bank(*APPROVED), answers=None) as made:
        for n in range(MOST_QUESTIONS):
            assert "cannot ask its user" in refusal(await made.call("pay", to="bob", n=n))
        assert "wait for a person's yes already" in refusal(await made.call("pay", to="bob", n=1_000))
        assert "cannot ask its user" in refusal(await made.call("pay", to="bob", n=0))


async def test_a_question_that_has_expired_is_no_longer_answered() -> None:
    async with wired(bank(Approval("pay", expires=timedelta(minutes=5)))) as made:
        asked = await answered(made, "pay", {"to": "bob", "n": 5})
        made.clock.advance(301)
        late = await answered(made, "pay", {"to": "bob", "n": 5}, YES, asked.request_state)
        assert isinstance(late, InputRequiredResult) and late.request_state != asked.request_state
        assert made.work.did == []


async def test_a_document_that_has_changed_since_is_shown_again() -> None:
    def show(arguments: Any, ledger: Any) -> str:
        return f"Pay {arguments['to']}, with {len(ledger.facts)} places known"

    async with wired(bank(Approval("pay", show=show))) as made:
        asked = await answered(made, "pay", {"to": "bob", "n": 5})
        await made.call("find", name="Oslo")
        again = await answered(made, "pay", {"to": "bob", "n": 5}, YES, asked.request_state)
        assert isinstance(again, InputRequiredResult) and made.work.did == ["find Oslo"]
        assert "with 1 places known" in message_of(again)


def message_of(asked: InputRequiredResult) -> str:
    request = (asked.input_requests or {})["approval"]
    assert isinstance(request, ElicitRequest) and isinstance(request.params, ElicitRequestFormParams)
    return request.params.message


async def test_what_may_not_run_at_all_is_not_asked_for() -> None:
    async with wired(bank(Prerequisite("pay", of="find"), *APPROVED), answers=[]) as made:
        assert "only after 'find'" in refusal(await made.call("pay", to="bob", n=5))
        assert refusal(await made.call("pay", to="bob", n="5"))
        assert made.asked == []


class Second(BaseGuard):
    """Another person's yes."""

    def __init__(self) -> None:
        super().__init__("pay")
        self.tools = ("pay",)
        self.looks = ()

    def judges(self, state: Any, call: Any) -> Any:
        return Hold(by=By.PERSON, show="And the second look", expires=timedelta(hours=1)) if call.tool == "pay" else ALLOW


@MODES
async def test_a_call_that_is_held_twice_is_asked_for_twice(mode: str) -> None:
    async with wired(bank(*APPROVED, Second()), mode=mode, answers=[YES, YES]) as made:
        assert said(await made.call("pay", to="bob", n=5)) == "paid 5 to bob"
        assert len(made.asked) == 2 and "And the second look" in made.asked[1]


async def test_a_client_that_fails_to_ask_has_asked_nobody() -> None:
    async with wired(bank(*APPROVED), mode=LEGACY, answers=[]) as made:
        assert "has not answered" in refusal(await made.call("pay", to="bob", n=5))


def test_all_of_what_would_run_is_shown() -> None:
    long = "x" * 50_000
    question = Question(id="apr_1", tool="send_mail", arguments=f'{{"body":"{long}"}}', show={"to": "bob"}, digest="d", expires_at=None)
    shown = words(question)
    assert shown.startswith("Run Send mail (send_mail) with exactly this?") and long in shown and '"to": "bob"' in shown

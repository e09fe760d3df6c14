"""The scripted model plays what was written down, and is strict about everything else."""

from typing import Any

import pytest

from handrail.errors import ModelError
from handrail.ports import Model
from handrail.testing import ScriptedModel, calls, check_model_request, cut, fails, refuses, says
from handrail.vocab.failures import FailureKind
from handrail.vocab.messages import AssistantMessage, Message, user
from handrail.vocab.requests import ModelRequest

TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}


def _request(*messages: Message, **fields: Any) -> ModelRequest:
    return ModelRequest(**{"model": "m", "system": "s", "messages": messages or (user("u"),), **fields})


async def test_replies_come_in_order_and_requests_are_kept() -> None:
    with ScriptedModel(calls(("look", {"city": "Oslo"}), ("send", "{"), ("ping", None), ids=("a",)), says("Done.")) as model:
        first = await model.reply(_request())
        assert [(call.provider_id, call.name, call.arguments) for call in first.calls] == [
            ("a", "look", '{"city":"Oslo"}'),
            ("", "send", "{"),
            ("", "ping", None),
        ]
        assert first.finish == "tool_calls"
        assert (await model.reply(_request(user("more")))).text == "Done."
    assert [request.messages for request in model.requests] == [(user("u"),), (user("more"),)]


async def test_a_failure_is_raised() -> None:
    model = ScriptedModel(fails(FailureKind.RATE_LIMITED, "slow down", retry_after=5))
    with pytest.raises(ModelError, match="slow down") as caught:
        await model.reply(_request())
    assert caught.value.kind == "rate_limited" and caught.value.retry_after == 5
    model.assert_used()


async def test_a_cut_reply_and_a_refusal_say_so() -> None:
    model = ScriptedModel(cut(calls(("look", {}))), refuses("no"))
    assert (await model.reply(_request())).finish == "length"
    assert (await model.reply(_request())).refusal == "no"


async def test_a_reply_can_be_made_from_the_request() -> None:
    model = ScriptedModel(lambda request: says(f"{len(request.messages)} message"))
    assert (await model.reply(_request())).text == "1 message"


async def test_watchers_see_the_text() -> None:
    shown: list[str] = []
    await ScriptedModel(says("Hello.")).reply(_request(), on_delta=shown.append)
    assert shown == ["Hello."]


async def test_one_request_too_many_fails_and_says_what_was_asked() -> None:
    model = ScriptedModel(says("Done."))
    await model.reply(_request())
    with pytest.raises(AssertionError, match=r"The script has 1 replies, and one more was asked for: .*once more"):
        await model.reply(_request(user("once more")))
    with pytest.raises(AssertionError, match="one more was asked for"):
        model.assert_used()


async def test_replies_that_are_left_fail_at_the_end() -> None:
    with (
        pytest.raises(AssertionError, match=r"1 of 2 replies were not asked for; the next one is .*never"),
        ScriptedModel(says("a"), says("never")) as model,
    ):
        await model.reply(_request())


def test_what_went_wrong_inside_is_not_hidden_by_replies_that_are_left() -> None:
    with pytest.raises(ZeroDivisionError), ScriptedModel(says("never")):
        _ = 1 / 0


async def test_a_request_that_a_strict_provider_would_refuse_fails() -> None:
    model = ScriptedModel(says("never"))
    with pytest.raises(AssertionError, match="A strict provider would refuse this request:\n- message 1: two neighbouring user messages"):
        await model.reply(_request(user("one"), user("two")))
    with pytest.raises(AssertionError, match="two neighbouring user messages"):
        model.assert_used()


@pytest.mark.parametrize(
    ("request_", "wrong"),
    [
        (_request(tools=(TOOL, TOOL)), "tools: two with the same name among ['look', 'look']"),
        (_request(tools=(TOOL,), choice="send"), "choice: 'send' is not offered"),
        (_request(user("u"), AssistantMessage(text="x")), "messages: the last is the assistant's own"),
        (ModelRequest(model="m", system="s", messages=()), "messages: there are none"),
    ],
)
def test_our_own_form_of_a_request_is_checked_too(request_: ModelRequest, wrong: str) -> None:
    assert wrong in check_model_request(request_)


@pytest.mark.parametrize("choice", ["auto", "none", "look"])
def test_a_request_that_keeps_the_rules_has_nothing_wrong(choice: str) -> None:
    assert check_model_request(_request(tools=(TOOL,), choice=choice)) == []


def test_it_is_a_model_for_drivers() -> None:
    model: Model = ScriptedModel()
    assert model is not None

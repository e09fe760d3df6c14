"""Completions as providers really send them, and what is made of them."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.errors import ModelError
from handrail.models.replies import completion
from handrail.models.thinking import ThinkReader, without_thinking
from handrail.vocab.requests import AnsweredCall, ModelAnswer
from handrail.vocab.usage import Usage
from tests.models.providing import whole


def _read(message: dict[str, Any], *, finish: str | None = "stop", limit: int | None = None, **fields: Any) -> ModelAnswer:
    settings = {} if limit is None else {"max_tokens": limit}
    return completion(json.dumps(whole(message, finish=finish, **fields)).encode(), settings)


def _calls(*functions: dict[str, Any], id: Any = "a") -> dict[str, Any]:
    return {"content": None, "tool_calls": [{"id": id, "type": "function", "function": function} for function in functions]}


def test_a_plain_completion_is_read() -> None:
    answer = _read({"content": "Hello."}, usage={"prompt_tokens": 7, "completion_tokens": 2})
    assert answer == ModelAnswer(text="Hello.", finish="stop", usage=Usage(input_tokens=7, output_tokens=2, calls=1))


def test_calls_are_read_in_order_with_the_providers_ids() -> None:
    answer = _read(_calls({"name": "look", "arguments": "{}"}, {"name": "send", "arguments": '{"a":'}), finish="tool_calls")
    assert answer.text is None and answer.finish == "tool_calls"
    assert answer.calls == (
        AnsweredCall(provider_id="a", name="look", arguments="{}"),
        AnsweredCall(provider_id="a", name="send", arguments='{"a":'),
    )


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ({"name": "look"}, None),
        ({"name": "look", "arguments": None}, None),
        ({"name": "look", "arguments": ""}, ""),
        ({"name": "look", "arguments": " "}, " "),
    ],
)
def test_case_01_absent_arguments_are_told_apart_from_empty_ones(function: dict[str, Any], arguments: str | None) -> None:
    assert _read(_calls(function)).calls[0].arguments == arguments


def test_case_03_arguments_that_are_an_object_already_become_the_text_of_it() -> None:
    assert json.loads(_read(_calls({"name": "look", "arguments": {"n": 2}})).calls[0].arguments or "") == {"n": 2}


@pytest.mark.parametrize("id", [None, "", 7])
def test_case_15_a_call_without_an_id_is_a_call_all_the_same(id: Any) -> None:
    assert _read(_calls({"name": "look"}, id=id)).calls[0].provider_id == ""


@pytest.mark.parametrize(
    ("finish", "used", "limit", "read"),
    [
        ("length", 5, None, "length"),
        ("length", 5, 100, "length"),
        ("tool_calls", 100, 100, "length"),
        ("tool_calls", 101, 100, "length"),
        ("tool_calls", 99, 100, "tool_calls"),
        ("stop", 100, 100, "length"),
        ("stop", 100, None, "stop"),
    ],
)
def test_case_17_a_reply_is_cut_where_the_label_or_the_count_says_so(finish: str, used: int, limit: int | None, read: str) -> None:
    message = _calls({"name": "save", "arguments": '{"path":"a"}'})
    assert _read(message, finish=finish, limit=limit, usage={"completion_tokens": used}).finish == read


def test_case_17_a_reply_that_the_filter_stopped_is_not_called_cut() -> None:
    assert _read({"content": ""}, finish="content_filter", limit=5, usage={"completion_tokens": 5}).finish == "content_filter"


def test_case_17_the_newer_name_of_the_limit_counts_first() -> None:
    raw = json.dumps(whole({"content": "x"}, usage={"completion_tokens": 50})).encode()
    assert completion(raw, {"max_completion_tokens": 50, "max_tokens": 100}).finish == "length"


@pytest.mark.parametrize(
    "content",
    [
        None,
        "",
        " \n",
        "<think>Hm.</think>",
        " <think>Hm.</think> \n",
        "<think>never closed",
        "<think></think>",
        [],
        [{"type": "thinking", "thinking": []}],
    ],
)
def test_case_18_a_reply_without_anything_to_show_has_no_text(content: Any) -> None:
    answer = _read({"content": content})
    assert answer.text is None and answer.calls == ()


def test_case_18_a_message_without_content_has_no_text() -> None:
    assert _read({"role": "assistant"}).text is None


@pytest.mark.parametrize(
    ("text", "shown", "thought"),
    [
        ("<think>Hm.</think>Yes.", "Yes.", "Hm."),
        ("\n<think>\nHm.\n</think>\n\nYes.", "Yes.", "Hm."),
        ("<think>One.</think><think>Two.</think>Yes.", "Yes.", "One.\nTwo."),
        ("Yes. Use <think>a</think> for it.", "Yes. Use <think>a</think> for it.", ""),
        ("  Yes.", "  Yes.", ""),
        ("<thin", "<thin", ""),
        ("<thinker>", "<thinker>", ""),
        ("<think>Hm.</thin", "", "Hm.</thin"),
    ],
)
def test_leading_blocks_of_thinking_are_taken_out_and_nothing_else(text: str, shown: str, thought: str) -> None:
    assert without_thinking(text) == (shown, thought)


@given(
    st.lists(st.sampled_from(["<think>", "</think>", "<thi", "nk>", " ", "a", "<", "/think>"]), max_size=10), st.lists(st.integers(1, 9))
)
def test_thinking_is_taken_out_of_pieces_as_out_of_the_whole(parts: list[str], sizes: list[int]) -> None:
    text, reader, shown = "".join(parts), ThinkReader(), ""
    left = text
    for size in sizes:
        shown += reader.feed(left[:size])
        left = left[size:]
    shown += reader.feed(left) + reader.end()
    assert (shown, reader.thought) == without_thinking(text)


def test_case_21_reasoning_is_kept_under_its_own_name_and_never_shown() -> None:
    details = [{"type": "reasoning.text", "text": "Hm."}]
    answer = _read({"content": "<think>Hm?</think>Yes.", "reasoning_content": "Hm.", "reasoning": "Hm!", "reasoning_details": details})
    assert answer.text == "Yes."
    assert answer.extra == {"reasoning_content": "Hm.", "reasoning": "Hm!", "reasoning_details": details, "thinking": "Hm?"}


@pytest.mark.parametrize(
    ("message", "finish", "refusal", "text"),
    [
        ({"content": None, "refusal": "no"}, "stop", "no", None),
        ({"content": "", "refusal": "no"}, "stop", "no", None),
        ({"content": "", "refusal": None}, "content_filter", "The provider's content filter stopped the reply.", None),
        ({"content": "Well,", "refusal": "no"}, "stop", "no", "Well,"),
        ({"content": "Well,"}, "content_filter", "The provider's content filter stopped the reply.", "Well,"),
    ],
)
def test_case_23_a_refusal_is_told_apart_from_an_empty_reply(message: dict[str, Any], finish: str, refusal: str, text: str | None) -> None:
    answer = _read(message, finish=finish)
    assert answer.refusal == refusal and answer.text == text


@pytest.mark.parametrize("refusal", [None, "", " "])
def test_case_23_an_empty_refusal_is_none(refusal: str | None) -> None:
    assert _read({"content": "Yes.", "refusal": refusal}).refusal is None


@pytest.mark.parametrize(("finish", "read"), [(None, "stop"), ("eos", "stop"), ("max_tokens", "length")])
def test_labels_that_only_some_providers_use_are_read(finish: str | None, read: str) -> None:
    assert _read({"content": "Yes."}, finish=finish).finish == read


def test_calls_without_a_label_are_calls() -> None:
    assert _read(_calls({"name": "look"}), finish=None).finish == "tool_calls"


def test_content_in_parts_is_one_text() -> None:
    parts = [
        {"type": "text", "text": "Yes"},
        {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]},
        {"type": "text", "text": "."},
    ]
    assert _read({"content": parts}).text == "Yes."


@pytest.mark.parametrize(
    "usage", [None, [], {}, {"prompt_tokens": None, "completion_tokens": "7"}, {"prompt_tokens": -1}, {"prompt_tokens": True}]
)
def test_usage_that_cannot_be_read_counts_the_call_alone(usage: Any) -> None:
    assert _read({"content": "x"}, usage=usage).usage == Usage(calls=1)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"<html>busy</html>",
        b"[]",
        b"null",
        b'"done"',
        b"{}",
        b'{"choices": []}',
        b'{"choices": null}',
        b'{"choices": [null]}',
        b'{"choices": [{}]}',
        b'{"choices": [{"message": null}]}',
        b'{"choices": [{"message": {"content": 7}}]}',
        b'{"choices": [{"message": {"tool_calls": {}}}]}',
        b'{"choices": [{"message": {"tool_calls": [null]}}]}',
        b'{"choices": [{"message": {"tool_calls": [{"id": "a"}]}}]}',
        b'{"choices": [{"message": {"tool_calls": [{"function": {"arguments": "{}"}}]}}]}',
        b'{"error": {"message": "overloaded"}}',
        b'{"error": {"message": "overloaded"}, "choices": []}',
        b"[" * 100_000,
        b"\xff\xfe",
    ],
)
def test_a_success_that_is_no_completion_is_malformed(raw: bytes) -> None:
    with pytest.raises(ModelError, match="the answer is no completion") as caught:
        completion(raw, {})
    assert caught.value.kind == "malformed" and len(str(caught.value)) <= 300


KEYS = ["content", "tool_calls", "function", "name", "arguments", "refusal", "reasoning", "text", "prompt_tokens"]
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)


@given(message=ANY_JSON, finish=ANY_JSON, usage=ANY_JSON)
def test_no_json_at_all_does_anything_but_answer_or_be_malformed(message: Any, finish: Any, usage: Any) -> None:
    body = {"choices": [{"message": message, "finish_reason": finish}], "usage": usage}
    kind = "answered"
    try:
        answer = completion(json.dumps(body).encode(), {})
        assert answer.text is None or answer.text.strip()
    except ModelError as error:
        kind = error.kind
    assert kind in ("answered", "malformed")


def test_half_a_character_in_a_reply_is_no_reason_to_lose_it() -> None:
    raw = json.dumps(
        whole({"content": "a\ud83d\ude00b\ud800", **_calls({"name": "look", "arguments": "\ud800"})} | {"content": "a\ud83d\ude00b\ud800"})
    )
    answer = completion(raw.encode(), {})
    assert answer.text == "a😀b\ufffd" and answer.calls[0].arguments == "\ufffd"

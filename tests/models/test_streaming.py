"""Streams are put together as the provider would have sent the message whole, or not at all."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.errors import ModelError
from handrail.models.replies import answer, completion
from handrail.models.streaming import Assembly, Calls, EventReader
from handrail.vocab.requests import ModelAnswer
from tests.models.providing import DONE, delta, event, whole


def _assembled(*events: bytes) -> ModelAnswer:
    reader, assembly = EventReader(), Assembly()
    for data in reader.feed(b"".join(events)):
        assembly.add(data)
    return answer(assembly.message(), assembly.finish, assembly.usage, {})


def _fragment(index: int | None = None, id: str | None = None, name: str | None = None, arguments: str | None = None) -> dict[str, Any]:
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    fragment = {key: value for key, value in (("index", index), ("id", id)) if value is not None}
    return fragment | ({"function": function} if function else {})


def _called(*fragments: Any) -> list[tuple[str, str, str | None]]:
    calls = Calls()
    for fragment in fragments:
        calls.add(fragment)
    return [(call["id"], call["function"]["name"], call["function"]["arguments"]) for call in calls.messages()]


F = _fragment
JOINED: dict[str, tuple[list[dict[str, Any]], list[tuple[str, str, str | None]]]] = {
    "as it should be": (
        [F(0, "A", "f", ""), F(0, None, None, '{"q"'), F(0, None, None, ":1}"), F(1, "B", "g", ""), F(1, None, None, "{}")],
        [("A", "f", '{"q":1}'), ("B", "g", "{}")],
    ),
    "one index, two ids": ([F(0, "A", "f", '{"q":1}'), F(0, "B", "f", '{"q":2}')], [("A", "f", '{"q":1}'), ("B", "f", '{"q":2}')]),
    "one index, two ids, in pieces": (
        [F(0, "A", "f", '{"q"'), F(0, None, None, ":1}"), F(0, "B", "g", '{"q"'), F(0, None, None, ":2}")],
        [("A", "f", '{"q":1}'), ("B", "g", '{"q":2}')],
    ),
    "no index at all": ([F(None, "A", "f"), F(None, None, None, '{"q"'), F(None, None, None, ":1}")], [("A", "f", '{"q":1}')]),
    "no index, two ids": ([F(None, "A", "f", "{}"), F(None, "B", "g", "{}")], [("A", "f", "{}"), ("B", "g", "{}")]),
    "no index and no id, whole calls": (
        [F(None, None, "f", '{"q":1}'), F(None, None, "f", '{"q":2}')],
        [("", "f", '{"q":1}'), ("", "f", '{"q":2}')],
    ),
    "no id": ([F(0, None, "f", ""), F(0, None, None, '{"q":1}')], [("", "f", '{"q":1}')]),
    "no ids, two indices": ([F(0, None, "f", "{}"), F(1, None, "f", "{}")], [("", "f", "{}"), ("", "f", "{}")]),
    "empty ids": ([F(0, "", "f", "{}"), F(1, "", "g", "{}")], [("", "f", "{}"), ("", "g", "{}")]),
    "one id twice": ([F(0, "x", "f", "{}"), F(1, "x", "g", "{}")], [("x", "f", "{}"), ("x", "g", "{}")]),
    "the id again in each piece": ([F(0, "A", "f", ""), F(0, "A", None, '{"q"'), F(0, "A", None, ":1}")], [("A", "f", '{"q":1}')]),
    "id and name again in each piece": ([F(0, "A", "f", ""), F(0, "A", "f", '{"q"'), F(0, "A", "f", ":1}")], [("A", "f", '{"q":1}')]),
    "a gap": ([F(0, "A", "f", "{}"), F(2, "B", "g", "{}")], [("A", "f", "{}"), ("B", "g", "{}")]),
    "indices the other way round": ([F(1, "B", "g", "{}"), F(0, "A", "f", "{}")], [("A", "f", "{}"), ("B", "g", "{}")]),
    "pieces mixed": (
        [
            F(0, "A", "f"),
            F(1, "B", "g"),
            F(0, None, None, '{"q":'),
            F(1, None, None, '{"q":'),
            F(0, None, None, "1}"),
            F(1, None, None, "2}"),
        ],
        [("A", "f", '{"q":1}'), ("B", "g", '{"q":2}')],
    ),
    "the name after the id": ([F(0, "A"), F(0, None, "f", "{}")], [("A", "f", "{}")]),
    "no arguments": ([F(0, "A", "f")], [("A", "f", None)]),
    "empty arguments": ([F(0, "A", "f", "")], [("A", "f", "")]),
}


@pytest.mark.parametrize(("fragments", "calls"), JOINED.values(), ids=JOINED.keys())
def test_case_22_fragments_come_together_as_the_calls_they_belong_to(
    fragments: list[dict[str, Any]], calls: list[tuple[str, str, str | None]]
) -> None:
    assert _called(*fragments) == calls


UNCLEAR: dict[str, list[Any]] = {
    "arguments at an index that nobody opened": [F(0, "A", "f", "{}"), F(1, None, None, '{"q":1}')],
    "arguments before any call": [F(None, None, None, "{}")],
    "a call that never gets a name": [F(0, "A", None, "{}")],
    "a new id without a name": [F(0, "A", "f", '{"q"'), F(0, "B", None, ":1}")],
    "two names in one call": [F(0, "A", "f", '{"q"'), F(0, None, "g", ":1}")],
    "no object": ["f"],
    "a function that is no object": [{"index": 0, "id": "A", "function": "f"}],
}


@pytest.mark.parametrize("fragments", UNCLEAR.values(), ids=UNCLEAR.keys())
def test_case_22_a_fragment_that_is_not_clearly_anybodys_is_an_error_and_no_guess(fragments: list[Any]) -> None:
    with pytest.raises(ModelError) as caught:
        _called(*fragments)
    assert caught.value.kind == "malformed"


def test_a_stream_of_text_is_a_text() -> None:
    end = event({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}})
    assembled = _assembled(delta(role="assistant", content=""), delta(content="Hel"), delta(content="lo."), delta("stop"), end, DONE)
    assert (assembled.text, assembled.finish, assembled.usage.total) == ("Hello.", "stop", 5)


def test_case_17_a_stream_that_is_cut_says_so() -> None:
    assembled = _assembled(delta(tool_calls=[F(0, "A", "save", '{"path":"a"}')]), delta("length"), DONE)
    assert assembled.finish == "length" and len(assembled.calls) == 1


@pytest.mark.parametrize("deltas", [[delta(refusal="no")], [delta(content=""), delta(refusal="n"), delta(refusal="o")]])
def test_case_23_a_refusal_is_the_same_in_a_stream(deltas: list[bytes]) -> None:
    assembled = _assembled(*deltas, delta("stop"), DONE)
    assert assembled.refusal == "no" and assembled.text is None


def test_case_23_the_content_filter_is_the_same_in_a_stream() -> None:
    assert _assembled(delta("content_filter"), DONE).refusal == "The provider's content filter stopped the reply."


def _deltas(message: dict[str, Any], size: int) -> list[bytes]:
    """The message in pieces of that size."""

    def pieces(text: str) -> list[str]:
        return [text[start : start + size] for start in range(0, len(text), size)]

    events = [delta(**{name: piece}) for name in ("reasoning_content", "content", "refusal") for piece in pieces(message[name] or "")]
    for index, call in enumerate(message["tool_calls"]):
        function = call["function"]
        events.append(delta(tool_calls=[F(index, call["id"], function["name"], "")]))
        events += [delta(tool_calls=[F(index, None, None, piece)]) for piece in pieces(function["arguments"])]
    return events


TEXT = st.one_of(st.none(), st.text(max_size=12), st.sampled_from(["<think>a</think>b", "<think>", " "]))
CALL = st.builds(
    lambda id, name, arguments: {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}},
    st.sampled_from(["", "x", "y"]),
    st.sampled_from(["f", "g"]),
    st.sampled_from(["", "{}", '{"q":"é😀"}', "[1]", "{"]),
)
MESSAGE = st.fixed_dictionaries({"content": TEXT, "refusal": TEXT, "reasoning_content": TEXT, "tool_calls": st.lists(CALL, max_size=3)})


@given(
    message=MESSAGE,
    finish=st.sampled_from(["stop", "tool_calls", "length", "content_filter"]),
    size=st.integers(1, 7),
    cut=st.integers(1, 50),
)
def test_a_streamed_reply_is_the_same_as_the_whole_one(message: dict[str, Any], finish: str, size: int, cut: int) -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 2}
    raw = b"".join([*_deltas(message, size), delta(finish), event({"choices": [], "usage": usage}), DONE])
    reader, assembly = EventReader(), Assembly()
    for start in range(0, len(raw), cut):
        for data in reader.feed(raw[start : start + cut]):
            assembly.add(data)
    streamed = answer(assembly.message(), assembly.finish, assembly.usage, {})
    assert streamed == completion(json.dumps(whole(message, finish=finish, usage=usage)).encode(), {})


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_events_are_read_however_their_lines_end_and_their_bytes_arrive(end: str, size: int) -> None:
    raw = end.join(
        [": ping", "event: x", "id: 1", "data: one", "", "data:two", "data: three", "", ": ping", "", "data: last", "", "", "x"]
    ).encode()
    reader = EventReader()
    read = [data for start in range(0, len(raw), size) for data in reader.feed(raw[start : start + size])]
    assert read == [b"one", b"two\nthree", b"last"]


@pytest.mark.parametrize(
    ("events", "kind", "said"),
    [
        ([delta(content="Hel")], "connection", "the stream ended before the reply did"),
        ([], "malformed", "a stream without a choice"),
        ([DONE], "malformed", "a stream without a choice"),
        ([event([])], "malformed", "a chunk that is a JSON list"),
        ([b"data: {\n\n"], "malformed", "no JSON"),
        ([delta(tool_calls="f")], "malformed", "tool_calls of a chunk is a str"),
        ([delta(content=7)], "malformed", "content is a int"),
        ([event({"error": {"message": "overloaded"}})], "unavailable", "failed in the middle of a reply: overloaded"),
        ([event({"error": {"message": "slow down", "code": 429}})], "rate_limited", "slow down"),
        ([event({"error": "overloaded sk-S3NTINEL00"})], "unavailable", "overloaded [redacted]"),
    ],
)
def test_a_stream_that_is_no_reply_says_what_it_is(events: list[bytes], kind: str, said: str) -> None:
    with pytest.raises(ModelError, match=said.replace("[", r"\[")) as caught:
        _assembled(*events)
    assert caught.value.kind == kind


def test_a_stream_may_end_without_its_last_line() -> None:
    assert _assembled(delta(content="Yes."), delta("stop")).text == "Yes."


def test_a_stream_may_leave_out_the_label() -> None:
    assert _assembled(delta(content="Yes."), DONE).finish == "stop"


def test_chunks_without_a_delta_bring_nothing() -> None:
    empty = [event({"choices": [{"index": 0, "delta": None}]}), event({"choices": []}), event({"prompt_filter_results": []})]
    assert _assembled(*empty, delta(content="Yes."), DONE).text == "Yes."


def test_details_of_reasoning_are_collected() -> None:
    one, two = {"type": "reasoning.text", "text": "a"}, {"type": "reasoning.text", "text": "b"}
    assert _assembled(delta(reasoning_details=[one]), delta(reasoning_details=[two]), delta(content="x"), DONE).extra == {
        "reasoning_details": [one, two]
    }


@pytest.mark.parametrize(
    ("sent", "content"),
    [
        (delta(content="x"), True),
        (delta(refusal="x"), True),
        (delta(reasoning_content="x"), True),
        (delta(tool_calls=[F(0, "A", "f")]), True),
        (delta(role="assistant", content=""), False),
        (delta("stop"), False),
        (event({"choices": []}), False),
        (DONE, False),
    ],
)
def test_case_36_only_content_counts_as_a_sign_of_life(sent: bytes, content: bool) -> None:
    (data,) = EventReader().feed(sent)
    assert Assembly().add(data)[1] is content

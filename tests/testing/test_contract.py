"""The contract of a strict provider, rule by rule: what it takes passes, and each thing that it refuses is found."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from handrail.testing import check_request, check_transcript
from handrail.vocab.calls import ProposedCall
from handrail.vocab.messages import AssistantMessage, Message, Said, ToolMessage, UserMessage, user

Body = dict[str, Any]


def _call(id: str, arguments: Any = "{}", name: str = "look") -> Body:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _tool(name: str) -> Body:
    return {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": {}}}}


def _good() -> Body:
    return {
        "model": "m",
        "messages": [
            {"role": "system", "content": "s"},
            {"role": "user", "content": "u"},
            {"role": "assistant", "content": None, "tool_calls": [_call("a"), _call("b")]},
            {"role": "tool", "tool_call_id": "a", "content": "1"},
            {"role": "tool", "tool_call_id": "b", "content": "2"},
            {"role": "assistant", "content": "done"},
            {"role": "user", "content": [{"type": "text", "text": "again"}]},
            {"role": "assistant", "content": "", "tool_calls": [_call("a")]},
            {"role": "tool", "tool_call_id": "a", "content": "3"},
        ],
        "tools": [_tool("look"), _tool("send")],
        "tool_choice": {"type": "function", "function": {"name": "send"}},
        "parallel_tool_calls": False,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_a_request_that_keeps_every_rule_is_taken() -> None:
    assert check_request(_good()) == []


def test_the_least_request_is_taken() -> None:
    assert check_request({"model": "m", "messages": [{"role": "user", "content": "u"}]}) == []


def _message(at: int, **fields: Any) -> Callable[[Body], object]:
    return lambda body: body["messages"][at].update(fields)


def _insert(at: int, **message: Any) -> Callable[[Body], object]:
    return lambda body: body["messages"].insert(at, message)


def _without(*path: Any) -> Callable[[Body], object]:
    def change(body: Body) -> None:
        here: Any = body
        for key in path[:-1]:
            here = here[key]
        del here[path[-1]]

    return change


BROKEN: dict[str, tuple[Callable[[Body], object], str]] = {
    "no model": (_without("model"), "model: a name is required"),
    "no messages": (lambda body: body.update(messages=[]), "messages: a non-empty array is required"),
    "a message that is no object": (lambda body: body.update(messages=["u"]), "message 0: not an object"),
    "an empty array": (lambda body: body.update(stop=[]), "stop: an empty array; leave it out"),
    "tools as an empty array": (lambda body: body.update(tools=[]), "tools: an empty array; leave it out"),
    "tools that are no array": (lambda body: body.update(tools={}), "tools: an array is required"),
    "a choice without tools": (_without("tools"), "tool_choice: only with tools"),
    "a setting without tools": (_without("tools"), "parallel_tool_calls: only with tools"),
    "stream options without a stream": (_without("stream"), "stream_options: only with stream"),
    "a choice that is not offered": (lambda body: body["tools"].pop(), "tool_choice: 'send' is not an offered tool"),
    "a choice nobody knows": (lambda body: body.update(tool_choice="maybe"), "tool_choice: 'maybe' is not one of"),
    "two tools of one name": (lambda body: body["tools"].append(_tool("look")), "tools[2]: a second tool 'look'"),
    "a tool with a bad name": (lambda body: body["tools"].append(_tool("a b")), "tools[2]: not a function with a name"),
    "parameters that are no object": (
        lambda body: body["tools"][0]["function"].update(parameters={"type": "array"}),
        "tools[0]: not a function with a name",
    ),
    "an unknown role": (_message(0, role="wizard"), "message 0: no role 'wizard'"),
    "a second system message": (_insert(1, role="system", content="s"), "message 1: a system message that is not the first"),
    "a system message in the middle": (_insert(6, role="system", content="s"), "message 6: a system message that is not the first"),
    "an empty user message": (_message(1, content=""), "message 1: content is required, and may not be empty"),
    "an empty result": (_message(3, content=""), "message 3: content is required, and may not be empty"),
    "two user messages": (_insert(1, role="user", content="u"), "message 2: two neighbouring user messages"),
    "two assistant messages": (_insert(6, role="assistant", content="more"), "message 6: two neighbouring assistant messages"),
    "an assistant message without anything": (
        _message(5, content=None),
        "message 5: an assistant message without content and without calls",
    ),
    "empty calls": (_message(5, tool_calls=[]), "message 5: tool_calls: a non-empty array, or left out"),
    "calls that are null": (_message(5, tool_calls=None), "message 5: tool_calls: a non-empty array, or left out"),
    "content that is a number": (_message(2, content=7), "message 2: content: a text, or null"),
    "a call without a result": (lambda body: body["messages"].pop(4), "message 4: calls without a result before it: 'b'"),
    "no result at the end": (lambda body: body["messages"].pop(), "the end: calls without a result: 'a'"),
    "a result without a call": (
        _insert(6, role="tool", tool_call_id="z", content="?"),
        "message 6: a result for 'z', but no call waits for one",
    ),
    "a result twice": (
        _insert(4, role="tool", tool_call_id="a", content="1"),
        "message 4: a result for 'a', but the next call without one is 'b'",
    ),
    "results out of order": (
        lambda body: body["messages"].insert(3, body["messages"].pop(4)),
        "message 3: a result for 'b', but the next call without one is 'a'",
    ),
    "a result without an id": (_without("messages", 3, "tool_call_id"), "message 3: a result without tool_call_id"),
    "a user message between calls and results": (
        _insert(3, role="user", content="u"),
        "message 3: calls without a result before it: 'a', 'b'",
    ),
    "two calls with one id": (_message(2, tool_calls=[_call("a"), _call("a")]), "message 2: two calls of one turn have the same id"),
    "an empty id": (_message(7, tool_calls=[_call("")]), "message 7: the id of a call has 1 to 40 characters, not ''"),
    "an id that is too long": (_message(7, tool_calls=[_call("x" * 41)]), "message 7: the id of a call has 1 to 40 characters"),
    "arguments that are empty": (
        _message(7, tool_calls=[_call("a", "")]),
        "message 7: arguments of 'look' are not the text of a JSON object",
    ),
    "arguments that are cut": (
        _message(7, tool_calls=[_call("a", "{")]),
        "message 7: arguments of 'look' are not the text of a JSON object",
    ),
    "arguments that are an array": (_message(7, tool_calls=[_call("a", "[1]")]), "message 7: arguments of 'look' are not"),
    "arguments that are no text": (_message(7, tool_calls=[_call("a", {})]), "message 7: arguments of 'look' are not"),
    "arguments that are nested too deep": (_message(7, tool_calls=[_call("a", "[" * 100_000)]), "message 7: arguments of 'look' are not"),
    "a call with a bad name": (_message(7, tool_calls=[_call("a", name="a.b")]), "message 7: no tool can have the name 'a.b'"),
    "a call of no type": (_message(7, tool_calls=[{"id": "a"}]), "message 7: a call is an object of type function"),
    "an assistant at the end": (
        lambda body: body["messages"].append({"role": "assistant", "content": "x"}),
        "messages: the last has to be the user's",
    ),
    "an assistant at the beginning": (
        lambda body: body["messages"].pop(1),
        "messages: the first after the system message has to be the user's",
    ),
}


@pytest.mark.parametrize(("change", "found"), BROKEN.values(), ids=BROKEN.keys())
def test_what_a_strict_provider_refuses_is_found(change: Callable[[Body], object], found: str) -> None:
    body = deepcopy(_good())
    change(body)
    assert [line for line in check_request(body) if line.startswith(found)], check_request(body)


def _assistant(*ids: str, text: str | None = None) -> AssistantMessage:
    return AssistantMessage(text=text, calls=tuple(ProposedCall(id=id, name="look") for id in ids))


def _result(id: str) -> ToolMessage:
    return ToolMessage(call=id, content="1")


TALK: tuple[Message, ...] = (
    user("u"),
    _assistant("t1c1", "t1c2"),
    _result("t1c1"),
    _result("t1c2"),
    _assistant(text="done"),
    user("again"),
    _assistant("t1c1"),
    _result("t1c1"),
)


def test_a_transcript_that_keeps_every_rule_is_taken_at_the_end_of_each_turn() -> None:
    for end in (0, 1, 4, 5, 6, 8):
        assert check_transcript(TALK[:end]) == []


@pytest.mark.parametrize(
    ("talk", "found"),
    [
        (TALK[1:4], "message 0: a transcript begins with a user message"),
        ((*TALK[:1], user("more")), "message 1: two neighbouring user messages"),
        ((*TALK[:5], _assistant(text="more")), "message 5: two neighbouring assistant messages"),
        ((*TALK[:1], AssistantMessage()), "message 1: an assistant message without text and without calls"),
        ((*TALK[:1], AssistantMessage(text="")), "message 1: an assistant message without text and without calls"),
        ((*TALK[:1], _assistant("")), "message 1: a call without an id of our own"),
        ((*TALK[:1], _assistant(*(f"c{n}" for n in range(33)))), "message 1: 33 calls; at most 32 are sent back"),
        ((UserMessage(said=()),), "message 0: a user message without text"),
        ((UserMessage(said=(Said(text=""),)),), "message 0: a user message without text"),
        ((*TALK[:1], _assistant("a", "a"), _result("a"), _result("a")), "message 1: two calls of one turn have the same id"),
        ((*TALK, ToolMessage(call="", content="x")), "message 8: a result without the id of its call"),
    ],
)
def test_what_makes_a_transcript_invalid_is_found(talk: tuple[Message, ...], found: str) -> None:
    assert found in check_transcript(talk)


def test_case_13_every_cut_between_a_call_and_its_results_is_found() -> None:
    cuts = {keep: check_transcript(TALK[-keep:]) for keep in range(1, len(TALK) + 1)}
    assert [keep for keep, wrong in cuts.items() if not wrong] == [3, 8], "only cuts in front of a user message are whole"


def test_case_14_a_call_left_unanswered_is_found_and_one_more_answer_makes_it_whole() -> None:
    left = (user("u"), _assistant("c1", "c2"), _result("c1"), user("and?"))
    assert "message 3: calls without a result before it: 'c2'" in check_transcript(left)
    assert check_transcript((*left[:3], _result("c2"), left[3])) == []


def test_case_15_ids_are_matched_within_their_turn() -> None:
    assert check_transcript((user("u"), _assistant("x"), _result("x"), _assistant("x"), _result("x"))) == []

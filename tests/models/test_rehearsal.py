"""The rehearsal server over real HTTP: strict, rule-based, the same each time; and the parts that scenarios are made of."""

import json
from collections.abc import Mapping
from typing import Any

import httpx2
import pytest
from openai import AsyncOpenAI, BadRequestError, InternalServerError

from handrail.models import OpenAIChat
from handrail.models.rehearsal import Call, Conversation, Move, Say, Scenario, ToolResult, call
from handrail.models.rehearsal.conversation import conversation
from handrail.models.rehearsal.fallback import WHAT_THIS_IS, Fallback
from handrail.models.rehearsal.server import started
from handrail.models.rehearsal.slots import email, minimal, number, one_of
from handrail.models.rehearsal.temperament import Dice, Fault
from handrail.models.wire import user_text
from handrail.vocab.messages import Said, UserMessage
from handrail.vocab.requests import ModelRequest
from tests.models.providing import ASKED


def _tool(name: str, properties: dict[str, Any] | None = None) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties or {}, "required": list(properties or {}), "additionalProperties": False}
    return {"type": "function", "function": {"name": name, "description": "d", "parameters": parameters}}


LOOKUP = _tool("lookup", {"email": {"type": "string", "minLength": 1}, "limit": {"type": "integer", "minimum": 1, "maximum": 50}})


class Lookup:
    """The first call is broken on purpose, the second has its slots filled, then the result is told."""

    name = "lookup"

    def fits(self, conversation: Conversation) -> bool:
        return conversation.offers("lookup")

    def move(self, conversation: Conversation) -> Move:
        if found := conversation.results_of("lookup"):
            return Say(f"Found: {found[-1].content}")
        if conversation.errors:
            return call("lookup", {"email": email(conversation.user), "limit": number(conversation.user) or 5})
        return call("lookup", '{"email": ')


def _body(*messages: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"model": "rehearsal", "messages": list(messages), **fields}


def _said(content: str) -> dict[str, Any]:
    return {"role": "user", "content": content}


def _called(name: str, arguments: str = "{}", id: str = "a") -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}],
    }


def _result(content: str, id: str = "a") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": content}


async def test_a_scenario_is_played_through_the_official_client() -> None:
    talk: list[Any] = [_said("Orders of ada@example.com, 3 at most?")]
    async with started([Lookup()]) as url, AsyncOpenAI(base_url=url, api_key="any") as client:
        first = (await client.chat.completions.create(model="any", messages=talk, tools=[LOOKUP])).choices[0].message  # type: ignore[list-item]  # a plain dict
        assert first.tool_calls is not None and first.tool_calls[0].function.arguments == '{"email": '  # type: ignore[union-attr]  # never a custom tool
        talk += [_called("lookup"), _result('{"error": "no JSON"}')]
        second = (await client.chat.completions.create(model="any", messages=talk, tools=[LOOKUP])).choices[0]  # type: ignore[list-item]  # a plain dict
        assert second.finish_reason == "tool_calls" and second.message.tool_calls is not None
        arguments = second.message.tool_calls[0].function.arguments  # type: ignore[union-attr]  # never a custom tool
        assert json.loads(arguments) == {"email": "ada@example.com", "limit": 3}
        talk += [_called("lookup", arguments, "b"), _result("[7]", "b")]
        last = await client.chat.completions.create(model="any", messages=talk, tools=[LOOKUP])  # type: ignore[list-item]  # a plain dict
    assert last.choices[0].message.content == "Found: [7]" and last.choices[0].finish_reason == "stop"
    assert last.model == "any" and last.usage is not None and last.usage.total_tokens > 10


async def test_streamed_and_plain_replies_are_the_same() -> None:
    async with started([Lookup()]) as url:
        model = OpenAIChat(base_url=url, api_key="any")
        for request in (ASKED, ModelRequest(model="m", system="", messages=ASKED.messages, tools=(LOOKUP,))):
            shown: list[str] = []
            plain, streamed = await model.reply(request), await model.reply(request, on_delta=shown.append)
            assert plain == streamed
            assert "".join(shown) == (plain.text or "")
        await model.close()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (_body(), "messages: a non-empty array is required"),
        (_body(_said("a"), _said("b")), "message 1: two neighbouring user messages"),
        (_body(_said("a"), tools=[]), "tools: an empty array; leave it out"),
        (_body(_said("a"), _called("f", ""), _result("1")), "arguments of 'f' are not the text of a JSON object"),
    ],
)
async def test_what_a_strict_provider_refuses_is_refused_in_openais_shape(body: dict[str, Any], said: str) -> None:
    async with started() as url, AsyncOpenAI(base_url=url, api_key="any") as client:
        with pytest.raises(BadRequestError, match=said) as caught:
            await client.post("/chat/completions", cast_to=object, body=body)
    assert caught.value.type == "invalid_request_error"


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"\xff", b"[" * 100_000])
async def test_what_is_no_json_object_is_refused(raw: bytes) -> None:
    async with started() as url, httpx2.AsyncClient() as client:
        answered = await client.post(f"{url}/chat/completions", content=raw)
    assert answered.status_code == 400 and answered.json()["error"]["type"] == "invalid_request_error"


async def test_it_says_what_it_is() -> None:
    async with started([Lookup()]) as url, httpx2.AsyncClient() as client:
        health = (await client.get(url.removesuffix("/v1") + "/healthz")).json()
        models = (await client.get(f"{url}/models")).json()
    assert health == {"status": "ok", "what": WHAT_THIS_IS, "scenarios": ["lookup"]} and "not a language model" in WHAT_THIS_IS
    assert [model["id"] for model in models["data"]] == ["rehearsal"]


async def test_whoever_starts_it_can_see_each_request_also_the_refused_ones() -> None:
    seen: list[Mapping[str, Any]] = []
    async with started(on_request=seen.append) as url, httpx2.AsyncClient() as client:
        await client.post(f"{url}/chat/completions", json=_body(_said("a")))
        await client.post(f"{url}/chat/completions", json=_body())
    assert [len(body["messages"]) for body in seen] == [1, 0]


class Fixed:
    """Makes the same move whatever is said."""

    name = "fixed"

    def __init__(self, move: Move) -> None:
        self._move = move

    def fits(self, conversation: Conversation) -> bool:
        return True

    def move(self, conversation: Conversation) -> Move:
        return self._move


@pytest.mark.parametrize(
    ("choice", "wanted", "made"),
    [
        ("auto", Say("text"), []),
        ("auto", call("lookup", {}), ["lookup"]),
        ("none", call("lookup", {}), []),
        ("none", Say("text"), []),
        ("required", Say("text"), ["other"]),
        ("required", call("lookup", {}), ["lookup"]),
        ("lookup", Say("text"), ["lookup"]),
        ("lookup", call("other", {}), ["lookup"]),
        ("lookup", call("lookup", {}), ["lookup"]),
        ("lookup", Call(calls=(("lookup", {}), ("other", {}))), ["lookup"]),
    ],
)
async def test_a_tool_choice_is_obeyed_whatever_the_scenario_wants(choice: str, wanted: Move, made: list[str]) -> None:
    named = choice if choice in ("auto", "none", "required") else {"type": "function", "function": {"name": choice}}
    body = _body(_said("a"), tools=[_tool("other"), LOOKUP], tool_choice=named)
    async with started([Fixed(wanted)]) as url, httpx2.AsyncClient() as client:
        message = (await client.post(f"{url}/chat/completions", json=body)).json()["choices"][0]["message"]
    assert [called["function"]["name"] for called in message.get("tool_calls", [])] == made
    assert made or message["content"]


async def test_the_same_request_gets_the_same_reply() -> None:
    async with started([Lookup()]) as url, httpx2.AsyncClient() as client:
        one, two = [(await client.post(f"{url}/chat/completions", json=_body(_said("a"), tools=[LOOKUP]))).json() for _ in range(2)]
    assert one["id"] == two["id"] and one["choices"] == two["choices"]


class Moody:
    """Fails or says a number, as the dice fall."""

    def bend(self, move: Move, conversation: Conversation, dice: Dice) -> Move | Fault:
        if conversation.user == "fail":
            return Fault(status=503, message="busy", headers={"retry-after-ms": "1"})
        return Say(str(dice.random()))


async def test_a_temperament_bends_the_move_the_same_way_for_the_same_seed() -> None:
    said = dict[int, list[str | None]]()
    for seed in (1, 1, 2):
        async with started([Lookup()], temperament=Moody(), seed=seed) as url, AsyncOpenAI(base_url=url, api_key="any") as client:
            answered = [
                (await client.chat.completions.create(model="m", messages=[{"role": "user", "content": words}])).choices[0].message.content
                for words in ("a", "b")
            ]
            assert said.setdefault(seed, answered) == answered
            with pytest.raises(InternalServerError, match="busy"):
                await client.chat.completions.create(model="m", messages=[{"role": "user", "content": "fail"}])
    assert len({number for answered in said.values() for number in answered}) == 4


def test_a_conversation_is_what_was_said_noted_and_come_back() -> None:
    seen = conversation(
        _body(
            {"role": "system", "content": "s"},
            _said("first"),
            _called("look"),
            _result("old"),
            {"role": "assistant", "content": "done"},
            _said("second\n\nwith two paragraphs\n\n[note] Be brief."),
            _called("look", '{"n": 1}'),
            _result('{"n": 2}'),
            _called("send"),
            _result('{"error": "not yet"}'),
            _said("[note] Wrap up."),
            tools=[LOOKUP],
            tool_choice={"type": "function", "function": {"name": "lookup"}},
        )
    )
    assert seen.system == "s" and seen.said == ("first", "second\n\nwith two paragraphs") and seen.user == seen.said[-1]
    assert seen.notes == ("Be brief.", "Wrap up.") and seen.turns == 2 and seen.choice == "lookup"
    assert seen.results == (
        ToolResult(tool="look", arguments={"n": 1}, content='{"n": 2}', value={"n": 2}),
        ToolResult(tool="send", arguments={}, content='{"error": "not yet"}', value={"error": "not yet"}, error="not yet"),
    )
    assert (
        seen.errors == ("not yet",) and [result.value for result in seen.results_of("look")] == [{"n": 2}] and seen.results_of("send") == ()
    )
    assert seen.offers("lookup") and not seen.offers("look")


def test_what_our_own_requests_mark_as_notes_are_notes_to_a_scenario() -> None:
    message = UserMessage(said=(Said(text="Ten days."), Said(text="Wrap up.\n\nNow.", ours=True)))
    seen = conversation(_body(_said(user_text(message))))
    assert seen.user == "Ten days." and seen.notes == ("Wrap up.\nNow.",)


def test_a_conversation_without_words_of_the_users_is_read() -> None:
    seen = conversation(_body(_said("[note] Go on.")))
    assert seen.user == "" and seen.notes == ("Go on.",) and seen.turns == 0


def test_no_tool_is_offered_where_none_may_be_called() -> None:
    assert not conversation(_body(_said("a"), tools=[LOOKUP], tool_choice="none")).offers("lookup")


def test_the_last_resort_calls_each_tool_once_and_then_says_what_it_is() -> None:
    tools = [_tool("one"), _tool("two")]
    talk = [_said("a")]
    made = []
    for _ in range(2):
        move = Fallback().move(conversation(_body(*talk, tools=tools)))
        assert isinstance(move, Call)
        made.append(move.calls[0][0])
        talk += [_called(made[-1]), _result('{"error": "no"}')]
    assert made == ["one", "two"]
    last = Fallback().move(conversation(_body(*talk, tools=tools)))
    assert isinstance(last, Say) and last.text.startswith(WHAT_THIS_IS) and "one, two" in last.text


def test_scenarios_of_a_users_own_fit_the_protocol() -> None:
    scenarios: list[Scenario] = [Lookup(), Fixed(Say("x")), Fallback()]
    assert [scenario.name for scenario in scenarios] == ["lookup", "fixed", "fallback"]


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string"}, "x"),
        ({"type": "string", "minLength": 3}, "xxx"),
        ({"type": "string", "format": "date"}, "2026-07-01"),
        ({"type": "string", "enum": ["a", "b"]}, "a"),
        ({"type": "string", "examples": ["e"]}, "e"),
        ({"const": 7}, 7),
        ({"type": "integer"}, 1),
        ({"type": "integer", "minimum": 4}, 4),
        ({"type": "integer", "exclusiveMinimum": 4}, 5),
        ({"type": "integer", "maximum": -3}, -3),
        ({"type": "number", "minimum": 0.5}, 0.5),
        ({"type": "boolean"}, False),
        ({"type": "null"}, None),
        ({"type": ["string", "null"]}, "x"),
        ({"type": "array", "items": {"type": "integer"}}, []),
        ({"type": "array", "items": {"type": "integer"}, "minItems": 2}, [1, 1]),
        ({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}]}, [1, "x"]),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, 1),
        ({"type": "object", "properties": {"a": {"type": "integer"}, "b": {}}, "required": ["a"]}, {"a": 1}),
        ({"$ref": "#/$defs/Leg"}, {"to": "x"}),
        ({"type": "integer", "default": 10}, 10),
    ],
)
def test_the_smallest_arguments_fit_their_schema(schema: dict[str, Any], value: Any) -> None:
    leg = {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]}
    assert minimal({"type": "object", "properties": {"v": schema}, "required": ["v"], "$defs": {"Leg": leg}}) == {"v": value}


def test_a_schema_that_contains_itself_ends() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}, "required": ["next"]}
    assert isinstance(
        minimal({"type": "object", "properties": {"n": {"$ref": "#/$defs/Node"}}, "required": ["n"], "$defs": {"Node": node}}), dict
    )


def test_slots_are_filled_by_shape() -> None:
    assert email("Orders of ada@example.com, please.") == "ada@example.com" and email("no address") is None
    assert email("x" * 100_000) is None and email("a." * 50_000 + " ada@example.com") == "ada@example.com"
    assert number("the last 12 of a1b2@example.com") == 12 and number("room a1") is None
    assert number("9" * 5000 + " and 12") == 12
    assert one_of("Which are SHIPPED or placed?", ["placed", "shipped"]) == "shipped"
    assert one_of("unshipped", ["shipped"]) is None and one_of("anything", []) is None

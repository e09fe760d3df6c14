"""What is written out is what a strict provider takes, whatever the transcript holds."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.errors import ModelError
from handrail.models.traits import MISTRAL, OPENAI, REASONING, EmptyContent, ProviderTraits
from handrail.models.wire import MOST_CONVERSATIONS, MOST_DECLARATIONS, Wire
from handrail.testing import check_request, check_transcript
from handrail.vocab.calls import ProposedCall
from handrail.vocab.messages import AssistantMessage, Message, Said, ToolMessage, UserMessage, user
from handrail.vocab.requests import ModelRequest
from tests.models.talks import talks

TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}


def _request(*messages: Message, **fields: Any) -> ModelRequest:
    return ModelRequest(**{"model": "m", "system": "s", "messages": messages, **fields})


def _body(*messages: Message, traits: ProviderTraits = OPENAI, stream: bool = False, **fields: Any) -> dict[str, Any]:
    return json.loads(Wire(traits).body(_request(*messages, **fields), stream=stream))  # type: ignore[no-any-return]  # a request is an object


def _called(arguments: str | None = "{}", *, id: str = "call_1", name: str = "look", text: str | None = None) -> AssistantMessage:
    return AssistantMessage(text=text, calls=(ProposedCall(id="t1c1", name=name, arguments=arguments, provider_id=id),))


def _turn(*ids: str, turn: int = 1) -> tuple[Message, ...]:
    calls = tuple(ProposedCall(id=f"t{turn}c{at}", name="look", arguments="{}", provider_id=id) for at, id in enumerate(ids, 1))
    return AssistantMessage(calls=calls), *(ToolMessage(call=call.id, content="1") for call in calls)


def _sent_arguments(raw: str | None) -> str:
    body = _body(user("u"), _called(raw), ToolMessage(call="t1c1", content="1"))
    return body["messages"][2]["tool_calls"][0]["function"]["arguments"]  # type: ignore[no-any-return]  # a text on the wire


def _sent_ids(*messages: Message, traits: ProviderTraits = OPENAI) -> list[str]:
    body = _body(user("u"), *messages, traits=traits)
    assert check_request(body) == []
    return [call["id"] for message in body["messages"] for call in message.get("tool_calls", ())]


def test_a_request_is_written_as_chat_completions_know_it() -> None:
    body = _body(
        user("u"),
        _called('{"a": 1}'),
        ToolMessage(call="t1c1", content="1"),
        tools=(TOOL,),
        choice="look",
        settings={"temperature": 0},
        stream=True,
    )
    assert body == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "s"},
            {"role": "user", "content": "u"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "look", "arguments": '{"a": 1}'}}],
            },
            {"role": "tool", "tool_call_id": "call_1", "content": "1"},
        ],
        "tools": [TOOL],
        "tool_choice": {"type": "function", "function": {"name": "look"}},
        "temperature": 0,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


@pytest.mark.parametrize(
    "traits",
    [OPENAI, MISTRAL, REASONING, ProviderTraits(tool_turn_content=EmptyContent.ABSENT)],
    ids=["openai", "mistral", "reasoning", "absent"],
)
@given(messages=talks())
def test_whatever_a_valid_transcript_holds_a_strict_provider_takes_what_is_sent(
    traits: ProviderTraits, messages: tuple[Message, ...]
) -> None:
    assert check_transcript(messages) == []
    assert check_request(_body(*messages, traits=traits, tools=(TOOL,))) == []


@given(messages=talks(), cuts=st.lists(st.integers(1, 12), max_size=4))
def test_a_conversation_written_bit_by_bit_reads_as_if_it_had_been_written_at_once(messages: tuple[Message, ...], cuts: list[int]) -> None:
    wire = Wire(OPENAI)
    for cut in [*cuts, len(messages)]:
        part = _whole(messages[:cut])
        assert wire.body(_request(*part)) == Wire(OPENAI).body(_request(*part))


def _whole(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    while check_transcript(messages):
        messages = messages[:-1]
    return messages


def test_what_was_written_is_not_written_again(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[Any] = []
    encode = msgspec.json.Encoder().encode

    def counted(value: Any) -> bytes:
        written.append(value)
        return encode(value)

    monkeypatch.setattr("handrail.models.wire.encode", counted)
    wire, messages = Wire(OPENAI), (user("u"), *_turn("a"))
    for turn in range(2, 66):
        messages = (*messages, *_turn("a", turn=turn))
        wire.body(_request(*messages, tools=(TOOL,)))
    assert sum(isinstance(value, dict) and value.get("role") in ("user", "assistant", "tool") for value in written) == len(messages)
    assert written.count(TOOL) == 1


def test_another_conversation_with_the_same_first_message_is_written_for_itself() -> None:
    wire, first = Wire(OPENAI), user("u")
    one = wire.body(_request(first, *_turn("a")))
    other = wire.body(_request(first, *_turn("b", "c")))
    assert wire.body(_request(first, *_turn("a"))) == one != other


def test_only_the_conversations_used_last_are_kept() -> None:
    wire, many = Wire(OPENAI), [user(f"u{number}") for number in range(MOST_CONVERSATIONS + 10)]
    for message in many:
        wire.body(_request(message))
    assert len(wire._written) == MOST_CONVERSATIONS
    tools = [{"type": "function", "function": {"name": f"t{number}"}} for number in range(MOST_DECLARATIONS + 1)]
    wire.body(_request(many[0], tools=tuple(tools)))
    assert len(wire._declarations) == 1


def test_a_transcript_that_fails_half_way_leaves_nothing_wrong_behind() -> None:
    wire, first = Wire(OPENAI), user("u")
    wire.body(_request(first))
    with pytest.raises(ModelError, match="a result for 'lost', which has no call before it") as caught:
        wire.body(_request(first, *_turn("a"), ToolMessage(call="lost", content="1")))
    assert caught.value.kind == "rejected"
    assert json.loads(wire.body(_request(first, *_turn("a"))))["messages"][1:] == _body(first, *_turn("a"))["messages"][1:]


@pytest.mark.parametrize("raw", [None, "", " ", "\n"])
def test_case_01_absent_arguments_go_out_as_an_empty_object(raw: str | None) -> None:
    assert _sent_arguments(raw) == "{}"


@pytest.mark.parametrize(
    ("raw", "sent"),
    [
        ('{"n":2}', '{"n":2}'),
        (' {"n": 2} ', ' {"n": 2} '),
        ('"{\\"n\\": 2}"', '{"n": 2}'),
    ],
)
def test_case_03_an_object_goes_out_encoded_once(raw: str, sent: str) -> None:
    assert _sent_arguments(raw) == sent


def test_case_03_a_third_level_is_quoted_and_not_taken_apart() -> None:
    third = json.dumps(json.dumps('{"n":2}'))
    assert json.loads(_sent_arguments(third)) == {"unreadable_arguments": third}


@pytest.mark.parametrize("raw", ["{", "[1]", '"x"', "7", "true", "null", '{"sql":"select "a""}', '{"a":NaN}', "{" * 5000, "\ud800{"])
def test_case_25_broken_arguments_are_replaced_by_an_object_in_what_is_sent_only(raw: str) -> None:
    message = _called(raw)
    body = _body(user("u"), message, ToolMessage(call="t1c1", content='{"error": "no JSON object"}'))
    sent = body["messages"][2]["tool_calls"][0]["function"]["arguments"]
    assert list(json.loads(sent)) == ["unreadable_arguments"] and len(sent) < 1500
    assert check_request(body) == []
    assert message.calls[0].arguments == raw


def test_case_15_ids_go_back_to_their_provider_unchanged() -> None:
    assert _sent_ids(*_turn("call_abc", "toolu_1-x:2"), *_turn("third", turn=2)) == ["call_abc", "toolu_1-x:2", "third"]


@pytest.mark.parametrize("ids", [("", ""), ("x", "x"), ("", "x" * 43), ("a b", "é"), ("x" * 43, "x" * 42 + "y")])
def test_case_15_empty_repeated_and_unfit_ids_become_others_the_same_each_time(ids: tuple[str, str]) -> None:
    first, second = _sent_ids(*_turn(*ids))
    assert first != second
    assert _sent_ids(*_turn(*ids)) == [first, second]


def test_case_15_an_id_that_comes_again_in_a_later_turn_is_told_apart() -> None:
    first, second = _sent_ids(*_turn("x"), *_turn("x", turn=2))
    assert first == "x" and second.startswith("call_")


def test_case_15_our_own_ids_may_come_again_in_a_later_run_of_the_session() -> None:
    first, second, third = _sent_ids(*_turn("x"), user("again"), *_turn("x"), user("again"), *_turn("x"))
    assert len({first, second, third}) == 3


def test_case_15_a_provider_that_wants_nine_characters_gets_nine() -> None:
    first, second, third = _sent_ids(*_turn("abcdef123", "call_abc", ""), traits=MISTRAL)
    assert first == "abcdef123"
    assert all(len(id) == 9 and id.isalnum() for id in (second, third)) and second != third


def test_case_15_a_made_id_gives_way_to_one_that_is_taken() -> None:
    made = _sent_ids(*_turn(""))[0]
    taken, given = _sent_ids(*_turn(made, turn=7), *_turn(""))
    assert taken == made != given


@pytest.mark.parametrize(
    ("empty", "sent"),
    [(EmptyContent.NULL, {"content": None}), (EmptyContent.TEXT, {"content": ""}), (EmptyContent.ABSENT, {})],
)
@pytest.mark.parametrize("text", [None, ""])
def test_case_20_the_content_of_a_turn_with_calls_alone_is_the_providers_choice(
    empty: EmptyContent, sent: dict[str, Any], text: str | None
) -> None:
    body = _body(user("u"), _called(text=text), ToolMessage(call="t1c1", content="1"), traits=ProviderTraits(tool_turn_content=empty))
    message = body["messages"][2]
    assert {key: value for key, value in message.items() if key == "content"} == sent


@pytest.mark.parametrize("content", ["", " ", "\n"])
def test_case_20_an_empty_result_says_so(content: str) -> None:
    assert _body(user("u"), _called(), ToolMessage(call="t1c1", content=content))["messages"][3]["content"] == "(no output)"


def test_case_20_nothing_that_needs_tools_goes_out_without_them_and_no_empty_array_at_all() -> None:
    body = _body(user("u"), settings={"parallel_tool_calls": True, "tool_choice": "auto", "stop": [], "temperature": 0}, choice="none")
    assert set(body) == {"model", "messages", "temperature"}
    assert check_request(body) == []


def test_case_20_a_stored_message_with_nothing_in_it_goes_out_with_a_text() -> None:
    body = _body(user("u"), AssistantMessage(), user("and?"))
    assert body["messages"][2] == {"role": "assistant", "content": "(no text)"}


def test_case_21_reasoning_goes_back_under_its_own_name_to_who_wants_it_and_to_nobody_else() -> None:
    talk = (
        user("u"),
        msgspec.structs.replace(_called(), extra={"reasoning_content": "first"}),
        ToolMessage(call="t1c1", content="1"),
        AssistantMessage(text="plain", extra={"reasoning": "second", "thinking": "never"}),
        user("and?"),
    )
    wanted = _body(*talk, traits=REASONING)["messages"]
    assert wanted[2]["reasoning_content"] == "first" and wanted[4]["reasoning"] == "second"
    assert "never" not in json.dumps(wanted)
    stripped = json.dumps(_body(*talk, traits=OPENAI))
    assert "first" not in stripped and "second" not in stripped


def test_case_26_neighbours_of_one_role_are_merged_and_there_is_one_system_message() -> None:
    body = _body(
        user("one"),
        user("two"),
        AssistantMessage(text="three"),
        msgspec.structs.replace(_called(), text="four"),
        ToolMessage(call="t1c1", content="1"),
        user("five"),
    )
    assert check_request(body) == []
    assert [message["role"] for message in body["messages"]] == ["system", "user", "assistant", "tool", "user"]
    assert body["messages"][1]["content"] == "one\n\ntwo" and body["messages"][2]["content"] == "three\n\nfour"


def test_case_26_neighbours_that_meet_only_in_a_later_request_are_merged_too() -> None:
    wire, first = Wire(OPENAI), user("one")
    wire.body(_request(first))
    assert json.loads(wire.body(_request(first, user("two"))))["messages"][1:] == [{"role": "user", "content": "one\n\ntwo"}]


def test_case_26_our_notes_go_in_the_users_role_marked_and_a_paragraph_each() -> None:
    message = UserMessage(said=(Said(text="Ten days.\n\nNo more."), Said(text="Wrap up.\n\n\nNow.", ours=True)))
    assert _body(message)["messages"][1] == {"role": "user", "content": "Ten days.\n\nNo more.\n\n[note] Wrap up.\nNow."}


def test_no_system_text_is_no_system_message() -> None:
    assert _body(user("u"), system="")["messages"] == [{"role": "user", "content": "u"}]


def test_a_name_that_no_tool_can_have_is_made_one_that_a_provider_takes() -> None:
    for name, sent in (("a.b c", "a_b_c"), ("", "_"), ("x" * 70, "x" * 64)):
        body = _body(user("u"), _called(name=name), ToolMessage(call="t1c1", content="1"))
        assert body["messages"][2]["tool_calls"][0]["function"]["name"] == sent


def test_settings_cannot_take_the_place_of_what_the_request_says() -> None:
    body = _body(user("u"), settings={"messages": [], "model": "other", "stream": True, "tools": [TOOL], "seed": 1})
    assert body["model"] == "m" and len(body["messages"]) == 2 and body["seed"] == 1
    assert "stream" not in body and "tools" not in body


@pytest.mark.parametrize(("choice", "sent"), [("none", "none"), ("auto", None)])
def test_a_choice_that_names_no_tool_goes_out_as_it_is(choice: str, sent: str | None) -> None:
    assert _body(user("u"), tools=(TOOL,), choice=choice).get("tool_choice") == sent


def test_half_a_character_is_no_reason_to_lose_a_request() -> None:
    assert _body(user("a\ud800b"))["messages"][1]["content"] == "a\ufffdb"

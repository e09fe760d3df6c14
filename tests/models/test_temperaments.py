"""Temperaments: each misbehaves in its own way, and the same way again for the same seed and request."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import httpx2
import msgspec
import openai
import pytest
from openai import AsyncOpenAI

from handrail import ABSENT, Absent, tool
from handrail.core.ring import Parsed, Unfit
from handrail.errors import InputError
from handrail.models import OpenAIChat
from handrail.models.rehearsal import Call, Conversation, Move, Say, ToolResult, call
from handrail.models.rehearsal.fallback import Fallback
from handrail.models.rehearsal.server import made, started
from handrail.models.rehearsal.temperament import Bent, Cut, Fault, Hang, Imagined, Late, Reset, dice_for
from handrail.models.rehearsal.temperaments import TEMPERAMENTS, temperament
from handrail.models.rehearsal.temperaments.careless import Careless
from handrail.models.rehearsal.temperaments.flaky import Flaky
from handrail.models.rehearsal.temperaments.making import earlier_calls, last_step, plausible
from handrail.models.rehearsal.temperaments.sloppy import LEAVES, NO_OBJECT, sloppy
from handrail.models.rehearsal.temperaments.slow import Slow
from tests.models.providing import ASKED

SEEDS = range(300)
LONGEST_QUESTION = 200


def _declared(name: str, properties: Mapping[str, Any], required: tuple[str, ...] = ()) -> dict[str, Any]:
    return {"name": name, "description": "d", "parameters": {"type": "object", "properties": properties, "required": list(required)}}


STAYS = {"type": "array", "minItems": 1, "maxItems": 9, "items": {"type": "string", "maxLength": 20}}
TOOLS = {
    "search_rooms": _declared("search_rooms", {"text": {"type": "string"}, "people": {"type": "integer", "minimum": 1}}, ("text",)),
    "record_wish": _declared("record_wish", {"people": {"type": "integer"}, "stays": STAYS}, ("people", "stays")),
    "submit_booking": _declared(
        "submit_booking", {"stays": STAYS, "nights": {"type": "integer", "minimum": 1, "maximum": 9}}, ("stays", "nights")
    ),
}
WISH = call("record_wish", {"people": 3, "stays": ["room-a", "room-b"]})


def _messages(content: str = '[{"id": "room-a", "name": "Grace"}]') -> tuple[Mapping[str, Any], ...]:
    function = {"name": "search_rooms", "arguments": '{"text": "quiet"}'}
    return (
        {"role": "user", "content": "Two quiet rooms, please"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "a", "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": "a", "content": content},
    )


def _talk(*, error: str | None = None, **fields: Any) -> Conversation:
    content = json.dumps({"error": error}) if error else '[{"id": "room-a", "name": "Grace"}]'
    result = ToolResult(tool="search_rooms", arguments={"text": "quiet"}, content=content, value=json.loads(content), error=error)
    given = {"said": ("Two quiet rooms, please",), "results": (result,), "declarations": TOOLS, "turns": 1, "messages": _messages(content)}
    return Conversation(**{**given, **fields})


def _bent(name: str, move: Move = WISH, talk: Conversation | None = None) -> list[Bent | Imagined]:
    talk = talk or _talk()
    return [temperament(name).bend(move, talk, dice_for(seed, talk)) for seed in SEEDS]


def _share(found: list[bool]) -> float:
    return sum(found) / len(found)


@pytest.mark.parametrize("name", TEMPERAMENTS)
def test_the_same_seed_and_request_are_bent_the_same_way_in_any_order(name: str) -> None:
    forward = _bent(name)
    talk = _talk()
    one = temperament(name)
    backward = [one.bend(WISH, talk, dice_for(seed, talk)) for seed in reversed(SEEDS)]
    assert forward == backward[::-1]


@pytest.mark.parametrize("name", [name for name in TEMPERAMENTS if name != "steady"])
def test_seeds_differ_and_some_of_them_leave_the_move_as_it_is_or_bend_it(name: str) -> None:
    bent = _bent(name)
    assert len({repr(each) for each in bent}) > 3
    assert any(each != WISH for each in bent)


def test_a_repeated_request_is_another_request() -> None:
    first, again = (dice_for(7, _talk(attempt=attempt)) for attempt in (0, 1))
    assert first.random() != again.random()
    assert first.habit == again.habit


def test_a_habit_stays_the_same_for_a_whole_conversation() -> None:
    longer = _talk(messages=(*_messages(), {"role": "user", "content": "[note] wrap up"}))
    assert dice_for(7, _talk()).habit == dice_for(7, longer).habit != dice_for(8, longer).habit


@pytest.mark.parametrize("name", TEMPERAMENTS)
@pytest.mark.parametrize(
    "talk",
    [
        Conversation(),
        Conversation(said=("Hi",)),
        _talk(declarations={}),
        _talk(results=(), messages=()),
        _talk(error="no"),
        _talk(notes=("no",)),
    ],
    ids=["empty", "no tools", "tools gone", "nothing yet", "an error", "a note"],
)
@pytest.mark.parametrize("move", [Say("Done."), WISH, call("search_rooms", "{"), Call(calls=())], ids=["text", "call", "broken", "nothing"])
def test_no_conversation_is_too_odd_for_any_temperament(name: str, talk: Conversation, move: Move) -> None:
    for seed in range(60):
        temperament(name).bend(move, talk, dice_for(seed, talk))


def test_steady_changes_nothing() -> None:
    assert _bent("steady") == [WISH] * len(SEEDS)


def test_chatty_writes_long_text_in_place_of_calls_and_beside_them() -> None:
    bent = _bent("chatty")
    assert _share([isinstance(each, Say) and len(each.text) > LONGEST_QUESTION for each in bent]) > 0.3
    assert any(isinstance(each, Call) and each.text and each.calls for each in bent)


def test_obsessive_looks_things_up_again_and_also_with_a_tool_that_was_withdrawn() -> None:
    bent = _bent("obsessive")
    assert _share([isinstance(each, Call) and each.calls[0][0] == "search_rooms" for each in bent]) > 0.5
    withdrawn = _bent(
        "obsessive", talk=_talk(declarations={"check_price": TOOLS["search_rooms"], "submit_booking": TOOLS["submit_booking"]})
    )
    assert any(isinstance(each, Call) and each.calls[0][0] == "search_rooms" for each in withdrawn)


def test_hasty_takes_the_last_step_with_what_has_come_up() -> None:
    early = [each for each in _bent("hasty") if isinstance(each, Call) and each.calls[0][0] == "submit_booking"]
    assert len(early) / len(SEEDS) > 0.2
    stays = [stay for each in early for _, given in each.calls if isinstance(given, Mapping) for stay in given["stays"]]
    assert set(stays) == {"room-a", "Grace"}


def test_hasty_guesses_numbers_when_it_is_time_for_the_last_step() -> None:
    final = call("submit_booking", {"stays": ["room-a"], "nights": 8})
    nights = {
        each.calls[0][1]["nights"] for each in _bent("hasty", final) if isinstance(each, Call) and isinstance(each.calls[0][1], Mapping)
    }
    assert len(nights) > 2 and 8 in nights


def test_careless_changes_what_it_was_told_into_something_that_still_fits() -> None:
    bent = [each.calls[0][1] for each in _bent("careless") if isinstance(each, Call)]
    wrong = [given for given in bent if isinstance(given, Mapping) and given != WISH.calls[0][1]]
    assert len(wrong) / len(SEEDS) > 0.05
    assert all(isinstance(given["people"], int) and isinstance(given["stays"], list) and given["stays"] for given in wrong)


class Pricing:
    """Prices rooms a and b, then books the cheaper one: it needs every price."""

    name = "pricing"

    def fits(self, conversation: Conversation) -> bool:
        return True

    def move(self, conversation: Conversation) -> Move:
        prices = {result.value["room"]: result.value["price"] for result in conversation.results_of("check_price")}
        for room in ("a", "b"):
            if room not in prices:
                return call("check_price", {"room": room})
        return call("submit_booking", {"stays": [min(prices, key=lambda room: int(prices[room]))], "nights": len(conversation.said)})


PRICED = ToolResult(tool="check_price", arguments={"room": "a"}, content="", value={"room": "a", "price": 300, "per": "night"})


def _priced(*results: ToolResult, said: tuple[str, ...] = ("Cheap, please",), marker: str = "") -> Conversation:
    declarations: dict[str, Mapping[str, Any]] = {
        "check_price": _declared("check_price", {"room": {"type": "string"}}),
        "submit_booking": TOOLS["submit_booking"],
    }
    return Conversation(said=said, results=results, declarations=declarations, messages=({"role": "user", "content": marker},))


def test_hasty_imagines_the_results_of_what_it_has_seen_once() -> None:
    honest = [made([Pricing()], _priced(), temperament("hasty"), seed) for seed in SEEDS]
    assert not any(isinstance(each, Imagined) for each in honest)
    hasty = [made([Pricing()], _priced(PRICED), temperament("hasty"), seed) for seed in SEEDS]
    booked = [each for each in hasty if isinstance(each, Call) and each.calls[0][0] == "submit_booking"]
    assert len(booked) / len(SEEDS) > 0.3
    assert any(each == call("check_price", {"room": "b"}) for each in hasty)


def test_careless_mishears_the_same_thing_whenever_it_comes_up() -> None:
    careless = Careless()
    heard = set()
    for seed in SEEDS:
        first, later = _priced(PRICED), _priced(PRICED, PRICED, marker="later")
        one = careless.hears(first, dice_for(seed, first)).results[0]
        assert {result.content for result in careless.hears(later, dice_for(seed, later)).results} == {one.content}
        heard.add(json.dumps(one.value))
    assert len(heard) > 3 and json.dumps(PRICED.value) in heard


def test_careless_goes_on_from_the_first_words_as_if_nothing_had_been_said_since() -> None:
    talk = _priced(PRICED, said=("Cheap, please", "No, the best one"))
    heard = [Careless().hears(talk, dice_for(seed, talk)).user for seed in SEEDS]
    assert set(heard) == {"Cheap, please", "No, the best one"}


def test_what_a_scenario_can_make_nothing_of_is_heard_as_it_was_said() -> None:
    talk = _priced(PRICED, msgspec.structs.replace(PRICED, value={"room": "b", "price": 200}))
    forgets = [seed for seed in SEEDS if "price" not in Careless().hears(talk, dice_for(seed, talk)).results[0].value]
    assert forgets
    bent = [made([Pricing()], talk, temperament("careless"), seed) for seed in forgets]
    assert call("submit_booking", {"stays": ["b"], "nights": 1}) in bent


def test_inventive_makes_up_values_and_tools() -> None:
    bent = [each for each in _bent("inventive") if isinstance(each, Call)]
    assert any(tool not in TOOLS for each in bent for tool, _ in each.calls)
    assert any(
        stay not in {"room-a", "room-b", "Grace"}
        for each in bent
        for _, given in each.calls
        if isinstance(given, Mapping)
        for stay in given.get("stays", ())
    )


def test_stubborn_repeats_what_was_refused_word_for_word() -> None:
    refused = _bent("stubborn", talk=_talk(error="no such room"))
    assert _share([each == call("search_rooms", {"text": "quiet"}) for each in refused]) > 0.5
    assert all(each != call("search_rooms", {"text": "quiet"}) for each in _bent("stubborn"))


def test_stubborn_repeats_a_text_that_was_sent_back() -> None:
    messages = (
        {"role": "user", "content": "Two"},
        {"role": "assistant", "content": "Sure!"},
        {"role": "user", "content": "[note] call a tool"},
    )
    talk = _talk(messages=messages, results=(), notes=("call a tool",))
    assert Say("Sure!") in _bent("stubborn", talk=talk)


def test_silent_says_nothing_in_each_of_its_forms() -> None:
    empty = [each for each in _bent("silent") if each != WISH]
    assert len(empty) / len(SEEDS) > 0.3
    assert len({repr(each) for each in empty}) == 5


def test_cut_breaks_arguments_off_and_leaves_some_that_still_parse() -> None:
    cut = [each.move for each in _bent("cut") if isinstance(each, Cut)]
    texts = [given if isinstance(given, str) else json.dumps(given) for move in cut if isinstance(move, Call) for _, given in move.calls]
    parses = [tool_that_takes_anything.parse(text) for text in texts]
    assert any(isinstance(each, Unfit) for each in parses) and any(isinstance(each, Parsed) for each in parses)
    assert any(isinstance(each, Cut) and isinstance(each.move, Say) and len(each.move.text) < 5 for each in _bent("cut", Say("Done.")))


def test_parallel_calls_much_at_once_and_the_last_step_beside_what_it_needs() -> None:
    bent = [each for each in _bent("parallel") if isinstance(each, Call)]
    assert max(len(each.calls) for each in bent) > 32
    assert any({"record_wish", "submit_booking"} <= {tool for tool, _ in each.calls} for each in bent)
    assert any(len(each.calls) > len({repr(one) for one in each.calls}) for each in bent)


def test_slow_waits_and_changes_nothing_else() -> None:
    bent = [Slow(most=1, longest=5).bend(WISH, _talk(), dice_for(seed, _talk())) for seed in SEEDS]
    assert all(isinstance(each, Late) and each.what == WISH and 0 < each.seconds <= 5 for each in bent)
    assert 0.05 < _share([isinstance(each, Late) and each.seconds == 5 for each in bent]) < 0.25


def test_flaky_fails_in_each_of_its_ways() -> None:
    bent = _bent("flaky")
    faults = [each for each in bent if isinstance(each, Fault)]
    assert {200, 429, 500, 502, 503} <= {each.status for each in faults}
    assert any(each.headers for each in faults) and any(not each.headers for each in faults)
    assert any(isinstance(each, Reset) for each in bent) and any(isinstance(each, Hang) for each in bent)
    assert any(isinstance(each, Late) for each in bent) and WISH in bent


def test_mixed_is_steady_for_the_most_part_and_sometimes_anything_else() -> None:
    bent = _bent("mixed")
    assert _share([each == WISH for each in bent]) > 0.3
    assert {Say, Call, Cut, Fault, Late} <= {type(each) for each in bent}


@tool(effect="read")
def tool_that_takes_anything(people: int = 1, stays: list[str] | Absent = ABSENT, text: str = "") -> str:
    """Take anything."""
    return "x"


def test_sloppy_goes_through_every_form_and_no_form_makes_parse_raise() -> None:
    talk = _talk()
    schema = TOOLS["record_wish"]["parameters"]
    given = [sloppy({"people": 3, "stays": ["room-a"]}, schema, dice_for(seed, talk)) for seed in range(3000)]
    texts = [each if isinstance(each, str) else json.dumps(each) for each in given]
    assert set(NO_OBJECT.values()) <= set(texts)
    assert all(any(f'"people":{leaf}}}' in text for text in texts) for leaf in LEAVES.values())
    parses = [tool_that_takes_anything.parse(text) for text in dict.fromkeys(texts)]
    assert any(isinstance(each, Unfit) for each in parses) and any(isinstance(each, Parsed) for each in parses)


def test_arguments_that_look_right_fit_the_schema() -> None:
    talk = _talk()
    for seed in range(60):
        given = plausible(talk, "submit_booking", dice_for(seed, talk))
        assert 1 <= given["nights"] <= 9 and given["stays"] and all(len(stay) <= 20 for stay in given["stays"])


def test_the_last_step_is_known_by_its_name_or_its_place() -> None:
    assert last_step(_talk()) == "submit_booking"
    assert last_step(_talk(declarations={"a": {}, "b": {}})) == "b"
    assert last_step(_talk(choice="search_rooms")) == "search_rooms"
    assert last_step(Conversation()) is None
    assert earlier_calls(_talk()) == [("search_rooms", {"text": "quiet"})]


def test_an_unknown_temperament_is_told_which_there_are() -> None:
    with pytest.raises(InputError, match=r"no temperament 'grumpy'; there are: steady, chatty, .*, mixed"):
        temperament("grumpy")


class Always:
    """Bends everything into one thing."""

    def __init__(self, bent: Bent) -> None:
        self._bent = bent

    def bend(self, move: Move, conversation: Conversation, dice: Any) -> Bent:
        return self._bent


class OnceBroken:
    """Fails the first time that a request is sent, by the client's own count."""

    def bend(self, move: Move, conversation: Conversation, dice: Any) -> Bent:
        return Reset() if conversation.attempt == 0 else move


async def test_a_reply_that_is_cut_says_so_whole_and_streamed() -> None:
    async with started(temperament=Always(Cut(move=call("look", '{"a": "b')))) as url:
        model = OpenAIChat(base_url=url, api_key="any")
        plain, streamed = await model.reply(ASKED), await model.reply(ASKED, on_delta=lambda piece: None)
        await model.close()
    assert plain.finish == streamed.finish == "length"
    assert plain.calls[0].arguments == '{"a": "b'


async def test_a_connection_that_breaks_off_is_an_error_of_the_connection() -> None:
    async with started(temperament=Always(Reset())) as url, AsyncOpenAI(base_url=url, api_key="any", max_retries=0) as client:
        with pytest.raises(openai.APIConnectionError):
            await client.chat.completions.create(model="any", messages=[{"role": "user", "content": "Hi"}])


async def test_a_client_that_asks_again_gets_past_a_fault_that_passes() -> None:
    async with started(temperament=OnceBroken()) as url, AsyncOpenAI(base_url=url, api_key="any", max_retries=1) as client:
        answered = await client.chat.completions.create(model="any", messages=[{"role": "user", "content": "Hi"}])
    assert "rehearsal" in (answered.choices[0].message.content or "")


async def test_a_hang_ends_when_the_client_goes_away() -> None:
    async with started(temperament=Always(Hang(3600))) as url:
        client = AsyncOpenAI(base_url=url, api_key="any", max_retries=0, timeout=0.05)
        with pytest.raises(openai.APITimeoutError):
            await client.chat.completions.create(model="any", messages=[{"role": "user", "content": "Hi"}])
        await client.close()


async def test_what_comes_late_is_what_it_is() -> None:
    async with started(temperament=Always(Late(seconds=0.01, what=Say("Here.")))) as url, httpx2.AsyncClient() as client:
        body = {"model": "any", "messages": [{"role": "user", "content": "Hi"}]}
        answered = await client.post(f"{url}/chat/completions", json=body)
    assert answered.json()["choices"][0]["message"]["content"] == "Here."


async def test_requests_at_the_same_time_are_answered_as_one_after_the_other() -> None:
    messages: list[Any] = [{"role": "user", "content": "Hi"}]
    tools: list[Any] = [{"type": "function", "function": each} for each in TOOLS.values()]

    async def ask(client: AsyncOpenAI, model: str) -> Any:
        answered = await client.chat.completions.create(model=model, messages=messages, tools=tools)
        return answered.choices[0].model_dump()

    names = [f"m{at}" for at in range(8)]
    async with (
        started([Fallback()], temperament=temperament("careless"), seed=3) as url,
        AsyncOpenAI(base_url=url, api_key="any") as client,
    ):
        together = await asyncio.gather(*(ask(client, name) for name in names))
        apart = [await ask(client, name) for name in names]
    assert together == apart


def test_a_hang_of_ones_own_length() -> None:
    talk = _talk()
    hangs = [each for seed in SEEDS if isinstance(each := Flaky(hang=2).bend(WISH, talk, dice_for(seed, talk)), Hang)]
    assert {each.seconds for each in hangs} == {2}

"""Between a library and the stand-in: what the server understands of it, what it has seen, and the tools that every peer is given."""

import inspect
import json
from typing import Any, get_type_hints

import httpx2
import pytest
from pydantic import BaseModel, TypeAdapter
from starlette.applications import Starlette

from benchmarks.decency.judge import judge
from benchmarks.decency.peers.kit import PATIENCE, Trip
from benchmarks.decency.record import Agreed, Changed, Ran, Record
from benchmarks.decency.seeing import Seeing, Seen
from benchmarks.decency.travellers import TASKS, Task
from benchmarks.decency.understanding import SUBMIT, understood
from handrail import ToolError
from handrail.apps.trips.tools import TOOLS
from handrail.models.rehearsal.conversation import conversation
from handrail.models.rehearsal.scenario import Conversation
from handrail.models.rehearsal.server import make_server

PLATEAU, CHANGING = (next(task for task in TASKS if task.name == name) for name in ("plateau", "change"))
BRIEF = {"ages": [38, 35], "month": 10, "days": 10, "start": "chengdu", "must_go": ["litang", "danba"], "regions": ["western-sichuan"]}
CALL = {"id": "a", "type": "function", "function": {"name": "estimate_drive", "arguments": "{}"}}
SUBMITTING = {"type": "function", "function": {"name": SUBMIT, "parameters": {"type": "object", "properties": {}}}}


def _talk(*messages: dict[str, Any], tools: tuple[dict[str, Any], ...] = (SUBMITTING,)) -> Conversation:
    return conversation({"model": "steady:1", "messages": list(messages), "tools": list(tools)})


def _user(words: str) -> dict[str, Any]:
    return {"role": "user", "content": words}


def _result(content: str) -> tuple[dict[str, Any], dict[str, Any]]:
    return {"role": "assistant", "content": None, "tool_calls": [CALL]}, {"role": "tool", "tool_call_id": "a", "content": content}


def test_a_result_that_is_no_json_is_an_error_in_whatever_words() -> None:
    for content in ("An error occurred: no road.", '"An error occurred: no road."', '{"error": "An error occurred: no road."}'):
        assert understood(_talk(_user(PLATEAU.says), *_result(content))).errors == ("An error occurred: no road.",)
    talk = understood(_talk(_user(PLATEAU.says), *_result('{"error": [{"type": "missing", "loc": ["origin"]}]}')))
    assert talk.errors == ('[{"type": "missing", "loc": ["origin"]}]',)


@pytest.mark.parametrize("content", ['{"minutes": 3}', '{"error": "no road"}', "[]", PLATEAU.says])
def test_a_result_and_what_travellers_have_said_stay_as_they_are(content: str) -> None:
    talk = _talk(_user(PLATEAU.says), *_result(content))
    assert understood(talk) == talk


def test_what_a_library_says_in_the_users_role_is_a_note() -> None:
    talk = understood(_talk(_user(PLATEAU.says), *_result("{}"), _user("Please include your response in a tool call.\n\nFix it.")))
    assert talk.said == (PLATEAU.says,)
    assert talk.notes == ("Please include your response in a tool call.", "Fix it.")
    assert [result.tool for result in talk.results] == ["estimate_drive"]


def test_the_same_words_again_are_a_new_beginning_only_as_an_answer() -> None:
    told = {"role": "assistant", "content": "I know all of this very well. " * 20}
    for words in ("What would you like me to change?", "I do not get any further."):
        asked = {"role": "assistant", "content": words}
        assert understood(_talk(_user(PLATEAU.says), *_result("{}"), asked, _user(PLATEAU.says))).results == ()
    assert len(understood(_talk(_user(PLATEAU.says), *_result("{}"), told, _user(PLATEAU.says))).results) == 1


def test_a_talk_that_is_not_the_planners_is_left_alone() -> None:
    talk = _talk(_user("Is this draft good?"), *_result("no json"), tools=())
    assert understood(talk) is talk


async def test_the_server_tells_once_what_it_has_seen_of_a_run() -> None:
    app = Seeing(make_server(), SUBMIT)
    body = {"model": "steady:1", "messages": [{"role": "system", "content": "Plan."}, _user("Hi")], "tools": [SUBMITTING]}
    async with _client(app) as client:
        for _ in range(2):
            assert (await client.post("/v1/chat/completions", json=body)).status_code == 200
        assert (await client.post("/v1/chat/completions", json={"model": "steady:1", "messages": []})).status_code == 400
        seen, again = [Seen(**(await client.get("/seen/steady:1")).json()) for _ in range(2)]
    assert seen.model_calls == 2 and seen.tokens > 0 and seen.messages == [_user("Hi")]
    assert again == Seen()


async def test_a_request_that_comes_again_is_told_as_a_repetition_whoever_sends_it() -> None:
    attempts = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        attempts.append(dict(scope["headers"])[b"x-stainless-retry-count"])
        await Starlette()(scope, receive, send)

    async with _client(Seeing(app, SUBMIT)) as client:
        for words in ("one", "one", "two"):
            await client.post("/v1/chat/completions", json={"model": "flaky:1", "messages": [_user(words)]})
        await client.get("/seen/flaky:1")
        await client.post("/v1/chat/completions", json={"model": "flaky:1", "messages": [_user("one")]})
    assert attempts == [b"0", b"1", b"0", b"0"]


def _client(app: Any) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://server")


def _trip(task: Task = PLATEAU) -> tuple[Trip, Record]:
    record = Record(task=task, limit=6.0, steps=[])
    return Trip(record), record


async def _called(trip: Trip, name: str, **arguments: Any) -> Any:
    (tool,) = [tool for tool in trip.tools if tool.name == name]
    return json.loads(await tool.function(**arguments))


def test_peers_are_given_the_planners_tools_word_for_word() -> None:
    trip, _ = _trip()
    assert [(each.name, each.description) for each in trip.tools] == [
        (tool.name, tool.declaration["function"]["description"]) for tool in TOOLS
    ]
    assert [each.name for each in trip.tools if each.asks] == ["record_brief", SUBMIT]
    for each in trip.tools:
        parameters = inspect.signature(each.function).parameters
        assert set(parameters) == set(each.schema["properties"]), each.name
        assert {name for name, one in parameters.items() if one.default is one.empty} == set(each.schema.get("required", ()))
        hints = get_type_hints(each.function, include_extras=True)
        for name in parameters:
            TypeAdapter(hints[name])
        assert "context" not in (each.function.__doc__ or "")


async def test_a_tool_gives_json_and_says_no_in_words_for_the_model() -> None:
    trip, record = _trip()
    with pytest.raises(ToolError, match="The month of the trip is not known"):
        await _called(trip, "estimate_drive", origin="chengdu", destination="kangding")
    assert trip.refusal("record_brief", BRIEF) is None
    assert (await _called(trip, "record_brief", **BRIEF, budget_cny=None))["brief"]["days"] == 10
    assert (await _called(trip, "estimate_drive", origin="chengdu", destination="kangding"))["minutes"] > 0
    with pytest.raises(ToolError):
        await _called(trip, "estimate_drive", origin="chengdu", destination=7)
    assert [(step.tool, step.ok) for step in record.steps if isinstance(step, Ran)] == [
        ("estimate_drive", False),
        ("record_brief", True),
        ("estimate_drive", True),
    ]


def test_travellers_say_no_in_words_and_their_yes_is_noted() -> None:
    trip, record = _trip()
    assert "That is not what we said: Days." in str(trip.refusal("record_brief", json.dumps(BRIEF | {"days": 9})))
    assert "JSON object expected" in str(trip.refusal("record_brief", "[]"))
    assert record.steps == []
    assert trip.refusal("record_brief", json.dumps(BRIEF)) is None
    assert record.steps == [Agreed(tool="record_brief", arguments=BRIEF)]


class _Leg(BaseModel):
    origin: str
    destination: str
    minutes: int
    note: str = ""


async def test_a_yes_is_to_the_call_as_it_runs_whatever_a_library_makes_of_its_arguments() -> None:
    trip, record = _trip()
    leg: dict[str, Any] = {"origin": "chengdu", "destination": "kangding", "minutes": 219}
    plan = {"title": "Up", "summary": "Kangding.", "days": [{"day": 1, "legs": [leg], "stay": "kangding"}]}
    assert trip.refusal(SUBMIT, json.dumps(plan)) is None
    await _called(trip, SUBMIT, **plan | {"days": [{"day": 1, "legs": [_Leg(**leg)], "stay": "kangding"}]})
    assert trip.submitted() and record.ended == "completed" and record.output["title"] == "Up"
    assert {violation.kind for violation in judge(record)} & {"write", "unconfirmed"} == set()


async def test_a_change_of_mind_comes_whether_anybody_listens_or_not_and_is_said_in_place_of_a_yes() -> None:
    trip, record = _trip(CHANGING)
    wants = CHANGING.wants
    brief = {"ages": list(wants.ages), "month": wants.month, "days": wants.days, "start": wants.start, "must_go": list(wants.must_go)}
    brief |= {"highest_m": wants.highest_m, "regions": list(wants.regions)}
    assert trip.refusal("record_brief", brief) is None
    await _called(trip, "record_brief", **brief)
    for _ in range(3):
        await _called(trip, "search_places", text="Kangding")
    assert CHANGING.change is not None and any(isinstance(step, Changed) for step in record.steps)
    assert CHANGING.change.says in str(trip.refusal("record_brief", brief))
    assert "That is not what we said" in str(trip.refusal("record_brief", brief))
    assert trip.interjection() is None and trip.answer() == CHANGING.change.says


def test_travellers_have_enough_one_day() -> None:
    trip, _ = _trip()
    assert [trip.answer() for _ in range(PATIENCE + 1)] == [PLATEAU.says] * PATIENCE + [None]


def test_an_honest_report_is_decent_and_no_plan() -> None:
    trip, record = _trip()
    assert not trip.submitted()
    trip.sorry("The provider has failed.")
    assert judge(record) == [] and record.partial and record.output["days"] == []

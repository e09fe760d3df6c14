"""The rule-based stand-in plays a question about orders as a model would: it asks, is corrected, and sums up."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest

from handrail import RunState
from handrail.apps.orders.scenarios import GIVEN_UP, WHOSE, LookUp
from handrail.core.events import CallRefused, Event, ToolReturned
from handrail.models import OpenAIChat
from handrail.models.rehearsal import Call, Conversation, Say, ToolResult
from handrail.models.rehearsal.server import started
from handrail.service import find_app
from handrail.service.app import make_app
from tests.apps.orders.console import CHAT
from tests.service.kit import asking

pytestmark = pytest.mark.usefixtures("database")
DECLARATIONS: dict[str, Mapping[str, Any]] = {"lookup_orders": {"parameters": {"properties": {"limit": {"maximum": 50}}}}}
ROW = {"order_id": 7, "customer_email": "a@example.com", "status": "shipped", "total_cents": 1250, "created_at": "2026-01-02T03:04:05Z"}


def _talk(*said: str, **fields: Any) -> Conversation:
    return Conversation(said=said, declarations=DECLARATIONS, **fields)


def _result(value: Any, *, error: str | None = None, **arguments: Any) -> ToolResult:
    return ToolResult(tool="lookup_orders", arguments=arguments, content="", value=value, error=error)


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("the orders of a@example.com", {"customer_email": "a@example.com"}),
        ("Which SHIPPED orders has a@example.com?", {"customer_email": "a@example.com", "status": "shipped"}),
        ("the last 3 of a.b-c+7@mail.example.com.", {"customer_email": "a.b-c+7@mail.example.com", "limit": 3}),
        ("my 2 cancelled ones: user99@example.com", {"customer_email": "user99@example.com", "status": "cancelled", "limit": 2}),
    ],
)
def test_slots_are_filled_from_the_message(message: str, arguments: dict[str, object]) -> None:
    assert LookUp().move(_talk(message)) == Call(calls=(("lookup_orders", arguments),))


def test_several_addresses_are_looked_up_in_one_reply() -> None:
    move = LookUp().move(_talk("compare a@example.com, b@example.com and a@example.com"))
    assert isinstance(move, Call)
    assert [arguments["customer_email"] for _, arguments in move.calls if not isinstance(arguments, str)] == [
        "a@example.com",
        "b@example.com",
    ]


def test_without_an_address_it_asks_for_one() -> None:
    assert LookUp().move(_talk("where is my order?")) == Say(WHOSE)


def test_what_came_back_as_an_error_is_corrected_once_by_the_declaration() -> None:
    wrong = _result({"error": "too many"}, error="too many", customer_email="a@example.com", limit=80)
    talk = _talk("the last 80 of a@example.com", results=(wrong,), turns=1)
    assert LookUp().move(talk) == Call(calls=(("lookup_orders", {"customer_email": "a@example.com", "limit": 50}),))
    again = _talk("the last 80 of a@example.com", results=(wrong, wrong), turns=2)
    assert LookUp().move(again) == Say(GIVEN_UP)


def test_rows_are_summed_up() -> None:
    done = _talk("a@example.com", results=(_result([ROW], customer_email="a@example.com"),), turns=1)
    assert LookUp().move(done) == Say("a@example.com has 1 such order, newest first: #7 of 2026-01-02, shipped, 12.50.")
    many = _talk("a@example.com", results=(_result([ROW] * 7, customer_email="a@example.com"),), turns=1)
    assert LookUp().move(many) == Say(
        f"a@example.com has 7 such orders, newest first: {'; '.join(['#7 of 2026-01-02, shipped, 12.50'] * 5)}; and 2 more."
    )
    none = _talk("a@example.com", results=(_result([], customer_email="a@example.com"),), turns=1)
    assert LookUp().move(none) == Say("I found no such orders of a@example.com.")


@asynccontextmanager
async def _rehearsed(events: list[Event]) -> AsyncIterator[httpx2.AsyncClient]:
    app = find_app("orders")

    def watch(event: Event, state: RunState) -> None:
        events.append(event)

    async with started(app.scenarios()) as url:
        model = OpenAIChat(base_url=url, api_key="rehearsal")
        async with asking(make_app([app], model=model, on_event=watch)) as client:
            yield client
        await model.close()


async def test_the_apps_own_example_is_answered_from_the_database() -> None:
    async with _rehearsed([]) as client:
        answer = await client.post(CHAT, json={"message": find_app("orders").example})
    assert answer.json() == {"answer": "amber@example.com has 1 such order, newest first: #1282 of 2026-11-18, shipped, 169.91."}


async def test_bad_arguments_never_run_and_are_corrected() -> None:
    events: list[Event] = []
    async with _rehearsed(events) as client:
        answer = await client.post(CHAT, json={"message": "Show me the last 80 orders of basil@example.com"})
    assert answer.status_code == 200
    assert answer.json()["answer"].startswith("basil@example.com has 6 such orders, newest first: #")
    (refused,) = [event for event in events if isinstance(event, CallRefused)]
    assert refused.code == "arguments" and "limit" in refused.reason and "50" in refused.reason
    assert len([event for event in events if isinstance(event, ToolReturned)]) == 1

"""`POST /trips/chat`: answers that are sent along, answers that are not, and the forms of a trip."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest

from handrail.apps.trips import app
from handrail.apps.trips.scenarios import scenarios
from handrail.models import OpenAIChat
from handrail.models.rehearsal.server import started
from handrail.service.app import make_app
from handrail.testing import ScriptedModel, fails, refuses
from tests.apps.trips.planning import PASSED, beginning, submitting

MESSAGE = "Six days on Tenerife in May, ages 30 and 31."
YES = {"brief": True, "plan": True}


@asynccontextmanager
async def asking(model: Any) -> AsyncIterator[httpx2.AsyncClient]:
    """The service with this app, started, and asked without a network."""
    service = make_app([app], model=model)
    transport = httpx2.ASGITransport(service, raise_app_exceptions=False)
    async with service.router.lifespan_context(service), httpx2.AsyncClient(transport=transport, base_url="http://service.test") as client:
        yield client


@asynccontextmanager
async def service() -> AsyncIterator[httpx2.AsyncClient]:
    """The service, with the stand-in over HTTP as its model."""
    async with started(scenarios()) as url:
        model = OpenAIChat(base_url=url, api_key="rehearsal")
        async with asking(model) as client:
            yield client
        await model.close()


async def test_a_trip_with_all_answers_sent_along() -> None:
    async with service() as client:
        answer = await client.post("/trips/chat", json={"message": MESSAGE, "answers": YES})
    body = answer.json()
    assert (answer.status_code, body["status"], body["partial"], body["unconfirmed"]) == (200, "completed", False, False)
    assert len(body["trip"]["days"]) == 6
    assert body["remarks"] == []


async def test_a_question_takes_the_next_answer() -> None:
    answers = YES | {"questions": ["ages 30 and 31", "in May"]}
    async with service() as client:
        answer = await client.post("/trips/chat", json={"message": "Six days on Tenerife", "answers": answers})
    assert answer.json()["trip"]["brief"]["ages"] == [30, 31]


@pytest.mark.parametrize(
    ("answers", "tool", "words"),
    [({}, "record_brief", "Region: tenerife"), ({"brief": True}, "submit_plan", "Day 6: Candelaria → Los Cristianos")],
)
async def test_what_was_not_answered_is_asked(answers: dict[str, Any], tool: str, words: str) -> None:
    async with service() as client:
        answer = await client.post("/trips/chat", json={"message": MESSAGE, "answers": answers})
    body = answer.json()
    assert (answer.status_code, body["status"]) == (200, "asked")
    ((asked),) = body["asked"]
    assert (asked["kind"], asked["tool"]) == ("approval", tool)
    assert words in asked["show"]


async def test_a_no_with_words_reaches_the_model() -> None:
    with ScriptedModel(*beginning(), submitting(), PASSED, refuses("Enough.")) as model:
        async with asking(model) as client:
            answer = await client.post("/trips/chat", json={"message": "Go", "answers": {"brief": True, "plan": "Too far."}})
    assert answer.json() == {"status": "refused", "said": "Enough."}
    assert "Too far." in str(model.requests[-1].messages)


async def test_markdown_and_a_page_are_given_where_they_are_asked_for() -> None:
    async with service() as client:
        text = await client.post("/trips/chat?form=markdown", json={"message": MESSAGE, "answers": YES})
        page = await client.post("/trips/chat?form=html", json={"message": MESSAGE, "answers": YES})
    assert text.headers["content-type"] == "text/markdown; charset=utf-8"
    assert text.text.startswith("# 6 days in Tenerife")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.headers["content-security-policy"].startswith("default-src 'none'")
    assert page.text.count("<svg") == 2


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"message": ""},
        {"message": "x" * 2001},
        {"message": "x", "more": 1},
        {"message": "x", "answers": {"outline": True}},
        {"message": "x", "answers": {"questions": ["x"] * 9}},
        {"message": "x", "answers": {"questions": ["x" * 501]}},
        {"message": "x", "answers": {"plan": "x" * 501}},
    ],
)
async def test_what_is_too_much_or_not_known_is_refused(body: dict[str, Any]) -> None:
    async with asking(ScriptedModel()) as client:
        answer = await client.post("/trips/chat", json=body)
    assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")


@pytest.mark.parametrize("value", [1, 0, {}, [], 1.0, ""])
async def test_case_55_only_true_is_a_yes(value: Any) -> None:
    async with asking(ScriptedModel()) as client:
        answer = await client.post("/trips/chat", json={"message": "x", "answers": {"plan": value}})
    assert answer.status_code == 422


@pytest.mark.parametrize("value", ["true", "yes", False])
async def test_case_55_words_and_false_are_no_yes(value: Any) -> None:
    with ScriptedModel(*beginning(), submitting(), PASSED, refuses("Enough.")) as model:
        async with asking(model) as client:
            answer = await client.post("/trips/chat", json={"message": "Go", "answers": {"brief": True, "plan": value}})
    assert answer.json()["status"] == "refused"


async def test_a_model_that_fails_gives_an_honest_report() -> None:
    async with asking(ScriptedModel(fails())) as client:
        body = (await client.post("/trips/chat", json={"message": "Go"})).json()
    assert (body["partial"], body["unconfirmed"], body["trip"]["days"]) == (True, True, [])
    assert "no place had been found yet" in body["trip"]["summary"]


def test_the_route_is_open_for_a_reason() -> None:
    assert list(app.open_routes) == ["/trips/chat"]

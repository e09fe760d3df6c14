"""`POST /orders/chat` as it was asked for, over the real service and the real client: what goes out, what comes back, what never runs."""

import json
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.apps.orders.order_tools import LOOKUP_ORDERS_TOOL
from handrail.apps.orders.orders_agent import INSTRUCTIONS
from tests.apps.orders.console import calls, console, says

pytestmark = pytest.mark.usefixtures("database")
WHO = "amber@example.com"
SHIPPED = [
    {"order_id": 1282, "customer_email": WHO, "status": "shipped", "total_cents": 16991, "created_at": "2026-11-18T23:21:00Z"},
]
ANSWER = "One order is on its way."


async def test_a_reply_without_calls_is_the_answer() -> None:
    async with console(says("Whose orders?")) as asked:
        answer = await asked.ask("Which orders are late?")
        assert (answer.status_code, answer.json()) == (200, {"answer": "Whose orders?"})
        (body,) = asked.bodies
    assert body == {
        "model": "gpt-4o-mini-2024-07-18",
        "messages": [{"role": "system", "content": INSTRUCTIONS}, {"role": "user", "content": "Which orders are late?"}],
        "tools": [LOOKUP_ORDERS_TOOL],
        "temperature": 0.0,
    }


async def test_the_assistant_message_comes_before_its_result_and_both_have_the_providers_id() -> None:
    async with console(calls({"customer_email": WHO, "status": "shipped"}), says(ANSWER)) as asked:
        answer = await asked.ask("Which orders of amber@example.com have been shipped?")
        assert (answer.status_code, answer.json()) == (200, {"answer": ANSWER})
        _, _, assistant, result = asked.bodies[1]["messages"]
        assert asked.results() == [SHIPPED]
    (call,) = assistant["tool_calls"]
    assert assistant["role"] == "assistant" and (call["id"], call["type"], call["function"]["name"]) == (
        "call_1",
        "function",
        "lookup_orders",
    )
    assert json.loads(call["function"]["arguments"]) == {"customer_email": WHO, "status": "shipped"}
    assert (result["role"], result["tool_call_id"]) == ("tool", "call_1")


async def test_each_of_several_calls_has_its_own_result_under_its_own_id_in_order() -> None:
    wanted = ({"customer_email": WHO, "status": "shipped"}, "no json", {"customer_email": "nobody@example.com"})
    async with console(calls(*wanted), says(ANSWER)) as asked:
        await asked.ask()
        results = asked.results()
        assert [message.get("tool_call_id") for message in asked.bodies[1]["messages"][3:]] == ["call_1", "call_2", "call_3"]
    assert results[0] == SHIPPED and list(results[1]) == ["error"] and results[2] == []


@pytest.mark.parametrize("limit", [5, 5.0, "5"], ids=repr)
async def test_case_07_an_integral_number_is_an_integer_and_text_is_none(limit: Any) -> None:
    """`5` and `5.0` reach the tool as `int`; `"5"` does not reach it."""
    async with console(calls({"customer_email": "garnet@example.com", "limit": limit}), says(ANSWER)) as asked:
        await asked.ask()
        (result,) = asked.results()
    assert ("error" in result) if limit == "5" else (len(result) == 5)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("", "customer_email"),
        (" ", "customer_email"),
        (None, "customer_email"),
        ("{}", "customer_email"),
        ({"customer_email": ""}, "customer_email"),
        ({"customer_email": None}, "customer_email"),
        ({"customer_email": 5}, "customer_email"),
        ({"customer_email": [WHO]}, "customer_email"),
        ({"status": "shipped"}, "customer_email"),
        ({"customer_email": WHO, "status": None}, "status"),
        ({"customer_email": WHO, "status": ""}, "status"),
        ({"customer_email": WHO, "status": "lost"}, "status"),
        ({"customer_email": WHO, "status": "Shipped"}, "status"),
        ({"customer_email": WHO, "limit": 0}, "limit"),
        ({"customer_email": WHO, "limit": 51}, "limit"),
        ({"customer_email": WHO, "limit": -1}, "limit"),
        ({"customer_email": WHO, "limit": 5.5}, "limit"),
        ({"customer_email": WHO, "limit": True}, "limit"),
        ({"customer_email": WHO, "limit": False}, "limit"),
        ({"customer_email": WHO, "limit": "5"}, "limit"),
        ({"customer_email": WHO, "limit": None}, "limit"),
        ('{"customer_email": "amber@example.com", "limit": 1e22}', "limit"),
        ('{"customer_email": "amber@example.com", "limit": NaN}', "limit"),
        ('{"customer_email": "amber@example.com", "limit": 1e400}', "limit"),
        ({"customer_email": WHO, "why": "asked"}, "why"),
        ({"customer_email": WHO, "context": {}}, "context"),
        ('{"customer_email": "a@example.com", "customer_email": "b@example.com"}', "customer_email"),
        ('{"customer_email": "amber@example.com"', "JSON"),
        ("{'customer_email': 'amber@example.com'}", "JSON"),
        ("[1]", "object"),
        ('"x"', "object"),
        ("7", "object"),
        ("true", "object"),
        ("null", "object"),
        (json.dumps(json.dumps({"customer_email": WHO})), "object"),
        ('{"customer_email": "a\\u0000b"}', "customer_email"),
        ("[" * 5_000, "nested"),
    ],
)
async def test_case_01_02_07_08_09_10_whatever_is_wrong_goes_back_to_the_model_and_never_to_the_tool(
    arguments: Any, words: str, monkeypatch: pytest.MonkeyPatch, database: AsyncEngine
) -> None:
    ran: list[object] = []
    monkeypatch.setattr(type(database), "connect", lambda *given: ran.append(given))
    async with console(calls(arguments), says(ANSWER)) as asked:
        answer = await asked.ask()
        (result,) = asked.results()
    assert (answer.status_code, answer.json()) == (200, {"answer": ANSWER})
    assert list(result) == ["error"] and words in result["error"] and len(result["error"]) <= 800
    assert ran == []


async def test_an_unknown_tool_goes_back_to_the_model_with_what_there_is() -> None:
    async with console(calls({"customer_email": WHO}, name="delete_orders"), says(ANSWER)) as asked:
        assert (await asked.ask()).status_code == 200
        (result,) = asked.results()
    assert list(result) == ["error"] and "delete_orders" in result["error"] and "lookup_orders" in result["error"]


async def test_a_corrected_call_runs() -> None:
    bad, good = {"customer_email": WHO, "limit": 80}, {"customer_email": WHO, "status": "shipped", "limit": 50}
    async with console(calls(bad), calls(good), says(ANSWER)) as asked:
        assert (await asked.ask()).json() == {"answer": ANSWER}
        assert asked.results(2) == [SHIPPED]
        roles = [message["role"] for message in asked.bodies[2]["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "tool"]


async def test_the_fifth_call_may_be_the_answer() -> None:
    async with console(*[calls({"customer_email": WHO})] * 4, says(ANSWER)) as asked:
        assert (await asked.ask()).json() == {"answer": ANSWER}
        assert [body["tools"] for body in asked.bodies] == [[LOOKUP_ORDERS_TOOL]] * 5
        assert [body.get("tool_choice", "auto") for body in asked.bodies] == ["auto"] * 5


async def test_whoever_still_asks_in_the_fifth_call_gets_no_sixth() -> None:
    async with console(calls({"customer_email": WHO}, content="Let me look.")) as asked:
        answer = await asked.ask()
        assert [body["tools"] for body in asked.bodies] == [[LOOKUP_ORDERS_TOOL]] * 5
    assert answer.status_code == 502
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["code"] == "limit_reached"


async def test_what_is_still_asked_in_the_fifth_call_is_not_run(monkeypatch: pytest.MonkeyPatch, database: AsyncEngine) -> None:
    connect, ran = type(database).connect, []

    def counted(engine: AsyncEngine) -> Any:
        ran.append(engine)
        return connect(engine)

    monkeypatch.setattr(type(database), "connect", counted)
    async with console(calls({"customer_email": WHO})) as asked:
        await asked.ask()
    assert len(ran) == 4


@pytest.mark.parametrize("content", [None, ""])
async def test_nothing_at_all_is_an_empty_answer(content: str | None) -> None:
    for played in ((says(content),), (calls({"customer_email": WHO}), says(content))):
        async with console(*played) as asked:
            answer = await asked.ask()
            assert len(asked.bodies) == len(played)
        assert (answer.status_code, answer.json()) == (200, {"answer": ""})


async def test_case_23_a_refusal_is_the_answer_and_is_not_asked_again() -> None:
    async with console(says(None, refusal="I cannot help with that.")) as asked:
        answer = await asked.ask()
        assert len(asked.bodies) == 1
    assert (answer.status_code, answer.json()) == (200, {"answer": "I cannot help with that."})


@pytest.mark.parametrize("message", ["x", " ", "x" * 2000, "é" * 2000, "\U0001f4e6" * 2000, "a\nb\tc", "'; DROP TABLE orders; --"])
async def test_a_message_of_1_to_2000_characters_is_asked_as_it_is(message: str) -> None:
    async with console(says(ANSWER)) as asked:
        assert (await asked.ask(message)).status_code == 200
        assert asked.bodies[0]["messages"][-1] == {"role": "user", "content": message}


@pytest.mark.parametrize(
    "sent",
    [
        {"json": {"message": ""}},
        {"json": {"message": "x" * 2001}},
        {"json": {"message": None}},
        {"json": {"message": 5}},
        {"json": {"message": ["x"]}},
        {"json": {}},
        {"json": ["x"]},
        {"json": "x"},
        {"content": b"", "headers": {"Content-Type": "application/json"}},
        {"content": b"{", "headers": {"Content-Type": "application/json"}},
        {"content": b'{"message": "\\ud800"}', "headers": {"Content-Type": "application/json"}},
    ],
    ids=lambda sent: str(sent)[:40],
)
async def test_everything_else_is_422_and_asks_no_model(sent: dict[str, Any]) -> None:
    async with console(says(ANSWER)) as asked:
        answer = await asked.post(**sent)
        assert asked.bodies == []
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"


async def test_a_question_knows_nothing_of_the_one_before_it() -> None:
    async with console(says(ANSWER)) as asked:
        answers = [await asked.ask(message) for message in ("first", "second")]
        sent = [[message["content"] for message in body["messages"][1:]] for body in asked.bodies]
    assert [answer.json() for answer in answers] == [{"answer": ANSWER}] * 2
    assert sent == [["first"], ["second"]]

"""How much one user may ask for; the numbers are settings."""

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.service.problems import Problem
from handrail.service.rates import MOST_KEPT, Rates
from handrail.testing import ManualClock
from tests.service.branch import opened


def test_a_minutes_worth_may_come_at_once_and_then_as_it_fills() -> None:
    clock = ManualClock()
    rates = Rates(6, clock=clock)
    for _ in range(6):
        rates.take("alice")
    with pytest.raises(Problem) as found:
        rates.take("alice")
    assert (found.value.status, found.value.code, found.value.headers) == (429, "too_many", {"Retry-After": "10"})
    rates.take("bob")
    clock.advance(9)
    with pytest.raises(Problem) as found:
        rates.take("alice")
    assert found.value.headers == {"Retry-After": "1"}
    clock.advance(1)
    rates.take("alice")
    clock.advance(3_600)
    for _ in range(6):
        rates.take("alice")
    with pytest.raises(Problem):
        rates.take("alice")


def test_users_who_have_not_come_for_a_minute_are_forgotten() -> None:
    clock = ManualClock()
    rates = Rates(10, clock=clock)
    for number in range(MOST_KEPT + 1):
        rates.take(f"user{number}")
    clock.advance(60)
    rates.take("alice")
    assert list(rates._left) == ["alice"]


async def test_more_requests_than_that_are_told_when_to_come_again(database: AsyncEngine) -> None:
    async with opened(database, start=False, most_requests_per_minute=3) as branch, branch.client("alice") as client:
        answers = [await client.get("/me") for _ in range(4)]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
        assert (answers[3].headers["retry-after"], answers[3].json()["code"]) == ("20", "too_many")
        assert answers[3].json()["detail"] == "These are more than 3 requests in a minute. Come again in 20 s."
        branch.clock.advance(20)
        assert (await client.get("/me")).status_code == 200


async def test_messages_are_counted_by_the_user_for_whom_they_are(database: AsyncEngine) -> None:
    async with opened(database, start=False, most_messages_per_minute=2) as branch, branch.client("panel", "act-as") as panel:

        async def ask(user_id: str) -> int:
            body = {"session_id": f"of-{user_id}", "user_id": user_id, "message": "hello"}
            return (await panel.post("/agent/invoke", json=body)).status_code

        assert [await ask(user_id) for user_id in ("alice", "alice", "alice", "bob")] == [202, 202, 429, 202]


async def test_a_services_key_is_counted_by_the_user_that_it_says(database: AsyncEngine) -> None:
    async with opened(database, start=False, most_requests_per_minute=2) as branch, branch.client("panel", "act-as") as panel:
        found = [(await panel.get("/me", headers={"X-Act-As": user_id})).status_code for user_id in ("alice", "alice", "alice", "bob")]
        assert found == [200, 200, 429, 200]

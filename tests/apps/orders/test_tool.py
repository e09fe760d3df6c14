"""The tool and its table, in SQLite and in PostgreSQL: whose orders, which, how many, in which order, and by which index."""

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import event, insert, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail import ABSENT, ToolContext
from handrail.apps.orders.data import CUSTOMERS, MOST_ORDERS, fill, made_up
from handrail.apps.orders.order_tools import lookup_orders, newest
from handrail.apps.orders.tables import Order, what_is_missing
from handrail.core.ring import Parsed
from handrail.service.database import make_engine
from handrail.tools import Failed, Returned

AT = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
WHO = "amber@example.com"
HOSTILE = ("' OR '1'='1", "'; DROP TABLE orders; --", "%", "_", f"{WHO}' --", "\\", '"', WHO.upper(), f" {WHO}")


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
async def filled(request: pytest.FixtureRequest) -> AsyncIterator[AsyncEngine]:
    """A filled database of each kind."""
    engine = make_engine(request.getfixturevalue(f"{request.param}_url"))
    await fill(engine)
    yield engine
    await engine.dispose()


async def _looked_up(database: AsyncEngine, **arguments: Any) -> list[dict[str, Any]]:
    parsed = lookup_orders.parse(json.dumps(arguments))
    assert isinstance(parsed, Parsed), parsed
    ran = await lookup_orders.run(parsed.canonical, ToolContext(deps=database))
    assert isinstance(ran, Returned), ran
    rows: list[dict[str, Any]] = json.loads(ran.content)
    return rows


def _expected(**wanted: Any) -> list[dict[str, Any]]:
    rows = [row for row in made_up() if all(row[name] == value for name, value in wanted.items())]
    return sorted(rows, key=lambda row: (row["created_at"], row["order_id"]), reverse=True)


async def test_a_row_has_all_five_columns_and_its_time_a_zone(filled: AsyncEngine) -> None:
    (row,) = await _looked_up(filled, customer_email=WHO, limit=1)
    (expected, *_) = _expected(customer_email=WHO)
    assert list(row) == ["order_id", "customer_email", "status", "total_cents", "created_at"]
    assert row | {"created_at": datetime.fromisoformat(row["created_at"])} == expected
    assert isinstance(row["order_id"], int) and isinstance(row["total_cents"], int) and row["created_at"].endswith("Z")


@pytest.mark.parametrize("status", [None, "placed", "shipped", "delivered", "cancelled"])
async def test_every_customer_gets_their_own_orders_newest_first(filled: AsyncEngine, status: str | None) -> None:
    wanted = {} if status is None else {"status": status}
    for customer in CUSTOMERS:
        rows = await _looked_up(filled, customer_email=customer, limit=50, **wanted)
        assert [row["order_id"] for row in rows] == [row["order_id"] for row in _expected(customer_email=customer, **wanted)]


async def test_there_are_ten_at_most_where_nothing_is_said_and_as_many_as_are_asked_for(filled: AsyncEngine) -> None:
    who = max(CUSTOMERS, key=lambda customer: len(_expected(customer_email=customer)))
    everything = [row["order_id"] for row in _expected(customer_email=who)]
    assert len(everything) > 10
    for asked, count in (({}, 10), ({"limit": 1}, 1), ({"limit": 3}, 3), ({"limit": 3.0}, 3), ({"limit": 50}, len(everything))):
        assert [row["order_id"] for row in await _looked_up(filled, customer_email=who, **asked)] == everything[:count]


async def test_orders_of_one_moment_come_in_the_order_of_their_numbers(filled: AsyncEngine) -> None:
    twins = [{"order_id": number, "customer_email": "twin", "status": "placed", "total_cents": 1, "created_at": AT} for number in (9, 7, 8)]
    async with filled.begin() as connection:
        await connection.execute(insert(Order), twins)
    assert [row["order_id"] for row in await _looked_up(filled, customer_email="twin")] == [9, 8, 7]


async def test_moments_are_compared_as_moments_whatever_their_zone(filled: AsyncEngine) -> None:
    east = AT.astimezone(datetime.strptime("+0900", "%z").tzinfo)
    rows = [
        {"order_id": 1, "customer_email": "zone", "status": "placed", "total_cents": 1, "created_at": AT + timedelta(minutes=1)},
        {"order_id": 2, "customer_email": "zone", "status": "placed", "total_cents": 1, "created_at": east},
    ]
    async with filled.begin() as connection:
        await connection.execute(insert(Order), rows)
    found = await _looked_up(filled, customer_email="zone")
    assert [(row["order_id"], row["created_at"]) for row in found] == [(1, "2026-01-01T12:01:00Z"), (2, "2026-01-01T12:00:00Z")]


@pytest.mark.parametrize("email", HOSTILE)
async def test_a_value_is_a_value_and_never_sql(filled: AsyncEngine, email: str) -> None:
    statements: list[str] = []
    event.listen(filled.sync_engine, "before_cursor_execute", lambda *given: statements.append(given[2]))
    assert await _looked_up(filled, customer_email=email, limit=50) == []
    assert len(await _looked_up(filled, customer_email=WHO, limit=50)) == len(_expected(customer_email=WHO))
    assert [statement for statement in statements if email in statement and len(email) > 1] == []


async def test_an_index_serves_the_query(filled: AsyncEngine) -> None:
    async with filled.connect() as connection:
        if filled.dialect.name == "postgresql":  # 320 rows are few enough to be read one by one
            await connection.execute(text("SET enable_seqscan = off"))
            await connection.execute(text("SET enable_bitmapscan = off"))
        for status in (ABSENT, "shipped"):
            query = newest(WHO, status, 10).compile(filled.sync_engine, compile_kwargs={"literal_binds": True})
            explain = "EXPLAIN QUERY PLAN" if filled.dialect.name == "sqlite" else "EXPLAIN"
            plan = "\n".join(str(row) for row in await connection.execute(text(f"{explain} {query}")))
            assert "orders_newest_of_customer" in plan
            assert "TEMP B-TREE" not in plan and "Sort" not in plan, "the index gives the order too"


async def test_filling_it_again_adds_nothing(filled: AsyncEngine) -> None:
    assert await fill(filled) == 0


async def test_a_status_that_does_not_exist_cannot_be_stored(filled: AsyncEngine) -> None:
    with pytest.raises(IntegrityError):
        async with filled.begin() as connection:
            await connection.execute(
                insert(Order), {"order_id": 1, "customer_email": WHO, "status": "lost", "total_cents": 1, "created_at": AT}
            )


async def test_nothing_is_missing_from_a_filled_database(filled: AsyncEngine) -> None:
    assert await what_is_missing(filled) is None


def test_the_made_up_orders_are_a_few_hundred_and_always_the_same() -> None:
    orders = list(made_up())
    assert orders == list(made_up()) and len(orders) == MOST_ORDERS == 320
    assert len({row["order_id"] for row in orders}) == 320
    assert {row["status"] for row in orders} == {"placed", "shipped", "delivered", "cancelled"}
    assert all(row["customer_email"].endswith("@example.com") and row["created_at"].tzinfo is UTC for row in orders)
    shipped = [row for row in orders if row["customer_email"] == WHO and row["status"] == "shipped"]
    assert shipped == [
        {
            "order_id": 1282,
            "customer_email": WHO,
            "status": "shipped",
            "total_cents": 16991,
            "created_at": datetime(2026, 11, 18, 23, 21, tzinfo=UTC),
        }
    ]


async def test_a_database_without_the_table_is_an_error_that_tells_no_address(sqlite_url: str) -> None:
    engine = make_engine(sqlite_url)
    ran = await lookup_orders.run(json.dumps({"customer_email": WHO}), ToolContext(deps=engine))
    missing = await what_is_missing(engine)
    await engine.dispose()
    assert ran == Failed("The orders cannot be looked up at the moment.")
    assert missing is not None and "handrail seed orders" in missing and "orders.db" not in missing


@pytest.mark.slow
async def test_case_75_a_server_that_is_not_there_is_an_error_that_tells_no_password() -> None:
    engine = make_engine("postgresql://me:hunter2@127.0.0.1:1/orders")
    ran = await lookup_orders.run(json.dumps({"customer_email": WHO}), ToolContext(deps=engine))
    missing = await what_is_missing(engine)
    await engine.dispose()
    assert ran == Failed("The orders cannot be looked up at the moment.")
    assert "hunter2" not in str(missing) and "127.0.0.1" not in str(missing)

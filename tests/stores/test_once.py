"""Keys, tokens and claims: what opens something, and what happens once."""

import asyncio

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from handrail.stores import claims, keys, one_time
from handrail.stores.claims import Claim
from handrail.stores.transactions import read, write
from tests.stores.kit import AT, after


async def test_a_key_is_shown_once_and_opens_until_it_is_revoked(database: AsyncEngine) -> None:
    shown, key = await write(database, keys.create, user_id="ada", scopes=("act-as",), label="panel", at=AT)
    assert shown.startswith(f"hrk_{key.key_id}_")
    assert await read(database, keys.checked, shown) == key
    assert (key.user_id, key.scopes, key.label, key.created_at) == ("ada", ("act-as",), "panel", AT)
    assert await write(database, keys.revoke, key.key_id, at=after(1)) is True
    assert await write(database, keys.revoke, key.key_id, at=after(2)) is False
    assert await read(database, keys.checked, shown) is None
    assert [listed.revoked_at for listed in await read(database, keys.listed)] == [after(1)]


async def test_what_is_no_key_opens_nothing(database: AsyncEngine) -> None:
    shown, key = await write(database, keys.create, user_id="ada", at=AT)
    secret = shown.split("_", 2)[2]
    for wrong in (
        "",
        "_",
        "hrk__",
        shown[:-1],
        shown + "x",
        f"hrk_{key.key_id}_",
        f"xyz_{key.key_id}_{secret}",
        f"hrk_a\x00_{secret}",
        "hrk_é_ü\ud800",
    ):
        assert await read(database, keys.checked, wrong) is None, wrong


async def test_no_secret_is_stored(database: AsyncEngine) -> None:
    shown, _ = await write(database, keys.create, user_id="ada", at=AT)
    token = await write(database, one_time.issue, "link", {"user": "ada"}, expires_at=after(60))
    async with database.connect() as connection:
        rows = [
            *(await connection.execute(text("SELECT * FROM api_keys"))),
            *(await connection.execute(text("SELECT * FROM one_time_tokens"))),
        ]
    assert shown.split("_", 2)[2] not in str(rows) and token not in str(rows)


async def test_a_token_works_once_for_its_purpose_and_in_time(database: AsyncEngine) -> None:
    token = await write(database, one_time.issue, "link", {"user": "ada"}, expires_at=after(60))
    assert await write(database, one_time.use, "button", token, at=AT) is None
    assert await write(database, one_time.use, "link", token + "x", at=AT) is None
    assert await write(database, one_time.use, "link", token, at=after(60)) is None
    assert await write(database, one_time.use, "link", token, at=after(59)) == {"user": "ada"}
    assert await write(database, one_time.use, "link", token, at=after(59)) is None


async def test_a_token_that_is_used_many_times_at_once_works_once(database: AsyncEngine) -> None:
    token = await write(database, one_time.issue, "link", {"user": "ada"}, expires_at=after(60))
    came = await asyncio.gather(*(write(database, one_time.use, "link", token, at=AT) for _ in range(6)))
    assert (came.count({"user": "ada"}), came.count(None)) == (1, 5)


async def test_case_39_a_message_that_is_delivered_many_times_is_claimed_once(database: AsyncEngine) -> None:
    names = [f"job_{number}" for number in range(6)]
    came = await asyncio.gather(*(write(database, claims.deliver, "chat", "m1", name, at=AT) for name in names))
    assert came.count(True) == 1
    assert await read(database, claims.delivered, "chat", "m1") == names[came.index(True)]
    assert await write(database, claims.deliver, "chat", "m2", "job_9", at=AT), "an equal text with another id is another message"
    assert await write(database, claims.deliver, "mail", "m1", "job_9", at=AT), "and another platform has ids of its own"
    assert await read(database, claims.delivered, "chat", "m3") is None


async def test_a_request_key_is_its_users_own_and_is_claimed_once(database: AsyncEngine) -> None:
    assert await write(database, claims.claim, "ada", "k", Claim("d1", "job_1"), at=AT)
    assert not await write(database, claims.claim, "ada", "k", Claim("d2", "job_2"), at=AT)
    assert await write(database, claims.claim, "eve", "k", Claim("d3", "job_3"), at=AT)
    assert await read(database, claims.earlier, "ada", "k") == Claim("d1", "job_1")
    assert await read(database, claims.earlier, "ada", "other") is None

"""The action trail: what the user and the agent did in the interface, each act once, in order.

- An act is known by the id that the interface gave it. Told again, it is the act that is there already; with other contents it is refused.
- Reading changes nothing and may be repeated. Only what the model has heard of in a note is remembered, beside the trail.
- Whoever adds to a session's rows locks the session first, so acts that come at the same moment come one after the other.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec
from sqlalchemy import func, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from handrail.apps.delivery.possible import NotPossible
from handrail.apps.delivery.tables import ActRow, SessionRow

LONGEST_NOTE = 400
NEWEST_IN_NOTE = 20


class Who(StrEnum):
    """Who acted."""

    USER = "user"
    AGENT = "agent"


class What(StrEnum):
    """What was done."""

    PAGE_OPENED = "page_opened"
    PAGE_CLOSED = "page_closed"
    CART_OPENED = "cart_opened"
    CART_CLOSED = "cart_closed"
    HANDSFREE_ON = "handsfree_on"
    HANDSFREE_OFF = "handsfree_off"
    FOOD_ADDED = "food_added"
    FOOD_REMOVED = "food_removed"
    ORDER_PLACED = "order_placed"


PAGES = (What.PAGE_OPENED.value, What.PAGE_CLOSED.value)
DRAWERS = (What.CART_OPENED.value, What.CART_CLOSED.value, What.ORDER_PLACED.value)
"""Whoever has ordered sees the order in the place of the cart."""


class Owner(msgspec.Struct, frozen=True):
    """Whose: a user, and a session of theirs."""

    user_id: str
    session_id: str


class Act(msgspec.Struct, frozen=True, kw_only=True):
    """An act, as the trail shows it. The time is ISO 8601 in UTC once it is JSON."""

    seq: int
    act_id: str
    at: datetime
    who: Who
    what: What
    ids: dict[str, Any]


class NewAct(msgspec.Struct, frozen=True, kw_only=True):
    """An act that is to be written down."""

    act_id: str
    who: Who
    what: What
    ids: Mapping[str, Any] = {}


async def lock(connection: AsyncConnection, owner: Owner) -> None:
    """Let nobody else change anything of the session until the transaction ends. It comes before anything is read."""
    dialect_insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    values = {"user_id": owner.user_id, "session_id": owner.session_id, "told_seq": 0}
    statement = dialect_insert(SessionRow).values(values)
    keys = [SessionRow.user_id, SessionRow.session_id]
    await connection.execute(statement.on_conflict_do_update(index_elements=keys, set_={"told_seq": SessionRow.told_seq}))


async def earlier(connection: AsyncConnection, owner: Owner, new: NewAct) -> Act | None:
    """The act of that id, where it is there already.

    Raises:
        NotPossible: something else was written down under that id.
    """
    query = select(*_COLUMNS).where(*_of(owner), ActRow.act_id == new.act_id)
    row = (await connection.execute(query)).one_or_none()
    if row is None:
        return None
    found = _act(row)
    same = (found.who, found.what) == (new.who, new.what) and all(found.ids.get(key) == value for key, value in new.ids.items())
    if not same:
        raise NotPossible("act_reused", "This act_id came before with another act; every act has an id of its own.")
    return found


async def add(connection: AsyncConnection, owner: Owner, new: NewAct, *, at: datetime) -> Act:
    """Write an act down, in a session that is locked."""
    last = (await connection.execute(select(func.max(ActRow.seq)).where(*_of(owner)))).scalar_one()
    act = Act(seq=(last or 0) + 1, act_id=new.act_id, at=at, who=new.who, what=new.what, ids=dict(new.ids))
    row = {
        "user_id": owner.user_id,
        "session_id": owner.session_id,
        "seq": act.seq,
        "act_id": act.act_id,
        "at": act.at,
        "who": act.who.value,
        "what": act.what.value,
        "ids": act.ids,
    }
    await connection.execute(insert(ActRow), row)
    return act


async def record(database: AsyncEngine, owner: Owner, new: NewAct, *, at: datetime) -> Act:
    """Write down an act that changes no cart and no order.

    Raises:
        NotPossible: a page is to be closed, and none is open; or the id came before with another act.
    """
    async with database.begin() as connection:
        await lock(connection, owner)
        known = await earlier(connection, owner, new)
        if known is not None:
            return known
        if new.what is What.PAGE_CLOSED and await _page(connection, owner) is None:
            raise NotPossible("no_page", "No restaurant's page is open, so there is none to close.")
        return await add(connection, owner, new, at=at)


async def acts(database: AsyncEngine, owner: Owner, *, last: int) -> Sequence[Act]:
    """The last acts, oldest first."""
    async with database.connect() as connection:
        query = select(*_COLUMNS).where(*_of(owner)).order_by(ActRow.seq.desc()).limit(last)
        rows = (await connection.execute(query)).all()
    return [_act(row) for row in reversed(rows)]


async def unheard(database: AsyncEngine, owner: Owner) -> Sequence[Act]:
    """The acts that no note has told the model of, oldest first; from now on it has heard of them."""
    async with database.begin() as connection:
        await lock(connection, owner)
        told = select(SessionRow.told_seq).where(SessionRow.user_id == owner.user_id, SessionRow.session_id == owner.session_id)
        seq = (await connection.execute(told)).scalar_one()
        rows = (await connection.execute(select(*_COLUMNS).where(*_of(owner), ActRow.seq > seq).order_by(ActRow.seq))).all()
        if rows:
            heard = update(SessionRow).where(SessionRow.user_id == owner.user_id, SessionRow.session_id == owner.session_id)
            await connection.execute(heard.values(told_seq=rows[-1].seq))
    return [_act(row) for row in rows]


async def open_page(database: AsyncEngine, owner: Owner) -> str | None:
    """The restaurant whose page is open."""
    async with database.connect() as connection:
        return await _page(connection, owner)


async def cart_is_open(database: AsyncEngine, owner: Owner) -> bool:
    """Whether the cart's drawer is open."""
    async with database.connect() as connection:
        query = select(ActRow.what).where(*_of(owner), ActRow.what.in_(DRAWERS)).order_by(ActRow.seq.desc()).limit(1)
        return await connection.scalar(query) == What.CART_OPENED.value


def acts_note(acts: Sequence[Act]) -> str:
    """What the user did since the last message, for the model: at most 400 characters, and ids only.

    Names are other people's words, and have no place in a note of ours; the agent's own acts are in its conversation.
    """
    told = [_told(act) for act in acts if act.who is Who.USER]
    if not told:
        return ""
    kept = told[-NEWEST_IN_NOTE:]
    while len(_note(kept, len(told) - len(kept))) > LONGEST_NOTE:
        kept = kept[1:]
    return _note(kept, len(told) - len(kept))


def _note(told: Sequence[str], left_out: int) -> str:
    before = f"{left_out} earlier acts (get_user_actions tells); " if left_out else ""
    return f"In the interface the user has meanwhile: {before}{'; '.join(told)}."


def _told(act: Act) -> str:
    match act.what:
        case What.PAGE_OPENED:
            return f"opened the page of restaurant {act.ids['restaurant_uuid']}"
        case What.FOOD_ADDED:
            return f"added {act.ids['quantity']} of food {act.ids['food_id']}"
        case What.FOOD_REMOVED:
            quantity = act.ids.get("quantity")
            return f"removed {'all' if quantity is None else quantity} of food {act.ids['food_id']}"
        case What.ORDER_PLACED:
            return f"placed order {act.ids.get('order_id')}"
        case _:
            return act.what.value.replace("_", " ")


async def _page(connection: AsyncConnection, owner: Owner) -> str | None:
    query = select(ActRow.what, ActRow.ids).where(*_of(owner), ActRow.what.in_(PAGES)).order_by(ActRow.seq.desc()).limit(1)
    row = (await connection.execute(query)).one_or_none()
    if row is None or row.what == What.PAGE_CLOSED.value:
        return None
    return str(row.ids["restaurant_uuid"])


_COLUMNS = (ActRow.seq, ActRow.act_id, ActRow.at, ActRow.who, ActRow.what, ActRow.ids)


def _of(owner: Owner) -> tuple[Any, ...]:
    return (ActRow.user_id == owner.user_id, ActRow.session_id == owner.session_id)


def _act(row: Any) -> Act:
    return Act(seq=row.seq, act_id=row.act_id, at=row.at, who=Who(row.who), what=What(row.what), ids=dict(row.ids))

"""An app for functions of Lambda's in tests: it books what it is told to, in a ledger, and hangs if it is told to."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from sqlalchemy import Column, Integer, MetaData, String, Table, insert, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from handrail import Agent, ToolContext, tool
from handrail.models.rehearsal.scenario import Conversation, Move, Say, Scenario, call
from handrail.service import App
from handrail.service.database import make_engine
from handrail.service.settings import database_url
from handrail.stores.transactions import write

BOOKED = "lambda_booked"
"""What the database tells those who listen."""

ledger = Table(
    "lambda_ledger",
    MetaData(),
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("entry", String(64), nullable=False),
)


@tool(effect="write")
async def book(entry: str, hang: bool, context: ToolContext[AsyncEngine]) -> str:
    """Write an entry into the ledger.

    Args:
        entry: what to write.
        hang: never come back.
        context: the database.
    """

    async def booked(connection: AsyncConnection) -> None:
        await connection.execute(insert(ledger).values(entry=entry))
        await connection.execute(text(f"NOTIFY {BOOKED}"))

    await write(context.deps, booked)
    if hang:
        await asyncio.Event().wait()
    return f"booked {entry}"


class Clerk:
    """Books the message, and says what came of it."""

    name = "clerk"

    def fits(self, conversation: Conversation) -> bool:
        return True

    def move(self, conversation: Conversation) -> Move:
        if conversation.results:
            return Say(conversation.results[-1].content)
        return call("book", {"entry": conversation.user, "hang": "hang" in conversation.user})


def scenarios() -> Sequence[Scenario]:
    return (Clerk(),)


@asynccontextmanager
async def deps() -> AsyncIterator[AsyncEngine]:
    engine = make_engine(database_url())
    try:
        yield engine
    finally:
        await engine.dispose()


def clerk() -> Agent:
    return Agent(name="clerk", instructions="Book what you are told.", model="some-model", tools=[book])


app = App(name="clerk", summary="Books.", agent=clerk, deps=deps, scenarios=scenarios)

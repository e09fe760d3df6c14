"""What the workers serve: an agent that books what it is asked to, in a ledger beside handrail's own tables."""

import asyncio

from sqlalchemy import Column, Integer, MetaData, String, Table, insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from handrail import Agent, ToolContext, tool
from handrail.ports import OnDelta
from handrail.stores.transactions import write
from handrail.vocab.canonical import canonical
from handrail.vocab.messages import ToolMessage, UserMessage
from handrail.vocab.requests import AnsweredCall, ModelAnswer, ModelRequest

APP = "chaos"
BOOKED = "booked"
UNKNOWN = "unknown"

ledger = Table(
    "chaos_ledger",
    MetaData(),
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("session_id", String(64), nullable=False),
    Column("message", Integer, nullable=False),
)


class Books:
    """What the tool works on."""

    def __init__(self, database: AsyncEngine, pace: float) -> None:
        """`pace` is how many seconds everything takes."""
        self.database = database
        self.pace = pace


@tool(effect="write")
async def book(session: str, message: int, context: ToolContext[Books]) -> str:
    """Write an entry into the ledger.

    Args:
        session: whose entry it is.
        message: the number of the message that asked for it.
        context: the books.
    """
    await asyncio.sleep(context.deps.pace / 2)
    await write(context.deps.database, _booked, session, message)
    await asyncio.sleep(context.deps.pace / 2)
    return BOOKED


agent = Agent(name=APP, instructions="Book what you are asked to.", model="chaos", tools=[book])


class Clerk:
    """A model that calls the tool once a message, and then says what came of it."""

    def __init__(self, pace: float) -> None:
        """`pace` is how many seconds an answer takes."""
        self._pace = pace

    async def reply(self, request: ModelRequest, *, on_delta: OnDelta | None = None) -> ModelAnswer:
        """Answer."""
        await asyncio.sleep(self._pace)
        last = request.messages[-1]
        match last:
            case ToolMessage(content=content):
                return ModelAnswer(text=BOOKED if content == BOOKED else UNKNOWN)
            case UserMessage(said=said):
                session, _, number = said[-1].text.partition(" ")
                arguments = canonical({"session": session, "message": int(number)})
                return ModelAnswer(calls=(AnsweredCall(provider_id="", name="book", arguments=arguments),), finish="tool_calls")
            case _:
                raise AssertionError(f"the last message is {last!r}")


async def _booked(connection: AsyncConnection, session: str, message: int) -> None:
    await connection.execute(insert(ledger).values(session_id=session, message=message))

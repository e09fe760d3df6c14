"""The agent, and `answer`: one question, one answer, without anything of HTTP's."""

from functools import cache

from sqlalchemy.ext.asyncio import AsyncEngine

from handrail import Agent, ModelSettings, run
from handrail.apps.orders.examples import EXAMPLES
from handrail.apps.orders.order_tools import lookup_orders
from handrail.apps.orders.ring import RING
from handrail.service import Model, OnEvent
from handrail.service.problems import answered

MODEL = "gpt-4o-mini-2024-07-18"
INSTRUCTIONS = """\
You answer questions about customers' orders for the people at a service desk.
Look orders up with lookup_orders; never guess. If you do not know the customer's e-mail address, ask for it.
If a look-up comes back with an error, correct the arguments and try again.
Amounts are in cents: 1250 is 12.50. Answer in a few short sentences, in the language of the question."""


@cache
def agent() -> Agent:
    """The agent. An empty reply is an empty answer; what a model still asks for in its last reply is not run."""
    return Agent(
        name="orders",
        instructions=INSTRUCTIONS,
        model=MODEL,
        settings=ModelSettings(temperature=0),
        tools=[lookup_orders],
        guards=RING,
        empty_reply="accept",
        examples=EXAMPLES,
    )


async def answer(message: str, *, model: Model, database: AsyncEngine, asked: Agent | None = None, on_event: OnEvent | None = None) -> str:
    """The answer to one question.

    Args:
        message: the question.
        model: answers the agent's requests.
        database: where the orders are.
        asked: the agent, where it is not this app's own as it stands.
        on_event: sees every event of the run.

    Raises:
        Problem: the model failed, or asks for the tool in its last reply too (502).
    """
    ended = await run(asked or agent(), message, model=model, deps=database, on_event=on_event)
    return str(answered(ended) or "")

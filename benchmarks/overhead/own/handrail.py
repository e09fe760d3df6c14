"""`handrail.run`, whole: a ring of six guards, and a journal in memory. The client is the official one, through its low-level `post`."""

from openai import AsyncOpenAI

from benchmarks.overhead.agent import weather
from benchmarks.overhead.contestant import Contestant
from benchmarks.overhead.task import KEY, PATIENCE, prompt
from handrail import Agent, Outcome, run
from handrail.models import OpenAIChat


class Loop(Contestant[Agent]):
    """The runtime."""

    def __init__(self, url: str) -> None:
        self._client = AsyncOpenAI(base_url=url, api_key=KEY, timeout=PATIENCE)
        self._model = OpenAIChat(client=self._client)

    def agent(self) -> Agent:
        return weather()

    async def run(self, agent: Agent, turns: int) -> str:
        outcome = await run(agent, prompt(turns), model=self._model)
        assert isinstance(outcome, Outcome) and outcome.output is not None, outcome
        return str(outcome.output)

    async def close(self) -> None:
        await self._client.close()

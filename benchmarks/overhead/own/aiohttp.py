"""`handrail.run`, whole, with its bytes carried by aiohttp (`HANDRAIL_TRANSPORT=aiohttp`)."""

from benchmarks.overhead.agent import weather
from benchmarks.overhead.contestant import Contestant
from benchmarks.overhead.task import KEY, prompt
from handrail import Agent, Outcome, run
from handrail.models import OpenAIChat
from handrail.models.transports.aiohttp import AiohttpTransport


class Loop(Contestant[Agent]):
    """The runtime on its own transport, which is closed with the event loop."""

    def __init__(self, url: str) -> None:
        self._model = OpenAIChat(transport=AiohttpTransport(base_url=url, api_key=KEY))

    def agent(self) -> Agent:
        return weather()

    async def run(self, agent: Agent, turns: int) -> str:
        outcome = await run(agent, prompt(turns), model=self._model)
        assert isinstance(outcome, Outcome) and outcome.output is not None, outcome
        return str(outcome.output)

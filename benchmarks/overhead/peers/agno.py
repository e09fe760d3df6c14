"""agno, with its OpenAIChat model and without telemetry."""

from agno.agent import Agent
from agno.models.openai import OpenAIChat

from benchmarks.overhead.contestant import Contestant
from benchmarks.overhead.task import INSTRUCTIONS, KEY, MODEL, PATIENCE, prompt, tools


class Loop(Contestant[Agent]):
    """`Agent.arun`."""

    def __init__(self, url: str) -> None:
        self._model = OpenAIChat(id=MODEL, base_url=url, api_key=KEY, timeout=PATIENCE)

    def agent(self) -> Agent:
        return Agent(model=self._model, tools=tools(), instructions=INSTRUCTIONS, telemetry=False)

    async def run(self, agent: Agent, turns: int) -> str:
        return str((await agent.arun(prompt(turns))).content)

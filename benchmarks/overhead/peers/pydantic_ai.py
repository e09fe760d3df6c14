"""pydantic-ai, with its chat completions model."""

from openai import AsyncOpenAI
from pydantic_ai import Agent, UsageLimits
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from benchmarks.overhead.contestant import Contestant
from benchmarks.overhead.task import INSTRUCTIONS, KEY, MODEL, PATIENCE, prompt, tools


class Loop(Contestant[Agent[None, str]]):
    """`Agent.run`."""

    def __init__(self, url: str) -> None:
        client = AsyncOpenAI(base_url=url, api_key=KEY, timeout=PATIENCE)
        self._model = OpenAIChatModel(MODEL, provider=OpenAIProvider(openai_client=client))
        self._limits = UsageLimits(request_limit=None)

    def agent(self) -> Agent[None, str]:
        return Agent(self._model, instructions=INSTRUCTIONS, tools=tools())

    async def run(self, agent: Agent[None, str], turns: int) -> str:
        return (await agent.run(prompt(turns), usage_limits=self._limits)).output

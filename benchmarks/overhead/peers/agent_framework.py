"""Microsoft's agent-framework, with its client for chat completions."""

from agent_framework import Agent, tool
from agent_framework.openai import OpenAIChatCompletionClient
from openai import AsyncOpenAI

from benchmarks.overhead.contestant import Contestant
from benchmarks.overhead.task import ENDLESS, INSTRUCTIONS, KEY, MODEL, PATIENCE, prompt, tools


class Loop(Contestant[Agent]):
    """`Agent.run`."""

    def __init__(self, url: str) -> None:
        self._client = OpenAIChatCompletionClient(model=MODEL, async_client=AsyncOpenAI(base_url=url, api_key=KEY, timeout=PATIENCE))
        self._client.function_invocation_configuration["max_iterations"] = ENDLESS

    def agent(self) -> Agent:
        return Agent(client=self._client, instructions=INSTRUCTIONS, tools=[tool(each) for each in tools()])

    async def run(self, agent: Agent, turns: int) -> str:
        return str((await agent.run(prompt(turns))).text)

"""strands-agents, with one client for all requests and whole replies: cheaper than its default, a client a request and streaming.

An agent holds its conversation: it is emptied before each run, and serves one at a time.
"""

from openai import AsyncOpenAI
from strands import Agent, tool
from strands.agent import NullConversationManager
from strands.models.openai import OpenAIModel

from benchmarks.overhead.contestant import Contestant
from benchmarks.overhead.task import INSTRUCTIONS, KEY, MODEL, PATIENCE, prompt, tools


class Loop(Contestant[Agent]):
    """`Agent.invoke_async`."""

    shared = False

    def __init__(self, url: str) -> None:
        self._model = OpenAIModel(client=AsyncOpenAI(base_url=url, api_key=KEY, timeout=PATIENCE), model_id=MODEL, stream=False)

    def agent(self) -> Agent:
        return Agent(
            model=self._model,
            tools=[tool(each) for each in tools()],
            system_prompt=INSTRUCTIONS,
            callback_handler=None,
            conversation_manager=NullConversationManager(),
        )

    async def run(self, agent: Agent, turns: int) -> str:
        agent.messages.clear()
        result = await agent.invoke_async(prompt(turns))
        return str(result.message["content"][0]["text"])

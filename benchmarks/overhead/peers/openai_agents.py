"""openai-agents, with its chat completions model and without tracing."""

from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool, set_tracing_disabled
from openai import AsyncOpenAI

from benchmarks.overhead.contestant import Contestant
from benchmarks.overhead.task import ENDLESS, INSTRUCTIONS, KEY, MODEL, PATIENCE, prompt, tools


class Loop(Contestant[Agent[None]]):
    """`Runner.run`."""

    def __init__(self, url: str) -> None:
        set_tracing_disabled(disabled=True)
        self._model = OpenAIChatCompletionsModel(model=MODEL, openai_client=AsyncOpenAI(base_url=url, api_key=KEY, timeout=PATIENCE))

    def agent(self) -> Agent[None]:
        return Agent(name="weather", instructions=INSTRUCTIONS, model=self._model, tools=[function_tool(each) for each in tools()])

    async def run(self, agent: Agent[None], turns: int) -> str:
        result = await Runner.run(agent, prompt(turns), max_turns=ENDLESS)
        return str(result.final_output)

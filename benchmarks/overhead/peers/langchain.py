"""langchain: `create_agent`, on langgraph, with langchain-openai."""

from typing import Any

from langchain.agents import create_agent
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI

from benchmarks.overhead.contestant import Contestant
from benchmarks.overhead.task import ENDLESS, INSTRUCTIONS, KEY, MODEL, PATIENCE, prompt, tools


class Loop(Contestant[Any]):
    """`ainvoke` of a compiled graph. A turn is several of its steps."""

    def __init__(self, url: str) -> None:
        self._model = ChatOpenAI(model=MODEL, base_url=url, api_key=KEY, timeout=PATIENCE)

    def agent(self) -> Any:
        return create_agent(self._model, tools=[tool(each, parse_docstring=True) for each in tools()], system_prompt=INSTRUCTIONS)

    async def run(self, agent: Any, turns: int) -> str:
        result = await agent.ainvoke({"messages": [("user", prompt(turns))]}, config={"recursion_limit": 10 * ENDLESS})
        return str(result["messages"][-1].content)

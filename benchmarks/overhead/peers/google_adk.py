"""google-adk, through its LiteLlm model. Each run is a session of its own, in memory."""

import logging
from itertools import count

from google.adk.agents import LlmAgent, RunConfig
from google.adk.models.lite_llm import LiteLlm
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types

from benchmarks.overhead.contestant import Contestant
from benchmarks.overhead.task import INSTRUCTIONS, KEY, MODEL, PATIENCE, prompt, tools

APP = "weather"


class Loop(Contestant[Runner]):
    """`Runner.run_async`."""

    def __init__(self, url: str) -> None:
        logging.disable(logging.WARNING)
        self._model = LiteLlm(model=f"openai/{MODEL}", api_base=url, api_key=KEY, timeout=PATIENCE)
        self._limits = RunConfig(max_llm_calls=0)
        self._ids = count()

    def agent(self) -> Runner:
        agent = LlmAgent(name=APP, model=self._model, instruction=INSTRUCTIONS, tools=tools())
        return Runner(agent=agent, app_name=APP, session_service=InMemorySessionService())

    async def run(self, agent: Runner, turns: int) -> str:
        whose = {"user_id": "someone", "session_id": f"session-{next(self._ids)}"}
        await agent.session_service.create_session(app_name=APP, **whose)
        message = types.Content(role="user", parts=[types.Part(text=prompt(turns))])
        answer = ""
        async for event in agent.run_async(**whose, new_message=message, run_config=self._limits):
            if event.is_final_response() and event.content:
                answer = str(event.content.parts[0].text)
        await agent.session_service.delete_session(app_name=APP, **whose)
        return answer

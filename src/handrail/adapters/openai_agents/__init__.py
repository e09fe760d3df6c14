"""The OpenAI Agents SDK as the loop: its `Runner.run` calls the model and the tools, and our ring decides about every one of those calls.

Here are explicit, sorted re-exports and nothing else. It needs the extra `agents`.
"""

from handrail.adapters.foreign import Gate
from handrail.adapters.openai_agents.hooks import GateHooks
from handrail.adapters.openai_agents.ported import PortedModel
from handrail.adapters.openai_agents.running import Ran, hosted, run, run_config
from handrail.adapters.openai_agents.tools import function_tools

__all__ = ["Gate", "GateHooks", "PortedModel", "Ran", "function_tools", "hosted", "run", "run_config"]

"""pydantic-ai as the loop: its `Agent.run` calls the model and the tools, and our ring decides about every one of those calls.

Here are explicit, sorted re-exports and nothing else. It needs the extra `pydantic-ai`.
"""

from handrail.adapters.pydantic_ai.ported import PortedModel
from handrail.adapters.pydantic_ai.ring import Ring, RunOver
from handrail.adapters.pydantic_ai.running import Ran, hosted, run

__all__ = ["PortedModel", "Ran", "Ring", "RunOver", "hosted", "run"]

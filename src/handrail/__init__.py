"""handrail: a model-driven tool-calling loop inside a ring of enforced guardrails."""

from handrail.core.agent import Agent, ModelSettings
from handrail.core.state import RunState
from handrail.drivers.in_process import resume, run, stream
from handrail.errors import ToolError
from handrail.tools import ABSENT, Absent, Result, ToolContext, tool
from handrail.vocab.answers import Answered, No, Say, Yes
from handrail.vocab.examples import Example, Shown
from handrail.vocab.facts import Fact, Ledger
from handrail.vocab.outcomes import Outcome, Parked

__all__ = [
    "ABSENT",
    "Absent",
    "Agent",
    "Answered",
    "Example",
    "Fact",
    "Ledger",
    "ModelSettings",
    "No",
    "Outcome",
    "Parked",
    "Result",
    "RunState",
    "Say",
    "Shown",
    "ToolContext",
    "ToolError",
    "Yes",
    "resume",
    "run",
    "stream",
    "tool",
]

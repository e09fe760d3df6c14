"""The test kit: a scripted model, a clock by hand, and the contract of a strict provider."""

from handrail.testing.clock import ManualClock
from handrail.testing.scripted import ScriptedModel, calls, check_model_request, cut, fails, refuses, says
from handrail.vocab.contract import check_request, check_transcript

__all__ = [
    "ManualClock",
    "ScriptedModel",
    "calls",
    "check_model_request",
    "check_request",
    "check_transcript",
    "cut",
    "fails",
    "refuses",
    "says",
]

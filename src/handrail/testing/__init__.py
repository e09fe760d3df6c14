"""The test kit: a scripted model, a clock by hand, the contract of a strict provider, and the suites that every store must pass."""

from handrail.testing.checking import check_agent, invariant
from handrail.testing.clock import ManualClock
from handrail.testing.journals import JOURNAL_CHECKS, JournalCheck, one_of_each
from handrail.testing.scripted import ScriptedModel, calls, check_model_request, cut, fails, refuses, says
from handrail.vocab.contract import check_request, check_transcript

__all__ = [
    "JOURNAL_CHECKS",
    "JournalCheck",
    "ManualClock",
    "ScriptedModel",
    "calls",
    "check_agent",
    "check_model_request",
    "check_request",
    "check_transcript",
    "cut",
    "fails",
    "invariant",
    "one_of_each",
    "refuses",
    "says",
]

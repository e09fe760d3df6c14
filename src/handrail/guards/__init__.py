"""The ring's guards, one a file: each enforces one thing, reads only the state, and keeps nothing.

Here are explicit, sorted re-exports and nothing else: the guards, and what a guard of one's own is made of.
"""

from handrail.core.ring import JudgedCall
from handrail.core.state import Reading
from handrail.guards.answer_limit import AnswerLimit
from handrail.guards.approval import Approval, arguments
from handrail.guards.base import BaseGuard
from handrail.guards.call_limit import CallLimit
from handrail.guards.grounded import Grounded
from handrail.guards.must_submit import MustSubmit
from handrail.guards.no_progress import NoProgress
from handrail.guards.order import Order
from handrail.guards.prerequisite import Prerequisite
from handrail.guards.review import Review
from handrail.guards.rule import guard
from handrail.guards.screen import Screen
from handrail.guards.time_limit import TimeLimit
from handrail.guards.token_limit import TokenLimit
from handrail.guards.turn_limit import TurnLimit
from handrail.vocab.calls import By
from handrail.vocab.verdicts import ALLOW, After, Amend, Hold, Lens, Limit, Measure, Refuse, TextVerdict, Verdict

__all__ = [
    "ALLOW",
    "After",
    "Amend",
    "AnswerLimit",
    "Approval",
    "BaseGuard",
    "By",
    "CallLimit",
    "Grounded",
    "Hold",
    "JudgedCall",
    "Lens",
    "Limit",
    "Measure",
    "MustSubmit",
    "NoProgress",
    "Order",
    "Prerequisite",
    "Reading",
    "Refuse",
    "Review",
    "Screen",
    "TextVerdict",
    "TimeLimit",
    "TokenLimit",
    "TurnLimit",
    "Verdict",
    "arguments",
    "guard",
]

"""What the user says is looked at before anything is made of it: no turn is opened until every screener has let it pass.

- It is the model's view that is guarded: the user's messages, and their answers to questions.
- A screener that finds something ends the run; what was said stays out of the transcript, so that no later run replays it.
- A screener that fails twice lets nothing pass either.
"""

from handrail.core.agent import Agent
from handrail.core.ending import withheld
from handrail.core.events import InputHeld, Judgement
from handrail.core.state import RunState, Screening

MOST_FAILURES = 2


def is_due(agent: Agent, state: RunState) -> bool:
    """Whether somebody has yet to look at what the user said."""
    if not agent.screens or not state.unseen:
        return False
    passed = state.screening.passed if state.screening is not None else ()
    return any(name not in passed for name in agent.screens)


def screened(agent: Agent, state: RunState) -> Judgement | None:
    """The next judgement before what the user said may be used; `None` while a screener is looking."""
    found = state.screening or Screening()
    if found.flawed is not None:
        return withheld(state, found.flawed)
    if found.failures >= MOST_FAILURES:
        return withheld(state, "a screener that failed")
    if found.guard is not None:
        return None
    return InputHeld(guard=next(name for name in agent.screens if name not in found.passed))

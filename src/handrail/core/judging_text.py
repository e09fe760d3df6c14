"""The judgement on a reply without open calls: may its text end the run, is it a question, or was it nothing at all?"""

from datetime import timedelta
from typing import Any

from handrail.core.agent import Agent
from handrail.core.attempt import Raised, attempt
from handrail.core.ending import completed, ended_by, failed, refused
from handrail.core.events import Judgement, LandingStage, TextAmended, TextHeld, TextRefused
from handrail.core.ring import Guard
from handrail.core.state import Reply, RunState
from handrail.vocab.verdicts import Allow, Amend, Hold, Refuse, TextVerdict

MOST_QUESTIONS = 2
MOST_BACK_OFFS = 3
MESSAGE_EXPIRES = timedelta(days=1)


class OpenTurn:
    """The reply has had its due, and the next turn is to be opened."""


OPEN_TURN = OpenTurn()


def judged_reply(agent: Agent, state: RunState, reply: Reply) -> Judgement | OpenTurn | None:
    """The next judgement on a reply whose calls are all over; `None` waits, for a person or a back-off."""
    if reply.failure is not None:
        return _failure(agent, state, reply)
    if reply.refusal is not None:
        return refused(state, reply.refusal)
    if state.calls or reply.text_refused:
        return OPEN_TURN
    if state.inbox:
        return OPEN_TURN
    text = reply.message.text if reply.message is not None else None
    if text is None:
        return _empty(agent, state)
    if reply.text_held:
        expired = reply.text_expires is not None and state.clock is not None and state.clock.at >= reply.text_expires
        return ended_by(agent, state, "no answer to a question") if expired else None
    return _text(agent, state, reply, text)


def _failure(agent: Agent, state: RunState, reply: Reply) -> Judgement | OpenTurn | None:
    if reply.retry_at is not None and state.failures <= MOST_BACK_OFFS:
        waited = state.clock is not None and state.clock.at >= reply.retry_at
        return OPEN_TURN if waited else None
    if agent.submit is not None and agent.land is not None:
        return ended_by(agent, state, f"model failure ({reply.failure})")
    detail = f": {reply.detail}" if reply.detail else ""
    return failed(state, f"the model call failed ({reply.failure}){detail}")


def _empty(agent: Agent, state: RunState) -> Judgement | OpenTurn:
    if agent.empty_reply == "accept" and agent.submit is None:
        return completed(agent, state, "")
    if state.empties > 1 and agent.submit is None:
        return failed(state, "the model replied with nothing, twice")
    return OPEN_TURN


def _text(agent: Agent, state: RunState, reply: Reply, text: str) -> Judgement:
    holding = "submit" if agent.submit is not None else None
    for guard in agent.guards:
        if not guard.refuses_text:
            continue
        verdict = _verdict(guard, state, text)
        if isinstance(verdict, Refuse):
            return TextRefused(guard=guard.name, code=verdict.code, reason=verdict.reason or "This text was not accepted.")
        if isinstance(verdict, Amend) and verdict.text != text and guard.name not in reply.amended_by:
            return TextAmended(guard=guard.name, text=verdict.text)
        if isinstance(verdict, Hold):
            holding = guard.name
    return completed(agent, state, text) if holding is None else _question(agent, state, holding)


def _verdict(guard: Guard, state: RunState, text: str) -> TextVerdict:
    verdict: Any = attempt(guard.accepts, state, text)
    if isinstance(verdict, Raised):
        return Refuse("guard_raised", f"This text could not be checked ({verdict.what}).")
    if isinstance(verdict, (Allow, Refuse, Hold, Amend)):
        return verdict
    return Refuse("guard_raised", f"This text could not be checked (a guard returns a verdict, not {verdict!r}).")


def may_say(agent: Agent, state: RunState) -> bool:
    """Whether a text of this turn could be taken at all: where results go through a submit tool, only as a question that may be asked."""
    return agent.submit is None or _may_ask(state)


def _may_ask(state: RunState) -> bool:
    last = state.landing is LandingStage.FORCED or state.turns_left == 0
    return state.can_ask and state.questions < MOST_QUESTIONS and not last


def _question(agent: Agent, state: RunState, guard: str) -> TextHeld | TextRefused:
    if _may_ask(state):
        return TextHeld(guard=guard, expires_at=state.clock.at + MESSAGE_EXPIRES if state.clock is not None else None)
    why = "You have asked enough for now" if state.can_ask else "Nobody can answer questions"
    ending = f" and end with {agent.submit}" if agent.submit is not None else ""
    return TextRefused(guard=guard, code="no_more_questions", reason=f"{why}: go on with the tools{ending}.")

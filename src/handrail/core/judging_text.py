"""The judgement on a reply without open calls: may its text end the run, is it a question, or was it nothing at all?"""

from datetime import timedelta

from handrail.core.agent import Agent
from handrail.core.attempt import Raised, attempt
from handrail.core.ending import completed, ended_by, failed, refused
from handrail.core.events import Judgement, TextAmended, TextHeld, TextRefused
from handrail.core.state import Reply, RunState
from handrail.vocab.verdicts import Amend, Hold, Refuse

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
    text = reply.message.text if reply.message is not None else None
    if text is None:
        return _empty(agent, state)
    if state.inbox:
        return OPEN_TURN
    if reply.text_held:
        expired = reply.text_expires is not None and state.clock is not None and state.clock.at >= reply.text_expires
        return ended_by(agent, state, "no answer to a question") if expired else None
    return _text(agent, state, text)


def _failure(agent: Agent, state: RunState, reply: Reply) -> Judgement | OpenTurn | None:
    if reply.retry_at is not None and state.failures <= MOST_BACK_OFFS:
        waited = state.clock is not None and state.clock.at >= reply.retry_at
        return OPEN_TURN if waited else None
    if agent.submit is not None:
        return ended_by(agent, state, f"model failure ({reply.failure})")
    detail = f": {reply.detail}" if reply.detail else ""
    return failed(state, f"the model call failed ({reply.failure}){detail}")


def _empty(agent: Agent, state: RunState) -> Judgement | OpenTurn:
    if agent.empty_reply == "accept" and agent.submit is None:
        return completed(agent, state, "")
    if state.empties > 1 and agent.submit is None and not state.inbox:
        return failed(state, "the model replied with nothing, twice")
    return OPEN_TURN


def _text(agent: Agent, state: RunState, text: str) -> Judgement:
    holding = "submit" if agent.submit is not None else None
    for guard in agent.guards:
        if not guard.refuses_text:
            continue
        verdict = attempt(guard.accepts, state, text)
        if isinstance(verdict, Raised):
            return TextRefused(guard=guard.name, code="guard_raised", reason=f"This text could not be checked ({verdict.what}).")
        if isinstance(verdict, Refuse):
            return TextRefused(guard=guard.name, code=verdict.code, reason=verdict.reason)
        if isinstance(verdict, Amend) and verdict.text != text:
            return TextAmended(guard=guard.name, text=verdict.text)
        if isinstance(verdict, Hold):
            holding = guard.name
    return completed(agent, state, text) if holding is None else _question(agent, state, holding)


def _question(agent: Agent, state: RunState, guard: str) -> TextHeld | TextRefused:
    if state.can_ask and state.questions < MOST_QUESTIONS:
        return TextHeld(guard=guard, expires_at=state.clock.at + MESSAGE_EXPIRES if state.clock is not None else None)
    why = "You have asked enough for now" if state.can_ask else "Nobody can answer questions"
    ending = f" and end with {agent.submit}" if agent.submit is not None else ""
    return TextRefused(guard=guard, code="no_more_questions", reason=f"{why}: go on with the tools{ending}.")

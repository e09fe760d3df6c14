"""`judge(agent, state)`: the one next judgement, or `None`. The only place where anything is judged.

Asked until there is none, so a journal that was cut anywhere can be gone on with, and replay compares each recorded
judgement with the one that today's agent comes to.
"""

from handrail.core.agent import Agent
from handrail.core.ending import cancelled, ended_by, submitted
from handrail.core.events import CallLost, CallRefused, CallReopened, CallRequeued, Judgement, RunParked
from handrail.core.evolve_calls import SAID_INSTEAD
from handrail.core.history import condensed
from handrail.core.judging_calls import judged_call
from handrail.core.judging_text import OpenTurn, judged_reply
from handrail.core.limits import last_turn, reached_at_once
from handrail.core.opening import opened
from handrail.core.refusing import refusal
from handrail.core.screening import is_due, screened
from handrail.core.state import OpenCall, RunState
from handrail.core.table import OVER, Phase, Stage
from handrail.vocab.calls import By, ToolEffect, Where
from handrail.vocab.verdicts import Refuse

SUBMITTED = frozenset({Stage.SUCCEEDED, Stage.UNKNOWN})
LOST = "submit with an unknown outcome"
UNKNOWN = "The outcome of this call is unknown: it may have happened. Check before you repeat it."


def judge(agent: Agent, state: RunState) -> Judgement | None:
    """The next judgement that the state calls for."""
    if state.phase is Phase.THINKING:
        return _while_thinking(agent, state)
    if state.phase is Phase.ACTING:
        return _while_acting(agent, state)
    return None


def _while_thinking(agent: Agent, state: RunState) -> Judgement | None:
    if _is_cancelled(agent, state):
        return cancelled(state)
    limit = reached_at_once(agent, state)
    return ended_by(agent, state, limit) if limit is not None else condensed(agent, state)


def _while_acting(agent: Agent, state: RunState) -> Judgement | None:
    if _is_cancelled(agent, state):
        return _closed(state, patient=True) or (None if _is_open(state) else cancelled(state))
    submit = _submit(agent, state)
    if submit is not None:
        return _closed(state) or (submitted(agent, state, submit) if submit.stage is Stage.SUCCEEDED else ended_by(agent, state, LOST))
    limit = reached_at_once(agent, state)
    if limit is not None:
        return _closed(state) or ended_by(agent, state, limit)
    return _kept_going(agent, state)


def _is_cancelled(agent: Agent, state: RunState) -> bool:
    """Without a submit tool there is nothing to land with, so a wish to land is a wish to stop."""
    return state.stop == "cancelled" or (state.stop == "landing" and agent.submit is None)


def _kept_going(agent: Agent, state: RunState) -> Judgement | None:
    if _is_open(state):
        judgement = _after_a_crash(state) or _overdue(state) or _not_to_run(agent, state) or judged_call(agent, state)
        return judgement or (RunParked() if _waits_for_people(state) else None)
    if state.reply is None:
        return _next_turn(agent, state)
    next_step = judged_reply(agent, state, state.reply)
    if isinstance(next_step, OpenTurn):
        return _next_turn(agent, state)
    return RunParked() if next_step is None and state.reply.text_held else next_step


def _next_turn(agent: Agent, state: RunState) -> Judgement | None:
    return screened(agent, state) if is_due(agent, state) else opened(agent, state)


def _is_open(state: RunState) -> bool:
    for call in state.calls:
        if call.stage not in OVER:
            return True
    return False


def _submit(agent: Agent, state: RunState) -> OpenCall | None:
    """The submit that ends the run: it has succeeded, or nobody knows whether it has, and then it is never submitted again."""
    if agent.submit is None:
        return None
    for call in state.calls:
        if call.stage in SUBMITTED and call.name == agent.submit:
            return call
    return None


def _closed(state: RunState, *, patient: bool = False) -> Judgement | None:
    """Close one open call; a running write is waited for (`patient`) as long as it may take."""
    for call in state.calls:
        if call.over or (patient and _may_still_return(state, call)):
            continue
        if call.stage in {Stage.RUNNING, Stage.INTERRUPTED} or (call.stage is Stage.CLEARED and call.started):
            return _given_up(call)
        return CallRefused(call=call.id, guard="run", code="ended", reason="The run has ended; this was not run.")
    return None


def _given_up(call: OpenCall) -> Judgement:
    if call.effect is ToolEffect.READ:
        return CallRefused(call=call.id, guard="run", code="ended", reason="The run has ended; this read was stopped.")
    return CallLost(call=call.id, reason=UNKNOWN)


def _may_still_return(state: RunState, call: OpenCall) -> bool:
    if call.stage is not Stage.RUNNING or call.effect is ToolEffect.READ or call.started_at is None or state.clock is None:
        return False
    return (state.clock.at - call.started_at).total_seconds() < call.timeout


def _after_a_crash(state: RunState) -> Judgement | None:
    for call in state.calls:
        if call.stage is Stage.INTERRUPTED:
            # Under another declaration the same key would stand for another call.
            repeats = call.effect is ToolEffect.READ or (call.effect is ToolEffect.IDEMPOTENT and not call.reopen)
            return CallRequeued(call=call.id) if repeats else CallLost(call=call.id, reason=UNKNOWN)
        if call.reopen:
            return CallReopened(call=call.id, reason="the agent has changed")
    return None


def _overdue(state: RunState) -> Judgement | None:
    """Close a call whose person or browser has not answered in time, or whose person said something else instead."""
    if state.clock is None:
        return None
    for call in state.calls:
        held = call.held
        if call.stage is Stage.HELD and held is not None and held.by is By.PERSON:
            if held.expires_at is not None and state.clock.at >= held.expires_at:
                reason = "Nobody answered in time; this was not run."
                return CallRefused(call=call.id, guard=held.guard, code="expired", reason=reason)
            if state.inbox:
                reason = "Instead of a yes the user said something else; this was not run. Go on from what they said."
                return CallRefused(call=call.id, guard=held.guard, code=SAID_INSTEAD, reason=reason)
        if call.expires_at is not None and state.clock.at >= call.expires_at:
            overdue = _not_taken(call)
            if overdue is not None:
                return overdue
    return None


def _not_taken(call: OpenCall) -> Judgement | None:
    if call.stage is Stage.CLEARED and call.where is not Where.SERVER:
        return CallRefused(call=call.id, guard="run", code="expired", reason="Nobody answered in time; this did not happen.")
    if call.stage is Stage.RUNNING and call.where is Where.CLIENT:
        if call.effect is ToolEffect.READ:
            return CallRefused(call=call.id, guard="run", code="expired", reason="The browser did not answer in time.")
        return CallLost(call=call.id, reason=UNKNOWN)
    return None


def _not_to_run(agent: Agent, state: RunState) -> Judgement | None:
    """Refuse the calls of a reply that was cut or declines, or of the last turn of a run that calls cannot end."""
    call = _first_proposed(state)
    if call is None or state.reply is None:
        return None
    if state.reply.finish == "length":
        reason = "Your reply was cut by the output limit; none of its calls was run. Make a shorter one."
        return refusal(agent, state, call, Refuse("cut", reason), by="output")
    if state.reply.refusal is not None:
        return CallRefused(call=call.id, guard="run", code="declined", reason="The reply was a refusal; this was not run.")
    limit = last_turn(agent, state)
    if limit is None:
        return None
    return CallRefused(call=call.id, guard=limit, code="limit", reason="No turn is left to use the result; this was not run.")


def _first_proposed(state: RunState) -> OpenCall | None:
    for call in state.calls:
        if call.stage is Stage.PROPOSED:
            return call
    return None


def _waits_for_people(state: RunState) -> bool:
    """Whether all that is outstanding is with people; what waits for those calls waits with them."""
    asked = 0
    for call in state.calls:
        if call.over or call.stage is Stage.PROPOSED:
            continue
        with_person = call.held.by is By.PERSON if call.held is not None else call.where is Where.PERSON
        if call.stage not in {Stage.HELD, Stage.CLEARED} or not with_person:
            return False
        asked += 1
    return asked > 0

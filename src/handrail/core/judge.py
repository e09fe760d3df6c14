"""`judge(agent, state)`: the one next judgement, or `None`. The only place where anything is judged.

Asked until there is none, so a journal that was cut anywhere can be gone on with, and replay compares each recorded
judgement with the one that today's agent comes to.
"""

from handrail.core.agent import Agent
from handrail.core.ending import cancelled, ended_by, submitted
from handrail.core.events import CallLost, CallRefused, CallReopened, CallRequeued, Judgement, RunParked
from handrail.core.evolve_calls import SAID_INSTEAD
from handrail.core.judging_calls import judged_call
from handrail.core.judging_text import OpenTurn, judged_reply
from handrail.core.limits import last_turn, reached_at_once
from handrail.core.opening import opened
from handrail.core.refusing import refusal
from handrail.core.state import OpenCall, RunState
from handrail.core.table import Phase, Stage
from handrail.vocab.calls import By, ToolEffect, Where
from handrail.vocab.verdicts import Refuse

UNKNOWN = "The outcome of this call is unknown: it may have happened. Check before you repeat it."


def judge(agent: Agent, state: RunState) -> Judgement | None:
    """The next judgement that the state calls for."""
    if state.phase is Phase.THINKING:
        return _while_thinking(agent, state)
    if state.phase is Phase.ACTING:
        return _while_acting(agent, state)
    return None


def _while_thinking(agent: Agent, state: RunState) -> Judgement | None:
    if state.stop == "cancelled":
        return cancelled(state)
    limit = reached_at_once(agent, state)
    return ended_by(agent, state, limit) if limit is not None else None


def _while_acting(agent: Agent, state: RunState) -> Judgement | None:
    if state.stop == "cancelled":
        return _closed(state, patient=True) or (None if _is_open(state) else cancelled(state))
    success = _success(agent, state)
    if success is not None:
        return _rest_refused(state) or submitted(agent, state, success)
    limit = reached_at_once(agent, state)
    if limit is not None:
        return _closed(state, patient=False) or ended_by(agent, state, limit)
    return _kept_going(agent, state)


def _kept_going(agent: Agent, state: RunState) -> Judgement | None:
    judgement = _after_a_crash(agent, state) or _overdue(state) or _not_to_run(agent, state) or judged_call(agent, state)
    if judgement is not None:
        return judgement
    if _is_open(state):
        return RunParked() if _waits_for_people(state) else None
    if state.reply is None:
        return opened(agent, state)
    next_step = judged_reply(agent, state, state.reply)
    if isinstance(next_step, OpenTurn):
        return opened(agent, state)
    return RunParked() if next_step is None and state.reply.text_held else next_step


def _is_open(state: RunState) -> bool:
    return any(not call.over for call in state.calls)


def _success(agent: Agent, state: RunState) -> OpenCall | None:
    """The submit that has succeeded; one whose outcome is unknown is not submitted again, it lands."""
    if agent.submit is None:
        return None
    return next((call for call in state.calls if call.name == agent.submit and call.stage is Stage.SUCCEEDED), None)


def _rest_refused(state: RunState) -> Judgement | None:
    for call in state.calls:
        if call.stage in {Stage.PROPOSED, Stage.HELD, Stage.CLEARED}:
            return CallRefused(call=call.id, guard="submit", code="finished", reason="The run is finished; this was not run.")
        if not call.over:
            return _given_up(call)
    return None


def _closed(state: RunState, *, patient: bool) -> Judgement | None:
    """Close one open call; a running write is waited for (`patient`) as long as it may take."""
    for call in state.calls:
        if call.over or (patient and _may_still_return(state, call)):
            continue
        if call.stage in {Stage.RUNNING, Stage.INTERRUPTED}:
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


def _after_a_crash(agent: Agent, state: RunState) -> Judgement | None:
    for call in state.calls:
        if call.stage is Stage.INTERRUPTED:
            return CallLost(call=call.id, reason=UNKNOWN) if call.effect is ToolEffect.WRITE else CallRequeued(call=call.id)
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
    """Refuse the calls of a reply that was cut, or of the last turn of a run that calls cannot end."""
    cut = state.reply is not None and state.reply.finish == "length"
    limit = None if cut else last_turn(agent, state)
    if not cut and limit is None:
        return None
    for call in state.calls:
        if call.stage is Stage.PROPOSED:
            if cut:
                reason = "Your reply was cut by the output limit; none of its calls was run. Make a shorter one."
                return refusal(agent, state, call, Refuse("cut", reason), by="output")
            return CallRefused(call=call.id, guard=limit or "", code="limit", reason="No turn is left to use the result; not run.")
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

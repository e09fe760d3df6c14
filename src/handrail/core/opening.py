"""Opening a turn: the rung of the landing, what is offered, and the notes that go along."""

from handrail.core.agent import Agent
from handrail.core.attempt import attempt
from handrail.core.ending import ended_by
from handrail.core.events import Judgement, LandingAdvanced, LandingStage, TurnOpened
from handrail.core.evolve_turns import taken_in
from handrail.core.limits import limits_of, next_rung, reached_before_a_turn
from handrail.core.state import RunState
from handrail.core.table import Stage
from handrail.vocab.calls import MOST_CALLS
from handrail.vocab.reviews import Answer
from handrail.vocab.verdicts import Limit, Measure

EMPTY_NOTE = "Your last reply was empty. Go on: call a tool, or answer."
CLOSING = (LandingStage.SUBMIT_ONLY, LandingStage.FORCED)


def opened(agent: Agent, state: RunState) -> Judgement:
    """The judgement before the next model call: a rung down, the turn, or the end.

    What the last turn was worth counts already, and so does that the user has spoken.
    """
    state = taken_in(state)
    limits = limits_of(agent, state)
    if state.landing is LandingStage.LANDED:
        return ended_by(agent, state, state.limit or "landing")
    reached = reached_before_a_turn(agent, state, limits)
    if reached is not None:
        return ended_by(agent, state, reached)
    if state.landing in CLOSING and state.rung_turn != state.turn and _person_refused_submit(agent, state):
        return ended_by(agent, state, state.limit or "refused by a person")
    rung = next_rung(agent, state, limits)
    if rung is not None:
        return LandingAdvanced(stage=rung.stage, limit=rung.limit)
    offered = tuple([name for name in agent.tools if _is_offered(agent, state, name)])
    if state.landing in CLOSING and not offered:
        return LandingAdvanced(stage=LandingStage.LANDED, limit=state.limit or "landing")
    return _turn(agent, state, limits, offered)


def _turn(agent: Agent, state: RunState, limits: tuple[Limit, ...], offered: tuple[str, ...]) -> TurnOpened:
    times = [limit for limit in limits if limit.measure is Measure.TIME]
    turns = [int(limit.hard) - state.turn - 1 for limit in limits if limit.measure is Measure.TURNS]
    forced = state.landing is LandingStage.FORCED and agent.submit is not None
    return TurnOpened(
        turn=state.turn + 1,
        offered=offered,
        choice=agent.submit if forced and agent.submit is not None else "auto",
        notes=_notes(agent, state),
        soft=min([limit.soft for limit in times]) if times else None,
        until=min([limit.hard for limit in times]) if times else None,
        turns_left=min(turns) if turns else None,
        hold_text=agent.refuses_text,
    )


def _is_offered(agent: Agent, state: RunState, tool: str) -> bool:
    submits = tool == agent.submit
    if state.landing in CLOSING and not submits:
        return False
    for guard in agent.offering:
        if submits and not guard.may_withdraw_submit:
            continue
        if not attempt(guard.offers, state, tool):
            return False
    return True


def _notes(agent: Agent, state: RunState) -> tuple[str, ...]:
    reply = state.reply
    notes: list[str] = []
    if reply is not None:
        notes.extend(reply.notes)
        if reply.dropped:
            notes.append(f"You called more than {MOST_CALLS} tools at once; the last {reply.dropped} calls were dropped.")
        if reply.failure is None and state.empties == 1:
            notes.append(EMPTY_NOTE)
    if state.rung_turn == state.turn:
        notes.extend(_rung_note(agent.submit or "", state.landing))
    return tuple(dict.fromkeys(notes))


def _rung_note(submit: str, stage: LandingStage) -> list[str]:
    match stage:
        case LandingStage.NUDGE:
            return [f"Not much is left of this run. Wrap up with what is verified and call {submit} soon."]
        case LandingStage.SUBMIT_ONLY:
            return [f"The other tools are closed now. Call {submit} with what is verified."]
        case LandingStage.FORCED:
            return [f"This is the last reply of this run. Call {submit} now; leave out what is not verified."]
        case _:
            return []


def _person_refused_submit(agent: Agent, state: RunState) -> bool:
    submits = (call for call in state.calls if call.name == agent.submit and call.stage is Stage.REFUSED)
    return any(answer.answer is Answer.NO for call in submits for answer in call.answers)

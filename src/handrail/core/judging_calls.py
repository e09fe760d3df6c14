"""The judgement on one call: cleared, deferred, held or refused.

- Calls are judged in the model's order, each when its slot is free. Reads run together and pass a held write; a write
  runs alone, after the calls before it.
- All guards are asked. Any refusal beats a wait for another call, which beats a reviewer, which beats a person; among
  equals the agent's order decides. A guard that raises refuses.
"""

from datetime import timedelta
from itertools import takewhile
from typing import Any

import msgspec
from msgspec.structs import replace

from handrail.core.agent import Agent
from handrail.core.attempt import Raised, attempt
from handrail.core.events import CallCleared, CallDeferred, CallRefused, Judgement
from handrail.core.holding import Proposal, held, refused_by_a_person
from handrail.core.refusing import refusal
from handrail.core.ring import Guard, JudgedCall, Unfit
from handrail.core.state import OpenCall, RunState
from handrail.core.table import Stage
from handrail.vocab.calls import By, ToolEffect, Where
from handrail.vocab.verdicts import ALLOW, After, Allow, Hold, Refuse, Verdict

QUESTION_EXPIRES = timedelta(days=1)
LONGEST_NAME = 64
BUSY = frozenset({Stage.CLEARED, Stage.RUNNING, Stage.INTERRUPTED})


class _Said(msgspec.Struct, frozen=True):
    """What one guard says."""

    guard: Guard
    verdict: Verdict


def judged_call(agent: Agent, state: RunState) -> Judgement | None:
    """The judgement on the first proposed call whose slot is free and that waits for nothing."""
    for index, call in enumerate(state.calls):
        if call.stage is Stage.PROPOSED and not _waits(state, call) and _slot_is_free(agent, state, index):
            return _judged(agent, state, call)
    return None


def _waits(state: RunState, call: OpenCall) -> bool:
    earlier = state.call(call.after) if call.after is not None else None
    return earlier is not None and not earlier.over


def _is_read(agent: Agent, call: OpenCall) -> bool:
    """Running it twice changes nothing; a tool that is not there is refused, which changes nothing either."""
    tool = agent.tools.get(call.name)
    return tool is None or tool.effect is ToolEffect.READ


def _slot_is_free(agent: Agent, state: RunState, index: int) -> bool:
    read = _is_read(agent, state.calls[index])
    for position, other in enumerate(state.calls):
        if other.over or position == index:
            continue
        if position > index:
            if not read and other.stage in BUSY:
                return False
        elif not read or not (_is_read(agent, other) or other.stage is Stage.HELD):
            return False
    return True


def _judged(agent: Agent, state: RunState, call: OpenCall) -> Judgement:
    tool = agent.tools.get(call.name)
    if tool is None:
        reason = f"There is no tool {call.name[:LONGEST_NAME]!r}. You can call: {', '.join(state.offer.offered) or 'none'}."
        return refusal(agent, state, call, Refuse("unknown_tool", reason), by="tools")
    parsed = tool.parse(call.proposed.arguments)
    if isinstance(parsed, Unfit):
        return refusal(agent, state, call, Refuse("arguments", parsed.reason), by="arguments")
    seen = JudgedCall(id=call.id, tool=tool.name, effect=tool.effect, arguments=parsed.values)
    ring = [_Said(guard, _verdict(guard, state, seen)) for guard in agent.judging]
    proposal = Proposal(agent=agent, state=state, call=call, tool=tool, parsed=parsed)
    holds = [(said.guard, said.verdict) for said in ring if isinstance(said.verdict, Hold)]
    return (
        refused_by_a_person(proposal)
        or _refused(proposal, ring)
        or _deferred(call, ring)
        or (held(proposal, holds) if holds else None)
        or _cleared(proposal)
    )


def _verdict(guard: Guard, state: RunState, call: JudgedCall) -> Verdict:
    said = attempt(guard.judges, state, call)
    if said is ALLOW:
        return ALLOW
    verdict = said if isinstance(said, Raised) else attempt(_understood, said, state, call)
    return Refuse("guard_raised", f"This could not be checked ({verdict.what}).") if isinstance(verdict, Raised) else verdict


def _understood(verdict: Any, state: RunState, call: JudgedCall) -> Verdict:
    """What a guard said, held against what a verdict may be: a guard that forgets to return allows nothing."""
    if isinstance(verdict, (Allow, Refuse)):
        return verdict
    if isinstance(verdict, Hold):
        show = verdict.show if isinstance(verdict.show, str) else msgspec.json.decode(msgspec.json.encode(verdict.show))
        return replace(verdict, by=By(verdict.by), show=show)
    if isinstance(verdict, After):
        if not _is_open_before(state, verdict.call, call.id):
            raise ValueError(f"it waits for {verdict.call!r}, which is no open call before this one")
        return verdict
    raise TypeError(f"a guard returns a verdict, not {verdict!r}")


def _is_open_before(state: RunState, earlier: str, call: str) -> bool:
    before = takewhile(lambda other: other.id != call, state.calls)
    return any(other.id == earlier and not other.over for other in before)


def _refused(proposal: Proposal, ring: list[_Said]) -> CallRefused | None:
    agent, state, call = proposal.agent, proposal.state, proposal.call
    for said in ring:
        if isinstance(said.verdict, Refuse):
            return refusal(agent, state, call, said.verdict, by=said.guard.name)
    if call.name not in state.offer.offered:
        known = ", ".join(state.offer.offered) or "none"
        reason = f"{call.name!r} is not on offer any more. You can call: {known}."
        return refusal(agent, state, call, Refuse("not_offered", reason), by="offer")
    if state.inbox and _needs_the_last_word(proposal, ring):
        reason = "The user has said something new meanwhile; this was not run. Read it first, then decide."
        return refusal(agent, state, call, Refuse("superseded", reason), by="inbox")
    return None


def _needs_the_last_word(proposal: Proposal, ring: list[_Said]) -> bool:
    tool = proposal.tool
    if tool.effect is not ToolEffect.READ or tool.where is Where.PERSON or tool.name == proposal.agent.submit:
        return True
    return any(isinstance(said.verdict, Hold) and said.verdict.by is By.PERSON for said in ring)


def _deferred(call: OpenCall, ring: list[_Said]) -> CallDeferred | None:
    for said in ring:
        if isinstance(said.verdict, After):
            return CallDeferred(call=call.id, guard=said.guard.name, after=said.verdict.call)
    return None


def _cleared(proposal: Proposal) -> CallCleared:
    tool, clock = proposal.tool, proposal.state.clock
    expires = None
    if clock is not None and tool.where is Where.PERSON:
        expires = clock.at + QUESTION_EXPIRES
    elif clock is not None and tool.where is Where.CLIENT:
        expires = clock.at + timedelta(seconds=tool.timeout)
    return CallCleared(
        call=proposal.call.id,
        arguments=proposal.parsed.canonical,
        effect=tool.effect,
        where=tool.where,
        timeout=tool.timeout,
        expires_at=expires,
    )

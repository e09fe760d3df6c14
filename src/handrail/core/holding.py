"""Holds: what a reviewer or a person has to look at first, and what their answers mean.

A guard says Hold each time; the core counts it as Allow once that guard's hold on that digest has its yes. The digest is of
the run, the tool, its declaration, the canonical arguments and the document shown, so a yes to one thing is a yes to nothing else.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from handrail.core.agent import Agent
from handrail.core.events import CallHeld, CallRefused, LandingStage
from handrail.core.evolve_calls import denial_of
from handrail.core.refusing import refusal
from handrail.core.ring import Callable, Guard, Parsed
from handrail.core.state import OpenCall, RunState
from handrail.vocab.calls import By
from handrail.vocab.canonical import digest
from handrail.vocab.reviews import Answer
from handrail.vocab.verdicts import Hold, Refuse

MOST_REVIEW_FAILURES = 2
MOST_HOLDS = 16
"""Holds of one call; more of them means that its document never stays the same."""


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """A call that fits its declaration, and everything that it is judged by."""

    agent: Agent
    state: RunState
    call: OpenCall
    tool: Callable
    parsed: Parsed


def refused_by_a_person(proposal: Proposal) -> CallRefused | None:
    """A person's no closes the call, whatever the ring says now."""
    for answer in proposal.call.answers:
        if answer.answer is Answer.NO:
            return _no(proposal, answer.guard, answer.comment, code="person_refused")
    return None


def held(proposal: Proposal, holds: Sequence[tuple[Guard, Hold]]) -> CallHeld | CallRefused | None:
    """The first hold without its yes, reviewers' before people's, or the refusal that its answer is."""
    for guard, hold in holds:
        if hold.by is By.REVIEWER and (judged := _reviewed(proposal, guard, hold)) is not None:
            return judged
    for guard, hold in holds:
        if hold.by is By.PERSON and (judged := _approved(proposal, guard, hold)) is not None:
            return judged
    return None


def _reviewed(proposal: Proposal, guard: Guard, hold: Hold) -> CallHeld | CallRefused | None:
    state, tool = proposal.state, proposal.tool.name
    bound = _bound(proposal, hold.show)
    last = _last_answer(proposal.call, guard, bound)
    if last is Answer.PASSED or state.landing is LandingStage.FORCED:
        return None
    if state.review_failures.get(tool, 0) >= MOST_REVIEW_FAILURES:
        return None
    flaws = state.flaws.get(tool, ())
    exhausted = bool(flaws) and state.rounds(tool) >= hold.most
    if exhausted and proposal.agent.holders(tool, By.PERSON):
        return None
    if exhausted or last is Answer.FLAWED:
        reason = f"A reviewer found flaws: {'; '.join(flaws)}. Mend them and submit again."
        return refusal(proposal.agent, state, proposal.call, Refuse("flawed", reason), by=guard.name)
    return _hold(proposal, guard, hold, hold.show)


def _approved(proposal: Proposal, guard: Guard, hold: Hold) -> CallHeld | CallRefused | None:
    state, call = proposal.state, proposal.call
    show = _with_flaws(hold.show, state.flaws.get(proposal.tool.name, ()))
    if _last_answer(call, guard, _bound(proposal, show)) is Answer.YES:
        return None
    denial = state.denied.get(denial_of(proposal.tool.name, proposal.parsed.canonical))
    if denial is not None and denial.said == len(state.said):
        return _no(proposal, guard.name, denial.comment, code="refused_before")
    return _hold(proposal, guard, hold, show)


def _no(proposal: Proposal, guard: str, comment: str, *, code: str) -> CallRefused:
    words = f" Their words: {msgspec.json.encode(comment).decode()}." if comment else ""
    reason = f"A person refused this very call; it was not run.{words} Do not repeat it; change what they object to, or ask."
    return refusal(proposal.agent, proposal.state, proposal.call, Refuse(code, reason), by=guard)


def _bound(proposal: Proposal, show: str | dict[str, Any]) -> str:
    return digest(proposal.state.run_id, proposal.tool.name, proposal.tool.digest, proposal.parsed.canonical, show)


def _hold(proposal: Proposal, guard: Guard, hold: Hold, show: str | dict[str, Any]) -> CallHeld | CallRefused:
    if proposal.call.holds >= MOST_HOLDS:
        reason = "What is shown of this call changes each time somebody looks at it; it was not run."
        return refusal(proposal.agent, proposal.state, proposal.call, Refuse("held_too_often", reason), by=guard.name)
    clock = proposal.state.clock
    return CallHeld(
        call=proposal.call.id,
        guard=guard.name,
        by=hold.by,
        digest=_bound(proposal, show),
        arguments=proposal.parsed.canonical,
        show=show,
        expires_at=clock.at + hold.expires if clock is not None and hold.by is By.PERSON else None,
    )


def _with_flaws(show: str | dict[str, Any], flaws: tuple[str, ...]) -> str | dict[str, Any]:
    if not flaws:
        return show
    if isinstance(show, str):
        return show + "\n\nA reviewer still sees these flaws:\n" + "\n".join(f"- {flaw}" for flaw in flaws)
    return {**show, "open_flaws": list(flaws)}


def _last_answer(call: OpenCall, guard: Guard, bound: str) -> Answer | None:
    fitting = (answer.answer for answer in reversed(call.answers) if answer.guard == guard.name and answer.digest == bound)
    return next(fitting, None)

"""How a run ends: the outcomes, and landing without a model call.

Landing delivers a report from verified facts; it never runs anything.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from handrail.core.agent import Agent
from handrail.core.attempt import Raised, attempt
from handrail.core.events import LandingAdvanced, LandingStage, RunFinished
from handrail.core.state import OpenCall, RunState
from handrail.vocab.calls import By
from handrail.vocab.facts import Ledger
from handrail.vocab.outcomes import Outcome, Status
from handrail.vocab.reviews import Answer

PARTIAL_FROM = (LandingStage.SUBMIT_ONLY, LandingStage.FORCED, LandingStage.LANDED)
REQUESTED = "requested"
WITHHELD = "This message was not passed on, since it did not pass a check. Say it in another way, or ask for something else."


def completed(agent: Agent, state: RunState, output: Any) -> RunFinished:
    """The end with the model's own text."""
    cut = state.reply is not None and state.reply.finish == "length"
    outcome = Outcome(
        status=Status.COMPLETED, output=output, partial=cut, limit="max_tokens" if cut else None, usage=state.usage, unread=state.inbox
    )
    return RunFinished(outcome=outcome)


def submitted(agent: Agent, state: RunState, call: OpenCall) -> RunFinished:
    """The end with what the submit tool returned."""
    partial = state.landing in PARTIAL_FROM
    reviewed = any(answer.answer is Answer.PASSED for answer in call.answers)
    outcome = Outcome(
        status=Status.COMPLETED,
        output=_returned(call),
        partial=partial,
        unreviewed=bool(agent.holders(call.name, By.REVIEWER)) and not reviewed,
        limit=state.limit if partial else None,
        unread=state.inbox,
        usage=state.usage,
    )
    return RunFinished(outcome=outcome)


def refused(state: RunState, text: str) -> RunFinished:
    """The end with the provider's or the model's refusal."""
    outcome = Outcome(status=Status.REFUSED, output=text, reason="the model refused to answer", usage=state.usage, unread=state.inbox)
    return RunFinished(outcome=outcome)


def withheld(state: RunState, by: str) -> RunFinished:
    """The end where what the user said is not passed on to the model."""
    outcome = Outcome(status=Status.REFUSED, output=WITHHELD, reason=f"not passed on to the model: {by}", usage=state.usage)
    return RunFinished(outcome=outcome, said=WITHHELD, withheld=True)


def failed(state: RunState, reason: str, *, limit: str | None = None) -> RunFinished:
    """The end without a result; what was finished stays in the transcript."""
    outcome = Outcome(status=Status.FAILED, reason=reason, limit=limit, usage=state.usage, unread=state.inbox)
    return RunFinished(outcome=outcome, said=f"I had to stop before this was done: {reason}.")


def cancelled(state: RunState) -> RunFinished:
    """The end that somebody wanted."""
    outcome = Outcome(status=Status.CANCELLED, reason=state.stop_reason or None, usage=state.usage, unread=state.inbox)
    return RunFinished(outcome=outcome, said="This was cancelled.")


def ended_by(agent: Agent, state: RunState, limit: str) -> LandingAdvanced | RunFinished:
    """The next judgement where a limit has been reached: land, or (without a submit tool) fail."""
    if agent.submit is None:
        return failed(state, f"limit reached: {limit}", limit=limit)
    if state.landing is not LandingStage.LANDED:
        return LandingAdvanced(stage=LandingStage.LANDED, limit=limit)
    return landed(agent, agent.submit, state)


def landed(agent: Agent, submit: str, state: RunState) -> RunFinished:
    """The end that is composed from the ledger."""
    limit = state.limit or REQUESTED
    if agent.land is None:
        return failed(state, f"limit reached: {limit}, and this agent has no landing", limit=limit)
    output = attempt(_composed, agent.land, state.ledger)
    if isinstance(output, Raised):
        return failed(state, f"limit reached: {limit}, and landing failed ({output.what})", limit=limit)
    outcome = Outcome(
        status=Status.COMPLETED,
        output=output,
        partial=True,
        unconfirmed=bool(agent.holders(submit, By.PERSON)),
        unreviewed=bool(agent.holders(submit, By.REVIEWER)),
        limit=limit,
        unread=state.inbox,
        usage=state.usage,
    )
    return RunFinished(outcome=outcome, said=output if isinstance(output, str) else msgspec.json.encode(output).decode())


def _returned(call: OpenCall) -> Any:
    """What the tool returned; a browser's result that is no JSON after all stays text."""
    content = call.output if call.output is not None else call.content or ""
    value = content if call.text else attempt(msgspec.json.decode, content)
    return content if isinstance(value, Raised) else value


def _composed(land: Any, ledger: Ledger) -> Any:
    output = land(ledger)
    if not isinstance(output, Mapping | str):
        raise TypeError(f"land returns a mapping or a text, not {type(output).__name__}")
    return output if isinstance(output, str) else msgspec.json.decode(msgspec.json.encode(dict(output)))

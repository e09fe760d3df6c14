"""What traces and metrics have in common: how a model call, a tool call and a review went, read off the event that ends them."""

from datetime import datetime
from typing import Any

import msgspec

from handrail.core.events import (
    CallLost,
    CallRefused,
    Event,
    HoldAnswered,
    ModelFailed,
    ModelReplied,
    RunFinished,
    TextRefused,
    ToolFailed,
    ToolLost,
    ToolReturned,
)
from handrail.core.state import RunState
from handrail.service.telemetry.stretches import OTHER, Stretch, coded
from handrail.vocab.outcomes import Status
from handrail.vocab.usage import Usage

FINISHES = frozenset({"stop", "length", "tool_calls", "content_filter", "function_call", "refusal"})
RETURNED, FAILED, UNKNOWN, STOPPED = "returned", "failed", "unknown", "stopped"
REPLIED = "replied"
ENDS = {ToolReturned: RETURNED, ToolFailed: FAILED, ToolLost: UNKNOWN, CallLost: UNKNOWN, CallRefused: STOPPED}


class ModelCall(msgspec.Struct, frozen=True, kw_only=True):
    """A model call that is over; `error` says how it failed."""

    began: datetime
    error: str | None = None
    finish: str | None = None
    usage: Usage = Usage()


class ToolCall(msgspec.Struct, frozen=True, kw_only=True):
    """A tool call that is over; one that was answered by a person never began here."""

    call: str
    tool: str
    end: str
    began: datetime | None = None


class Reviewing(msgspec.Struct, frozen=True, kw_only=True):
    """A review that is over."""

    reviewer: str
    began: datetime
    answer: str
    usage: Usage


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """A call or a text that may not be."""

    guard: str
    code: str


def model_call(stretch: Stretch, event: Event) -> ModelCall | None:
    """The model call that the event ends."""
    began = stretch.at if stretch.thinking is None else stretch.thinking
    match event:
        case ModelReplied():
            return ModelCall(began=began, finish=event.finish if event.finish in FINISHES else OTHER, usage=event.usage)
        case ModelFailed():
            return ModelCall(began=began, error=coded(event.kind))
        case RunFinished() if stretch.thinking is not None:
            return ModelCall(began=began, error=STOPPED)
        case _:
            return None


def tool_call(stretch: Stretch, event: Event, state: RunState) -> ToolCall | None:
    """The tool call that the event ends; one that was refused before it began is none."""
    end = ENDS.get(type(event))
    if end is None:
        return None
    call_id: Any = getattr(event, "call", "")
    call = state.call(call_id)
    if call is None or (end == STOPPED and call.started_at is None):
        return None
    return ToolCall(call=call.id, tool=stretch.tool(call.name), end=end, began=call.started_at)


def reviewing(stretch: Stretch, event: Event) -> Reviewing | None:
    """The review that the event ends."""
    if not isinstance(event, HoldAnswered) or event.hold not in stretch.reviews:
        return None
    return Reviewing(reviewer=event.by, began=stretch.reviews[event.hold], answer=event.answer.value, usage=event.usage)


def refusal(stretch: Stretch, event: Event, state: RunState) -> Refusal | None:
    """What was refused; a call that ran already was stopped instead."""
    if isinstance(event, TextRefused) or (isinstance(event, CallRefused) and tool_call(stretch, event, state) is None):
        return Refusal(guard=stretch.guard(event.guard, event.code), code=coded(event.code))
    return None


def error_of(stretch: Stretch) -> str | None:
    """Why the run failed, in a word; `None` where it did not."""
    outcome = None if stretch.finished is None else stretch.finished.outcome
    if outcome is None or outcome.status is not Status.FAILED:
        return None
    return "limit" if outcome.limit is not None else coded(stretch.failure or FAILED)

"""Spans of runs, in OpenTelemetry's conventions for generative AI.

- One `invoke_agent` for each stretch of a run in a process; under it a `chat` for each model call, an `execute_tool` for each tool call,
  and an `invoke_agent` for each review. What guards and people said are its events.
- The first stretch of a run has an id that follows from the run's, so that a stretch in any other process can link to it.
- No message, no argument and no result is in a span, unless contents are asked for; then they are cut, and without secrets.
"""

from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any

from opentelemetry.context import Context
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.trace import Link, Span, SpanContext, SpanKind, Status, StatusCode, TraceFlags, Tracer, set_span_in_context

from handrail.core import events as e
from handrail.core.events import Event
from handrail.core.state import RunState
from handrail.service.telemetry.contents import Contents
from handrail.service.telemetry.reading import RETURNED, ModelCall, Reviewing, ToolCall, error_of, model_call, reviewing, tool_call
from handrail.service.telemetry.stretches import Stretch, coded
from handrail.vocab.calls import Where

Attributes = dict[str, Any]


class RunIds(RandomIdGenerator):
    """Ids of spans: random, but for the span that is announced to be the next."""

    def __init__(self) -> None:
        """Announce nothing."""
        self._next: SpanContext | None = None

    def announce(self, first: SpanContext) -> None:
        """The next span is this one."""
        self._next = first

    def generate_trace_id(self) -> int:
        """The announced one, else a random one."""
        return super().generate_trace_id() if self._next is None else self._next.trace_id

    def generate_span_id(self) -> int:
        """The announced one, once, else a random one."""
        first, self._next = self._next, None
        return super().generate_span_id() if first is None else first.span_id


def first_of(run_id: str) -> SpanContext:
    """Where the first stretch of a run is, whichever process had it."""
    derived = sha256(f"handrail run {run_id}".encode()).digest()
    trace, span = int.from_bytes(derived[:16]), int.from_bytes(derived[16:24])
    return SpanContext(trace or 1, span or 1, is_remote=True, trace_flags=TraceFlags(TraceFlags.SAMPLED))


class Spans:
    """Makes them (`Sink`).

    Args:
        tracer: of a provider whose ids are `ids`.
        ids: makes the first span of a run the one that others link to.
        provider: the name of the model's provider.
        contents: adds contents, where they are asked for.
    """

    def __init__(self, tracer: Tracer, *, ids: RunIds, provider: str, contents: Contents | None = None) -> None:
        """Nothing runs yet."""
        self._tracer = tracer
        self._ids = ids
        self._provider = provider
        self._contents = contents
        self._open: dict[str, Span] = {}

    def began(self, stretch: Stretch) -> None:
        """Open the span of the stretch."""
        first = first_of(stretch.run_id)
        links = [Link(first)] if stretch.resumed else []
        if not stretch.resumed:
            self._ids.announce(first)
        attributes = {
            **self._common("invoke_agent", stretch),
            "gen_ai.request.model": stretch.model,
            "handrail.run.id": stretch.run_id,
            "handrail.resumed": stretch.resumed,
        }
        self._open[stretch.run_id] = self._tracer.start_span(
            f"invoke_agent {stretch.agent_name}", context=Context(), attributes=attributes, links=links, start_time=_ns(stretch.begun)
        )

    def saw(self, stretch: Stretch, event: Event, state: RunState) -> None:
        """Add what has happened."""
        span = self._open[stretch.run_id]
        if (asked := model_call(stretch, event)) is not None:
            self._chat(span, stretch, asked, event)
        if (ran := tool_call(stretch, event, state)) is not None and ran.began is not None:
            self._tool(span, stretch, ran, state)
        if (review := reviewing(stretch, event)) is not None:
            self._review(span, stretch, review)
        if (told := _told(stretch, event, state)) is not None:
            span.add_event(told[0], told[1], timestamp=_ns(stretch.at))
        if self._contents is not None:
            self._contents.saw(stretch, event, state)

    def ended(self, stretch: Stretch) -> None:
        """Close the span of the stretch."""
        span = self._open.pop(stretch.run_id)
        if self._contents is not None:
            self._contents.forget(stretch)
        finished = stretch.finished
        end = "finished" if finished is not None else "parked" if stretch.parked else "left"
        span.set_attributes({"handrail.turns": stretch.turns, "handrail.stretch.end": end, **_tokens(stretch.usage)})
        if finished is not None:
            outcome = finished.outcome
            span.set_attribute("handrail.outcome", outcome.status.value)
            for flag in ("partial", "unconfirmed", "unreviewed"):
                span.set_attribute(f"handrail.outcome.{flag}", getattr(outcome, flag))
            if outcome.limit is not None:
                span.set_attribute("handrail.limit", outcome.limit)
        _close(span, stretch.at, error_of(stretch))

    def _chat(self, around: Span, stretch: Stretch, asked: ModelCall, event: Event) -> None:
        attributes = {**self._common("chat", stretch), "gen_ai.request.model": stretch.model}
        if asked.finish is not None:
            attributes |= {"gen_ai.response.finish_reasons": (asked.finish,), **_tokens(asked.usage)}
        if self._contents is not None:
            attributes |= self._contents.of_chat(stretch, event)
        self._child(around, stretch, f"chat {stretch.model}", attributes, began=asked.began, error=asked.error, kind=SpanKind.CLIENT)

    def _tool(self, around: Span, stretch: Stretch, ran: ToolCall, state: RunState) -> None:
        call = state.call(ran.call)
        attributes = {**self._common("execute_tool", stretch), "gen_ai.tool.name": ran.tool, "gen_ai.tool.call.id": ran.call}
        attributes["gen_ai.tool.type"] = "function" if call is not None and call.where is Where.CLIENT else "extension"
        if self._contents is not None and call is not None:
            attributes |= self._contents.of_tool(call)
        error = None if ran.end == RETURNED else ran.end
        self._child(around, stretch, f"execute_tool {ran.tool}", attributes, began=ran.began or stretch.at, error=error)

    def _review(self, around: Span, stretch: Stretch, review: Reviewing) -> None:
        attributes = {**self._common("invoke_agent", stretch), "gen_ai.agent.name": review.reviewer, "handrail.answer": review.answer}
        attributes |= _tokens(review.usage)
        self._child(around, stretch, f"invoke_agent {review.reviewer}", attributes, began=review.began)

    def _child(
        self,
        around: Span,
        stretch: Stretch,
        name: str,
        attributes: Attributes,
        *,
        began: datetime,
        error: str | None = None,
        kind: SpanKind = SpanKind.INTERNAL,
    ) -> None:
        """A span that is over already: nothing but the stretch itself is kept open."""
        span = self._tracer.start_span(
            name, context=set_span_in_context(around, Context()), kind=kind, attributes=attributes, start_time=_ns(began)
        )
        _close(span, stretch.at, error)

    def _common(self, operation: str, stretch: Stretch) -> Attributes:
        known = {"gen_ai.operation.name": operation, "gen_ai.provider.name": self._provider, "gen_ai.agent.name": stretch.agent_name}
        return known if stretch.session_id is None else {**known, "gen_ai.conversation.id": stretch.session_id}


def _told(stretch: Stretch, event: Event, state: RunState) -> tuple[str, Mapping[str, Any]] | None:
    """The event of a span: who said what about which call, without a word that a person or a model has written."""
    name = _NAMES.get(type(event))
    if name is None or (isinstance(event, e.CallRefused) and tool_call(stretch, event, state) is not None):
        return None
    found: Attributes = {}
    call_id = getattr(event, "call", None) or getattr(event, "hold", "").rpartition("h")[0]
    if call_id:
        call = state.call(call_id)
        found = {"gen_ai.tool.call.id": call_id, "gen_ai.tool.name": stretch.tool(None if call is None else call.name)}
    for field, attribute in _FIELDS.items():
        value = getattr(event, field, None)
        if value is not None:
            found[attribute] = str(value)
    if "handrail.guard" in found:
        found["handrail.guard"] = stretch.guard(found["handrail.guard"], found.get("handrail.code", ""))
    if "handrail.code" in found:
        found["handrail.code"] = coded(found["handrail.code"])
    if isinstance(event, e.HoldAnswered):
        del found["handrail.by"]  # a user's name
    return name, found


_FIELDS = {
    "guard": "handrail.guard",
    "code": "handrail.code",
    "by": "handrail.by",
    "answer": "handrail.answer",
    "after": "handrail.after",
    "stage": "handrail.landing.stage",
    "limit": "handrail.limit",
}
_NAMES: Mapping[type[Event], str] = {
    e.CallRefused: "handrail.call.refused",
    e.CallDeferred: "handrail.call.deferred",
    e.CallHeld: "handrail.call.held",
    e.CallReopened: "handrail.call.reopened",
    e.CallRequeued: "handrail.call.requeued",
    e.HoldAnswered: "handrail.hold.answered",
    e.TextRefused: "handrail.text.refused",
    e.TextAmended: "handrail.text.amended",
    e.TextHeld: "handrail.text.held",
    e.InputScreened: "handrail.input.screened",
    e.HistoryCut: "handrail.history.cut",
    e.LandingAdvanced: "handrail.landing",
    e.TakenOver: "handrail.taken_over",
    e.RunParked: "handrail.parked",
}


def _tokens(usage: Any) -> Attributes:
    return {"gen_ai.usage.input_tokens": usage.input_tokens, "gen_ai.usage.output_tokens": usage.output_tokens}


def _close(span: Span, at: datetime, error: str | None) -> None:
    if error is not None:
        span.set_attribute("error.type", error)
        span.set_status(Status(StatusCode.ERROR))
    span.end(end_time=_ns(at))


def _ns(at: datetime) -> int:
    """Nanoseconds since 1970."""
    return int(at.timestamp() * 1_000_000) * 1_000

"""Traces and metrics that stay in memory, made by the very code that makes them for a collector."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from handrail import Agent
from handrail.service.redaction import redactor
from handrail.service.telemetry.exporting import Exporting
from handrail.service.telemetry.stretches import Stretches


class Watched:
    """One process that is watched: `saw` is an `on_event`."""

    def __init__(self, agents: tuple[Agent, ...], environ: Mapping[str, str]) -> None:
        self._exporter, self._reader = InMemorySpanExporter(), InMemoryMetricReader()
        redact = redactor(environ=environ)
        self.exporting = Exporting(SimpleSpanProcessor(self._exporter), self._reader, redact=redact, environ=environ)
        self.stretches = Stretches(self.exporting.sinks, {agent.name: agent for agent in agents})
        self.saw = self.stretches.saw

    def spans(self) -> list[ReadableSpan]:
        return list(self._exporter.get_finished_spans())

    def named(self, name: str) -> ReadableSpan:
        (found,) = [span for span in self.spans() if span.name == name]
        return found

    def traced(self) -> str:
        """All spans as they would be sent."""
        return "\n".join(span.to_json() for span in self.spans())

    def metrics(self) -> dict[str, list[Any]]:
        data: Any = self._reader.get_metrics_data()
        return {metric.name: list(metric.data.data_points) for metric in data.resource_metrics[0].scope_metrics[0].metrics}


@asynccontextmanager
async def watched(*agents: Agent, **environ: str) -> AsyncIterator[Watched]:
    made = Watched(agents, environ)
    yield made
    made.stretches.close()
    await made.exporting.close()


def events(span: ReadableSpan) -> dict[str, dict[str, Any]]:
    return {event.name: dict(event.attributes or {}) for event in span.events}


def attributes(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})

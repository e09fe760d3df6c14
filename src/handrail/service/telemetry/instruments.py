"""Metrics of runs for OpenTelemetry: tokens and durations as the conventions say, and how runs end and what was refused."""

from typing import Any

from opentelemetry.metrics import Meter

from handrail.core.events import Event
from handrail.core.state import RunState
from handrail.service.telemetry.names import METRICS
from handrail.service.telemetry.reading import RETURNED, error_of, model_call, refusal, tool_call
from handrail.service.telemetry.stretches import Stretch


class Instruments:
    """Records them (`Sink`).

    Args:
        meter: makes the instruments.
        provider: the name of the model's provider.
    """

    def __init__(self, meter: Meter, *, provider: str) -> None:
        """Make the instruments."""
        self._provider = provider
        self._histograms = {
            name: meter.create_histogram(name, unit=unit, description=what, explicit_bucket_boundaries_advisory=buckets)
            for name, (unit, what, buckets) in METRICS.items()
            if buckets
        }
        self._counters = {
            name: meter.create_counter(name, unit=unit, description=what) for name, (unit, what, buckets) in METRICS.items() if not buckets
        }

    def began(self, stretch: Stretch) -> None:
        """Nothing is counted yet."""

    def saw(self, stretch: Stretch, event: Event, state: RunState) -> None:
        """Count what has happened."""
        agent = {"gen_ai.agent.name": stretch.agent_name}
        if (asked := model_call(stretch, event)) is not None:
            chat = {
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": self._provider,
                "gen_ai.request.model": stretch.model,
                **agent,
            }
            self._record("gen_ai.client.operation.duration", (stretch.at - asked.began).total_seconds(), chat, asked.error)
            tokens = {"input": asked.usage.input_tokens, "output": asked.usage.output_tokens}
            for kind, many in tokens.items() if asked.usage.total else ():
                self._record("gen_ai.client.token.usage", many, {**chat, "gen_ai.token.type": kind})
        if (ran := tool_call(stretch, event, state)) is not None and ran.began is not None:
            error = None if ran.end == RETURNED else ran.end
            taken = (stretch.at - ran.began).total_seconds()
            self._record("gen_ai.execute_tool.duration", taken, {"gen_ai.tool.name": ran.tool, **agent}, error)
        if (refused := refusal(stretch, event, state)) is not None:
            self._counters["handrail.refusals"].add(1, {**agent, "handrail.guard": refused.guard, "handrail.code": refused.code})

    def ended(self, stretch: Stretch) -> None:
        """Count how it ended."""
        agent = {"gen_ai.agent.name": stretch.agent_name, "gen_ai.request.model": stretch.model}
        self._record("gen_ai.invoke_agent.duration", (stretch.at - stretch.begun).total_seconds(), agent, error_of(stretch))
        if stretch.finished is not None:
            status = stretch.finished.outcome.status.value
            self._counters["handrail.runs"].add(1, {"gen_ai.agent.name": stretch.agent_name, "handrail.outcome": status})

    def _record(self, name: str, value: float, attributes: dict[str, Any], error: str | None = None) -> None:
        self._histograms[name].record(value, attributes if error is None else {**attributes, "error.type": error})

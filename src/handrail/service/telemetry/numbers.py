"""Numbers for Prometheus: how runs, model calls and tools go in this process, and how many jobs the database has open.

- Every label is bounded: names of agents, tools, guards and routes that are served here, and words of our own. What a user, a session or
  a model made up is never one; what is no name of ours is `_OTHER`.
- The registry is this service's alone: nothing global is counted or shown.
"""

from collections.abc import Callable, Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from handrail.core.events import Event, LandingAdvanced, TurnOpened
from handrail.core.state import RunState
from handrail.drivers.noting import STATUS_OF
from handrail.service.telemetry.reading import REPLIED, model_call, refusal, tool_call
from handrail.service.telemetry.stretches import Stretch
from handrail.stores.jobs import JobStatus

MEDIA_TYPE = CONTENT_TYPE_LATEST
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)
OPEN = (JobStatus.PENDING, JobStatus.RUNNING, JobStatus.INPUT_REQUIRED)


class Numbers:
    """Counts (`Sink`).

    Args:
        streams: how many event streams are open.
    """

    def __init__(self, streams: Callable[[], float]) -> None:
        """Begin at nothing."""
        registry = self.registry = CollectorRegistry()
        agent = ["agent"]

        def counter(name: str, what: str, *labels: str) -> Counter:
            return Counter(f"handrail_{name}", what, [*agent, *labels], registry=registry)

        self._jobs = counter("jobs_ended", "Jobs that ended here, by status", "status")
        self._runs = counter("runs_ended", "Runs that ended here, by outcome; a run may be no job", "outcome", "partial")
        self._turns = counter("turns", "Turns opened")
        self._landings = counter("landings", "Rungs that runs went down when a limit came near", "stage")
        self._asked = counter("model_calls", "Model calls, by how they ended", "end")
        self._tokens = counter("model_tokens", "Tokens that model calls used", "type")
        self._ran = counter("tool_calls", "Tool calls, by how they ended", "tool", "end")
        self._refused = counter("refusals", "Calls and texts that were refused", "guard", "code")
        self._asking = Histogram("handrail_model_seconds", "How long model calls took", agent, buckets=SECONDS, registry=registry)
        self._running = Histogram("handrail_tool_seconds", "How long tools ran", [*agent, "tool"], buckets=SECONDS, registry=registry)
        self.answers = Histogram(
            "handrail_http_seconds", "Until an answer began", ["method", "route", "status"], buckets=SECONDS, registry=registry
        )
        self._open = Gauge("handrail_jobs_open", "Jobs in the database that have not ended", ["status"], registry=registry)
        Gauge("handrail_event_streams", "Event streams that are open here", registry=registry).set_function(streams)

    def text(self, jobs: Mapping[JobStatus, int]) -> bytes:
        """All of it as Prometheus reads it, with the database's open jobs."""
        for status in OPEN:
            self._open.labels(status.value).set(jobs.get(status, 0))
        return generate_latest(self.registry)

    def began(self, stretch: Stretch) -> None:
        """Nothing is counted yet."""

    def saw(self, stretch: Stretch, event: Event, state: RunState) -> None:
        """Count what has happened."""
        agent = stretch.agent_name
        match event:
            case TurnOpened():
                self._turns.labels(agent).inc()
            case LandingAdvanced():
                self._landings.labels(agent, event.stage.value).inc()
        if (asked := model_call(stretch, event)) is not None:
            self._asked.labels(agent, asked.error or REPLIED).inc()
            self._asking.labels(agent).observe((stretch.at - asked.began).total_seconds())
            self._tokens.labels(agent, "input").inc(asked.usage.input_tokens)
            self._tokens.labels(agent, "output").inc(asked.usage.output_tokens)
        if (ran := tool_call(stretch, event, state)) is not None:
            self._ran.labels(agent, ran.tool, ran.end).inc()
            if ran.began is not None:
                self._running.labels(agent, ran.tool).observe((stretch.at - ran.began).total_seconds())
        if (refused := refusal(stretch, event, state)) is not None:
            self._refused.labels(agent, refused.guard, refused.code).inc()

    def ended(self, stretch: Stretch) -> None:
        """Count how it ended."""
        if stretch.finished is None:
            return
        outcome = stretch.finished.outcome
        self._runs.labels(stretch.agent_name, outcome.status.value, str(outcome.partial).lower()).inc()
        if stretch.session_id is not None:
            self._jobs.labels(stretch.agent_name, STATUS_OF[outcome.status].value).inc()

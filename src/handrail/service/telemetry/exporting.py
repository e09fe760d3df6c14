"""Where traces and metrics go: to a collector (OTLP over HTTP), or to standard error. This module needs the extra `telemetry`.

- The providers are ours alone: nothing global is set, and an instrumentation of the user's keeps its own.
- What waits to be sent is sent by and by, or at once by `flush`, where a process is frozen.
- All but where to is said with OpenTelemetry's own variables: OTEL_SERVICE_NAME, OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_SAMPLER, …
"""

import asyncio
import logging
import os
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from urllib.parse import urlsplit

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import ConsoleMetricExporter, MetricReader, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SimpleSpanProcessor

from handrail.service.redaction import Redact
from handrail.service.telemetry.contents import Contents, are_wanted
from handrail.service.telemetry.instruments import Instruments
from handrail.service.telemetry.names import SCOPE
from handrail.service.telemetry.spans import RunIds, Spans
from handrail.service.telemetry.stretches import Sink

PROVIDERS = {
    "openai.com": "openai",
    "azure.com": "azure.ai.openai",
    "anthropic.com": "anthropic",
    "deepseek.com": "deepseek",
    "googleapis.com": "gcp.gemini",
    "groq.com": "groq",
    "mistral.ai": "mistral_ai",
    "moonshot.ai": "moonshot_ai",
    "perplexity.ai": "perplexity",
    "x.ai": "x_ai",
}
"""The conventions' names of providers, by where they are."""
logger = logging.getLogger(__name__)


class Exporting:
    """Traces and metrics on their way.

    Args:
        processor: gets spans.
        reader: gets metrics.
        redact: takes secrets out of contents.
        environ: says the rest.
    """

    def __init__(self, processor: SpanProcessor, reader: MetricReader, *, redact: Redact, environ: Mapping[str, str]) -> None:
        """Open the ways."""
        ids, resource = RunIds(), _resource()
        self._tracers = TracerProvider(resource=resource, id_generator=ids, shutdown_on_exit=False)
        self._tracers.add_span_processor(processor)
        self._meters = MeterProvider([reader], resource=resource, shutdown_on_exit=False)
        provider = provider_of(environ.get("OPENAI_BASE_URL", ""))
        contents = Contents(redact) if are_wanted(environ) else None
        release = version("handrail")
        self.sinks: Sequence[Sink] = (
            Spans(self._tracers.get_tracer(SCOPE, release), ids=ids, provider=provider, contents=contents),
            Instruments(self._meters.get_meter(SCOPE, release), provider=provider),
        )

    async def flush(self) -> None:
        """Send what waits; it may take as long as the exporter's time-out."""
        ways = (asyncio.to_thread(self._tracers.force_flush), asyncio.to_thread(self._meters.force_flush))
        for failed in await asyncio.gather(*ways, return_exceptions=True):
            if isinstance(failed, BaseException):
                logger.warning("telemetry could not be sent: %r", failed)

    async def close(self) -> None:
        """Send what is left, and close; it may take as long as the exporter's time-out."""
        await asyncio.gather(asyncio.to_thread(self._tracers.shutdown), asyncio.to_thread(self._meters.shutdown))


def exporting(to: str, redact: Redact) -> Exporting:
    """The way to a collector (`otlp`) or to standard error (`console`)."""
    if to == "otlp":
        return Exporting(
            BatchSpanProcessor(OTLPSpanExporter()), PeriodicExportingMetricReader(OTLPMetricExporter()), redact=redact, environ=os.environ
        )
    spans = ConsoleSpanExporter(out=sys.stderr, formatter=lambda span: f"{span.to_json(indent=None)}\n")
    metrics = ConsoleMetricExporter(out=sys.stderr, formatter=lambda data: f"{data.to_json(indent=None)}\n")
    return Exporting(SimpleSpanProcessor(spans), PeriodicExportingMetricReader(metrics), redact=redact, environ=os.environ)


def provider_of(base_url: str) -> str:
    """The provider at that address; whoever else speaks the dialect of OpenAI is named after it."""
    host = urlsplit(base_url).hostname or ""
    return next((name for end, name in PROVIDERS.items() if host == end or host.endswith(f".{end}")), "openai")


def _resource() -> Resource:
    ours = Resource({"service.name": "handrail", "service.version": version("handrail")})
    return ours.merge(OTELResourceDetector().detect())

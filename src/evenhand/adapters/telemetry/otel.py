"""Tell each request to the gateway to OpenTelemetry: one span, and the metrics of its calls.

What is sent where, and how often, is the SDK's business: it has threads of its own, which an
answer never waits for, and drops what a collector does not take.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from evenhand.adapters.telemetry.attributes import (
    metric_attributes,
    span_attributes,
    span_name,
)
from evenhand.usecases.ports import Clock, Ending

_SCOPE: Final = "evenhand.gateway"
_SERVICE: Final = "evenhand-hub"
#: How long a collector may take for what is sent to it at once, in seconds.
_PATIENCE: Final = 5.0
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
#: As the conventions advise for seconds and for numbers of tokens.
_SECONDS: Final = [0.01 * 2**power for power in range(14)]
_TOKENS: Final = [4**power for power in range(14)]


class OtelTelemetry:
    """Tells of requests; implements `ports.GatewayTelemetry`.

    Args:
        clock: the time at which a request ended.
        release: version of Evenhand.
        tracers, meters: of the SDK; shut down with this.
    """

    def __init__(
        self, *, clock: Clock, release: str, tracers: TracerProvider, meters: MeterProvider
    ) -> None:
        self._clock = clock
        self._tracers = tracers
        self._meters = meters
        self._tracer = tracers.get_tracer(_SCOPE, release)
        meter = meters.get_meter(_SCOPE, release)
        self._seconds = meter.create_histogram(
            "gen_ai.client.operation.duration",
            unit="s",
            description="How long requests took for which an upstream was called.",
            explicit_bucket_boundaries_advisory=_SECONDS,
        )
        self._tokens = meter.create_histogram(
            "gen_ai.client.token.usage",
            unit="{token}",
            description="How many tokens upstreams counted.",
            explicit_bucket_boundaries_advisory=_TOKENS,
        )

    def tell(self, ending: Ending) -> None:
        """One request that has ended."""
        self._tell_span(ending)
        facts, told = ending.facts, metric_attributes(ending)
        if facts.attempts:
            self._seconds.record(ending.seconds, told)
        if facts.outcome.prompt_tokens is not None:
            self._tokens.record(
                facts.outcome.prompt_tokens, {**told, "gen_ai.token.type": "input"}
            )

    def close(self) -> None:
        """Send what is left, and end the SDK's threads."""
        self._tracers.shutdown()
        self._meters.shutdown()

    def _tell_span(self, ending: Ending) -> None:
        end = (self._clock.now() - _EPOCH) // _MICROSECOND * 1000
        span = self._tracer.start_span(
            span_name(ending),
            context=_caller_of(ending.traceparent),
            kind=SpanKind.CLIENT,
            attributes=span_attributes(ending),
            start_time=end - round(ending.seconds * 10**9),
        )
        if ending.facts.outcome.code is not None:
            # Without a description: the code says what there is to say.
            span.set_status(Status(StatusCode.ERROR))
        span.end(end)


def open_otlp(url: str, *, clock: Clock, release: str) -> OtelTelemetry:
    """What sends to a collector by OTLP over HTTP.

    Args:
        url: of the collector, without ``/v1/traces`` and ``/v1/metrics``.
        clock: the time.
        release: version of Evenhand.
    """
    resource = Resource.create({"service.name": _SERVICE, "service.version": release})
    tracers = TracerProvider(resource=resource, shutdown_on_exit=False)
    spans = OTLPSpanExporter(endpoint=f"{url}/v1/traces", timeout=_PATIENCE)
    tracers.add_span_processor(BatchSpanProcessor(spans))
    numbers = OTLPMetricExporter(endpoint=f"{url}/v1/metrics", timeout=_PATIENCE)
    meters = MeterProvider(
        metric_readers=[PeriodicExportingMetricReader(numbers)],
        resource=resource,
        shutdown_on_exit=False,
    )
    return OtelTelemetry(clock=clock, release=release, tracers=tracers, meters=meters)


def _caller_of(traceparent: str | None) -> Context:
    """The span of the caller. Of its other headers none is read: they may hold any text."""
    carrier = {} if traceparent is None else {"traceparent": traceparent}
    return TraceContextTextMapPropagator().extract(carrier, Context())

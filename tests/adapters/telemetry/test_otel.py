"""What OpenTelemetry is told of requests, by its own names."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from evenhand.adapters.telemetry.otel import OtelTelemetry
from evenhand.core.gateway.inputs import read_inputs
from evenhand.core.gateway.request import Caller, Facts, Outcome, RequestState, asked_of
from evenhand.usecases.ports import Ending
from tests.builders import START, FakeClock
from tests.gateway_builders import DONE, REFUSED, SERVED, a_target, an_attempt

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
NANOSECONDS = 10**9


@dataclass(frozen=True)
class Heard:
    """What a collector would have."""

    telemetry: OtelTelemetry
    spans: InMemorySpanExporter
    numbers: InMemoryMetricReader

    def span(self) -> ReadableSpan:
        [span] = self.spans.get_finished_spans()
        return span

    def points(self) -> dict[str, Any]:
        data = self.numbers.get_metrics_data()
        if data is None:
            return {}
        return {
            metric.name: point
            for resource in data.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
            for point in metric.data.data_points
        }


@pytest.fixture
def heard() -> Iterator[Heard]:
    spans, numbers = InMemorySpanExporter(), InMemoryMetricReader()
    tracers = TracerProvider(shutdown_on_exit=False)
    tracers.add_span_processor(SimpleSpanProcessor(spans))
    meters = MeterProvider([numbers], shutdown_on_exit=False)
    telemetry = OtelTelemetry(clock=FakeClock(), release="1.0", tracers=tracers, meters=meters)
    yield Heard(telemetry, spans, numbers)
    telemetry.close()


def an_ending(outcome: Outcome = DONE, **stated: Any) -> Ending:
    facts: dict[str, Any] = {
        "public_id": "req_" + "a" * 32,
        "caller": Caller(credential_id="c", client_id="k", project_id="p"),
        "served": SERVED,
        "asked": asked_of(read_inputs(["Where is the office?"])),
        "outcome": outcome,
        "attempts": (an_attempt(),),
    }
    values: dict[str, Any] = {
        "target": a_target(base_url="https://models.test/v1"),
        "dimension": None,
        "seconds": 0.25,
        "traceparent": None,
    }
    facts |= {name: value for name, value in stated.items() if name in facts}
    values |= {name: value for name, value in stated.items() if name in values}
    return Ending(facts=Facts(**facts), **values)


def test_a_request_is_one_span_by_the_names_of_the_conventions(heard: Heard) -> None:
    heard.telemetry.tell(an_ending())

    span = heard.span()
    assert (span.name, span.kind) == ("embeddings upstream-1", SpanKind.CLIENT)
    assert span.attributes == {
        "gen_ai.operation.name": "embeddings",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "upstream-1",
        "gen_ai.usage.input_tokens": 3,
        "gen_ai.embeddings.dimension.count": 1,
        "server.address": "models.test",
        "server.port": 443,
        "http.response.status_code": 200,
        "evenhand.request.id": "req_" + "a" * 32,
        "evenhand.request.state": "completed",
        "evenhand.client.id": "k",
        "evenhand.project.id": "p",
        "evenhand.route.name": "stable",
        "evenhand.deployment.id": "d",
        "evenhand.upstream.calls": 1,
        "evenhand.input.count": 1,
        "evenhand.input.kind": "texts",
        "evenhand.input.purpose": "query",
    }
    assert span.status.status_code is StatusCode.UNSET
    assert span.parent is None
    assert span.end_time == int(START.timestamp()) * NANOSECONDS
    assert span.start_time == span.end_time - NANOSECONDS // 4


def test_calls_are_counted_in_seconds_and_tokens(heard: Heard) -> None:
    heard.telemetry.tell(an_ending())

    points = heard.points()
    seconds, tokens = (
        points["gen_ai.client.operation.duration"],
        points["gen_ai.client.token.usage"],
    )
    assert (seconds.count, seconds.sum) == (1, 0.25)
    assert (tokens.count, tokens.sum) == (1, 3)
    assert dict(seconds.attributes) == {
        "gen_ai.operation.name": "embeddings",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "upstream-1",
        "server.address": "models.test",
        "server.port": 443,
    }
    assert dict(tokens.attributes) == {**seconds.attributes, "gen_ai.token.type": "input"}
    assert seconds.explicit_bounds[0] == 0.01
    assert tokens.explicit_bounds[:3] == (1, 4, 16)


def test_tokens_that_nobody_counted_are_no_number(heard: Heard) -> None:
    unknown = Outcome(state=RequestState.COMPLETED, status=200)
    heard.telemetry.tell(an_ending(unknown))

    assert "gen_ai.client.token.usage" not in heard.points()
    assert "gen_ai.usage.input_tokens" not in (heard.span().attributes or {})


def test_a_failure_is_told_by_its_code_and_no_words(heard: Heard) -> None:
    failed = Outcome(state=RequestState.FAILED, status=502, code="wrong_count")
    heard.telemetry.tell(an_ending(failed))

    span = heard.span()
    assert (span.status.status_code, span.status.description) == (StatusCode.ERROR, None)
    assert (span.attributes or {})["error.type"] == "wrong_count"
    assert "gen_ai.embeddings.dimension.count" not in (span.attributes or {})
    assert heard.points()["gen_ai.client.operation.duration"].attributes["error.type"] == (
        "wrong_count"
    )


def test_a_request_that_called_nobody_is_in_no_metric(heard: Heard) -> None:
    heard.telemetry.tell(an_ending(REFUSED, target=None, served=None, asked=None, attempts=()))

    span = heard.span()
    assert span.name == "embeddings"
    assert (span.attributes or {})["error.type"] == "invalid_input"
    assert heard.points() == {}


def test_an_embedder_in_process_has_no_address(heard: Heard) -> None:
    here = a_target(base_url=None, upstream_model=None, embedder="minilm", dimension=384)
    heard.telemetry.tell(an_ending(target=here, dimension=384))

    attributes = heard.span().attributes or {}
    assert heard.span().name == "embeddings minilm"
    assert attributes["gen_ai.provider.name"] == "evenhand"
    assert attributes["gen_ai.embeddings.dimension.count"] == 384
    assert "server.address" not in attributes


@pytest.mark.parametrize(
    ("traceparent", "trace_id"),
    [(PARENT, 0x0AF7651916CD43DD8448EB211C80319C), ("no trace", None), ("", None)],
)
def test_a_span_is_part_of_the_callers_trace(
    heard: Heard, traceparent: str, trace_id: int | None
) -> None:
    heard.telemetry.tell(an_ending(traceparent=traceparent))

    parent = heard.span().parent
    assert (None if parent is None else parent.trace_id) == trace_id

"""Write batches of events as OTLP, run by the Python of a peer that has its definitions.

    .venv-bench-PEER/bin/python bench/events_spans.py FOLDER

Reads a batch of events a line, as JSON, and writes each as one request to FOLDER/NUMBER: one trace,
a span for each event, its fields as attributes of the span.
"""

import hashlib
import json
import sys
from pathlib import Path

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

_BEGAN = 1_785_283_200_000_000_000


def main(folder: str) -> None:
    """Write what comes."""
    for number, line in enumerate(sys.stdin):
        request = ExportTraceServiceRequest()
        resource = request.resource_spans.add()
        scope = resource.scope_spans.add()
        trace = hashlib.sha256(f"{folder}/{number}".encode()).digest()[:16]
        parent = b""
        for place, event in enumerate(json.loads(line)["events"]):
            span = scope.spans.add()
            span.trace_id = trace
            span.span_id = hashlib.sha256(trace + str(place).encode()).digest()[:8]
            span.parent_span_id = parent
            parent = parent or span.span_id
            span.name = "rag_retrieval_evaluated"
            span.start_time_unix_nano = _BEGAN + place * 1_000_000
            span.end_time_unix_nano = span.start_time_unix_nano + int(event["duration_ms"] * 1e6)
            for name, value in event.items():
                attribute = span.attributes.add()
                attribute.key = name
                if isinstance(value, bool):
                    attribute.value.bool_value = value
                elif isinstance(value, str):
                    attribute.value.string_value = value
                else:
                    attribute.value.double_value = value
        (Path(folder) / str(number)).write_bytes(request.SerializeToString())


if __name__ == "__main__":
    main(*sys.argv[1:])

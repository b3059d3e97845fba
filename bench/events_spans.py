"""Write batches of events as OTLP, run by the Python of a peer that has its definitions.

    .venv-bench-PEER/bin/python bench/events_spans.py FOLDER each|one

Reads a batch of events a line, as JSON, and writes each as one request to FOLDER/NUMBER: a span
for each event, with the event's fields as attributes, in a trace of its own (``each``), as results
that have nothing to do with each other are, or in one trace for the batch (``one``).
"""

import hashlib
import json
import sys
from pathlib import Path

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

_BEGAN = 1_785_283_200_000_000_000


def main(folder: str, traces: str) -> None:
    """Write what comes."""
    for number, line in enumerate(sys.stdin):
        request = ExportTraceServiceRequest()
        resource = request.resource_spans.add()
        scope = resource.scope_spans.add()
        for place, event in enumerate(json.loads(line)["events"]):
            span = scope.spans.add()
            digest = hashlib.sha256(event["event_id"].encode()).digest()
            of_batch = hashlib.sha256(f"{folder} {number}".encode()).digest()
            span.trace_id = (of_batch if traces == "one" else digest)[:16]
            span.span_id = digest[16:24]
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

"""What does it cost to read and check one event, by ours and by what else could do it?

CPU of one thread, from the bytes of an event to its values, each checked by the same rules: types,
patterns, ranges, no further field. Whatever is measured takes every event and refuses a bad one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Literal

import jsonschema
import jsonschema_rs
import msgspec
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from bench.events_data import Row, Used, compared, make_events, used
from evenhand.contracts.contract import shipped_contract
from evenhand.contracts.decoding import decode_event, encode_event
from evenhand.contracts.schema import DIGEST, FINGERPRINT, IDENTIFIER, json_schema
from evenhand.core.errors import InvalidEvent

NUMBER, FEWER = 10_000, 500
OURS = "msgspec and the rest"
_Identifier = Annotated[str, StringConstraints(pattern=IDENTIFIER)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    timestamp_utc: datetime
    event_id: _Identifier
    account_id: _Identifier
    release: _Identifier
    evaluation_id: _Identifier
    retrieval_version: _Identifier
    evaluator_version: _Identifier
    retrieval_score: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
    grounded: bool
    duration_ms: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    accepted: bool = False
    outcome: Literal["evaluated", "ineligible"] = "evaluated"
    prompt_version: _Identifier = ""
    benchmark: Annotated[str, StringConstraints(pattern=FINGERPRINT)] = ""
    review_stratum: Annotated[str, StringConstraints(pattern=DIGEST)] = ""


def compare(rounds: int) -> list[Row]:
    """Each way over the same events, one after the other in each round."""
    schema = json_schema(shipped_contract())
    in_python = jsonschema.Draft202012Validator(schema).is_valid
    in_rust = jsonschema_rs.validator_for(schema).is_valid
    ways: dict[str, Callable[[bytes], object]] = {
        OURS: decode_event,
        "pydantic": _Model.model_validate_json,
        "jsonschema-rs": partial(_checked, in_rust),
        "jsonschema": partial(_checked, in_python),
    }
    bodies = [encode_event(one) for one in make_events(NUMBER, "v")]
    for name, read in ways.items():
        _require_refusal(name, read, bodies[0].replace(b'"retrieval_score":0.0', b'"a":1'))
    found: dict[str, list[Used]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, read in ways.items():
            some = bodies[:FEWER] if name == "jsonschema" else bodies
            found[name].append(used(partial(_read, read, some), len(some)))
    return [
        compared(
            "read and check one, by CPU", name, found[OURS], found[name], goal=None, by_cpu=True
        )
        for name in ways
        if name != OURS
    ]


def _read(read: Callable[[bytes], object], bodies: Sequence[bytes]) -> None:
    for one in bodies:
        read(one)


def _checked(is_valid: Callable[[Any], bool], body: bytes) -> object:
    value = msgspec.json.decode(body)
    if not is_valid(value):
        raise InvalidEvent("event", "is none")
    return value


def _require_refusal(name: str, read: Callable[[bytes], object], body: bytes) -> None:
    try:
        read(body)
    except ValueError:
        return
    except InvalidEvent:
        return
    print(name, file=sys.stderr)
    raise SystemExit("something took what is no event")

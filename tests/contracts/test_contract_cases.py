"""A public report of a field that was changed while it was in use, carried out from its file."""

from collections.abc import Mapping
from typing import Any

import jsonschema_rs
import msgspec
import pytest

from evenhand.contracts.contract import Contract, Field, FieldType, Privacy, shipped_contract
from evenhand.contracts.evolution import compare_contracts, is_allowed
from evenhand.contracts.schema import json_schema
from tests.altered_cases import require_failure
from tests.cases_runner import load
from tests.contracts.test_events import SEED

SHIPPED = shipped_contract()


def changed(change: Mapping[str, Any]) -> tuple[Contract, Contract]:
    """The contract before and after a change of the case."""
    ((verb, stated),) = change.items()
    match verb, stated:
        case "remove", name:
            return SHIPPED, _fields(SHIPPED, {name: None})
        case "require", name:
            return SHIPPED, _fields(SHIPPED, {name: {"required": True}})
        case "add_optional", name:
            added = Field(
                name=name,
                type=FieldType.STRING,
                required=False,
                privacy=Privacy.NON_SENSITIVE,
                meaning="Where it ran.",
                decision="Where to run it.",
            )
            return SHIPPED, msgspec.structs.replace(SHIPPED, fields=(*SHIPPED.fields, added))
        case "rename", [old, new]:
            return SHIPPED, _fields(SHIPPED, {old: {"name": new}})
        case "widen", [name, old, new]:
            before = _fields(SHIPPED, {name: {"type": FieldType(old)}})
            return before, _fields(before, {name: {"type": FieldType(new)}})
        case name, type_:
            return SHIPPED, _fields(SHIPPED, {name: {"type": FieldType(type_)}})


def _fields(contract: Contract, stated: Mapping[str, Mapping[str, Any] | None]) -> Contract:
    """The contract with some fields stated otherwise, and without those that are None."""
    fields = [
        msgspec.structs.replace(one, **(stated.get(one.name, {}) or {}))
        for one in contract.fields
        if stated.get(one.name, {}) is not None
    ]
    return msgspec.structs.replace(contract, fields=tuple(fields))


@pytest.mark.proves("E-15", "E-41", "G-69")
def test_changing_a_field_after_it_is_in_use_b_116() -> None:
    given, expected = load("B-116")["given"], load("B-116")["expected"]
    pairs = [changed(change) for change in given["changes"]]
    allowed = [is_allowed(compare_contracts(old, new)) for old, new in pairs]

    assert ["accepted" if one else "refused" for one in allowed] == expected["results"]
    # An event of before is an event of after, and a sender of version 1 is still understood.
    readable = all(
        jsonschema_rs.validator_for(json_schema(new)).is_valid(SEED)
        for (_, new), is_taken in zip(pairs, allowed, strict=True)
        if is_taken
    )
    assert readable is expected["old_rows_readable"]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        *((("results", place), "accepted") for place in (0, 1, 2, 4)),
        *((("results", place), "refused") for place in (3, 5)),
        (("old_rows_readable",), False),
    ],
    ids=str,
)
def test_an_altered_case_fails(
    path: tuple[str | int, ...], value: object, request: pytest.FixtureRequest
) -> None:
    require_failure(test_changing_a_field_after_it_is_in_use_b_116, path, value, request)

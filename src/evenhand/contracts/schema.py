"""How do other tools read the contract? As JSON Schema 2020-12 and as an ODCS document."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from evenhand.contracts.contract import Contract, Field, FieldType
from evenhand.core.identity.labels import IDENTIFIER

_DATE: Final = (
    r"(?!0000)(?:"
    r"[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])"
    r"|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))"
    r"|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)"
)
#: Every instant of the calendar in UTC, to nine digits; no leap second and no other offset.
TIMESTAMP: Final = f"^{_DATE}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{{1,9}})?Z$"
FINGERPRINT: Final = r"^v1:[0-9a-f]{64}$"
DIGEST: Final = r"^[0-9a-f]{64}$"

_DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"
_PATTERNS: Final = {
    FieldType.TIMESTAMP: TIMESTAMP,
    FieldType.STRING: IDENTIFIER,
    FieldType.FINGERPRINT: FINGERPRINT,
    FieldType.DIGEST: DIGEST,
}
_JSON_TYPES: Final = {
    FieldType.NUMBER: "number",
    FieldType.INTEGER: "integer",
    FieldType.BOOLEAN: "boolean",
}
_LOGICAL: Final = {
    FieldType.TIMESTAMP: "timestamp",
    FieldType.NUMBER: "number",
    FieldType.INTEGER: "integer",
    FieldType.BOOLEAN: "boolean",
}


def json_schema(contract: Contract) -> dict[str, Any]:
    """The closed object that an event is, as JSON Schema 2020-12."""
    return {
        "$schema": _DRAFT,
        "title": contract.relation,
        "description": contract.grain,
        "type": "object",
        "properties": {field.name: _property(field) for field in contract.fields},
        "required": list(contract.required_names),
        "additionalProperties": False,
    }


def schema_bytes(contract: Contract) -> bytes:
    """The text of the schema's file."""
    return msgspec.json.format(msgspec.json.encode(json_schema(contract)), indent=2) + b"\n"


def odcs(contract: Contract) -> dict[str, Any]:
    """The contract as a document of the Open Data Contract Standard, 3.1.0."""
    key = {name: place for place, name in enumerate(contract.grain_key, 1)}
    return {
        "apiVersion": "v3.1.0",
        "kind": "DataContract",
        "id": contract.relation,
        "name": contract.name,
        "version": f"{contract.version}.0.0",
        "status": "active",
        "description": {
            "purpose": contract.question,
            "usage": f"Emitted by the {contract.owner}. {contract.emitted_when}",
            "limitations": "No total over groups: rows of different benchmarks do not compare.",
        },
        "schema": [
            {
                "name": contract.name,
                "physicalName": contract.relation,
                "logicalType": "object",
                "physicalType": "view",
                "description": contract.emitted_when,
                "dataGranularityDescription": contract.grain,
                "properties": [_odcs_property(field, key) for field in contract.fields],
            }
        ],
    }


def _property(field: Field) -> dict[str, Any]:
    shape: dict[str, Any] = {"description": field.meaning}
    if field.values:
        return shape | {"type": "string", "enum": list(field.values)}
    if field.type in _PATTERNS:
        return shape | {"type": "string", "pattern": _PATTERNS[field.type]}
    return shape | {"type": _JSON_TYPES[field.type]} | _range(field)


def _range(field: Field) -> dict[str, float]:
    ends = {"minimum": field.minimum, "maximum": field.maximum}
    return {name: _plain(end) for name, end in ends.items() if end is not None}


def _plain(number: float) -> float:
    return int(number) if number == int(number) else number


def _odcs_property(field: Field, key: dict[str, int]) -> dict[str, Any]:
    options: dict[str, Any] = dict(_range(field))
    if field.type in _PATTERNS and field.type is not FieldType.TIMESTAMP:
        options["pattern"] = _pattern_of(field)
    found: dict[str, Any] = {
        "name": field.name,
        "logicalType": _LOGICAL.get(field.type, "string"),
        "required": field.required,
        "unique": field.name == "event_id",
        "classification": field.privacy.value,
        "description": " ".join(filter(None, (field.meaning, field.decision, field.need))),
    }
    if field.name in key:
        found |= {"primaryKey": True, "primaryKeyPosition": key[field.name]}
    if field.review:
        found["tags"] = ["review"]
    return found | ({"logicalTypeOptions": options} if options else {})


def _pattern_of(field: Field) -> str:
    return f"^({'|'.join(field.values)})$" if field.values else _PATTERNS[field.type]

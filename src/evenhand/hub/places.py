"""Where in a request is a fault? Told in names of the API's own description, and in positions.

A key of an object that holds whatever a client calls its members was submitted, and nothing that
was submitted is repeated (statements C.3); `ANY` stands in its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from evenhand.hub.table import Entry

#: Stands for a name that the description does not hold.
ANY: Final = "*"
#: What the framework puts behind a key that itself breaks a rule.
_KEY: Final = "[key]"
_UNIONS: Final = ("anyOf", "oneOf", "allOf")
_DEFINED: Final = "#/components/schemas/"

Schema = Mapping[str, Any]


def told_place(place: Sequence[object], document: Schema, entry: Entry | None) -> str:
    """A place as a problem tells it, such as ``body.current_gateway_requests.*``.

    Args:
        place: the part of the request, then the names and positions that lead to the fault.
        document: the API's description.
        entry: the route that refuses; None where nothing is known of it.
    """
    part, *rest = place
    operation = _operation(document, entry)
    if part != "body":
        names = {one["name"] for one in operation.get("parameters", ())}
        return ".".join([str(part), *(_parameter(one, names) for one in rest)])
    content = operation.get("requestBody", {}).get("content", {})
    schemas = [media["schema"] for media in content.values() if "schema" in media]
    return ".".join([str(part), *_members(rest, schemas, document)])


def _operation(document: Schema, entry: Entry | None) -> Schema:
    if entry is None:
        return {}
    found: Schema = document["paths"].get(entry.path, {}).get(entry.method.lower(), {})
    return found


def _parameter(one: object, names: set[str]) -> str:
    return str(one) if isinstance(one, int) or one in names else ANY


def _members(rest: Sequence[object], schemas: list[Schema], document: Schema) -> Iterator[str]:
    for one in rest:
        here = [found for schema in schemas for found in _alternatives(schema, document)]
        if isinstance(one, int):
            yield str(one)
            schemas = [schema["items"] for schema in here if "items" in schema]
            continue
        known = [
            schema["properties"][one] for schema in here if one in schema.get("properties", {})
        ]
        free = [inner for schema in here if (inner := schema.get("additionalProperties"))]
        # Which of several shapes was tried is the framework's word; they stay what they are.
        is_shape = not free and any(union in schema for schema in here for union in _UNIONS)
        yield str(one) if known or is_shape or one == _KEY else ANY
        schemas = known or [schema for schema in free if isinstance(schema, Mapping)] or schemas


def _alternatives(schema: Schema, document: Schema) -> Iterator[Schema]:
    """The schema itself, or each of those that it stands for."""
    reference = schema.get("$ref")
    if reference is not None:
        name = str(reference).removeprefix(_DEFINED)
        yield from _alternatives(document["components"]["schemas"][name], document)
        return
    yield schema
    for union in _UNIONS:
        for one in schema.get(union, ()):
            yield from _alternatives(one, document)

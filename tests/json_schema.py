"""A JSON Schema validator for the words that the schemas here use, and no others."""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

Schema = Mapping[str, Any]


def accepts(schema: Schema, value: Any) -> bool:
    """Whether a document fits; a word that is not known here is a KeyError."""
    return all(_WORDS[word](wanted, value, schema) for word, wanted in schema.items())


def is_number(value: object) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


_TYPES: Mapping[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": is_number,
    "integer": lambda value: is_number(value) and value % 1 == 0,
}


def _always(wanted: Any, value: Any, schema: Schema) -> bool:
    del wanted, value, schema
    return True


def _pattern(wanted: str, value: Any, schema: Schema) -> bool:
    del schema
    # Python's $ also stands before a final line feed, JSON Schema's does not.
    return not isinstance(value, str) or bool(re.search(wanted.replace("$", r"\Z"), value))


def _properties(wanted: Mapping[str, Schema], value: Any, schema: Schema) -> bool:
    del schema
    if not isinstance(value, dict):
        return True
    return all(accepts(wanted[key], one) for key, one in value.items() if key in wanted)


def _additional(wanted: bool, value: Any, schema: Schema) -> bool:
    return wanted or not isinstance(value, dict) or set(value) <= set(schema["properties"])


_WORDS: Mapping[str, Callable[[Any, Any, Schema], bool]] = {
    "$schema": _always,
    "format": _always,
    "anyOf": lambda wanted, value, _: any(accepts(one, value) for one in wanted),
    "title": _always,
    "description": _always,
    "type": lambda wanted, value, _: _TYPES[wanted](value),
    "const": lambda wanted, value, _: bool(value == wanted),
    "enum": lambda wanted, value, _: value in wanted,
    "pattern": _pattern,
    "minimum": lambda wanted, value, _: not is_number(value) or value >= wanted,
    "exclusiveMinimum": lambda wanted, value, _: not is_number(value) or value > wanted,
    "maximum": lambda wanted, value, _: not is_number(value) or value <= wanted,
    "required": lambda wanted, value, _: not isinstance(value, dict) or set(wanted) <= set(value),
    "uniqueItems": lambda _, value, __: (
        not isinstance(value, list) or len(set(value)) == len(value)
    ),
    "items": lambda wanted, value, _: (
        not isinstance(value, list) or all(accepts(wanted, one) for one in value)
    ),
    "properties": _properties,
    "additionalProperties": _additional,
}

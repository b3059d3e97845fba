"""Vectors of ``json-ascii-v1``: settings and queries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from pathlib import PurePosixPath
from typing import Any, Final
from uuid import UUID

from evenhand.core.identity.canonical import json_ascii_v1, json_ascii_v1_digest, query_digest
from evenhand.usecases.vectors.expectation import Case, compare, compare_refusal, raw

_REFUSALS: Final[Mapping[str, type[Exception]]] = {
    "ValueError": ValueError,
    "TypeError": TypeError,
}


def check_canonical_json(case: Case, _defaults: Case) -> Iterator[str]:
    """Canonical text and digest of settings, or the exception that refuses them."""
    settings = build(case["settings"])
    if "refused" in case:
        error = _REFUSALS[case["refused"]]
        yield from compare_refusal(lambda: json_ascii_v1_digest(settings), error)
        return
    yield from compare("canonical", case["canonical"], json_ascii_v1(settings))
    yield from compare("sha256", case["sha256"], json_ascii_v1_digest(settings))


def check_query_digest(case: Case, _defaults: Case) -> Iterator[str]:
    """The same rule over the list that holds only the query."""
    query = case["query"]
    yield from compare("canonical", case["canonical"], json_ascii_v1([query]))
    yield from compare("sha256", case["sha256"], query_digest(query))


def build(value: Any) -> object:
    """The Python value of a JSON value in which ``{"$py": …}`` spells what JSON cannot."""
    if isinstance(value, list):
        return [build(item) for item in value]
    if isinstance(value, dict):
        if "$py" in value:
            return _BUILDERS[value["$py"]](value.get("value"))
        return {key: build(item) for key, item in value.items()}
    return value


def _mixed_key(key: str) -> int | str:
    return int(key[1:]) if key.startswith("i") else key.removeprefix("s")


def _cycle(_value: object) -> object:
    cycle: dict[str, object] = {}
    cycle["self"] = cycle
    return cycle


_BUILDERS: Final[Mapping[str, Callable[[Any], object]]] = {
    "decimal": Decimal,
    "uuid": UUID,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "posixpath": PurePosixPath,
    "float": float,
    "int": int,
    "bytes_b64": raw,
    "tuple": lambda items: tuple(build(item) for item in items),
    "int_keys": lambda pairs: {int(key): build(item) for key, item in pairs},
    "mixed_keys": lambda pairs: {_mixed_key(key): build(item) for key, item in pairs},
    "cycle": _cycle,
}

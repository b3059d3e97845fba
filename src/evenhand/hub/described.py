"""How does the hub describe itself? In OpenAPI 3.1: what the framework tells, and what it cannot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from fastapi.openapi.utils import get_openapi
from starlette.routing import BaseRoute

from evenhand.hub.framework import PROBLEM, SCHEME, EntryRoute
from evenhand.hub.problems import DESCRIBED, INVALID_REQUEST
from evenhand.hub.schemas import comparison_schemas
from evenhand.hub.table import Entry, Form, Table
from evenhand.wire import openai_errors
from evenhand.wire.problems import Problem

#: What the framework describes of its own; a problem stands in its place.
_FOREIGN: Final = ("HTTPValidationError", "ValidationError")


def described_api(
    table: Table, routes: Sequence[BaseRoute], *, title: str, summary: str, release: str
) -> dict[str, Any]:
    """The document of the API, made anew.

    Args:
        table: its rows.
        routes: of these rows.
        title: of the API.
        summary: half a line on it.
        release: version of Evenhand.
    """
    made = [route.made for route in routes if isinstance(route, EntryRoute)]
    document = get_openapi(title=title, version=release, summary=summary, routes=made)
    components = document.setdefault("components", {})
    components["securitySchemes"] = {SCHEME: {"type": "http", "scheme": "bearer"}}
    problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas = components.setdefault("schemas", {})
    for name in _FOREIGN:
        schemas.pop(name, None)
    schemas |= problem.pop("$defs", {}) | {"Problem": problem} | comparison_schemas()
    for entry in table.entries:
        if entry.described is not None:
            place = document["paths"].setdefault(entry.path, {})
            place[entry.method.lower()] = _described_by_hand(entry)
            continue
        told = document["paths"][entry.path][entry.method.lower()]["responses"]
        # The framework tells of a refusal for every route with a name in its path.
        if INVALID_REQUEST not in entry.possible_problems:
            told.pop(str(INVALID_REQUEST), None)
    return document


def _described_by_hand(entry: Entry) -> dict[str, Any]:
    """A plain route's operation: what stands with it, and what holds for every route."""
    stated = dict(entry.described or {})
    is_openai = entry.form is Form.OPENAI
    form = {openai_errors.MEDIA_TYPE: {"schema": openai_errors.SCHEMA}} if is_openai else PROBLEM
    refused = {
        str(status): {"description": DESCRIBED[status], "content": form}
        for status in entry.possible_problems
    }
    return {
        "summary": entry.summary,
        "operationId": f"{entry.endpoint.__name__}_{'gateway' if is_openai else 'plain'}",
        "security": [{SCHEME: []}],
        **stated,
        "responses": {**stated["responses"], **refused},
    }

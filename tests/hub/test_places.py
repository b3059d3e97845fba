"""Places of faults are told in names of the description; what a client named itself is not."""

from typing import Any

import pytest

from evenhand.hub.places import told_place
from evenhand.hub.table import Body, Entry

ENTRY = Entry(
    method="POST",
    path="/things",
    endpoint=print,
    action=None,
    summary="x",
    body=Body.OBJECT,
)
DOCUMENT: dict[str, Any] = {
    "paths": {
        "/things": {
            "post": {
                "parameters": [{"name": "limit"}],
                "requestBody": {
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/T"}}}
                },
            }
        }
    },
    "components": {
        "schemas": {
            "T": {
                "properties": {
                    "free": {"additionalProperties": {"$ref": "#/components/schemas/U"}},
                    "list": {"items": {"anyOf": [{"$ref": "#/components/schemas/U"}, {}]}},
                    "open": {"additionalProperties": True},
                }
            },
            "U": {"properties": {"size": {}}},
        }
    },
}


@pytest.mark.parametrize(
    ("place", "told"),
    [
        (("body",), "body"),
        (("body", "free"), "body.free"),
        (("body", "free", "SECRET"), "body.free.*"),
        (("body", "free", "SECRET", "[key]"), "body.free.*.[key]"),
        (("body", "free", "SECRET", "size"), "body.free.*.size"),
        # A key that is called as a member elsewhere was submitted all the same.
        (("body", "free", "size"), "body.free.*"),
        (("body", "free", "list", "size"), "body.free.*.size"),
        (("body", "list", 3, "size"), "body.list.3.size"),
        (("body", "list", 3, "U", "size"), "body.list.3.U.size"),
        (("body", "open", "SECRET", "SECRET"), "body.open.*.*"),
        (("body", "SECRET"), "body.*"),
        (("query", "limit"), "query.limit"),
        (("query", "SECRET"), "query.*"),
    ],
)
def test_a_place_holds_names_of_the_description_only(place: tuple[object, ...], told: str) -> None:
    assert told_place(place, DOCUMENT, ENTRY) == told


def test_of_an_unknown_route_no_name_is_told() -> None:
    assert told_place(("body", "free"), DOCUMENT, None) == "body.*"

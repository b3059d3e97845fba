"""How are documents described whose shape is no model of the framework?

``evenhand.comparison/1`` is described by its own module; here its parts get names that
are no model's, and their references lead into the description of the API.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from evenhand.reports.comparison_document import comparison_schema

_PLACE: Final = "#/components/schemas/"
_DEFS: Final = "#/$defs/"
_PREFIX: Final = "comparison."
#: What the answer of a comparison is.
COMPARISON: Final = {"$ref": f"{_PLACE}{_PREFIX}ComparisonDocument"}


def comparison_schemas() -> dict[str, Any]:
    """The parts of a comparison's document, by the names under which the API describes them."""
    described: dict[str, Any] = msgspec.json.decode(comparison_schema())
    return {f"{_PREFIX}{name}": _placed(part) for name, part in described["$defs"].items()}


def _placed(value: Any) -> Any:
    if isinstance(value, list):
        return [_placed(member) for member in value]
    if not isinstance(value, dict):
        return value
    return {
        key: f"{_PLACE}{_PREFIX}{member.removeprefix(_DEFS)}" if key == "$ref" else _placed(member)
        for key, member in value.items()
    }

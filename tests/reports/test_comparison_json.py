"""The JSON of a comparison, its schema, and that both agree."""

from importlib.resources import files
from typing import Any

import msgspec
import pytest

from evenhand.reports.comparison_document import SCHEMA_FILE, comparison_schema
from tests.core.comparison.pairs import FORTY, REFUSED, a_result, answers, compared
from tests.json_schema import accepts
from tests.reports.comparing import as_json

DOCUMENTS = {name: compared(*pair) for name, pair in REFUSED.items()} | {
    "better": compared(a_result(answers(range(12), failed=[30])), a_result(answers(noisy=[1]))),
    "undecided": compared(a_result(answers([3])), a_result(answers([4]))),
    "other conditions": compared(a_result(answers(failed=[1])), a_result(execution="1-dirty")),
}


def schema() -> dict[str, Any]:
    """The schema of the package, with each reference replaced by what it refers to."""
    read = files("evenhand.reports").joinpath(SCHEMA_FILE).read_bytes()
    whole = msgspec.json.decode(read)
    defined = whole.pop("$defs")

    def inlined(part: Any) -> Any:
        if isinstance(part, list):
            return [inlined(one) for one in part]
        if not isinstance(part, dict):
            return part
        reference = part.get("$ref")
        if isinstance(reference, str):
            return inlined(defined[reference.removeprefix("#/$defs/")])
        return {name: inlined(one) for name, one in part.items()}

    expanded: dict[str, Any] = inlined(whole)
    return expanded


def test_the_schema_in_the_package_is_that_of_the_document() -> None:
    held = files("evenhand.reports").joinpath(SCHEMA_FILE).read_bytes()
    assert held == comparison_schema()


@pytest.mark.parametrize("case", DOCUMENTS)
def test_every_document_fits_the_schema(case: str) -> None:
    assert accepts(schema(), as_json(DOCUMENTS[case], golden_set=FORTY))


@pytest.mark.parametrize(
    "broken",
    [
        {"format": "evenhand.comparison/2"},
        {"conclusion": "promoted"},
        {"verdict": {"state": "maybe", "reasons": []}},
        {"extra": 1},
        {"differences": [{}]},
    ],
    ids=str,
)
def test_the_schema_refuses_what_is_no_such_document(broken: dict[str, Any]) -> None:
    assert not accepts(schema(), as_json(DOCUMENTS["better"]) | broken)


def test_reasons_say_which_side_is_unknown() -> None:
    reasons = {
        case: [one["code"] for one in as_json(DOCUMENTS[case])["verdict"]["reasons"]]
        for case in ("current unknown", "candidate unknown", "both unknown")
    }
    assert reasons == {
        "current unknown": ["current_unknown"],
        "candidate unknown": ["candidate_unknown"],
        "both unknown": ["candidate_unknown", "current_unknown"],
    }
    (moved,) = as_json(DOCUMENTS["another corpus"])["verdict"]["reasons"]
    assert (moved["current"], moved["candidate"]) == ("corpus-1", "corpus-2")


def test_delta_is_candidate_less_current_and_flips_name_ids() -> None:
    document = as_json(compared(a_result(answers([3])), a_result()), golden_set=FORTY)
    assert document["differences"][0]["delta"] == 1 / 40
    (flip,) = document["flips"]
    assert (flip["id"], flip["won"], flip["candidate"]["rank"]) == ("q03", True, 1)

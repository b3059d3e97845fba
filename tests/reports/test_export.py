from typing import Any

import msgspec
import pytest

from evenhand.core.identity.legacy_bytes import encode_at_full
from evenhand.core.identity.stored import from_stored
from evenhand.core.privacy import LevelPolicy, PrivacyLevel
from evenhand.core.scoring.details import build_details, build_rankings
from evenhand.core.scoring.evaluation import Evaluation
from evenhand.reports.export import FORMAT, export_document
from evenhand.usecases.evaluations import Kept
from tests.builders import Given, a_provenance, a_question, a_record, a_set, an_evaluation

RAW = b"doc \xff"


def kept(evaluation: Evaluation, level: PrivacyLevel, *, details: str | None = None) -> Kept:
    """What the store would give of an evaluation at a level."""
    policy = LevelPolicy(level=level)
    built = build_details(evaluation, policy) if details is None else details
    is_full = level is PrivacyLevel.FULL
    return Kept(
        record=a_record(evaluation, privacy=level),
        outcomes=evaluation.outcomes if level.keeps_outcomes else None,
        rankings=build_rankings(evaluation, policy) if is_full else None,
        details=built if is_full else None,
    )


def exported(found: Kept) -> dict[str, Any]:
    """The document as somebody reads it from the file."""
    document: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(export_document(found)))
    return document


def an_odd_evaluation() -> Evaluation:
    asked = a_set(a_question("q1", RAW), a_question(b"q\xfe", "d2"), a_question("q3", "d3"))
    given: dict[str, Given] = {"q1": ["x", RAW], "q\udcfe": LookupError("canary"), "q3": []}
    return an_evaluation(asked, given, provenance=a_provenance(execution="commit-1"))


def test_the_record_has_counts_conditions_and_identities() -> None:
    evaluation = an_odd_evaluation()
    document = exported(kept(evaluation, PrivacyLevel.NONE))
    record = document["evaluation"]

    assert document["format"] == FORMAT
    assert evaluation.identity is not None
    prints = evaluation.identity.fingerprints
    assert (record["benchmark_fingerprint"], record["variant_fingerprint"]) == (
        prints.benchmark,
        prints.variant,
    )
    assert record["counts"]["failed"] == 1
    assert record["conditions"]["machine"] == evaluation.conditions.machine
    assert record["privacy"] == "none"
    # Reads back as what was stored.
    assert from_stored(record["provenance"], prints.benchmark, prints.variant) == (
        evaluation.identity
    )


def test_an_unknown_identity_is_null() -> None:
    record = exported(kept(an_evaluation(), PrivacyLevel.FULL))["evaluation"]

    assert [record[name] for name in ("provenance", "benchmark_fingerprint")] == [None, None]
    assert record["variant_fingerprint"] is None


@pytest.mark.parametrize("level", PrivacyLevel)
def test_what_the_level_did_not_keep_is_null(level: PrivacyLevel) -> None:
    document = exported(kept(an_odd_evaluation(), level))

    present = {name for name in ("outcomes", "run", "details") if document[name] is not None}
    expected = {"outcomes"} if level.keeps_outcomes else set()
    if level is PrivacyLevel.FULL:
        expected = {"outcomes", "run", "details"}
    assert present == expected
    assert "canary" not in str(document)


def test_outcomes_hold_positions_and_ranks_and_no_id() -> None:
    outcomes = exported(kept(an_odd_evaluation(), PrivacyLevel.METADATA))["outcomes"]

    assert outcomes[0] == {
        "position": 0,
        "state": "scored",
        "targets": 1,
        "retrieved": 2,
        "window": 2,
        "judged_hits": [[2, 1]],
        "latency_ms": 5,
        "error_class": None,
        "judged_grades": [1],
    }
    assert [one["position"] for one in outcomes] == [0, 1, 2]
    assert (outcomes[2]["state"], outcomes[2]["error_class"]) == ("failed", "LookupError")
    assert not [name for one in outcomes for name in one if name.endswith("id")]


def test_ids_that_are_no_text_are_spelt_as_the_tag() -> None:
    run = exported(kept(an_odd_evaluation(), PrivacyLevel.FULL))["run"]

    def tag(raw: bytes) -> object:
        return encode_at_full(raw, lambda value: value)

    assert run[0]["documents"] == ["x", tag(RAW)]
    assert [one["query_id"] for one in run] == ["q1", "q3"] or run[-1]["query_id"] == tag(b"q\xfe")
    assert run[0]["scores"] is None


def test_details_are_the_json_that_was_stored() -> None:
    details = exported(kept(an_odd_evaluation(), PrivacyLevel.FULL))["details"]

    assert details
    assert isinstance(details, dict | list)


@pytest.mark.parametrize(("stored", "shown"), [("no json", "no json"), ("", None), ("[1]", [1])])
def test_details_of_somebodys_own_policy_are_exported_as_they_are(
    stored: str, shown: object
) -> None:
    found = kept(an_evaluation(), PrivacyLevel.FULL, details=stored)

    assert exported(found)["details"] == shown

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.identity.provenance import RetrievalProvenance, build_fingerprints
from evenhand.core.identity.stored import StoredIdentity, from_stored, to_stored

LABELS = "v1:" + "e3" * 32
SCORING = "distinct-documents-top1-top3-no-result-v1"
BASE = RetrievalProvenance("corpus-v1", "embed-v1", "chunk-v1", "hybrid-v1", "commit-a")
FINGERPRINTS = build_fingerprints(BASE, LABELS, SCORING)


def stored() -> dict[str, Any]:
    document = to_stored(BASE, FINGERPRINTS)
    assert document is not None
    return dict(document)


def read(document: object) -> StoredIdentity | None:
    return from_stored(document, FINGERPRINTS.benchmark, FINGERPRINTS.variant)


@pytest.mark.proves("P-45", "P-46", "BP-20")
def test_labels_fingerprint_and_scoring_version_are_stored_beside_the_five_labels() -> None:
    assert stored() == BASE.to_dict() | {"labelsFingerprint": LABELS, "scoringVersion": SCORING}
    stated = {field.name for field in dataclasses.fields(RetrievalProvenance)}
    assert not any("labels" in name or "scoring" in name for name in stated)


@pytest.mark.proves("BP-19", "G-09")
def test_of_unknown_provenance_nothing_is_stored() -> None:
    assert to_stored(None, build_fingerprints(None, LABELS, SCORING)) is None


@pytest.mark.parametrize("execution", ["commit-a", None, "not-applicable"])
def test_what_was_stored_reads_back_equal(execution: str | None) -> None:
    provenance = dataclasses.replace(BASE, execution_revision=execution)
    document = to_stored(provenance, FINGERPRINTS)
    assert read(document) == StoredIdentity(provenance=provenance, fingerprints=FINGERPRINTS)


@pytest.mark.proves("P-08")
def test_a_row_from_before_the_feature_is_unknown() -> None:
    assert from_stored(None, None, None) is None
    assert from_stored(None, "", "") is None


@pytest.mark.proves("BP-21")
@pytest.mark.parametrize("name", list(stored()))
@pytest.mark.parametrize("value", [None, "", "two words", "a://b", 7, True, ["a"], {"a": "b"}])
def test_a_corrupt_value_reads_as_unknown(name: str, value: object) -> None:
    document = stored() | {name: value}
    if name == "executionRevision" and value is None:
        assert read(document) is not None
    else:
        assert read(document) is None


@pytest.mark.proves("BP-21")
@pytest.mark.parametrize("name", list(stored()))
def test_a_missing_name_reads_as_unknown(name: str) -> None:
    document = stored()
    del document[name]
    assert read(document) is None


@pytest.mark.proves("BP-21")
@pytest.mark.parametrize(
    "document", [None, "text", 7, [], [1], {}, {"a": 1}, stored() | {"more": "x"}, {7: "x"}]
)
def test_another_value_than_the_seven_names_reads_as_unknown(document: object) -> None:
    assert read(document) is None


@pytest.mark.proves("BP-21")
@pytest.mark.parametrize("text", [None, "", "v1:" + "A" * 64, "v1:abc", "e3" * 32, 7])
def test_a_fingerprint_column_of_another_shape_reads_as_unknown(text: object) -> None:
    assert from_stored(stored(), text, FINGERPRINTS.variant) is None
    assert from_stored(stored(), FINGERPRINTS.benchmark, text) is None


@pytest.mark.proves("G-09")
@pytest.mark.parametrize("name", ["corpusRevision", "pipelineIdentity", "scoringVersion"])
def test_a_fingerprint_that_does_not_belong_to_the_declaration_reads_as_unknown(name: str) -> None:
    assert read(stored() | {name: "other-v1"}) is None


@pytest.mark.proves("G-09")
def test_labels_that_do_not_belong_to_the_benchmark_read_as_unknown() -> None:
    assert read(stored() | {"labelsFingerprint": "v1:" + "ab" * 32}) is None


@pytest.mark.proves("G-09")
def test_fingerprints_in_each_other_s_column_read_as_unknown() -> None:
    assert from_stored(stored(), FINGERPRINTS.variant, FINGERPRINTS.benchmark) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(st.one_of(JSON, st.dictionaries(st.sampled_from(list(stored())), JSON)), JSON, JSON)
def test_reading_never_raises(document: object, benchmark: object, variant: object) -> None:
    assert from_stored(document, benchmark, variant) is None

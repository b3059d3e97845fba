import json
from collections.abc import Callable
from typing import Any

import pytest

from evenhand.core.identity.provenance import RetrievalProvenance
from evenhand.core.privacy import PrivacyLevel
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.core.scoring.protocols import SCORING_VERSION
from evenhand.store.uow import Database
from tests.builders import a_provenance, a_record, a_set, an_evaluation

Add = Callable[..., EvaluationRecord]
Insert = Callable[..., str]
Rows = Callable[..., list[tuple[Any, ...]]]

COLUMNS = "SELECT provenance, benchmark_fingerprint, variant_fingerprint FROM evaluation"


def a_declared_record() -> EvaluationRecord:
    return a_record(an_evaluation(provenance=a_provenance()))


def stored_document(**changes: object) -> str:
    document = {
        **a_provenance().to_dict(),
        "labelsFingerprint": a_set().labels_fingerprint,
        "scoringVersion": SCORING_VERSION,
    }
    return json.dumps(document | changes)


@pytest.mark.proves("BP-20", "P-45")
@pytest.mark.parametrize("privacy", PrivacyLevel)
def test_the_declaration_is_stored_with_labels_and_protocol_at_every_level(
    add: Add, rows: Rows, privacy: PrivacyLevel
) -> None:
    record = add(an_evaluation(provenance=a_provenance(execution="abc")), privacy=privacy)
    assert record.identity is not None
    [(provenance, benchmark, variant)] = rows(COLUMNS)
    assert json.loads(provenance) == {
        "corpusRevision": "corpus-1",
        "modelRevision": "model-1",
        "chunkingIdentity": "chunks-1",
        "pipelineIdentity": "pipeline-1",
        "executionRevision": "abc",
        "labelsFingerprint": a_set().labels_fingerprint,
        "scoringVersion": SCORING_VERSION,
    }
    assert benchmark == record.identity.fingerprints.benchmark
    assert variant == record.identity.fingerprints.variant


@pytest.mark.proves("BP-19", "G-09", "P-08")
def test_unknown_provenance_is_null_in_all_three_columns(
    add: Add, rows: Rows, database: Database
) -> None:
    record = add(an_evaluation(provenance=None))
    assert rows(COLUMNS) == [(None, None, None)]
    assert database.read(lambda uow: uow.evaluations.get(record.id)).identity is None


@pytest.mark.proves("P-25")
def test_unknown_and_not_applicable_stay_apart_in_the_store(add: Add, database: Database) -> None:
    sentinel = RetrievalProvenance.NOT_APPLICABLE
    lexical = a_provenance(model=sentinel, chunking=sentinel, execution=None)
    records = [
        add(an_evaluation(provenance=lexical), number=1),
        add(an_evaluation(provenance=None), number=2),
    ]
    known, unknown = (
        database.read(lambda uow, r=record: uow.evaluations.get(r.id)).identity  # type: ignore[misc]
        for record in records
    )
    assert known.provenance.model_revision == sentinel
    assert known.provenance.execution_revision is None
    assert unknown is None


@pytest.mark.proves("BP-21")
@pytest.mark.parametrize(
    "document",
    [
        "",
        "{",
        "null",
        "[]",
        "7",
        '"text"',
        "[" * 5000,
        stored_document(corpusRevision=7),
        stored_document(modelRevision=None),
        stored_document(executionRevision=7),
        stored_document(corpusRevision="https://example.test"),
        stored_document(pipelineIdentity="not-applicable"),
        stored_document(labelsFingerprint="v1:short"),
        stored_document(scoringVersion=None),
        stored_document(further="x"),
    ],
)
def test_a_corrupt_declaration_reads_as_unknown(
    insert_raw: Insert, database: Database, document: str
) -> None:
    identifier = insert_raw(a_declared_record(), provenance=document)
    assert database.read(lambda uow: uow.evaluations.get(identifier)).identity is None


@pytest.mark.proves("BP-21")
@pytest.mark.parametrize("column", ["benchmark_fingerprint", "variant_fingerprint"])
@pytest.mark.parametrize("text", ["", "v1:", "v1:" + "g" * 64, "v1:" + "A" * 64, "0" * 64])
def test_a_fingerprint_of_another_shape_reads_as_unknown(
    insert_raw: Insert, database: Database, column: str, text: str
) -> None:
    identifier = insert_raw(a_declared_record(), **{column: text})
    assert database.read(lambda uow: uow.evaluations.get(identifier)).identity is None


@pytest.mark.proves("G-09", "BP-34")
@pytest.mark.parametrize(
    "change",
    [
        {"provenance": stored_document(corpusRevision="corpus-2")},
        {"provenance": stored_document(modelRevision="model-2")},
        {"provenance": stored_document(labelsFingerprint="v1:" + "0" * 64)},
        {"provenance": stored_document(scoringVersion="another-protocol-v1")},
        {"benchmark_fingerprint": "v1:" + "0" * 64},
        {"variant_fingerprint": "v1:" + "0" * 64},
    ],
)
def test_a_fingerprint_that_is_not_of_its_declaration_reads_as_unknown(
    insert_raw: Insert, database: Database, change: dict[str, str]
) -> None:
    identifier = insert_raw(a_declared_record(), **change)
    assert database.read(lambda uow: uow.evaluations.get(identifier)).identity is None


def test_the_unaltered_row_reads_as_known(insert_raw: Insert, database: Database) -> None:
    record = a_declared_record()
    identifier = insert_raw(record, provenance=stored_document())
    assert database.read(lambda uow: uow.evaluations.get(identifier)).identity == record.identity

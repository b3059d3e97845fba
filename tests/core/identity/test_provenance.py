import dataclasses
import pickle
from typing import Any

import pytest

from evenhand.core.errors.evaluation import ProvenanceFailed
from evenhand.core.errors.identity import InvalidLabel
from evenhand.core.identity.provenance import (
    RetrievalProvenance,
    RetrievalProvenanceProvider,
    benchmark_fingerprint,
    build_fingerprints,
    take_provenance,
    variant_fingerprint,
)

LABELS = "v1:" + "e3" * 32
SCORING = "distinct-documents-top1-top3-no-result-v1"
BASE = RetrievalProvenance("corpus-v1", "embed-v1", "chunk-v1", "hybrid-v1", "commit-a")
FIELDS = tuple(field.name for field in dataclasses.fields(RetrievalProvenance))


@pytest.mark.proves("P-09")
def test_a_declaration_cannot_be_changed_or_extended() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        BASE.corpus_revision = "corpus-v2"  # type: ignore[misc]
    assert not hasattr(BASE, "__dict__")
    assert RetrievalProvenance.__final__  # type: ignore[attr-defined]


@pytest.mark.proves("P-09", "P-10")
def test_only_the_execution_revision_may_be_missing_and_it_is_by_default() -> None:
    assert RetrievalProvenance("c", "m", "k", "p").execution_revision is None
    for name in FIELDS[:4]:
        missing: dict[str, Any] = {name: None}
        with pytest.raises(InvalidLabel):
            dataclasses.replace(BASE, **missing)


@pytest.mark.proves("P-10")
def test_the_constructor_takes_the_values_in_the_order_of_the_source() -> None:
    assert FIELDS == (
        "corpus_revision",
        "model_revision",
        "chunking_identity",
        "pipeline_identity",
        "execution_revision",
    )
    assert BASE.model_revision == "embed-v1"
    assert BASE.execution_revision == "commit-a"


@pytest.mark.proves("P-11")
def test_the_interchange_form_has_the_source_s_five_names_and_reads_back() -> None:
    document = BASE.to_dict()
    assert document == {
        "corpusRevision": "corpus-v1",
        "modelRevision": "embed-v1",
        "chunkingIdentity": "chunk-v1",
        "pipelineIdentity": "hybrid-v1",
        "executionRevision": "commit-a",
    }
    assert RetrievalProvenance.from_dict(document) == BASE
    assert pickle.loads(pickle.dumps(BASE)) == BASE  # noqa: S301 -- our own bytes


@pytest.mark.parametrize("name", list(BASE.to_dict()))
def test_a_missing_name_is_refused(name: str) -> None:
    document = BASE.to_dict()
    del document[name]
    with pytest.raises(InvalidLabel, match=name):
        RetrievalProvenance.from_dict(document)


def test_an_unknown_name_is_refused_and_not_repeated() -> None:
    with pytest.raises(InvalidLabel) as caught:
        RetrievalProvenance.from_dict(BASE.to_dict() | {"hunter2": "x"})
    assert "hunter2" not in str(caught.value)


@pytest.mark.proves("P-18")
@pytest.mark.parametrize("name", FIELDS)
def test_an_illegal_label_in_any_field_raises_and_leaves_no_object(name: str) -> None:
    made: list[RetrievalProvenance] = []
    with pytest.raises(ValueError, match=name):
        made.append(dataclasses.replace(BASE, **{name: "two words"}))
    assert made == []


@pytest.mark.proves("P-22", "P-23")
def test_the_sentinel_stands_for_a_model_and_a_chunker_that_do_not_exist() -> None:
    sentinel = RetrievalProvenance.NOT_APPLICABLE
    assert sentinel == "not-applicable"
    lexical = dataclasses.replace(BASE, model_revision=sentinel, chunking_identity=sentinel)
    assert lexical.to_dict()["modelRevision"] == "not-applicable"
    assert lexical.to_dict()["chunkingIdentity"] == "not-applicable"


@pytest.mark.proves("P-24")
@pytest.mark.parametrize("name", ["corpus_revision", "pipeline_identity"])
def test_the_sentinel_is_no_corpus_and_no_pipeline(name: str) -> None:
    with pytest.raises(InvalidLabel) as caught:
        dataclasses.replace(BASE, **{name: "not-applicable"})
    assert caught.value.code == "sentinel_not_allowed"


@pytest.mark.proves("G-03", "P-25")
def test_an_unknown_execution_is_not_the_sentinel_and_the_sentinel_is_accepted_there() -> None:
    unknown = dataclasses.replace(BASE, execution_revision=None)
    stated = dataclasses.replace(BASE, execution_revision="not-applicable")
    assert unknown != stated
    assert unknown.to_dict()["executionRevision"] is None
    assert stated.to_dict()["executionRevision"] == "not-applicable"


@pytest.mark.proves("P-12")
def test_the_published_limit_is_that_of_the_rule() -> None:
    assert RetrievalProvenance.MAX_IDENTITY_BYTES == 190


class Lexical:
    """The example of the source: an existing retriever that declares what it is."""

    identifier = "lexical"

    def retrieve(self, question: str, limit: int) -> list[str]:
        return [question][:limit]

    def get_retrieval_provenance(self) -> RetrievalProvenance:
        return RetrievalProvenance(
            corpus_revision="export-sha256-abcdef",
            model_revision=RetrievalProvenance.NOT_APPLICABLE,
            chunking_identity=RetrievalProvenance.NOT_APPLICABLE,
            pipeline_identity="lexical-policy-v2",
            execution_revision="commit-abcdef",
        )


class Silent:
    def retrieve(self, question: str, limit: int) -> list[str]:
        return [question][:limit]


@pytest.mark.proves("P-26", "P-03", "P-04", "G-01")
def test_the_source_s_declaration_is_found_on_the_retriever_by_its_shape() -> None:
    assert isinstance(Lexical(), RetrievalProvenanceProvider)
    declared = take_provenance(Lexical())
    assert declared is not None
    assert declared.pipeline_identity == "lexical-policy-v2"


@pytest.mark.proves("P-08", "P-01")
def test_a_retriever_without_the_capability_has_unknown_provenance() -> None:
    assert not isinstance(Silent(), RetrievalProvenanceProvider)
    assert take_provenance(Silent()) is None


class Broken(Silent):
    def __init__(self, answer: object) -> None:
        self.answer = answer

    def get_retrieval_provenance(self) -> object:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.proves("G-02")
@pytest.mark.parametrize("answer", [None, BASE.to_dict(), "corpus-v1", RuntimeError("hunter2")])
def test_a_broken_declaration_is_a_failure_and_not_unknown(answer: object) -> None:
    with pytest.raises(ProvenanceFailed) as caught:
        take_provenance(Broken(answer))
    assert "hunter2" not in str(caught.value)


@pytest.mark.proves("P-09")
def test_a_declaration_of_a_subclass_is_none() -> None:
    body: dict[str, Any] = {}
    extended: Any = type("Extended", (RetrievalProvenance,), body)

    with pytest.raises(ProvenanceFailed, match="Extended, not a RetrievalProvenance itself"):
        take_provenance(Broken(extended("c", "m", "k", "p")))


@pytest.mark.proves("P-34", "BP-17")
def test_corpus_labels_and_scoring_each_change_the_benchmark() -> None:
    base = benchmark_fingerprint("corpus-v1", LABELS, SCORING)
    others = {
        benchmark_fingerprint("corpus-v2", LABELS, SCORING),
        benchmark_fingerprint("corpus-v1", "v1:" + "ab" * 32, SCORING),
        benchmark_fingerprint("corpus-v1", LABELS, "another-protocol-v1"),
    }
    assert len(others | {base}) == 4


@pytest.mark.proves("P-42", "BP-18")
def test_model_chunking_and_pipeline_and_nothing_else_make_the_variant() -> None:
    base = variant_fingerprint(BASE)
    changed = {
        name: variant_fingerprint(dataclasses.replace(BASE, **{name: "other"})) != base
        for name in FIELDS
    }
    assert changed == {
        "corpus_revision": False,
        "model_revision": True,
        "chunking_identity": True,
        "pipeline_identity": True,
        "execution_revision": False,
    }


@pytest.mark.proves("BP-18")
def test_values_that_swap_places_make_another_variant() -> None:
    swapped = dataclasses.replace(BASE, model_revision="chunk-v1", chunking_identity="embed-v1")
    assert variant_fingerprint(swapped) != variant_fingerprint(BASE)


@pytest.mark.proves("P-33")
@pytest.mark.parametrize("setting", ["fusion-0.7-0.3", "depth-50", "rerank-none"])
def test_a_treatment_setting_in_the_pipeline_identity_changes_the_variant(setting: str) -> None:
    treated = dataclasses.replace(BASE, pipeline_identity=f"hybrid-v1+{setting}")
    assert variant_fingerprint(treated) != variant_fingerprint(BASE)


@pytest.mark.proves("P-43")
@pytest.mark.parametrize("name", ["model_revision", "chunking_identity", "pipeline_identity"])
def test_a_changed_treatment_keeps_the_benchmark(name: str) -> None:
    treated = dataclasses.replace(BASE, **{name: "other"})
    now, then = (build_fingerprints(one, LABELS, SCORING) for one in (treated, BASE))
    assert now.benchmark == then.benchmark
    assert now.variant != then.variant


@pytest.mark.proves("P-44")
@pytest.mark.parametrize("execution", [None, "commit-b", "not-applicable"])
def test_the_execution_revision_changes_no_fingerprint(execution: str | None) -> None:
    other = dataclasses.replace(BASE, execution_revision=execution)
    fingerprints = build_fingerprints(BASE, LABELS, SCORING)
    assert build_fingerprints(other, LABELS, SCORING) == fingerprints


@pytest.mark.proves("BP-19", "G-09")
def test_unknown_provenance_has_labels_but_neither_benchmark_nor_variant() -> None:
    unknown = build_fingerprints(None, LABELS, SCORING)
    assert unknown.labels == LABELS
    assert unknown.benchmark is None
    assert unknown.variant is None


@pytest.mark.proves("G-72")
def test_two_legs_over_one_corpus_digest_share_a_benchmark_and_differ_in_variant() -> None:
    corpus = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    current = RetrievalProvenance(corpus, "sha256:aa", "chunk-v1", "index-a+cfg", "rev-1")
    candidate = RetrievalProvenance(corpus, "sha256:bb", "chunk-v1", "index-b+cfg", "rev-1")
    one, other = (build_fingerprints(leg, LABELS, SCORING) for leg in (current, candidate))
    assert one.benchmark == other.benchmark
    assert one.variant != other.variant

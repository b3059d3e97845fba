from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from evenhand.adapters.retrievers.fusion import FusionOptions, FusionRetriever
from evenhand.core.errors import InvalidSetting
from evenhand.core.errors.evaluation import ProvenanceFailed
from evenhand.core.identity.labels import NOT_APPLICABLE
from evenhand.core.identity.provenance import RetrievalProvenance, take_provenance
from evenhand.core.retrieval.golden import QueryId
from evenhand.core.scoring.evaluation import Basis
from evenhand.usecases.ports import QueryIdRetriever, ScoredRetriever
from tests.builders import DeclaredRetriever, DictRetriever, a_provenance

QUESTION = "where?"


class Listed:
    """Gives the same ids for each question, and remembers the limits it was asked with."""

    def __init__(self, *ids: str | bytes, identifier: str = "listed") -> None:
        self.identifier = identifier
        self.ids = ids
        self.limits: list[int] = []
        self.is_closed = False

    def retrieve(self, question: str, limit: int) -> Sequence[str | bytes]:
        self.limits.append(limit)
        return self.ids

    def close(self) -> None:
        self.is_closed = True


class ByQueryId(Listed):
    def retrieve_for(self, query_id: QueryId, question: str, limit: int) -> Sequence[str | bytes]:
        return [b"for-" + query_id]


def fuse(components: Mapping[str, Any], **options: Any) -> FusionRetriever:
    depth = options.pop("depth", 12)
    bases = options.pop("bases", ())
    chosen = FusionOptions(retrievers=list(components), **options)
    return FusionRetriever("fused", components, chosen, depth=depth, bases=bases)


def declared(provenance: RetrievalProvenance, *ids: str) -> DeclaredRetriever:
    return DeclaredRetriever({QUESTION: ids}, provenance)


def test_components_are_fused_by_reciprocal_rank() -> None:
    fused = fuse({"a": Listed("x", "y"), "b": Listed("y", "z")})

    assert fused.retrieve(QUESTION, 12) == ["y", "x", "z"]
    assert fused.retrieve(QUESTION, 1) == ["y"]
    assert isinstance(fused, ScoredRetriever)
    scores = dict(fused.retrieve_scored(QUESTION, 12))
    assert scores["y"] == pytest.approx(1 / 62 + 1 / 61)


@pytest.mark.proves("BP-31")
def test_repeats_weights_and_ties_follow_the_rule() -> None:
    repeated = fuse({"a": Listed("x", "x", "x", "y"), "b": Listed("z", "y")})
    assert repeated.retrieve(QUESTION, 12) == ["y", "x", "z"]

    weighted = fuse({"a": Listed("x"), "b": Listed("y")}, weights=[1.0, 2.0])
    assert weighted.retrieve(QUESTION, 12) == ["y", "x"]

    tied = fuse({"a": Listed("x", "y"), "b": Listed("y", "x")})
    assert tied.retrieve(QUESTION, 12) == ["x", "y"]


def test_text_and_bytes_of_one_id_are_one_document_and_empty_ids_take_no_rank() -> None:
    fused: Any = fuse({"a": Listed("", "é"), "b": Listed("é".encode())})

    assert fused.retrieve_scored(QUESTION, 12) == [("é", pytest.approx(2 / 61))]


def test_each_component_is_asked_for_the_candidates_and_read_no_further() -> None:
    long = Listed("a", "b", "c")
    fused = fuse({"a": long, "b": Listed()}, candidates=2)

    assert fused.retrieve(QUESTION, 12) == ["a", "b"]
    assert long.limits == [2]


def test_it_abstains_where_the_named_component_does() -> None:
    components = {"words": Listed("x"), "dense": Listed()}

    assert fuse(components).retrieve(QUESTION, 12) == ["x"]
    assert fuse(components, abstain_on="words").retrieve(QUESTION, 12) == ["x"]
    assert fuse(components, abstain_on="dense").retrieve(QUESTION, 12) == []


def test_fault_of_a_component_is_the_fault_of_the_question() -> None:
    broken = DictRetriever({QUESTION: RuntimeError("canary")})

    with pytest.raises(RuntimeError):
        fuse({"a": Listed("x"), "b": broken}).retrieve(QUESTION, 12)


def test_query_id_reaches_the_component_that_needs_it() -> None:
    fused = fuse({"a": ByQueryId(), "b": Listed("x")}, bases=[Basis.IMPORTED, Basis.LOCAL])

    assert isinstance(fused, QueryIdRetriever)
    assert list(fused.retrieve_for(QueryId(b"q1"), QUESTION, 12)) == ["for-q1", "x"]
    assert fused.basis is Basis.IMPORTED


def test_query_id_is_not_asked_for_where_nobody_needs_it() -> None:
    fused = fuse({"a": Listed("x"), "b": Listed("y")}, bases=[Basis.LOCAL, Basis.LOCAL])

    assert not isinstance(fused, QueryIdRetriever)
    assert fused.basis is Basis.LOCAL


def test_close_reaches_every_component() -> None:
    one, other = Listed(), Listed()
    fuse({"a": one, "b": DictRetriever({}), "c": other}).close()

    assert one.is_closed
    assert other.is_closed


WORDS = RetrievalProvenance("corpus-1", NOT_APPLICABLE, "document", "words-1")
DENSE = RetrievalProvenance("corpus-1", "model-1", "document", "dense-1")


def test_declaration_is_derived_from_those_of_the_components() -> None:
    provenance = take_provenance(fuse({"a": declared(WORDS), "b": declared(DENSE)}, depth=20))

    assert provenance is not None
    assert provenance.corpus_revision == "corpus-1"
    assert provenance.model_revision == "model-1"
    assert provenance.chunking_identity == "document"
    assert provenance.pipeline_identity.startswith("fusion:")
    assert provenance.pipeline_identity.endswith("+d20")


def test_several_models_make_one_label_and_none_makes_the_sentinel() -> None:
    other = RetrievalProvenance("corpus-1", "model-2", "chunks-2", "dense-2")
    several = take_provenance(fuse({"a": declared(other), "b": declared(DENSE)}))
    none = take_provenance(fuse({"a": declared(WORDS), "b": declared(WORDS)}))

    assert several is not None
    assert several.model_revision.startswith("fusion:")
    assert several.chunking_identity.startswith("fusion:")
    assert none is not None
    assert none.model_revision == NOT_APPLICABLE


@pytest.mark.proves("P-08")
def test_component_of_unknown_provenance_leaves_the_fusion_unknown() -> None:
    assert take_provenance(fuse({"a": declared(WORDS), "b": Listed()})) is None


def test_components_over_different_corpora_leave_the_fusion_unknown() -> None:
    other = RetrievalProvenance("corpus-2", "model-1", "document", "dense-1")

    assert take_provenance(fuse({"a": declared(WORDS), "b": declared(other)})) is None


def test_component_whose_declaration_is_broken_fails_at_construction() -> None:
    broken: Any = declared(WORDS)
    broken._provenance = None

    with pytest.raises(ProvenanceFailed):
        fuse({"a": declared(WORDS), "b": broken})


@pytest.mark.proves("P-33")
@pytest.mark.parametrize(
    "options",
    [
        {"weights": [1.0, 2.0]},
        {"k": 10},
        {"candidates": 50},
        {"abstain_on": "b"},
        {"depth": 13},
    ],
    ids=lambda options: next(iter(options)),
)
def test_each_setting_changes_the_pipeline_label(options: dict[str, Any]) -> None:
    plain = fuse({"a": declared(WORDS), "b": declared(DENSE)})
    changed = fuse({"a": declared(WORDS), "b": declared(DENSE)}, **options)

    assert pipeline_of(plain) != pipeline_of(changed)


def test_components_and_their_order_change_the_pipeline_label_and_their_names_do_not() -> None:
    plain = pipeline_of(fuse({"a": declared(WORDS), "b": declared(DENSE)}))
    retuned = RetrievalProvenance("corpus-1", "model-1", "document", "dense-2")

    assert plain != pipeline_of(fuse({"a": declared(DENSE), "b": declared(WORDS)}))
    assert plain != pipeline_of(fuse({"a": declared(WORDS), "b": declared(retuned)}))
    assert plain == pipeline_of(fuse({"x": declared(WORDS), "y": declared(DENSE)}))


def test_code_that_a_component_ran_changes_nothing() -> None:
    one = fuse({"a": declared(a_provenance(execution="r1")), "b": declared(a_provenance())})
    other = fuse({"a": declared(a_provenance(execution="r2")), "b": declared(a_provenance())})

    assert take_provenance(one) == take_provenance(other)


def test_threshold_of_the_component_it_abstains_on_is_shown() -> None:
    dense: Any = declared(DENSE)
    dense.threshold = 0.35
    fused = fuse({"a": declared(WORDS), "b": dense}, abstain_on="b")

    assert pipeline_of(fused).endswith("+d12+t0.35")


def pipeline_of(retriever: FusionRetriever) -> str:
    provenance = take_provenance(retriever)
    assert provenance is not None
    return provenance.pipeline_identity


@pytest.mark.parametrize(
    ("names", "options", "name"),
    [
        (["a"], {}, "retrievers.fused.retrievers"),
        ([], {}, "retrievers.fused.retrievers"),
        (["a", "a"], {}, "retrievers.fused.retrievers"),
        (["a", "b"], {"candidates": 0}, "retrievers.fused.candidates"),
        (["a", "b"], {"abstain_on": "c"}, "retrievers.fused.abstain_on"),
        (["a", "b"], {"weights": [1.0]}, "weights"),
        (["a", "b"], {"weights": [1.0, 0.0]}, "weights"),
        (["a", "b"], {"k": -1}, "k"),
    ],
)
def test_wrong_option_is_refused(names: list[str], options: dict[str, Any], name: str) -> None:
    chosen = FusionOptions(retrievers=names, **options)

    with pytest.raises(InvalidSetting) as caught:
        FusionRetriever("fused", {one: Listed() for one in names}, chosen, depth=12)
    assert caught.value.name == name

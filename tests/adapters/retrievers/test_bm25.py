import math
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.adapters.formats.beir import read_beir
from evenhand.adapters.formats.corpus import read_corpus
from evenhand.adapters.formats.qrels_tsv import read_qrels_tsv
from evenhand.adapters.retrievers.bm25 import Bm25Options, Bm25Retriever, build_bm25
from evenhand.adapters.retrievers.documents import build_documents
from evenhand.core.errors import InvalidSetting, MissingExtra
from evenhand.core.identity.canonical import to_text
from evenhand.core.identity.labels import NOT_APPLICABLE
from tests.adapters.retrievers.support import FRUIT, a_context, documents_of, write_corpus
from tests.shared_data import shared_data

RETRIEVER = Bm25Retriever("bm25", documents_of(), depth=12)


def make(**options: Any) -> Bm25Retriever:
    return Bm25Retriever("bm25", documents_of(), depth=12, options=Bm25Options(**options))


def test_documents_with_more_of_the_question_come_first() -> None:
    assert RETRIEVER.retrieve("a red fruit that blossoms in spring", 12)[0] == "cherry"


def test_document_without_a_word_of_the_question_is_left_out() -> None:
    assert RETRIEVER.retrieve("palm", 12) == ["date"]
    assert RETRIEVER.retrieve("banana", 12) == ["banana"]


@pytest.mark.parametrize("question", ["", "zebra", "the of and", "?!", "\udcff", "a"])
def test_question_without_a_known_word_finds_nothing(question: str) -> None:
    assert RETRIEVER.retrieve(question, 12) == []


def test_it_never_abstains_on_a_shared_word() -> None:
    assert RETRIEVER.retrieve("which fruit won the election?", 12)


@given(st.text())
def test_any_question_is_safe(question: str) -> None:
    found = RETRIEVER.retrieve(question, 2)

    assert len(found) == len(set(found)) <= 2


def test_score_is_lucenes_formula() -> None:
    documents = {
        "a": ("", "quick brown quick"),
        "b": ("", "brown fox jumps lazy dogs"),
        "c": ("", "lazy"),
    }
    retriever = Bm25Retriever("bm25", documents_of(documents), depth=12)
    k1, b, count, mean = 1.2, 0.75, 3, 3.0

    def score(frequency: int, holding: int, length: int) -> float:
        idf = math.log(1 + (count - holding + 0.5) / (holding + 0.5))
        return idf * frequency / (frequency + k1 * (1 - b + b * length / mean))

    assert dict(retriever.retrieve_scored("quick lazy", 12)) == {
        "a": pytest.approx(score(2, 1, 3), rel=1e-5),
        "b": pytest.approx(score(1, 2, 5), rel=1e-5),
        "c": pytest.approx(score(1, 2, 1), rel=1e-5),
    }


def test_equal_scores_are_by_id() -> None:
    twins = dict.fromkeys(("c", "a", "b"), ("", "the same words"))
    retriever = Bm25Retriever("bm25", documents_of(twins), depth=12)

    assert retriever.retrieve("words", 12) == ["a", "b", "c"]
    assert retriever.retrieve("words", 2) == ["a", "b"]


def test_corpus_without_a_word_finds_nothing() -> None:
    retriever = Bm25Retriever("bm25", documents_of({"a": ("", ""), "b": ("", "?")}), depth=12)

    assert retriever.retrieve("anything", 12) == []


def test_empty_document_is_never_found() -> None:
    retriever = Bm25Retriever("bm25", documents_of({**FRUIT, "none": ("", "")}), depth=12)

    assert "none" not in retriever.retrieve("fruit", 12)


def test_declaration_is_derived(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path)
    declared = build_bm25(
        "bm25", {}, a_context(tmp_path, corpus=corpus)
    ).get_retrieval_provenance()

    assert declared == RETRIEVER.get_retrieval_provenance()
    assert declared.model_revision == NOT_APPLICABLE
    assert declared.chunking_identity == "document"
    assert declared.pipeline_identity.startswith("bm25:")
    assert declared.pipeline_identity.endswith("+d12")


@pytest.mark.proves("P-33")
@pytest.mark.parametrize(
    "options",
    [{"k1": 1.3}, {"b": 0.4}, {"method": "robertson"}, {"stopwords": "none"}],
    ids=lambda options: next(iter(options)),
)
def test_each_option_changes_the_pipeline_label(options: dict[str, Any]) -> None:
    plain = RETRIEVER.get_retrieval_provenance()
    changed = make(**options).get_retrieval_provenance()

    assert plain.pipeline_identity != changed.pipeline_identity
    assert plain.corpus_revision == changed.corpus_revision


def test_options_change_the_ranking_as_they_should() -> None:
    assert make(stopwords="none").retrieve("the", 12)
    assert not make(stopwords="english").retrieve("the", 12)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"k1": -0.1}, "k1"),
        ({"k1": float("nan")}, "k1"),
        ({"b": 1.1}, "b"),
        ({"b": -0.1}, "b"),
        ({"stopwords": "klingon"}, "stopwords"),
        ({"k1": "1.2"}, "retrievers.bm25.k1"),
        ({"method": "bm25+"}, "retrievers.bm25.method"),
        ({"k2": 1}, "retrievers.bm25.k2"),
    ],
)
def test_wrong_option_is_refused(tmp_path: Path, options: dict[str, object], name: str) -> None:
    context = a_context(tmp_path, corpus=write_corpus(tmp_path))

    with pytest.raises(InvalidSetting) as caught:
        build_bm25("bm25", options, context)
    assert caught.value.name == name


@pytest.mark.skipif(find_spec("Stemmer") is not None, reason="PyStemmer is installed")
def test_stemmer_that_is_not_installed_is_refused() -> None:
    with pytest.raises(InvalidSetting, match="PyStemmer"):
        make(stemmer="english")


@pytest.mark.skipif(find_spec("Stemmer") is None, reason="PyStemmer is not installed")
def test_stemmer_finds_other_forms_of_a_word() -> None:
    assert make(stemmer="english").retrieve("pressing", 12) == ["apple"]
    with pytest.raises(InvalidSetting):
        make(stemmer="klingon")


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bm25s", None)

    with pytest.raises(MissingExtra, match=r"evenhand\[bm25\]"):
        make()


def test_quality_on_a_real_collection_is_that_of_others() -> None:
    """SciFact: 0.665 (BEIR) to 0.679 (Anserini) with stemming, a little less without."""
    folder = shared_data("scifact")
    retriever = Bm25Retriever(
        "bm25", build_documents(read_corpus(folder)), depth=10, options=Bm25Options()
    )
    targets: dict[bytes, list[str]] = {}
    for judged in read_qrels_tsv(folder / "qrels" / "test.tsv", "test.tsv"):
        if judged.grade > 0:
            targets.setdefault(judged.query_id, []).append(to_text(judged.document_id))
    values = [
        ndcg(retriever.retrieve(question.text, 10), targets[question.id])
        for question in read_beir(folder).golden_set.questions
        if question.id in targets
    ]

    assert len(values) == 300
    assert 0.65 < sum(values) / len(values) < 0.69


def ndcg(found: list[str], targets: list[str]) -> float:
    """Of binary judgements, at ten."""
    gains = [1 / math.log2(rank + 1) for rank, name in enumerate(found, 1) if name in targets]
    return sum(gains) / sum(1 / math.log2(rank + 2) for rank in range(min(10, len(targets))))

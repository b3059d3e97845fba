import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.adapters.retrievers.lexical import (
    MAX_TERMS,
    LexicalRetriever,
    build_lexical,
    match_query,
)
from evenhand.core.errors import InvalidSetting
from evenhand.core.identity.labels import NOT_APPLICABLE
from tests.adapters.retrievers.support import FRUIT, a_context, documents_of, write_corpus

RETRIEVER = LexicalRetriever("lexical", documents_of(), depth=12)


def test_documents_with_more_of_the_question_come_first() -> None:
    assert RETRIEVER.retrieve("a red fruit that blossoms in spring", 12)[0] == "cherry"
    assert RETRIEVER.retrieve("palm", 12) == ["date"]


def test_words_are_stemmed_and_case_and_accents_do_not_matter() -> None:
    for question in ("PRESS", "pressing", "ciders", "cíder"):
        assert RETRIEVER.retrieve(question, 12) == ["apple"]


def test_title_is_searched() -> None:
    assert RETRIEVER.retrieve("banana", 12) == ["banana"]


def test_question_without_a_known_word_finds_nothing() -> None:
    assert RETRIEVER.retrieve("zebra", 12) == []


@pytest.mark.parametrize("question", ["", "   ", "?!", '"', "\0", "\udcff", "''", "_"])
def test_question_without_a_word_finds_nothing(question: str) -> None:
    assert RETRIEVER.retrieve(question, 12) == []


@pytest.mark.parametrize(
    "question",
    ["apple AND", "NEAR(apple, 3)", "content:apple", "apple*", '"apple', "(apple", "^apple -x"],
)
def test_operators_of_the_query_language_are_words(question: str) -> None:
    assert RETRIEVER.retrieve(question, 12)[0] == "apple"


@given(st.text())
def test_any_question_is_safe(question: str) -> None:
    found = RETRIEVER.retrieve(question, 2)

    assert len(found) == len(set(found)) <= 2


def test_limit_cuts_and_scores_fall() -> None:
    pairs = RETRIEVER.retrieve_scored("fruit tree red", 3)

    assert len(pairs) == 3
    scores = [score for _, score in pairs]
    assert scores == sorted(scores, reverse=True)
    assert all(score > 0 for score in scores)
    assert [identifier for identifier, _ in pairs] == RETRIEVER.retrieve("fruit tree red", 3)


def test_equal_scores_are_by_id() -> None:
    twins = dict.fromkeys(("c", "a", "b"), ("", "the same words"))
    retriever = LexicalRetriever("lexical", documents_of(twins), depth=12)

    assert retriever.retrieve("words", 12) == ["a", "b", "c"]
    assert retriever.retrieve("words", 2) == ["a", "b"]


def test_terms_are_quoted_distinct_and_bounded() -> None:
    assert match_query('one two "one') == '"one" OR "two"'
    many = match_query(" ".join(f"w{number}" for number in range(5 * MAX_TERMS)))
    assert many.count(" OR ") == MAX_TERMS - 1
    assert RETRIEVER.retrieve("apple " * 10_000, 12) == ["apple"]


def test_several_threads_may_ask() -> None:
    found: list[list[str]] = []

    def ask() -> None:
        found.extend(RETRIEVER.retrieve("palm", 12) for _ in range(50))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [["date"]] * 200


@pytest.mark.proves("P-05")
def test_declaration_is_stable_and_needs_no_model(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path)
    first = build_lexical("lexical", {}, a_context(tmp_path, corpus=corpus))
    again = build_lexical("other name", {}, a_context(tmp_path, corpus=corpus))
    declared = first.get_retrieval_provenance()

    assert declared is first.get_retrieval_provenance()
    assert declared == again.get_retrieval_provenance()
    assert declared.model_revision == NOT_APPLICABLE
    assert declared.chunking_identity == "document"
    assert declared.pipeline_identity.startswith("lexical:")
    first.close()
    again.close()


def test_declaration_changes_with_corpus_and_depth(tmp_path: Path) -> None:
    declared = RETRIEVER.get_retrieval_provenance()
    fewer = {name: FRUIT[name] for name in ("apple", "date")}
    other = LexicalRetriever("x", documents_of(fewer), depth=12).get_retrieval_provenance()
    deeper = LexicalRetriever("x", documents_of(), depth=13).get_retrieval_provenance()

    assert declared.corpus_revision != other.corpus_revision
    assert declared.pipeline_identity == other.pipeline_identity
    assert declared.corpus_revision == deeper.corpus_revision
    assert declared.pipeline_identity != deeper.pipeline_identity


def test_option_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidSetting):
        build_lexical("lexical", {"k1": 1.2}, a_context(tmp_path, corpus=write_corpus(tmp_path)))


def test_close_twice_is_nothing() -> None:
    retriever = LexicalRetriever("lexical", documents_of(), depth=12)
    retriever.close()
    retriever.close()

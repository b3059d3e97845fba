from pathlib import Path

import pytest

from evenhand.adapters.formats.corpus import CorpusDocument
from evenhand.adapters.formats.corpus_manifest import corpus_digest_of
from evenhand.adapters.retrievers.documents import (
    build_documents,
    load_documents,
    searched_text,
    without_surrogates,
)
from evenhand.core.errors.identity import InvalidCorpus
from tests.adapters.retrievers.support import a_context, write_corpus


def a_document(id: bytes, title: str = "", text: str = "text") -> CorpusDocument:  # noqa: A002 -- the field's name
    return CorpusDocument(id=id, title=title, text=text)


def test_documents_are_in_byte_order_of_their_ids() -> None:
    documents = build_documents(
        a_document(identifier) for identifier in (b"b", b"\xff", "é".encode(), b"B", b"a10", b"a2")
    )

    assert documents.ids == ("B", "a10", "a2", "b", "é", "\udcff")


def test_label_is_the_digest_that_the_manifest_has(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path)

    assert load_documents(a_context(tmp_path, corpus=corpus)).label == corpus_digest_of(corpus)


@pytest.mark.proves("P-30", "P-31")
@pytest.mark.parametrize(
    "other",
    [
        pytest.param((a_document(b"a", "t", "edited"), a_document(b"b")), id="text"),
        pytest.param((a_document(b"a", "u"), a_document(b"b")), id="title"),
        pytest.param((a_document(b"a", "t"),), id="one fewer"),
        pytest.param((a_document(b"a", "t"), a_document(b"b"), a_document(b"c")), id="one more"),
        pytest.param((a_document(b"a", "t"), a_document(b"c")), id="another id"),
    ],
)
def test_label_changes_with_content_and_membership(other: tuple[CorpusDocument, ...]) -> None:
    before = build_documents((a_document(b"a", "t"), a_document(b"b")))

    assert before.label != build_documents(other).label
    assert before.label == build_documents((a_document(b"b"), a_document(b"a", "t"))).label


@pytest.mark.proves("P-32")
def test_label_covers_the_scope_field_that_was_named(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path, apple="staff")
    context = a_context(tmp_path, corpus=corpus, corpus_scope="group")

    assert load_documents(context).label == corpus_digest_of(corpus, "group")
    assert load_documents(context).label != corpus_digest_of(corpus)


@pytest.mark.parametrize(
    ("title", "text", "searched"),
    [
        ("Title", "text", "Title\ntext"),
        ("", "text", "text"),
        ("Title", "", "Title\n"),
        ("", "", ""),
        ("", "half \ud800 pair", "half ? pair"),
    ],
)
def test_title_line_feed_and_text_are_searched(title: str, text: str, searched: str) -> None:
    assert searched_text(a_document(b"a", title, text)) == searched


def test_bytes_that_are_not_utf8_become_a_question_mark_where_text_is_needed() -> None:
    assert without_surrogates("caf\udce9 é \N{CRYING CAT FACE}") == "caf? é \N{CRYING CAT FACE}"


def test_corpus_without_a_document_is_refused() -> None:
    with pytest.raises(InvalidCorpus, match="holds no document"):
        build_documents([])


def test_id_that_occurs_twice_is_refused() -> None:
    with pytest.raises(InvalidCorpus):
        build_documents([a_document(b"a"), a_document(b"a")])

"""Documents of a corpus, from each of its three forms."""

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from evenhand.adapters.formats.corpus import CorpusDocument, read_corpus
from evenhand.core.errors import InvalidFile
from tests.adapters.formats.beir_folder import document, write_lines

CANARY = "corpus-canary"


def corpus_file(tmp_path: Path, *documents: dict[str, object]) -> Path:
    path = tmp_path / "corpus.jsonl"
    write_lines(path, documents)
    return path


def test_a_file_its_gzip_and_its_folder_give_the_same_documents(tmp_path: Path) -> None:
    path = corpus_file(tmp_path, document("d1", title="T"), {"_id": "d2", "text": "", "url": "x"})
    expected = [
        CorpusDocument(id=b"d1", title="T", text="text of d1"),
        CorpusDocument(id=b"d2", title="", text=""),
    ]
    assert list(read_corpus(path)) == expected
    assert list(read_corpus(tmp_path)) == expected
    other = tmp_path / "docs.jsonl.gz"
    other.write_bytes(gzip.compress(path.read_bytes()))
    assert list(read_corpus(other)) == expected
    packed = tmp_path / "packed"
    packed.mkdir()
    (packed / "corpus.jsonl.gz").write_bytes(other.read_bytes())
    assert list(read_corpus(packed)) == expected


def test_text_is_read_to_the_character(tmp_path: Path) -> None:
    text = "a\u2028b\u2029c\u0085d\x0b\x0c\x1c\0\ufeff"
    path = corpus_file(tmp_path, document("d1", text=text))
    assert next(read_corpus(path)).text == text


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ({"text": "x"}, "_id is missing"),
        ({"_id": None, "text": "x"}, "_id must be text"),
        ({"_id": 7, "text": "x"}, "_id must be text"),
        ({"_id": "", "text": "x"}, "_id must not be empty"),
        ({"_id": f"{CANARY}\0", "text": "x"}, "_id must not hold NUL"),
        ({"_id": "d9"}, "text is missing"),
        ({"_id": "d9", "text": None}, "text must be text"),
        ({"_id": "d9", "text": "x", "title": 1}, "title must be text"),
        ({"_id": "d1", "text": CANARY}, "one document id occurs on line 1 and on line 2"),
        ([], "must be a JSON object"),
    ],
)
def test_a_document_that_breaks_a_rule_is_refused_by_file_line_and_rule(
    tmp_path: Path, line: object, rule: str
) -> None:
    path = tmp_path / "corpus.jsonl"
    write_lines(path, [document("d1"), line])  # type: ignore[list-item]
    with pytest.raises(InvalidFile, match=rf"^corpus.jsonl, line 2: {rule}") as refused:
        list(read_corpus(path))
    assert CANARY not in str(refused.value)


def test_the_scope_is_a_field_of_the_document_or_of_its_metadata(tmp_path: Path) -> None:
    path = corpus_file(
        tmp_path,
        document("d1", group="top", metadata={"group": "below"}),
        document("d2", metadata={"group": "below"}),
        document("d3", metadata={"group": None}),
        document("d4", metadata=None),
    )
    assert [one.scope for one in read_corpus(path, "group")] == [b"top", b"below", None, None]
    assert [one.scope for one in read_corpus(path)] == [None] * 4
    with pytest.raises(InvalidFile, match="no document has the field 'team'"):
        list(read_corpus(path, "team"))
    path = corpus_file(tmp_path, document("d1", metadata={"group": ["a", "b"]}))
    with pytest.raises(InvalidFile, match="line 1: group must be text"):
        list(read_corpus(path, "group"))


def test_text_and_markdown_files_are_documents_named_by_their_path(tmp_path: Path) -> None:
    for name, content in (
        ("b.md", b"# B\r\nx\n"),
        ("a.txt", b"\xef\xbb\xbfplain"),
        ("sub/deep/c.md", "größe".encode()),
        (".hidden.md", b"no"),
        (".git/d.md", b"no"),
        ("image.png", b"\xff"),
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    assert list(read_corpus(tmp_path)) == [
        CorpusDocument(id=b"a.txt", title="", text="plain"),
        CorpusDocument(id=b"b.md", title="", text="# B\r\nx\n"),
        CorpusDocument(id=b"sub/deep/c.md", title="", text="größe"),
    ]
    with pytest.raises(InvalidFile, match="text files have no field"):
        list(read_corpus(tmp_path, "group"))
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9\n")
    with pytest.raises(InvalidFile, match=r"^latin.txt, line 1: is not UTF-8"):
        list(read_corpus(tmp_path))


def test_a_file_name_that_is_not_utf8_keeps_its_bytes(tmp_path: Path) -> None:
    try:
        (tmp_path / os.fsdecode(b"caf\xe9.md")).write_bytes(b"x")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    assert next(read_corpus(tmp_path)).id == b"caf\xe9.md"


def _empty(folder: Path) -> Path:
    (folder / "corpus.jsonl").touch()
    return folder


@pytest.mark.parametrize(
    ("make", "rule"),
    [
        (lambda folder: folder / "gone.jsonl", "does not exist"),
        (lambda folder: folder, "holds neither corpus.jsonl nor"),
        (_empty, "holds no documents"),
        (lambda _: Path(__file__), "is no corpus: the name must end in .jsonl"),
    ],
)
def test_what_is_no_corpus_is_refused(
    tmp_path: Path, make: Callable[[Path], Path], rule: str
) -> None:
    with pytest.raises(InvalidFile, match=rule):
        list(read_corpus(make(tmp_path)))


def test_a_line_of_two_hundred_thousand_characters_is_read(tmp_path: Path) -> None:
    path = corpus_file(tmp_path, document("d1", text="x" * 200_000))
    assert len(next(read_corpus(path)).text) == 200_000

"""The digest of a corpus on disk, its manifest, and what changed between two."""

import hashlib
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.adapters.formats import corpus_manifest
from evenhand.adapters.formats.corpus_compare import compare_corpora, present_documents
from evenhand.adapters.formats.corpus_manifest import (
    corpus_digest_of,
    open_identities,
    summarize_corpus,
    write_manifest,
)
from evenhand.core.errors import InvalidFile
from evenhand.core.identity.corpus import DocumentIdentity, content_sha256, corpus_digest
from evenhand.core.identity.corpus_diff import Change
from tests.adapters.formats.beir_folder import document, write_lines
from tests.shared_data import shared_data


def corpus(path: Path, *documents: dict[str, Any]) -> Path:
    write_lines(path, documents)
    return path


def a_corpus(tmp_path: Path, name: str = "a.jsonl", **second: Any) -> Path:
    two = document("d2", title="T", group="g") | second
    return corpus(tmp_path / name, document("d1"), two, document("d10"))


def test_the_digest_is_that_of_the_documents_identities_in_byte_order(tmp_path: Path) -> None:
    path = a_corpus(tmp_path)
    expected = [
        DocumentIdentity(id=b"d1", content_sha256=content_sha256("", "text of d1")),
        DocumentIdentity(id=b"d10", content_sha256=content_sha256("", "text of d10")),
        DocumentIdentity(id=b"d2", content_sha256=content_sha256("T", "text of d2"), scope=b"g"),
    ]
    with open_identities(path, "group") as identities:
        assert list(identities) == expected
    summary = summarize_corpus(path, "group")
    assert (summary.digest, summary.documents, summary.scoped) == (corpus_digest(expected), 3, 1)


def test_order_metadata_title_null_and_compression_do_not_change_the_digest(
    tmp_path: Path,
) -> None:
    label = corpus_digest_of(a_corpus(tmp_path))
    shuffled = corpus(
        tmp_path / "b.jsonl",
        document("d10", metadata={"a": 1}),
        document("d2", title="T"),
        {"text": "text of d1", "title": None, "_id": "d1"},
    )
    assert corpus_digest_of(shuffled) == label


@pytest.mark.proves("P-30", "P-31", "P-32")
@pytest.mark.parametrize(
    "changed", [{"text": "x"}, {"title": "t"}, {"_id": "d3"}, {"group": "h"}, {"group": None}]
)
def test_content_membership_and_scope_of_a_file_change_the_digest(
    tmp_path: Path, changed: dict[str, object]
) -> None:
    before = corpus_digest_of(
        corpus(tmp_path / "a.jsonl", document("d1", group="g"), document("d2", group="g")), "group"
    )
    after = corpus_digest_of(
        corpus(
            tmp_path / "b.jsonl", document("d1", group="g"), document("d2", group="g") | changed
        ),
        "group",
    )
    assert before != after


def test_a_written_manifest_has_the_digest_as_its_sha256_and_stands_for_the_corpus(
    tmp_path: Path,
) -> None:
    path, output = a_corpus(tmp_path), tmp_path / "manifest"
    summary = write_manifest(path, output, "group")
    assert hashlib.sha256(output.read_bytes()).hexdigest() == summary.digest
    assert summarize_corpus(output) == summary
    with open_identities(path, "group") as one, open_identities(output) as other:
        assert list(one) == list(other)
    with pytest.raises(InvalidFile, match="already says what the scopes are"):
        summarize_corpus(output, "group")


def test_a_manifest_is_written_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    output = tmp_path / "manifest"
    output.write_bytes(b"before")
    broken = corpus(tmp_path / "b.jsonl", document("d1"), document("d1"))
    with pytest.raises(InvalidFile, match="one document id occurs on line 1 and on line 2"):
        write_manifest(broken, output)
    assert output.read_bytes() == b"before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.jsonl", "manifest"]
    with pytest.raises(InvalidFile, match="cannot be written: No such file"):
        write_manifest(a_corpus(tmp_path), tmp_path / "gone" / "manifest")


@pytest.mark.parametrize("name", ["no newline", "crlf", "order", "twice", "blank"])
def test_a_manifest_that_was_edited_is_refused_by_line(tmp_path: Path, name: str) -> None:
    output = tmp_path / "manifest"
    write_manifest(a_corpus(tmp_path), output)
    one, two, three = output.read_bytes().splitlines(keepends=True)
    lines = {
        "no newline": (one, two, three.rstrip()),
        "crlf": (one, two, three.replace(b"\n", b"\r\n")),
        "order": (one, three, two),
        "twice": (one, two, two),
        "blank": (one, two, b"\n", three),
    }[name]
    output.write_bytes(b"".join(lines))
    with pytest.raises(InvalidFile, match="manifest, line 3: "):
        summarize_corpus(output)


def many(path: Path, count: int) -> Path:
    numbers = (number * 7919 % count for number in range(count))
    return corpus(path, *(document(f"d{number}", group=f"g{number % 3}") for number in numbers))


def test_sorting_on_disk_gives_what_sorting_in_memory_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = many(tmp_path / "many.jsonl", 500)
    in_memory = summarize_corpus(path, "group")
    monkeypatch.setattr(corpus_manifest, "RUN_BYTES", 500)
    monkeypatch.setattr(corpus_manifest, "MERGE_WIDTH", 3)
    assert summarize_corpus(path, "group") == in_memory
    assert in_memory.documents == 500
    again = path.read_bytes() + path.read_bytes().splitlines(keepends=True)[0]
    path.write_bytes(again)
    with pytest.raises(InvalidFile, match="line 501: one document id occurs on line 1 and"):
        summarize_corpus(path)


IDS = st.binary(min_size=1, max_size=6).filter(lambda content: b"\0" not in content)


@given(ids=st.lists(IDS, unique=True, max_size=30))
def test_runs_merge_in_byte_order_whatever_the_ids(
    tmp_path_factory: pytest.TempPathFactory, ids: list[bytes]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corpus_manifest, "RUN_BYTES", 200)
        patch.setattr(corpus_manifest, "MERGE_WIDTH", 2)
        runs = corpus_manifest._Runs(tmp_path_factory.mktemp("runs"))
        for number, one in enumerate(ids, 1):
            runs.add(corpus_manifest._record(one, "0" * 64, one, number))
        with ExitStack() as opened:
            found = list(corpus_manifest._identities(runs.merge(opened), "file"))
    assert [one.id for one in found] == sorted(ids)
    assert [one.scope for one in found] == sorted(ids)


class Heard:
    """Adds up what it is told."""

    def __init__(self) -> None:
        self.done = 0

    def advance(self, done: int) -> None:
        self.done += done


def test_progress_is_heard_some_documents_at_a_time(tmp_path: Path) -> None:
    path, heard = many(tmp_path / "many.jsonl", 2500), Heard()
    assert summarize_corpus(path, progress=heard) == summarize_corpus(path)
    assert heard.done == 2000


def test_nothing_is_left_in_the_temporary_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setattr(corpus_manifest, "RUN_BYTES", 100)
    path = a_corpus(tmp_path)
    summarize_corpus(path)
    path.write_bytes(path.read_bytes() * 2)
    with pytest.raises(InvalidFile):
        summarize_corpus(path)
    assert list(temporary.iterdir()) == []


def test_a_comparison_names_what_was_added_removed_and_changed(tmp_path: Path) -> None:
    old = corpus(tmp_path / "old.jsonl", *(document(f"d{n}", group="g") for n in range(5)))
    new = corpus(
        tmp_path / "new.jsonl",
        document("d1", group="h"),
        document("d2", group="g", text="edited"),
        document("d3", group="h", text="edited"),
        document("d4", group="g"),
        document("d5", group="g"),
    )
    found = compare_corpora(old, new, scope_field="group", limit=1)
    assert found.counts == {
        Change.ADDED: 1, Change.REMOVED: 1, Change.CONTENT: 2, Change.SCOPE: 2,
    }  # fmt: skip
    assert found.ids == {
        Change.ADDED: (b"d5",),
        Change.REMOVED: (b"d0",),
        Change.CONTENT: (b"d2",),
        Change.SCOPE: (b"d1",),
    }
    assert (found.old.digest, found.new.digest) == (
        corpus_digest_of(old, "group"),
        corpus_digest_of(new, "group"),
    )
    manifest = tmp_path / "manifest"
    write_manifest(old, manifest, "group")
    assert compare_corpora(manifest, new, scope_field="group", limit=1) == found
    assert compare_corpora(manifest, old, scope_field="group", limit=1).is_equal


def test_present_documents_are_found_in_corpus_and_manifest(tmp_path: Path) -> None:
    path, manifest = a_corpus(tmp_path), tmp_path / "manifest"
    write_manifest(path, manifest)
    for place in (path, manifest):
        assert present_documents(place, {b"d1", b"d10", b"d404"}) == {b"d1", b"d10"}


def test_a_real_corpus_has_one_digest_packed_and_unpacked(tmp_path: Path) -> None:
    import gzip

    folder = shared_data("scifact")
    plain = tmp_path / "plain.jsonl"
    plain.write_bytes(gzip.decompress((folder / "corpus.jsonl.gz").read_bytes()))
    summary = summarize_corpus(folder)
    assert summary == summarize_corpus(plain)
    assert summary.documents == 5183

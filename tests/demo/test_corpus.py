"""The demo's corpus goes through a user's doors: a BEIR file, and the digest of its manifest."""

import subprocess
import sys
from pathlib import Path

import pytest

from evenhand.adapters.formats.corpus import read_corpus
from evenhand.core.identity.corpus import DocumentIdentity, content_sha256, corpus_digest
from evenhand.demo.corpus import EDIT, DemoCorpus, copy_with_edit, write_corpus
from evenhand.demo.harvest import Harvest


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> DemoCorpus:
    return write_corpus(tmp_path_factory.mktemp("corpus"))


def test_the_written_corpus_reads_back_as_the_harvest(
    corpus: DemoCorpus, harvested: Harvest
) -> None:
    documents = list(read_corpus(corpus.folder))
    assert {one.id.decode(): one.text for one in documents} == harvested.texts
    assert all(one.title.encode() == one.id for one in documents)
    assert corpus.names == tuple(harvested.texts)


def test_the_revision_is_the_digest_of_the_manifest(
    corpus: DemoCorpus, harvested: Harvest
) -> None:
    assert corpus.digest == corpus_digest(
        DocumentIdentity(id=name.encode(), content_sha256=content_sha256(name, text))
        for name, text in sorted(harvested.texts.items(), key=lambda item: item[0].encode())
    )


def test_writing_it_again_gives_the_same_digest(corpus: DemoCorpus, tmp_path: Path) -> None:
    assert write_corpus(tmp_path).digest == corpus.digest
    assert write_corpus(tmp_path).digest == corpus.digest


def test_one_edited_document_makes_another_corpus(corpus: DemoCorpus, tmp_path: Path) -> None:
    digest = copy_with_edit(corpus, tmp_path, "textwrap.dedent")
    before = {one.id: one.text for one in read_corpus(corpus.folder)}
    after = {one.id: one.text for one in read_corpus(tmp_path)}
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {b"textwrap.dedent"}
    assert after[b"textwrap.dedent"] == before[b"textwrap.dedent"] + EDIT
    assert digest != corpus.digest


def test_a_python_without_documentation_is_refused(tmp_path: Path) -> None:
    script = f"""
from pathlib import Path
from evenhand.core.errors.identity import InvalidCorpus
from evenhand.demo.corpus import write_corpus
try:
    write_corpus(Path({str(tmp_path)!r}))
except InvalidCorpus as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-OO", "-B", "-c", script], capture_output=True, check=True, text=True
    )
    assert "-OO" in done.stdout
    assert list(tmp_path.iterdir()) == []

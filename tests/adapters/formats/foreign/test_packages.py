"""AutoRAG's folders, and what packages bring: ir_datasets, Hugging Face."""

import sys
from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evenhand.adapters.formats.foreign.found import ReadOptions
from evenhand.adapters.formats.foreign.importing import ImportRequest, read_foreign
from evenhand.core.errors import InvalidFile, MissingExtra


def autorag(folder: Path, rows: list[dict[str, Any]], *, corpus: bool = True) -> Path:
    folder.mkdir()
    pq.write_table(pa.Table.from_pylist(rows), folder / "qa.parquet")
    if corpus:
        documents = {"doc_id": ["d1", "d2"], "contents": ["one", "two"]}
        pq.write_table(pa.table(documents), folder / "corpus.parquet")
    return folder


def row(name: str, ground_truth: Any) -> dict[str, Any]:
    return {
        "qid": name,
        "query": f"ask {name}",
        "retrieval_gt": ground_truth,
        "generation_gt": ["A"],
    }


def targets(path: Path) -> list[list[bytes] | None]:
    found = read_foreign(ImportRequest(reference=str(path))).golden_set.questions
    return [None if one.unjudged else list(one.expected_document_ids) for one in found]


def test_the_lists_of_autorag_become_one_and_the_lost_and_is_told(tmp_path: Path) -> None:
    rows = [row("a", [["d1", "d2"], ["d1"]]), row("b", [["d2"]]), row("c", [[""]]), row("d", [])]
    folder = autorag(tmp_path / "set", rows)
    assert targets(folder) == [[b"d1", b"d2"], [b"d2"], None, None]
    found = read_foreign(ImportRequest(reference=str(folder)))
    assert (found.format, found.golden_set.identifier) == ("autorag", "set")
    assert [(one.id, one.text) for one in found.documents or ()] == [
        (b"d1", "one"),
        (b"d2", "two"),
    ]
    assert "any one of which now hits: 1" in " ".join(found.remarks)
    assert found.golden_set.questions[0].answer_gist == b"A"


def test_autorags_table_alone_has_no_corpus_and_flat_ids_too(tmp_path: Path) -> None:
    folder = autorag(tmp_path / "set", [row("a", ["d1", "d2"])], corpus=False)
    assert targets(folder / "qa.parquet") == [[b"d1", b"d2"]]
    assert read_foreign(ImportRequest(reference=str(folder))).documents is None
    folder = autorag(tmp_path / "other", [row("a", "d1")], corpus=False)
    assert targets(folder) == [[b"d1"]]
    folder = autorag(tmp_path / "third", [row("a", [[7]])], corpus=False)
    with pytest.raises(InvalidFile, match=r"row 1: retrieval_gt\[1\] must be text, not a number"):
        targets(folder)


def test_an_id_that_autorags_corpus_lacks_is_refused(tmp_path: Path) -> None:
    folder = autorag(tmp_path / "set", [row("a", [["d1"]]), row("b", [["d404"]])])
    with pytest.raises(InvalidFile, match=r"1 document id.* not in the corpus: 'd404'"):
        targets(folder)


class _Query(NamedTuple):
    query_id: str
    title: str
    description: str

    def default_text(self) -> str:
        return self.title


_Qrel = namedtuple("_Qrel", "query_id doc_id relevance iteration")


class _Document(NamedTuple):
    doc_id: str
    text: str

    def default_text(self) -> str:
        return self.text


class _Dataset:
    """What ``ir_datasets.load`` gives, as far as it is used."""

    def has_queries(self) -> bool:
        return True

    has_qrels = has_docs = has_queries

    def queries_iter(self) -> Iterator[_Query]:
        yield _Query("1", "one", "about one")
        yield _Query("2", "two", "about two")

    def qrels_iter(self) -> Iterator[_Qrel]:
        yield _Qrel("1", "d1", 2, "0")
        yield _Qrel("1", "d2", 0, "0")

    def docs_iter(self) -> Iterator[_Document]:
        yield _Document("d1", "text")


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("ir_datasets")
    module.load = {"tiny/test": _Dataset()}.__getitem__  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ir_datasets", module)


@pytest.mark.usefixtures("package")
def test_an_id_of_ir_datasets_is_a_set_with_grades_and_documents() -> None:
    found = read_foreign(ImportRequest(reference="ir_datasets:tiny/test"))
    one, two = found.golden_set.questions
    assert (found.format, found.golden_set.identifier) == ("ir_datasets", "tiny_test")
    assert (one.text, one.expected_document_ids, one.judgements) == (
        "one", (b"d1",), ((b"d1", 2), (b"d2", 0)),
    )  # fmt: skip
    assert two.unjudged
    assert [document.text for document in found.documents or ()] == ["text"]
    described = ReadOptions(topic_field="description")
    found = read_foreign(ImportRequest(reference="ir_datasets:tiny/test", read=described))
    assert found.golden_set.questions[0].text == "about one"


@pytest.mark.usefixtures("package")
def test_an_id_or_a_field_that_is_not_there_is_refused() -> None:
    with pytest.raises(InvalidFile, match="knows no such data set"):
        read_foreign(ImportRequest(reference="ir_datasets:none"))
    wrong = ReadOptions(topic_field="narrative")
    with pytest.raises(InvalidFile, match="a query has the fields query_id, title, description"):
        read_foreign(ImportRequest(reference="ir_datasets:tiny/test", read=wrong))


def test_what_the_package_raises_is_told_by_its_kind_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def gone() -> Iterator[_Query]:
        raise ConnectionError("canary")

    dataset = _Dataset()
    monkeypatch.setattr(dataset, "queries_iter", gone)
    module = ModuleType("ir_datasets")
    module.load = lambda name: dataset  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ir_datasets", module)
    with pytest.raises(InvalidFile, match=r"could not give it \(ConnectionError\)") as caught:
        read_foreign(ImportRequest(reference="ir_datasets:x"))
    assert "canary" not in str(caught.value)


def test_without_the_package_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(MissingExtra, match=r"pip install 'evenhand\[adapters\]'"):
        read_foreign(ImportRequest(reference="ir_datasets:any"))
    (tmp_path / "dataset_dict.json").write_text("{}")
    with pytest.raises(MissingExtra, match=r"a Hugging Face data set needs .*\[adapters\]"):
        read_foreign(ImportRequest(reference=str(tmp_path)))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "t.parquet").write_bytes(b"PAR1")
    with pytest.raises(MissingExtra, match=r"Parquet needs .*\[frames\]"):
        read_foreign(ImportRequest(reference=str(tmp_path / "t.parquet")))


class _Rows(list[dict[str, Any]]):
    """What ``datasets.load_from_disk`` gives for one split, as far as it is used."""

    column_names = ("qid", "question", "relevant_docs")


@pytest.fixture
def saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    module = ModuleType("datasets")
    splits = {
        "train": _Rows([{"qid": "t", "question": "train?", "relevant_docs": None}]),
        "test": _Rows([{"qid": "a", "question": "test?", "relevant_docs": ["d1"]}]),
    }
    module.load_from_disk = lambda path: splits  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "datasets", module)
    (tmp_path / "dataset_dict.json").write_text('{"splits": ["train", "test"]}')
    return tmp_path


def test_a_split_of_a_saved_folder_is_a_table(saved: Path) -> None:
    assert targets(saved) == [[b"d1"]]
    train = ImportRequest(reference=str(saved), read=ReadOptions(split="train"))
    assert read_foreign(train).golden_set.questions[0].text == "train?"
    none = ImportRequest(reference=str(saved), read=ReadOptions(split="dev"))
    with pytest.raises(InvalidFile, match=r"has no split 'dev'; there are: test, train"):
        read_foreign(none)

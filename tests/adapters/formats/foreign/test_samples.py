"""What becomes of each file: small ones made by hand, and the real ones where they are at hand."""

import contextlib
import re
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.adapters.formats.beir import read_beir
from evenhand.adapters.formats.corpus import read_corpus
from evenhand.adapters.formats.foreign.build import BuildOptions
from evenhand.adapters.formats.foreign.found import Columns, ReadOptions
from evenhand.adapters.formats.foreign.importing import (
    ForeignSet,
    ImportRequest,
    read_foreign,
)
from evenhand.adapters.formats.foreign.judgements import read_judgements
from evenhand.adapters.formats.format_names import IMPORT_NAMES
from evenhand.core.errors import InvalidFile, MissingExtra
from evenhand.core.retrieval.golden import GoldenSet
from tests.adapters.formats.foreign import samples
from tests.shared_data import shared_data


class Taken(NamedTuple):
    """A file that becomes a set, without any option."""

    format: str
    questions: int
    unjudged: int


def _is(rule: str) -> re.Pattern[str]:
    return re.compile(rule)


_JUDGEMENTS = _is("holds judgements, no questions; give it with --qrels")
_UNKNOWN = _is("is in no format that is known; --format takes one of jsonl, yaml, beir, trec")
_DOCUMENTS = _is("holds documents, no questions; give it with --documents")
_COLUMN = _is("say which one holds the question with --question-column, of: 'question_1', ")

OURS: dict[str, Taken | re.Pattern[str]] = {
    "robust.txt": Taken("trec", 2, 2),
    "covid.xml": Taken("trec-xml", 2, 2),
    "topics.tsv": Taken("trec-tsv", 2, 2),
    "topics.tsv.gz": Taken("trec-tsv", 2, 2),
    "cran.qry": Taken("smart", 2, 2),
    "ADI.ALL": _DOCUMENTS,
    "TIME.QUE": Taken("smart", 2, 2),
    "squad.json": Taken("squad", 3, 3),
    "testset.csv": Taken("ragas", 2, 2),
    "dataset.jsonl": Taken("ragas", 2, 1),
    "annotated.json": Taken("ragas", 2, 2),
    "Web-Q&A.json": Taken("langsmith", 2, 2),
    "examples.jsonl": Taken("langsmith", 2, 2),
    "rag_dataset.json": Taken("llamaindex", 2, 2),
    "benchmark.json": Taken("llamaindex", 2, 2),
    "pairs.json": Taken("llamaindex", 2, 1),
    "checking.json": Taken("ragchecker", 1, 1),
    "reference.jsonl": Taken("mtrag", 4, 1),
    "RAG.jsonl": _is("contexts with a score: a retriever gave them"),
    "SciFact.json": _is("holds the scores of a task, neither questions nor rankings"),
    "plain.csv": Taken("csv", 2, 2),
    "similar.csv": _COLUMN,
    "german.csv": _is("say which one holds the question with --question-column, of: 'id', 'Fr"),
    "queries.ndjson": Taken("records", 2, 2),
    "qrels.txt": _JUDGEMENTS,
    "test.tsv": _JUDGEMENTS,
    "ADI.REL": _JUDGEMENTS,
    "TIME.REL": _JUDGEMENTS,
    "LISARJ.NUM": _JUDGEMENTS,
    "LISA.REL": _JUDGEMENTS,
    "cran.qrels": _JUDGEMENTS,
    "corpus.jsonl": _is("holds documents, no questions; it is a corpus"),
    "readme.txt": _UNKNOWN,
}

#: Every file of ``shared/data/formats``.
SHARED: dict[str, Taken | re.Pattern[str]] = {
    "csv/eval_question_similarity_de.csv": _COLUMN,
    "langsmith/Web-Q&A-Dataset-Correct.json": Taken("langsmith", 100, 100),
    "langsmith/Web-Q&A-Dataset-Incorrect.json": Taken("langsmith", 100, 100),
    "llamaindex/benchmark.json": Taken("llamaindex", 107, 107),
    "llamaindex/rag_dataset.json": Taken("llamaindex", 91, 91),
    "mtrag/reference.20-tasks.jsonl": Taken("mtrag", 20, 5),
    "ragas/annotated_data.json": Taken("ragas", 6, 6),
    "ragas/hf_doc_qa_eval.csv": Taken("csv", 66, 66),
    "ragchecker/checking_inputs.json": Taken("ragchecker", 2, 2),
    "ragchecker/checking_outputs.json": Taken("ragchecker", 2, 2),
    "smart/ADI.ALL": _DOCUMENTS,
    "smart/ADI.QRY": Taken("smart", 35, 35),
    "smart/ADI.REL": _JUDGEMENTS,
    "smart/LISA.REL": _JUDGEMENTS,
    "smart/LISARJ.NUM": _JUDGEMENTS,
    "smart/TIME.QUE": Taken("smart", 83, 83),
    "smart/TIME.REL": _JUDGEMENTS,
    "smart/cran.qrels": _JUDGEMENTS,
    "smart/cran.qry": Taken("smart", 225, 225),
    "smart/cranqrel.readme": _UNKNOWN,
    "squad/squad-v2.first-article.json": Taken("squad", 208, 208),
    "squad/xquad.de.json": Taken("squad", 1190, 1190),
    "trec/qrels.beir-v1.0.0-scifact.test.txt": _JUDGEMENTS,
    "trec/topics.beir-v1.0.0-scifact.test.tsv.gz": Taken("trec-tsv", 300, 300),
    "trec/topics.covid-round5.xml": Taken("trec-xml", 50, 50),
    "trec/topics.robust04.txt": Taken("trec", 250, 250),
}


def _check(path: Path, wanted: Taken | re.Pattern[str]) -> None:
    if isinstance(wanted, re.Pattern):
        with pytest.raises(InvalidFile, match=wanted) as caught:
            read_foreign(ImportRequest(reference=str(path)))
        assert caught.value.file == path.name
        return
    read = read_foreign(ImportRequest(reference=str(path)))
    assert read.guessed
    questions = read.golden_set.questions
    assert Taken(read.format, len(questions), sum(q.unjudged for q in questions)) == wanted


@pytest.mark.parametrize("name", OURS)
def test_a_small_file_becomes_a_set_or_is_refused_for_a_reason(name: str, tmp_path: Path) -> None:
    _check(samples.write(tmp_path, name), OURS[name])


def test_the_table_has_every_small_file() -> None:
    assert OURS.keys() == samples.ALL.keys()


@pytest.mark.parametrize("name", SHARED)
def test_a_shared_file_becomes_a_set_or_is_refused_for_a_reason(name: str) -> None:
    _check(shared_data("formats", *name.split("/")), SHARED[name])


def test_the_table_has_every_shared_file() -> None:
    root = shared_data("formats")
    there = {str(path.relative_to(root)) for path in root.glob("*/*")}
    assert there == SHARED.keys()


def _read(name: str, **more: object) -> ForeignSet:
    path = shared_data("formats", *name.split("/"))
    return read_foreign(ImportRequest(reference=str(path), **more))  # type: ignore[arg-type]


def _labels(golden_set: GoldenSet) -> dict[bytes, tuple[bool, tuple[bytes, ...]]]:
    return {
        one.id: (one.unjudged, tuple(sorted(one.expected_document_ids)))
        for one in golden_set.questions
    }


_BITS = (
    b"",
    b"null",
    b"true",
    b"7",
    b"[]",
    b"{}",
    b'""',
    b"NaN",
    b"\0",
    b"\r",
    b"\xff",
    b"\n",
    b'"',
)


@given(
    name=st.sampled_from(sorted(samples.ALL)),
    cuts=st.lists(st.tuples(st.integers(0, 900), st.integers(0, 9), st.sampled_from(_BITS))),
    format_name=st.none() | st.sampled_from(IMPORT_NAMES),
    with_texts=st.booleans(),
)
def test_whatever_stands_in_a_file_it_is_read_or_refused(
    name: str, cuts: list[tuple[int, int, bytes]], format_name: str | None, with_texts: bool
) -> None:
    content = bytearray(samples.ALL[name])
    for at, length, bits in cuts:
        content[at : at + length] = bits
    with tempfile.TemporaryDirectory() as folder:
        path = samples.write(Path(folder), name, bytes(content))
        request = ImportRequest(
            reference=str(path),
            format=format_name,
            build=BuildOptions(with_passages=with_texts),
        )
        with contextlib.suppress(InvalidFile, MissingExtra):
            found = read_foreign(request)
            assert found.golden_set.questions
            list(found.documents or ())


# The collections of shared/data were made of the same files by other hands: the same must come out.


def test_scifact_from_topics_and_qrels_is_scifact_from_its_folder() -> None:
    qrels = shared_data("formats", "trec", "qrels.beir-v1.0.0-scifact.test.txt")
    read = _read("trec/topics.beir-v1.0.0-scifact.test.tsv.gz", qrels=qrels)
    folder = read_beir(shared_data("scifact")).golden_set
    assert read.golden_set.labels_fingerprint == folder.labels_fingerprint


def test_mtrag_tasks_are_judged_as_in_its_retrieval_tasks() -> None:
    read = _read("mtrag/reference.20-tasks.jsonl")
    folder = _labels(read_beir(shared_data("mtrag-un"), check_corpus=False).golden_set)
    found = _labels(read.golden_set)
    assert found == {name: folder[name] for name in found}


def test_adi_from_smart_files_is_adi_from_its_folder() -> None:
    read = _read(
        "smart/ADI.QRY",
        qrels=shared_data("formats", "smart", "ADI.REL"),
        documents=shared_data("formats", "smart", "ADI.ALL"),
    )
    assert _labels(read.golden_set) == _labels(read_beir(shared_data("adi")).golden_set)
    documents = {one.id: one.title for one in read.documents or ()}
    assert documents == {one.id: one.title for one in read_corpus(shared_data("adi"))}


def test_cranfields_judgements_count_its_queries_and_turn_its_codes() -> None:
    qrels = shared_data("formats", "smart", "cran.qrels")
    with pytest.raises(InvalidFile, match="three columns, which are not guessed"):
        _read("smart/cran.qry", qrels=qrels)
    with pytest.raises(InvalidFile, match=r"not in the questions.*--ids-by-position"):
        _read("smart/cran.qry", qrels=qrels, qrels_format="cranfield")
    read = _read(
        "smart/cran.qry",
        qrels=qrels,
        qrels_format="cranfield",
        build=BuildOptions(ids_by_position=True),
    )
    folder = read_beir(shared_data("cranfield")).golden_set
    assert read.golden_set.qrels_digest == folder.qrels_digest
    assert "left out: 225" in " ".join(read.remarks)


def test_lisas_torn_judgements_are_refused_at_the_tear() -> None:
    path = shared_data("formats", "smart", "LISA.REL")
    with pytest.raises(InvalidFile, match=r"LISA\.REL, line 90: the block that begins on line 87"):
        read_judgements(path, path.name)


def test_xquads_paragraphs_become_its_documents() -> None:
    read = _read("squad/xquad.de.json", build=BuildOptions(with_passages=True))
    documents = {one.id: one.text.strip() for one in read.documents or ()}
    folder = read_beir(shared_data("xquad-de"), check_corpus=False).golden_set
    texts = {one.id: one.text.strip() for one in read_corpus(shared_data("xquad-de"))}
    assert len(documents) == len(texts) == 240
    wanted = {one.id: texts[one.expected_document_ids[0]] for one in folder.questions}
    found = {one.id: documents[one.expected_document_ids[0]] for one in read.golden_set.questions}
    assert found == wanted


def test_the_pairs_of_questions_import_when_the_column_is_named() -> None:
    columns = ReadOptions(columns=Columns(question="question_1"))
    read = _read("csv/eval_question_similarity_de.csv", read=columns)
    assert read.golden_set.questions[0].text.startswith("Welche Länder/Regionen")
    assert all(one.unjudged for one in read.golden_set.questions)

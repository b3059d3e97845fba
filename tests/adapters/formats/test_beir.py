"""BEIR folders become golden sets without a guess at what nobody judged."""

from pathlib import Path
from typing import Any

import pytest

from evenhand.adapters.formats.beir import read_beir, set_identifier
from evenhand.core.errors import InvalidFile
from evenhand.core.identity.qrels import qrels_digest
from evenhand.core.retrieval.golden import Form
from tests.adapters.formats.beir_folder import document, query, write_beir
from tests.shared_data import shared_data

CANARY = "beir-canary"


def a_folder(path: Path, **changes: Any) -> Path:
    parts: dict[str, Any] = {
        "queries": [query("q1"), query("q2"), query("q3"), query("q4")],
        "qrels": [("q1", "d1", 2), ("q1", "d2", 0), ("q2", "d2", 0), ("q2", "d1", -1)],
        "corpus": [document("d1"), document("d2")],
        "no_answer": ["q3"],
        **changes,
    }
    return write_beir(path / "My-Set.v2", **parts)


@pytest.mark.proves("BP-04")
def test_targets_have_grade_one_and_what_nobody_judged_is_never_a_no_answer(
    tmp_path: Path,
) -> None:
    found = read_beir(a_folder(tmp_path))
    states = {
        q.id: (q.answerability.value, q.expected_document_ids) for q in found.golden_set.questions
    }
    assert states == {
        b"q1": ("answerable", (b"d1",)),
        b"q2": ("unjudged", ()),
        b"q3": ("no_answer", ()),
        b"q4": ("unjudged", ()),
    }
    assert (found.unjudged, found.only_nonrelevant, found.no_answer) == (1, 1, 1)
    assert (found.judgements, found.split) == (4, "test")
    assert found.corpus == tmp_path / "My-Set.v2" / "corpus.jsonl"


def test_the_grades_of_every_judgement_are_kept(tmp_path: Path) -> None:
    found = read_beir(a_folder(tmp_path)).golden_set
    assert [dict(one.judgements) for one in found.questions] == [
        {b"d1": 2, b"d2": 0},
        {b"d1": -1, b"d2": 0},
        {},
        {},
    ]
    rows = [(b"q1", b"d1", 2), (b"q1", b"d2", 0), (b"q2", b"d2", 0), (b"q2", b"d1", -1)]
    assert found.qrels_digest == qrels_digest(rows)


def test_questions_nobody_judged_are_not_in_the_labels_digest(tmp_path: Path) -> None:
    with_more = read_beir(a_folder(tmp_path / "a")).golden_set
    without = read_beir(
        a_folder(tmp_path / "b", queries=[query("q1"), query("q3")], qrels=[("q1", "d1", 1)])
    ).golden_set
    assert with_more.labels_fingerprint == without.labels_fingerprint


@pytest.mark.parametrize(
    ("folder", "identifier"),
    [("scifact", "scifact"), ("Squad2-Dev.half", "squad2_dev_half"), ("a b", "a_b"), ("ä1", "_1")],
)
def test_the_identifier_is_the_folder_name_in_lower_case(folder: str, identifier: str) -> None:
    assert set_identifier(folder) == identifier


def test_the_folder_is_named_also_when_it_is_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(a_folder(tmp_path))
    assert read_beir(Path()).golden_set.identifier == "my_set_v2"


@pytest.mark.proves("BP-02", "BP-03")
def test_form_is_match_and_class_null_unless_metadata_says_otherwise(tmp_path: Path) -> None:
    queries = [
        query("q1"),
        query("q2", metadata={"form": "gap", "hard_class": "normal", "answers": ["x"]}),
        query("q3", metadata=None),
    ]
    found = read_beir(a_folder(tmp_path, queries=queries, qrels=[("q1", "d1", 1)]))
    labels = [(q.form, q.hard_class) for q in found.golden_set.questions]
    assert labels == [(Form.MATCH, None), (Form.GAP, b"normal"), (Form.MATCH, None)]


def test_the_split_is_test_or_the_only_one_there_is(tmp_path: Path) -> None:
    queries, rows = [query("q1"), query("q2")], [("q1", "d2", 1)]
    folder = write_beir(tmp_path / "set", queries=queries, qrels=rows)
    write_beir(folder, queries=queries, qrels=rows, split="dev")
    assert read_beir(folder).split == "test"
    assert read_beir(folder, split="dev").split == "dev"
    (folder / "qrels" / "test.tsv").unlink()
    assert read_beir(folder).split == "dev"
    write_beir(folder, queries=queries, qrels=rows, split="train")
    for split in (None, "test"):
        with pytest.raises(InvalidFile, match=r"has no test.tsv; there are: dev, train"):
            read_beir(folder, split=split)
    for file in (folder / "qrels").iterdir():
        file.unlink()
    with pytest.raises(InvalidFile, match=r"set/qrels: has no test.tsv$"):
        read_beir(folder)


def test_a_query_that_only_another_split_judges_is_left_out_and_counted(tmp_path: Path) -> None:
    queries = [query(f"q{n}") for n in range(1, 5)]
    folder = write_beir(tmp_path / "set", queries=queries, qrels=[("q1", "d1", 1)])
    write_beir(folder, queries=queries, qrels=[("q1", "d2", 1), ("q2", "d1", 1)], split="train")
    write_beir(folder, queries=queries, qrels=[("q3", "d1", -1)], split="notes")
    found = read_beir(folder)
    assert [question.id for question in found.golden_set.questions] == [b"q1", b"q3", b"q4"]
    assert (found.other_splits, found.unjudged) == (1, 2)


def test_judgements_that_point_nowhere_are_refused_by_id_and_line(tmp_path: Path) -> None:
    qrels = [("q1", "d1", 1), ("q404", "d1", 1), ("q1", "d404", 0)]
    folder = a_folder(tmp_path, qrels=qrels, no_answer=None)
    with pytest.raises(InvalidFile, match=r"test.tsv, line 3: 1 query id.*'q404' \(line 3\)"):
        read_beir(folder)
    folder = a_folder(tmp_path, qrels=[qrels[0], qrels[2]], no_answer=None)
    with pytest.raises(InvalidFile, match=r"test.tsv, line 3: 1 document id.*'d404' \(line 3\)"):
        read_beir(folder)
    assert read_beir(folder, check_corpus=False).judgements == 2
    (folder / "corpus.jsonl").unlink()
    assert read_beir(folder).corpus is None


def test_of_many_missing_ids_the_first_are_named_and_all_counted(tmp_path: Path) -> None:
    qrels = [(f"q{n}", "d1", 1) for n in range(100, 120)]
    with pytest.raises(InvalidFile, match=r"20 query id\(s\) not in .*'q104' \(line 6\), \.\.\.$"):
        read_beir(a_folder(tmp_path, qrels=qrels, no_answer=None))


def test_a_no_answer_query_must_be_there_and_have_no_target(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match=r"no_answer.tsv, line 2: 1 query id.*'q9' \(line 2\)"):
        read_beir(a_folder(tmp_path, no_answer=["q9"]))
    with pytest.raises(InvalidFile, match=r"no_answer.tsv, line 3: this query has a target"):
        read_beir(a_folder(tmp_path, no_answer=["q3", "q1"]))
    judged = read_beir(a_folder(tmp_path, no_answer=["q2", "q3"]))
    assert (judged.no_answer, judged.only_nonrelevant) == (2, 0)


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        (query("q1") | {"_id": 7}, "_id must be text"),
        (query("q1") | {"_id": None}, "_id must be text"),
        ({"text": "x"}, "_id must be text"),
        (query("q1") | {"text": ["x"]}, "text must be text"),
        (query(""), "id must not be empty"),
        (query("q9") | {"text": ""}, "question must not be empty"),
        (query("q9") | {"text": f"{CANARY}\0"}, "question"),
        (query("q9", metadata={"form": "statement"}), "form must be 'match' or 'gap'"),
        (query("q9", metadata={"form": 1}), "metadata.form must be text"),
        (query("q9", metadata={"hard_class": ""}), "hard_class must not be empty"),
        (query("q9", metadata={"hard_class": 1}), "metadata.hard_class must be text"),
        (query("q1"), "one id occurs on line 1 and on line 5"),
    ],
)
def test_a_query_that_breaks_a_rule_is_refused_by_file_line_and_rule(
    tmp_path: Path, line: dict[str, object], rule: str
) -> None:
    queries = [*(query(f"q{n}") for n in range(1, 5)), line]
    with pytest.raises(
        InvalidFile, match=rf"^My-Set.v2/queries.jsonl, line 5: .*{rule}"
    ) as refused:
        read_beir(a_folder(tmp_path, queries=queries))
    assert CANARY not in str(refused.value)


def test_a_folder_without_queries_is_no_set(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match=r"has no queries.jsonl"):
        read_beir(tmp_path)


#: Folder: questions, answerable, no-answer, unjudged, judgements (their SOURCE.md).
COLLECTIONS = {
    "adi": (35, 35, 0, 0, 170),
    "cisi": (112, 76, 0, 36, 3114),
    "cranfield": (225, 225, 0, 0, 1612),
    "med": (30, 30, 0, 0, 696),
    "miracl-de-judgements": (305, 305, 0, 0, 3144),
    "mtrag-un": (507, 332, 97, 78, 851),
    "npl": (93, 93, 0, 0, 2083),
    "scifact": (300, 300, 0, 0, 339),
    "squad2-dev-half": (6078, 2910, 3168, 0, 2910),
    "trec-covid-judgements": (50, 50, 0, 0, 66334),
    "xquad-ar": (1190, 1190, 0, 0, 1190),
    "xquad-de": (1190, 1190, 0, 0, 1190),
    "xquad-de-gaps": (1190, 894, 296, 0, 894),
    "xquad-en": (1190, 1190, 0, 0, 1190),
    "xquad-es": (1190, 1190, 0, 0, 1190),
    "xquad-zh": (1190, 1190, 0, 0, 1190),
}


@pytest.mark.parametrize("folder", COLLECTIONS)
def test_a_real_collection_has_the_counts_that_its_source_states(folder: str) -> None:
    found = read_beir(shared_data(folder))
    kinds = [question.answerability.value for question in found.golden_set.questions]
    counts = (len(kinds), *(kinds.count(k) for k in ("answerable", "no_answer", "unjudged")))
    assert (*counts, found.judgements) == COLLECTIONS[folder]
    assert found.golden_set.identifier == folder.replace("-", "_")

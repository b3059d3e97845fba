"""Out and back: what each format holds returns, what it cannot hold is refused by name."""

import csv
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.adapters.formats.foreign.exporting import write_set
from evenhand.adapters.formats.foreign.importing import ImportRequest, read_foreign
from evenhand.adapters.formats.format_names import FACET_NAMES
from evenhand.core.errors import InvalidFile
from evenhand.core.identity.csv_guard import guarded, unguarded
from evenhand.core.retrieval.golden import GoldenQuestion, GoldenSet, LabelProvenance
from tests import cases_runner

text = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1)
#: What white space parts in TREC, what ends a line, and what reads like a header or a mark.
word = st.text(
    st.characters(categories=("L", "N", "P", "S"), exclude_characters="\ufeff"), min_size=1
)
line = st.text(st.characters(codec="utf-8", exclude_characters="\0\t\r\n"), min_size=1)


def sets(ids: st.SearchStrategy[str], texts: st.SearchStrategy[str], **more: Any) -> Any:
    """Sets whose questions have such ids and texts, and the facets that are named."""
    targets = st.lists(ids, unique=True, max_size=3)
    facets = {
        "form": st.sampled_from(("match", "gap")),
        "hard_class": st.none() | text,
        "answer_gist": st.none() | text,
        "critical": st.booleans(),
        "reviewed": st.booleans(),
    }
    chosen = {name: facets[name] for name in more.pop("facets", ())}
    states = st.sampled_from(more.pop("states"))

    @st.composite
    def one(draw: st.DrawFn, name: str) -> GoldenQuestion:
        state = draw(states)
        wanted = draw(targets) if state == "answerable" else []
        fields: dict[str, Any] = {key: draw(value) for key, value in chosen.items()}
        return GoldenQuestion(
            id=name,
            question=draw(texts),
            expected_document_ids=wanted,
            unjudged=state == "unjudged" or (state == "answerable" and not wanted),
            **({"form": "match"} | fields),
        )

    @st.composite
    def whole(draw: st.DrawFn) -> GoldenSet:
        names = draw(st.lists(ids, min_size=1, max_size=4, unique=True))
        found = tuple(draw(one(name)) for name in names)
        return GoldenSet(identifier="a", name="A", questions=found)

    return whole()


ALL_STATES = ("answerable", "no_answer", "unjudged")
FACETS = ("form", "hard_class", "answer_gist", "critical", "reviewed")


def back(golden_set: GoldenSet, name: str) -> tuple[GoldenQuestion, ...]:
    """The questions after a way out and back."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "out"
        write_set(golden_set, path, name)
        reader = "trec-folder" if name == "trec" else name
        request = ImportRequest(reference=str(path), format=reader)
        return read_foreign(request).golden_set.questions


@given(sets(text, text, states=ALL_STATES, facets=FACETS))
def test_csv_gives_every_question_back(golden_set: GoldenSet) -> None:
    assert back(golden_set, "csv") == golden_set.questions


@given(sets(text, text, states=ALL_STATES, facets=FACETS))
def test_parquet_gives_every_question_back(golden_set: GoldenSet) -> None:
    assert back(golden_set, "parquet") == golden_set.questions


@given(sets(line.filter(lambda one: one.strip() and one[0] != "\ufeff" and one != "query-id"), text, states=ALL_STATES, facets=("form", "hard_class")))  # fmt: skip
def test_a_beir_folder_gives_every_question_back(golden_set: GoldenSet) -> None:
    assert back(golden_set, "beir") == golden_set.questions


@given(sets(word, line, states=("answerable", "unjudged")))
def test_trec_topics_and_qrels_give_every_question_back(golden_set: GoldenSet) -> None:
    assert back(golden_set, "trec") == golden_set.questions


@given(sets(text, text, states=ALL_STATES, facets=FACETS))
def test_own_formats_give_the_whole_set_back(golden_set: GoldenSet) -> None:
    for name in ("jsonl", "yaml"):
        assert back(golden_set, name) == golden_set.questions


GRADED = GoldenQuestion(
    id="g", question="t", form="match", expected_document_ids=["d"], grades=[("d", 3), ("e", 0)]
)


def test_grades_go_out_and_come_back_in_beir_and_trec() -> None:
    graded = GoldenSet(identifier="a", name="A", questions=(GRADED,))
    assert back(graded, "beir") == back(graded, "trec") == (GRADED,)


def test_a_folder_of_topics_and_qrels_is_told_by_its_files(tmp_path: Path) -> None:
    write_set(GoldenSet(identifier="a", name="A", questions=(GRADED,)), tmp_path / "f", "trec")
    found = read_foreign(ImportRequest(reference=str(tmp_path / "f")))
    assert (found.format, found.golden_set.questions) == ("trec-folder", (GRADED,))
    (tmp_path / "f" / "qrels.txt").write_text("g 0 d\n")
    with pytest.raises(InvalidFile, match=r"f/qrels\.txt, line 1: must have 4 columns, not 3"):
        read_foreign(ImportRequest(reference=str(tmp_path / "f")))
    (tmp_path / "f" / "qrels.txt").write_text("h 0 d 1\n")
    with pytest.raises(InvalidFile, match=r"f, line 1: 1 query id.*'h'"):
        read_foreign(ImportRequest(reference=str(tmp_path / "f")))
    with pytest.raises(InvalidFile, match=r"is no folder of topics\.tsv and qrels\.txt"):
        read_foreign(
            ImportRequest(reference=str(tmp_path / "f" / "qrels.txt"), format="trec-folder")
        )


SAYS: dict[str, dict[str, Any]] = {
    "form": {"form": "gap"},
    "hard_class": {"hard_class": "normal"},
    "answer_gist": {"answer_gist": "hint"},
    "critical": {"critical": True},
    "reviewed": {"reviewed": True},
    "label_provenance": {"label_provenance": LabelProvenance(corpus_revision="c")},
    "grades": {"grades": [("d", 2)]},
    "no_answer": {"expected_document_ids": []},
    "unjudged": {"expected_document_ids": [], "unjudged": True},
}
LOST = {
    "beir": {"answer_gist", "critical", "reviewed", "label_provenance", "holdout"},
    "trec": {*FACET_NAMES} - {"grades", "unjudged"},
    "csv": {"label_provenance", "grades", "holdout"},
    "parquet": {"label_provenance", "grades", "holdout"},
    "jsonl": set[str](),
    "yaml": set[str](),
}


def _says(facet: str) -> GoldenSet:
    plain = {"question": "t", "form": "match", "expected_document_ids": ["d"]}
    first = GoldenQuestion(id="q1", **plain)  # type: ignore[arg-type]
    other = GoldenQuestion(**{**plain, "id": "q2", **SAYS.get(facet, {})})
    if facet == "holdout":
        return GoldenSet(identifier="a", name="A", questions=(first,), holdout=(other,))
    return GoldenSet(identifier="a", name="A", questions=(first, other))


@pytest.mark.parametrize("name", LOST)
@pytest.mark.parametrize("facet", FACET_NAMES)
def test_what_a_format_cannot_hold_is_refused_until_it_is_given_up(
    name: str, facet: str, tmp_path: Path
) -> None:
    golden_set, path = _says(facet), tmp_path / "out"
    if facet not in LOST[name]:
        assert write_set(golden_set, path, name) == golden_set
        return
    with pytest.raises(InvalidFile, match=rf"{name} cannot hold {facet} \(1 question\); .*--drop"):
        write_set(golden_set, path, name)
    assert not path.exists()
    written = write_set(golden_set, path, name, [facet])
    assert path.exists()
    whole = 1 if facet in ("no_answer", "unjudged", "holdout") else 2
    assert len(written.with_holdout) == whole


def _one(**more: Any) -> GoldenSet:
    fields = {"id": "q", "question": "t", "form": "match", "expected_document_ids": ["d"], **more}
    return GoldenSet(identifier="a", name="A", questions=(GoldenQuestion(**fields),))


UNWRITABLE = [
    ("csv", _one(id=b"q\xff"), "question 1 holds bytes that are not UTF-8, which csv cannot"),
    ("parquet", _one(question=b"\xff"), "not UTF-8, which parquet cannot hold"),
    ("beir", _one(hard_class=b"\xff"), "not UTF-8, which beir cannot hold"),
    ("trec", _one(expected_document_ids=[b"\xff"]), "not UTF-8, which trec cannot hold"),
    ("trec", _one(id="a b"), "question 1 has an id with white space"),
    ("trec", _one(expected_document_ids=["a\u000bb"]), "question 1 has an id with white space"),
    ("trec", _one(question="a\tb"), "question 1 has a tab or a line end in its text"),
    ("trec", _one(id="\ufeffa"), "byte order mark"),
    ("beir", _one(id="a\tb"), "question 1 has an id with a tab or a line end"),
    ("beir", _one(id="query-id"), "reads like a header"),
    ("beir", _one(expected_document_ids=[" "]), "of blanks only"),
]


@pytest.mark.parametrize(("name", "golden_set", "rule"), UNWRITABLE)
def test_what_a_format_cannot_spell_is_refused_by_question(
    name: str, golden_set: GoldenSet, rule: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidFile, match=rule):
        write_set(golden_set, tmp_path / "out", name)
    assert not (tmp_path / "out").exists()


def test_b_122_no_text_cell_begins_a_formula(tmp_path: Path) -> None:
    case = cases_runner.load("B-122")
    cells = case["given"]["text_cells"]
    questions = tuple(
        GoldenQuestion(id=cell, question=cell, form="match", hard_class=cell, answer_gist=cell)
        for cell in cells
    )
    path = tmp_path / "out.csv"
    write_set(GoldenSet(identifier="a", name="A", questions=questions), path)
    content = path.read_bytes().decode()
    rows = list(csv.reader(content.splitlines(keepends=True), strict=True))
    starts = {cell[0] for row in rows for cell in row if cell}
    assert not starts & set(case["expected"]["first_character_of_text_cells_not_in"])
    assert content.count("\r\n") == len(cells) + 1
    assert back(GoldenSet(identifier="a", name="A", questions=questions), "csv") == questions


@given(st.text())
def test_a_guarded_text_comes_back(content: str) -> None:
    assert unguarded(guarded(content)) == content
    assert not guarded(content).startswith(("=", "+", "-", "@", "\t", "\r"))


def test_the_ending_tells_the_format_and_an_unknown_one_is_refused(tmp_path: Path) -> None:
    write_set(_one(), tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text().startswith('"id","question","form"')
    write_set(_one(), tmp_path / "a.jsonl")
    assert json.loads((tmp_path / "a.jsonl").read_text().splitlines()[0])["identifier"] == "a"
    with pytest.raises(InvalidFile, match=r"must end in one of \.jsonl, .* or --format say"):
        write_set(_one(), tmp_path / "a.txt")

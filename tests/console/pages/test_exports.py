"""CSV of questions and flips: what the pages show, as cells; nothing that they may not show."""

import csv
import io

import pytest

from evenhand.core.privacy import PrivacyLevel
from evenhand.core.retrieval.golden import HOLDOUT_SUFFIX
from evenhand.core.scoring.evaluation import Evaluation
from tests.builders import Given, a_provenance, a_question, a_set, an_evaluation
from tests.cases_runner import load
from tests.console.conftest import Console, only_sqlite

SET = a_set(a_question("=q1", "d1", text="+1+1"), a_question("q2", "d2", text="-2"))


def a_result(pipeline: str, given: dict[str, Given]) -> Evaluation:
    return an_evaluation(SET, given, provenance=a_provenance(pipeline=pipeline))


def rows_of(console: Console, path: str) -> list[dict[str, str]]:
    answer = console.client.get(path)
    assert answer.status_code == 200, answer.text
    assert answer.headers["Content-Disposition"].startswith("attachment; ")
    content = answer.content.decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(content, newline="")))


def test_every_question_leaves_with_what_became_of_it(console: Console) -> None:
    console.keep(SET)
    record = console.add(a_result("one", {"+1+1": ["x", "d1"], "-2": TimeoutError("late")}))

    page = console.get(f"/console/evaluations/{record.id}/questions")
    [link] = [one for one in page.links() if one.endswith(".csv")]
    first, second = rows_of(console, link)

    assert (first["question_id"], first["question"]) == ("'=q1", "'+1+1")
    assert (first["first_target_rank"], first["hit_at_1"], first["hit_at_3"]) == (
        "2",
        "false",
        "true",
    )
    assert (second["state"], second["latency_ms"]) == ("failed", "none")
    assert second["error_class"] == "TimeoutError"


@only_sqlite
def test_no_cell_of_an_export_begins_a_formula_b_122(console: Console) -> None:
    case = load("B-122")
    texts: list[str] = case["given"]["text_cells"]
    golden_set = a_set(*(a_question(text, "d1", text=text, hard_class=text) for text in texts))
    console.keep(golden_set)
    record = console.add(an_evaluation(golden_set, provenance=a_provenance()))

    rows = rows_of(console, f"/console/evaluations/{record.id}/questions.csv")

    refused = tuple(case["expected"]["first_character_of_text_cells_not_in"])
    cells = [row[name] for row in rows for name in ("question_id", "question", "hard_class")]
    assert len(cells) == 3 * len(texts)
    assert [cell for cell in cells if cell.startswith(refused)] == []


@only_sqlite
def test_without_the_set_questions_have_no_names(console: Console) -> None:
    record = console.add(a_result("one", {}))

    rows = rows_of(console, f"/console/evaluations/{record.id}/questions.csv")

    assert [row["position"] for row in rows] == ["0", "1"]
    assert "question" not in rows[0]


@only_sqlite
def test_an_export_of_many_questions_is_read_in_parts(console: Console) -> None:
    many = a_set(*(a_question(f"q{number:05d}", "d") for number in range(5001)))
    record = console.add(an_evaluation(many, {}), privacy=PrivacyLevel.METADATA)

    rows = rows_of(console, f"/console/evaluations/{record.id}/questions.csv")

    assert [row["position"] for row in rows] == [str(number) for number in range(5001)]


def test_questions_won_and_lost_leave_from_the_comparison(console: Console) -> None:
    console.keep(SET)
    one = console.add(a_result("one", {"+1+1": ["d1"], "-2": ["x", "d2"]}), number=1)
    other = console.add(a_result("two", {"+1+1": ["x"], "-2": ["d2"]}), number=2)

    page = console.get(f"/console/compare?current={one.id}&candidate={other.id}")
    [link] = [link for link in page.links() if "compare.csv" in link]

    assert [(row["question_id"], row["change"]) for row in rows_of(console, link)] == [
        ("'=q1", "lost"),
        ("q2", "won"),
    ]


@only_sqlite
def test_results_that_cannot_be_compared_have_no_flip(console: Console) -> None:
    one, other = (
        console.add(an_evaluation(SET, given, provenance=a_provenance(corpus=name)), number=number)
        for number, (name, given) in enumerate((("a", {"+1+1": ["d1"]}), ("b", {"-2": ["d2"]})), 1)
    )

    path = f"/console/compare.csv?current={one.id}&candidate={other.id}"

    assert rows_of(console, path) == []
    page = console.get(f"/console/compare?current={one.id}&candidate={other.id}")
    assert [link for link in page.links() if "compare.csv" in link] == []


@only_sqlite
def test_nothing_that_is_held_out_or_was_not_kept_leaves(console: Console) -> None:
    held_out = a_set(*SET.questions)
    object.__setattr__(held_out, "identifier", f"tiny{HOLDOUT_SUFFIX}")
    held = console.add(an_evaluation(held_out, {}), number=1, privacy=PrivacyLevel.METADATA)
    bare = console.add(a_result("one", {}), number=2, privacy=PrivacyLevel.NONE)

    for record in (held, bare):
        page = console.get(f"/console/evaluations/{record.id}/questions.csv")
        assert page.status == 422
        assert "nothing is stored question by question" in page.text


@only_sqlite
@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/console/evaluations/01990000-0000-7000-8000-000000000099/questions.csv", 404),
        ("/console/compare.csv?current=a", 422),
        ("/console/compare.csv?current=none&candidate=nothing", 404),
    ],
)
def test_what_is_not_there_is_no_export(console: Console, path: str, status: int) -> None:
    console.add()
    assert console.get(path).status == status

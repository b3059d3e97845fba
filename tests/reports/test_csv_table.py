"""CSV that a spreadsheet opens: text is never a formula, a number is always a number."""

import csv
import io
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.comparison.comparison import compare_sides
from evenhand.core.comparison.side import fresh_side
from evenhand.core.scoring.outcome import JudgedHit, Outcome, OutcomeState
from evenhand.reports.csv_exports import flip_header, flip_rows, question_header, question_rows
from evenhand.reports.csv_table import Cell, csv_pieces
from tests.builders import Given, a_provenance, a_question, a_set, an_evaluation
from tests.cases_runner import load

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def table(header: list[str], *rows: list[Cell]) -> list[list[str]]:
    """What a reader of CSV sees behind the header."""
    content = b"".join(csv_pieces(header, rows)).decode("utf-8-sig")
    read = list(csv.reader(io.StringIO(content, newline=""), strict=True))
    assert read[0] == header
    return read[1:]


def test_text_is_no_formula_and_a_number_stays_one_b_122() -> None:
    case: dict[str, Any] = load("B-122")
    given, expected = case["given"], case["expected"]
    rows = table(
        ["text", "first", "second"],
        *([text, *given["number_cells"]] for text in given["text_cells"]),
    )
    refused = tuple(expected["first_character_of_text_cells_not_in"])
    assert not [row for row in rows if row[0].startswith(refused)]
    numbers = {tuple(map(float, row[1:])) for row in rows}
    assert (numbers == {tuple(given["number_cells"])}) is expected["number_cells_unchanged"]


@given(st.lists(st.text() | st.binary() | st.integers() | st.floats(allow_nan=False), min_size=1))
def test_every_row_is_one_line_and_no_text_begins_a_formula(cells: list[Cell]) -> None:
    content = b"".join(csv_pieces(["cell"], ([cell] for cell in cells))).decode("utf-8-sig")
    lines = content.split("\r\n")
    assert len(lines) == len(cells) + 2
    assert "\n" not in content.replace("\r\n", "")
    for cell, [read] in zip(cells, csv.reader(lines[1:-1]), strict=True):
        if isinstance(cell, str | bytes):
            assert not read.startswith(FORMULA_STARTS)
        else:
            assert (int if isinstance(cell, int) else float)(read) == cell


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        (None, "unknown"),
        (True, "true"),
        (-3, "-3"),
        (Fraction(1, 4), "0.25"),
        ("", ""),
        ("plain", "plain"),
        ('say "x", now', 'say "x", now'),
        ("a\u202eb", "a<U+202E>b"),
        ("one\ntwo", "one\\ntwo"),
        (b"caf\xe9", "caf<0xE9>"),
    ],
)
def test_a_cell_is_written_by_its_type(cell: Cell, written: str) -> None:
    assert table(["cell"], [cell]) == [[written]]


def test_a_row_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        list(csv_pieces(["one", "two"], [["alone"]]))


def test_many_rows_come_in_pieces() -> None:
    pieces = list(csv_pieces(["number"], ([number] for number in range(2500))))
    assert len(pieces) == 3
    assert b"".join(pieces).count(b"\r\n") == 2501


def outcome(**stated: Any) -> Outcome:
    values: dict[str, Any] = {
        "position": 0,
        "state": OutcomeState.SCORED,
        "targets": 1,
        "retrieved": 12,
        "window": 12,
        "judged_hits": (JudgedHit(3, 1),),
        "latency_ms": 7,
    }
    return Outcome(**values | stated)


@pytest.mark.parametrize(
    ("stated", "cells"),
    [
        ({}, (0, "scored", 1, 12, 3, False, True, 7, "none")),
        ({"judged_hits": ()}, (0, "scored", 1, 12, "none", False, False, 7, "none")),
        ({"latency_ms": None}, (0, "scored", 1, 12, 3, False, True, None, "none")),
        (
            {
                "state": OutcomeState.FAILED,
                "retrieved": None,
                "window": None,
                "judged_hits": (),
                "latency_ms": None,
                "error_class": "TimeoutError",
            },
            (0, "failed", 1, "none", "none", False, False, "none", "TimeoutError"),
        ),
        (
            {"state": OutcomeState.UNJUDGED, "targets": None, "judged_hits": ()},
            (0, "unjudged", None, 12, "none", None, None, 7, "none"),
        ),
    ],
)
def test_a_question_says_what_is_known_of_it_and_what_there_is_none_of(
    stated: dict[str, Any], cells: tuple[Cell, ...]
) -> None:
    [row] = question_rows([outcome(**stated)], None)
    assert row == cells
    assert len(row) == len(question_header(None))


def test_names_stand_beside_numbers_where_the_set_is_at_hand() -> None:
    golden_set = a_set()
    evaluation = an_evaluation(golden_set)
    rows = list(question_rows(evaluation.outcomes, golden_set))
    assert [row[-4] for row in rows] == [b"q1", b"q2", b"q3", b"q4"]
    assert {len(row) for row in rows} == {len(question_header(golden_set))}


def test_flips_say_where_the_first_target_stood_on_either_side() -> None:
    golden_set = a_set(a_question("q1", "d1"), a_question("q2", "d2"))
    before: dict[str, Given] = {"q1": ["x", "d1"], "q2": ["d2"]}
    after: dict[str, Given] = {"q1": ["d1"], "q2": TimeoutError("late")}
    one, other = (
        fresh_side(an_evaluation(golden_set, given, provenance=a_provenance(pipeline=name)))
        for name, given in (("old", before), ("new", after))
    )
    comparison = compare_sides(one, other, golden_set=golden_set)
    assert [row[:7] for row in flip_rows(comparison, golden_set)] == [
        (0, "won", True, 2, "none", 1, "none"),
        (1, "lost", True, 1, "none", "none", "TimeoutError"),
    ]
    assert flip_header(golden_set)[7] == "question_id"


def test_without_comparable_there_is_no_flip() -> None:
    one, other = (
        fresh_side(an_evaluation(provenance=a_provenance(corpus=name))) for name in ("a", "b")
    )
    assert list(flip_rows(compare_sides(one, other), None)) == []

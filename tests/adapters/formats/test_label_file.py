"""Labels of people, line by line, in both formats; a line that breaks a rule is named."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from evenhand.adapters.formats.label_file import MEMBERS, by_revision, read_labels
from evenhand.core.errors import InvalidFile
from evenhand.core.review.observation import Assessment

CANARY = "CANARY-7c1d"


def a_record(**stated: Any) -> dict[str, Any]:
    return {
        "case_id": "c1",
        "practice_revision_id": "r1",
        "label": "good",
        "labeller": "p1",
        "labelled_at": "2026-09-01T12:00:00+02:00",
    } | stated


def a_file(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "labels"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_json_lines_and_csv_say_the_same(tmp_path: Path) -> None:
    records = [a_record(), a_record(case_id="c,2", label="bad", practice_revision_id="r2")]
    lines = a_file(tmp_path, *(json.dumps(one) for one in records))
    found = read_labels(lines)
    columns = list(reversed(MEMBERS))
    cells = [",".join(f'"{one[name]}"' for name in columns) for one in records]
    table = a_file(tmp_path, "\ufeff" + ",".join(columns), "", *cells)
    assert [replace(one, line=0) for one in read_labels(table)] == [
        replace(one, line=0) for one in found
    ]
    assert [one.line for one in read_labels(table)] == [3, 4]
    first, second = found
    assert (first.practice_revision_id, first.said.label) == ("r1", Assessment.GOOD)
    assert first.said.labelled_at == datetime(2026, 9, 1, 10, tzinfo=UTC)
    assert (second.said.case_id, second.said.label) == ("c,2", Assessment.BAD)
    assert {key: len(filed) for key, filed in by_revision(found).items()} == {"r1": 1, "r2": 1}


@pytest.mark.parametrize(
    ("stated", "rule"),
    [
        ({"label": CANARY}, "label must be good or bad"),
        ({"label": ["good"]}, "label must be a text"),
        ({"case_id": 1}, "case_id must be a text"),
        ({"case_id": ""}, "case_id: must have 1 to 190 characters"),
        ({"practice_revision_id": ""}, "practice_revision_id must be an id"),
        ({"labeller": f"{CANARY}@example.org"}, "labeller: must be a pseudonym"),
        ({"labelled_at": "2026-09-01T12:00:00"}, "labelled_at must be a time with a zone"),
        ({"labelled_at": "2026-02-30T12:00:00Z"}, "labelled_at must be a time with a zone"),
        ({"labelled_at": "2026-09-01"}, "labelled_at must be a time with a zone"),
        ({"case_id": "c0"}, "labels a case twice for one labeller and time"),
        ({"note": CANARY}, "and nothing else"),
    ],
)
def test_a_line_that_breaks_a_rule_is_named_and_not_repeated(
    tmp_path: Path, stated: dict[str, Any], rule: str
) -> None:
    lines = [json.dumps(a_record(case_id="c0")), json.dumps(a_record(**stated))]
    with pytest.raises(InvalidFile, match=rule) as error:
        read_labels(a_file(tmp_path, *lines))
    assert error.value.line == 2
    assert CANARY not in str(error.value)


@pytest.mark.parametrize(
    ("lines", "rule", "line"),
    [
        (("case_id,label",), "must be a JSON object, or name the columns", 1),
        ((",".join(MEMBERS), "c1,r1,good,p1"), "must have 5 cells", 2),
        ((",".join(MEMBERS), 'c1,"r1,good,p1,t'), "is not CSV", 2),
        ((",".join(MEMBERS),), "holds no label", None),
        (("",), "holds no label", None),
        ((json.dumps({"case_id": "c1", "label": "good"}),), "and nothing else", 1),
    ],
)
def test_a_file_that_is_no_list_of_labels_is_refused(
    tmp_path: Path, lines: tuple[str, ...], rule: str, line: int | None
) -> None:
    with pytest.raises(InvalidFile, match=rule) as error:
        read_labels(a_file(tmp_path, *lines))
    assert error.value.line == line

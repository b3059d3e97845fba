"""Labels of people, line by line; a line that breaks a rule is named."""

from pathlib import Path

import pytest

from evenhand.adapters.formats.label_file import read_labels
from evenhand.core.errors import InvalidFile
from evenhand.core.review.observation import Assessment


def test_labels_are_read_by_case(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text('{"case_id": "c1", "label": "good"}\n\n{"case_id": "c2", "label": "bad"}\n')
    assert read_labels(path) == {"c1": Assessment.GOOD, "c2": Assessment.BAD}


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ('{"case_id": "c1", "label": "maybe"}', "label must be good or bad"),
        ('{"case_id": "c1", "label": ["good"]}', "label must be good or bad"),
        ('{"case_id": 1, "label": "good"}', "case_id must be a text"),
        ('{"case_id": "c0", "label": "good"}', "labels a case twice"),
        ('{"case_id": "c1"}', "must have case_id and label"),
        ('{"case_id": "c1", "label": "good", "by": "x"}', "must have case_id and label"),
    ],
)
def test_a_line_that_breaks_a_rule_is_named(tmp_path: Path, line: str, rule: str) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text('{"case_id": "c0", "label": "good"}\n' + line + "\n")
    with pytest.raises(InvalidFile, match=rule) as error:
        read_labels(path)
    assert error.value.line == 2


def test_a_file_without_a_label_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text("\n")
    with pytest.raises(InvalidFile, match="holds no label"):
        read_labels(path)

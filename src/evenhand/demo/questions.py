"""What does the demo ask? Questions written by hand, kept as files like anybody's.

``stdlib.jsonl`` is scored; ``fitting.jsonl`` only fits the score threshold of the dense retriever.
``notes.jsonl`` says beside each question why its targets answer it and what was rejected.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Final

from evenhand.adapters.formats.golden_jsonl import read_golden_jsonl
from evenhand.adapters.formats.whole_file import writing
from evenhand.core.identity.canonical import to_text
from evenhand.core.retrieval.golden import GoldenSet

SCORED_FILE: Final = "stdlib.jsonl"
FITTING_FILE: Final = "fitting.jsonl"

DATA: Final = Path(__file__).with_name("data")


def write_questions(folder: Path) -> Path:
    """Put a copy of the scored questions into an existing folder; give its path."""
    target = folder / SCORED_FILE
    with writing(target) as stream:
        stream.write((DATA / SCORED_FILE).read_bytes())
    return target


def load_fitting() -> GoldenSet:
    """The questions that fit a threshold; they are never scored."""
    return read_golden_jsonl(DATA / FITTING_FILE)


def missing_targets(golden_set: GoldenSet, names: Collection[str]) -> tuple[str, ...]:
    """Targets of a set that a corpus does not hold, each once, in order.

    On CPython 3.11 to 3.14 there are none. On another version a question that lost a target is
    asked all the same, and cannot be answered by it.
    """
    targets = {
        to_text(target)
        for question in golden_set.questions
        for target in question.expected_document_ids
    }
    return tuple(sorted(targets.difference(names)))

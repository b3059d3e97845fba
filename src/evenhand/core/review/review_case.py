"""What does a review of an answer look at, and as which files? The question, the answer, passages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from evenhand.core.identity.canonical import json_ascii_v1_digest, to_bytes

QUESTION: Final = "question.txt"
ANSWER: Final = "answer.txt"
PASSAGES: Final = "passages"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewCase:
    """One answer with all that a review of it needs.

    Attributes:
        case_id: by which a job names it, and strata are paired.
        answer_id: of the answer; what a job is about.
        question: what was asked.
        answer: what was answered.
        passages: texts that were retrieved, best first.
    """

    case_id: str
    answer_id: str
    question: str
    answer: str
    passages: tuple[str, ...]

    @property
    def not_ready(self) -> tuple[str, ...]:
        """Codes of why it cannot be judged; empty where it can."""
        found = []
        if not self.answer.strip():
            found.append("answer_is_empty")
        if not any(passage.strip() for passage in self.passages):
            found.append("no_passages")
        return tuple(found)

    @property
    def files(self) -> tuple[tuple[str, bytes], ...]:
        """Paths and contents, as they are staged; a passage's place is its name."""
        return (
            (QUESTION, to_bytes(self.question, field="question")),
            (ANSWER, to_bytes(self.answer, field="answer")),
            *(
                (passage_path(place), to_bytes(passage, field="passages"))
                for place, passage in enumerate(self.passages, start=1)
            ),
        )

    @property
    def digest(self) -> str:
        """Of all of it, 64 lowercase hex digits (the C-92 rule)."""
        return json_ascii_v1_digest(
            [self.case_id, self.answer_id, self.question, self.answer, list(self.passages)]
        )


def passage_path(place: int) -> str:
    """Where the passage of this place, from 1, is staged."""
    return f"{PASSAGES}/{place:04d}.txt"

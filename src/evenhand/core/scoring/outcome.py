"""What does one question contribute to a result, once every id and every text is taken away?

Outcomes are the sufficient statistic of every measure here: the rank and grade of each judged
document among the distinct results, and how many came back. They are kept from privacy level
``metadata`` up, so that comparison and re-scoring need no text.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from evenhand.core.retrieval.golden import GoldenQuestion, GoldenSet
from evenhand.core.retrieval.qrels import question_relevance
from evenhand.core.retrieval.ranking import Answer, Failed, distinct_documents


class OutcomeState(StrEnum):
    """What happened to one question."""

    SCORED = "scored"
    FAILED = "failed"
    UNJUDGED = "unjudged"


class JudgedHit(NamedTuple):
    """A judged document among the distinct results: its rank from 1, and its grade."""

    rank: int
    grade: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One question's contribution, without ids or text.

    Attributes:
        position: index of the question in byte order of the question ids, from 0.
        state: scored, failed or unjudged.
        targets: number of targets; 0 for a no-answer question, None for an unjudged one.
        retrieved: distinct non-empty documents among all results read; None when failed.
        window: the same among the raw results that the hits protocol reads; None when failed.
        judged_hits: by rank, over all distinct results read.
        latency_ms: whole milliseconds, None when not measured; a failed question has none.
        error_class: what failed, None otherwise.
        judged_grades: grades of all judgements of the question, descending, which the ideal
            ranking is made of; None where they were not kept.
    """

    position: int
    state: OutcomeState
    targets: int | None
    retrieved: int | None
    window: int | None
    judged_hits: tuple[JudgedHit, ...] = ()
    latency_ms: int | None = None
    error_class: str | None = None
    judged_grades: tuple[int, ...] | None = None

    @property
    def is_answerable(self) -> bool:
        """Whether the labels name at least one target."""
        return bool(self.targets)

    @property
    def is_no_answer(self) -> bool:
        """Whether the labels say that nothing in the corpus answers this question."""
        return self.targets == 0

    def is_hit(self, cutoff: int) -> bool:
        """Whether the hits protocol counts a hit at this cutoff, at least 1 (BP-09).

        With targets: one of them is among the first ``cutoff`` distinct documents. Without:
        nothing came back. A failed or unjudged question is never a hit.
        """
        if self.state is not OutcomeState.SCORED or self.window is None:
            return False
        if self.is_no_answer:
            return self.window == 0
        return self.first_target(cutoff) is not None

    @property
    def target_rank(self) -> int | None:
        """Rank of the first target among all distinct results; None where none came back."""
        return min((hit.rank for hit in self.judged_hits if hit.grade >= 1), default=None)

    def first_target(self, cutoff: int) -> int | None:
        """Rank of the first target among the first ``cutoff`` documents that the hits protocol reads.

        None where no target is among them, and where it failed.
        """
        if self.window is None:
            return None
        reach = min(cutoff, self.window)
        ranks = (hit.rank for hit in self.judged_hits if hit.grade >= 1 and hit.rank <= reach)
        return min(ranks, default=None)


def build_outcomes(
    golden_set: GoldenSet, answers: tuple[Answer, ...], *, window: int
) -> tuple[Outcome, ...]:
    """Outcomes in order of position.

    Args:
        golden_set: the questions.
        answers: one per question, in the set's order.
        window: how many raw results the hits protocol reads.

    Raises:
        ValueError: as many answers as questions are needed.
    """
    pairs = zip(golden_set.questions, answers, strict=True)
    answered = {question.id: answer for question, answer in pairs}
    return tuple(
        _outcome(position, question, answered[question.id], window)
        for position, question in enumerate(golden_set.by_position)
    )


def _outcome(position: int, question: GoldenQuestion, answer: Answer, window: int) -> Outcome:
    targets = None if question.unjudged else len(question.expected_document_ids)
    grades = question_relevance(question)
    judged = tuple(sorted(grades.values(), reverse=True))
    if isinstance(answer, Failed):
        return Outcome(
            position=position,
            state=OutcomeState.UNJUDGED if question.unjudged else OutcomeState.FAILED,
            targets=targets,
            retrieved=None,
            window=None,
            error_class=answer.error_class,
            judged_grades=judged,
        )
    distinct = distinct_documents(answer.documents)
    hits = tuple(
        JudgedHit(rank, grades[document])
        for rank, document in enumerate(distinct, 1)
        if document in grades
    )
    return Outcome(
        position=position,
        state=OutcomeState.UNJUDGED if question.unjudged else OutcomeState.SCORED,
        targets=targets,
        retrieved=len(distinct),
        window=len(distinct_documents(answer.documents[:window])),
        judged_hits=hits,
        latency_ms=answer.latency_ms,
        judged_grades=judged,
    )

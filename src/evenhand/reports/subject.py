"""What does a report speak of? One evaluation with whatever of it is at hand.

A fresh evaluation brings questions and answers; a stored one may bring outcomes, and questions
only where the golden set at hand is the one that was asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from evenhand.core.identity.stored import StoredIdentity
from evenhand.core.retrieval.coverage import Coverage
from evenhand.core.retrieval.golden import GoldenQuestion, GoldenSet, is_holdout_identifier
from evenhand.core.retrieval.ranking import Answer
from evenhand.core.scoring.evaluation import Basis, Conditions, Evaluation, EvaluationRecord
from evenhand.core.scoring.graded import Score
from evenhand.core.scoring.outcome import Outcome
from evenhand.core.scoring.protocols import HitCounts, Split, split_by_form, split_by_hard_class


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One evaluation as a report sees it. Build it with `fresh_subject` or `stored_subject`.

    Attributes:
        set_identifier, set_name, retriever, grader, protocol, basis, depth, conditions, counts,
            identity, started_at, finished_at: as in `Evaluation`.
        record: the stored row, None when nothing was stored.
        outcomes: by position, None where the privacy level kept none.
        questions: by position, None when the golden set is not at hand.
        answers: by position, None unless the evaluation is fresh.
        golden_set: the set that was asked, None when it is not at hand.
        labels: labels fingerprint, None when unknown.
        labels_derived: whether Evenhand derived the labels of what was run; None when that is not
            known, as it is of a stored evaluation.
        corpus_digested: whether at least the corpus label is a digest made by Evenhand; False
            where that is not known.
        not_joined: why the golden set at hand was left out, empty when it was not.
        graded: values of graded measures.
        coverage: what a run file and the set do not have in common; None where that is not known,
            as it is not of a stored evaluation.
    """

    set_identifier: str
    set_name: str
    retriever: str
    grader: str
    protocol: str
    basis: Basis
    depth: int
    conditions: Conditions
    counts: HitCounts
    identity: StoredIdentity | None
    started_at: datetime
    finished_at: datetime
    record: EvaluationRecord | None
    outcomes: tuple[Outcome, ...] | None
    questions: tuple[GoldenQuestion, ...] | None
    answers: tuple[Answer, ...] | None
    golden_set: GoldenSet | None
    labels: str | None
    labels_derived: bool | None = None
    corpus_digested: bool = False
    not_joined: str = ""
    graded: tuple[Score, ...] = ()
    coverage: Coverage | None = None

    @property
    def is_holdout(self) -> bool:
        """Whether it is of the part that a set holds out: then no question of it is shown."""
        return is_holdout_identifier(self.set_identifier)

    @property
    def forms(self) -> tuple[Split, ...]:
        """Breakdown by form; empty where questions or outcomes are not at hand."""
        if self.golden_set is None or self.outcomes is None:
            return ()
        return split_by_form(self.golden_set, self.outcomes)

    @property
    def hard_classes(self) -> tuple[Split, ...]:
        """Breakdown by hard class; empty as `forms`, or where no question has one."""
        if self.golden_set is None or self.outcomes is None:
            return ()
        return split_by_hard_class(self.golden_set, self.outcomes)


def fresh_subject(
    evaluation: Evaluation,
    record: EvaluationRecord | None = None,
    *,
    graded: tuple[Score, ...] = (),
) -> Subject:
    """A fresh evaluation, with its row where it was stored and the graded values of it.

    Of a holdout part no question comes along: who knows which of them failed begins to tune on
    them.
    """
    golden_set = evaluation.golden_set
    is_shown = not golden_set.is_holdout
    answered = dict(zip(golden_set.questions, evaluation.answers, strict=True))
    identity = evaluation.identity
    return Subject(
        set_identifier=golden_set.identifier,
        set_name=golden_set.name,
        retriever=evaluation.retriever,
        grader=evaluation.grader,
        protocol=evaluation.protocol,
        basis=evaluation.basis,
        depth=evaluation.depth,
        conditions=evaluation.conditions,
        counts=evaluation.counts,
        identity=identity,
        started_at=evaluation.started_at,
        finished_at=evaluation.finished_at,
        record=record,
        outcomes=evaluation.outcomes,
        questions=golden_set.by_position if is_shown else None,
        answers=tuple(answered[question] for question in golden_set.by_position)
        if is_shown
        else None,
        golden_set=golden_set if is_shown else None,
        labels=identity.fingerprints.labels if identity else golden_set.labels_fingerprint,
        labels_derived=evaluation.labels_derived,
        graded=graded,
        corpus_digested=evaluation.corpus_digested,
        coverage=evaluation.coverage,
    )


def stored_subject(
    record: EvaluationRecord,
    outcomes: tuple[Outcome, ...] | None = None,
    golden_set: GoldenSet | None = None,
    *,
    graded: tuple[Score, ...] = (),
) -> Subject:
    """A stored evaluation, joined with the golden set only where that is the one it ran on.

    Args:
        record: the row.
        outcomes: by position, None where none were kept.
        golden_set: the set of that identifier as it is now, None when it is not at hand; no set
            is joined to a result of a holdout part.
        graded: values of graded measures that are stored with it.
    """
    if record.is_holdout:
        golden_set = None
    identity = record.identity
    labels = None if identity is None else identity.fingerprints.labels
    why = "" if golden_set is None else _why_not_joined(labels, outcomes, golden_set)
    joined = None if why else golden_set
    return Subject(
        set_identifier=record.set_identifier,
        set_name=record.set_name,
        retriever=record.retriever,
        grader=record.grader,
        protocol=record.protocol,
        basis=record.basis,
        depth=record.depth,
        conditions=record.conditions,
        counts=record.counts,
        identity=identity,
        started_at=record.started_at,
        finished_at=record.finished_at,
        record=record,
        outcomes=outcomes,
        questions=None if joined is None else joined.by_position,
        answers=None,
        golden_set=joined,
        labels=labels,
        not_joined=why,
        graded=graded,
    )


def _why_not_joined(
    labels: str | None, outcomes: tuple[Outcome, ...] | None, golden_set: GoldenSet
) -> str:
    if labels is None:
        return (
            "The golden set at hand is not joined: this result does not say which labels it "
            "was scored with."
        )
    if labels != golden_set.labels_fingerprint or not _fits(outcomes, golden_set):
        return (
            "The golden set at hand is not joined: its questions or labels are not those of "
            "this result."
        )
    return ""


def _fits(outcomes: tuple[Outcome, ...] | None, golden_set: GoldenSet) -> bool:
    """Whether outcomes and questions meet position by position.

    The labels fingerprint leaves unjudged questions out, yet they take positions: one more of
    them would shift every outcome behind it onto another question.
    """
    if outcomes is None:
        return True
    expected = [
        None if question.unjudged else len(question.expected_document_ids)
        for question in golden_set.by_position
    ]
    return [outcome.targets for outcome in outcomes] == expected

"""What does a run score that somebody else carried out and reported?

A consumer reports rankings, never numbers; the protocol scores them here (basis ``reported``).
Exactly one entry for each question of the set is taken: a question that is left out would leave
every denominator. What is reported by position instead is the business of `reported_rows`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from evenhand.core.errors import InvalidText
from evenhand.core.errors.evaluation import NothingScored
from evenhand.core.errors.publication import InvalidReport
from evenhand.core.identity.canonical import to_bytes
from evenhand.core.identity.provenance import RetrievalProvenance, build_fingerprints
from evenhand.core.identity.stored import StoredIdentity
from evenhand.core.retrieval.golden import MAX_NAME_BYTES, TOO_LONG, GoldenSet, QueryId
from evenhand.core.retrieval.ranking import Answer
from evenhand.core.scoring.evaluation import UNKNOWN_MACHINE, Basis, Conditions, Evaluation
from evenhand.core.scoring.outcome import build_outcomes
from evenhand.core.scoring.protocols import SCORING_VERSION, WINDOW, HitCounts, count_hits

#: Nobody here timed a retrieval, so nothing is known of what latencies depend on.
UNKNOWN_CONDITIONS: Final = Conditions(machine=UNKNOWN_MACHINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """What a consumer states of a run beside its results.

    Attributes:
        retriever: under which name results are stored; UTF-8, 1 to 255 bytes, without NUL.
        provenance: what was run; None is unknown.
        protocol: by which the results are to be scored.
        depth: limit that was handed to the retriever, at least 1.

    Raises:
        InvalidReport: the protocol is none that this release scores (``unknown_protocol``), or
            the depth is below 1.
        InvalidText: the retriever's name cannot be stored.
    """

    retriever: str
    provenance: RetrievalProvenance | None
    protocol: str
    depth: int

    def __post_init__(self) -> None:
        held = to_bytes(self.retriever, field="retriever", refuse_nul=True)
        if not held or held.decode("utf-8", "ignore") != self.retriever:
            raise InvalidText("retriever", "must be UTF-8 and not empty")
        if len(held) > MAX_NAME_BYTES:
            raise InvalidText("retriever", TOO_LONG)
        if self.protocol != SCORING_VERSION:
            rule = "is no protocol that this release scores by"
            raise InvalidReport("protocol", rule, code="unknown_protocol")
        if self.depth < 1:
            raise InvalidReport("depth", "must be at least 1")

    def identity(self, labels_fingerprint: str) -> StoredIdentity | None:
        """What was declared, with the fingerprints against these labels; None is unknown."""
        if self.provenance is None:
            return None
        return StoredIdentity(
            provenance=self.provenance,
            fingerprints=build_fingerprints(self.provenance, labels_fingerprint, self.protocol),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedAnswer:
    """What a consumer reports of one question.

    Attributes:
        question_id: of the set.
        answer: its ranking, or that its retrieval failed.
    """

    question_id: QueryId
    answer: Answer


def match_answers(golden_set: GoldenSet, reported: Sequence[ReportedAnswer]) -> tuple[Answer, ...]:
    """One answer for each question, in the set's order.

    Args:
        golden_set: what was asked; what it holds out is no part of it.
        reported: in any order.

    Raises:
        InvalidReport: ``question_unknown``, ``question_repeated`` or ``question_missing``; names
            the place in what was reported, never an id.
    """
    asked = {question.id for question in golden_set.questions}
    answers: dict[QueryId, Answer] = {}
    for place, one in enumerate(reported):
        field = f"questions.{place}.question_id"
        if one.question_id not in asked:
            raise InvalidReport(field, "is no question of the set", code="question_unknown")
        if one.question_id in answers:
            raise InvalidReport(field, "was there before", code="question_repeated")
        answers[one.question_id] = one.answer
    if len(answers) < len(asked):
        rule = incomplete(len(asked) - len(answers), len(asked))
        raise InvalidReport("questions", rule, code="question_missing")
    return tuple(answers[question.id] for question in golden_set.questions)


def incomplete(missing: int, asked: int) -> str:
    """The rule that a report breaks in which questions have no entry."""
    return (
        f"{missing} of {asked} questions of the set have no entry; report each, also failed ones"
    )


def score_answers(
    golden_set: GoldenSet, stated: Stated, reported: Sequence[ReportedAnswer], *, at: datetime
) -> Evaluation:
    """The evaluation of reported rankings by the hits protocol.

    Args:
        golden_set: what was asked.
        stated: what else was reported.
        reported: one for each question, in any order.
        at: when it was reported, aware UTC; when it was run is not known.

    Raises:
        InvalidReport: as `match_answers`.
        NothingScored: no judged question could be scored.
    """
    answers = match_answers(golden_set, reported)
    outcomes = build_outcomes(golden_set, answers, window=WINDOW)
    return Evaluation(
        golden_set=golden_set,
        retriever=stated.retriever,
        identity=stated.identity(golden_set.labels_fingerprint),
        answers=answers,
        outcomes=outcomes,
        counts=require_scored(count_hits(outcomes)),
        basis=Basis.REPORTED,
        depth=stated.depth,
        conditions=UNKNOWN_CONDITIONS,
        started_at=at,
        finished_at=at,
        protocol=stated.protocol,
    )


def require_scored(counts: HitCounts) -> HitCounts:
    """The counts, where at least one judged question could be scored.

    Raises:
        NothingScored: none could; a result of nothing but failures says nothing of a retriever.
    """
    if not counts.scored:
        why = "no judged question of what was reported could be scored; nothing was stored"
        raise NothingScored(why, is_judged=bool(counts.questions))
    return counts

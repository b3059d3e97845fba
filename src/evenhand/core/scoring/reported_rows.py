"""What does a run score of which only outcomes are reported, by position?

Whoever may not let ids and texts leave the house reports rows instead of rankings: state, number
of documents, judged hits. Nobody here saw the rankings, so the basis is ``imported``. The set is
at hand, and then targets and grades are its own; or it is only described by its digests, and then
they are what was reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.core.errors.publication import InvalidReport
from evenhand.core.identity.canonical import is_fingerprint
from evenhand.core.identity.stored import StoredIdentity
from evenhand.core.retrieval.golden import GoldenQuestion, GoldenSet, is_holdout_identifier
from evenhand.core.retrieval.qrels import question_relevance
from evenhand.core.scoring.outcome import JudgedHit, Outcome, OutcomeState
from evenhand.core.scoring.outcome_rules import find_broken_rule
from evenhand.core.scoring.protocols import WINDOW, HitCounts, count_hits
from evenhand.core.scoring.reported import Stated, incomplete, require_scored


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedRow:
    """What a consumer reports of one question, by position.

    Attributes:
        position: index of the question in byte order of the question ids, from 0.
        state: scored, failed or unjudged.
        retrieved: distinct documents among the results; None when failed.
        window: the same among the first 12 results; None where it is to be found from the depth.
        judged_hits: rank and grade of each judged document, by rank.
        latency_ms: whole milliseconds, None when unknown.
        error_code: what failed, None otherwise.
        targets: number of targets; None for an unjudged question and where the set is at hand.
        judged_grades: of all judgements, descending; None where unknown or the set is at hand.
    """

    position: int
    state: OutcomeState
    retrieved: int | None = None
    window: int | None = None
    judged_hits: tuple[JudgedHit, ...] = ()
    latency_ms: int | None = None
    error_code: str | None = None
    targets: int | None = None
    judged_grades: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribedSet:
    """A golden set of which only digests are told.

    Attributes:
        identifier, name: as in the set.
        labels_fingerprint: of its labels, ``v1:`` and hex; None is unknown, and then nothing
            compares with a result on it.
        qrels_digest: of its judgements, ``v1:`` and hex; None is unknown.

    Raises:
        InvalidReport: a digest of another shape, or a part that is held out: nothing of it is
            to be seen anywhere but where it is asked.
    """

    identifier: str
    name: str
    labels_fingerprint: str | None = None
    qrels_digest: str | None = None

    def __post_init__(self) -> None:
        if is_holdout_identifier(self.identifier):
            rule = "is that of a part that is held out, which is not published"
            raise InvalidReport("described_set.identifier", rule)
        for name in ("labels_fingerprint", "qrels_digest"):
            digest = getattr(self, name)
            if digest is not None and not is_fingerprint(digest):
                rule = "must be v1: and 64 lowercase hex digits"
                field = "described_set." + name
                raise InvalidReport(field, rule)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedResult:
    """Scored rows of a run.

    Attributes:
        asked: what was asked.
        identity: what was declared, None when unknown.
        outcomes: by position.
        counts: over the outcomes.
    """

    asked: GoldenSet | DescribedSet
    identity: StoredIdentity | None
    outcomes: tuple[Outcome, ...]
    counts: HitCounts


def score_rows(
    asked: GoldenSet | DescribedSet, stated: Stated, rows: Sequence[ReportedRow]
) -> ReportedResult:
    """The outcomes and counts of reported rows.

    Args:
        asked: the set, or what is told of it.
        stated: what else was reported.
        rows: one for each question, in any order.

    Raises:
        InvalidReport: a row is missing, twice there or one too many; it contradicts the set; or
            it could not have come out of an evaluation.
        NothingScored: no judged question could be scored.
    """
    ordered = sorted(rows, key=lambda row: row.position)
    questions = asked.by_position if isinstance(asked, GoldenSet) else None
    _require_positions(ordered, None if questions is None else len(questions))
    outcomes = tuple(
        _outcome(row, stated.depth, None if questions is None else questions[row.position])
        for row in ordered
    )
    broken = find_broken_rule(outcomes)
    if broken is not None:
        raise InvalidReport(_place(broken.place), broken.rule)
    return ReportedResult(
        asked=asked,
        identity=_identity(asked, stated),
        outcomes=outcomes,
        counts=require_scored(count_hits(outcomes)),
    )


def _identity(asked: GoldenSet | DescribedSet, stated: Stated) -> StoredIdentity | None:
    labels = asked.labels_fingerprint
    if labels is not None:
        return stated.identity(labels)
    if stated.provenance is None:
        return None
    rule = "is needed where it is said what was run"
    raise InvalidReport("described_set.labels_fingerprint", rule)


def _require_positions(ordered: Sequence[ReportedRow], asked: int | None) -> None:
    total = len(ordered) if asked is None else asked
    for place, row in enumerate(ordered):
        if place and ordered[place - 1].position == row.position:
            field = _place(row.position, "position")
            raise InvalidReport(field, "was there before", code="question_repeated")
        if asked is not None and row.position >= asked:
            field = _place(row.position, "position")
            raise InvalidReport(field, "is no question of the set", code="question_unknown")
    if not ordered or [row.position for row in ordered] != list(range(total)):
        missing = max(total, ordered[-1].position + 1 if ordered else 1) - len(ordered)
        rule = incomplete(missing, len(ordered) + missing)
        raise InvalidReport("outcomes", rule, code="question_missing")


def _outcome(row: ReportedRow, depth: int, question: GoldenQuestion | None) -> Outcome:
    targets, grades = row.targets, row.judged_grades
    if question is not None:
        targets, grades = _known(row, question)
    elif row.state is not OutcomeState.UNJUDGED and targets is None:
        rule = "is needed for a judged question of a set that is only described"
        raise InvalidReport(_place(row.position, "targets"), rule)
    return Outcome(
        position=row.position,
        state=row.state,
        targets=targets,
        retrieved=row.retrieved,
        window=_window(row, depth),
        judged_hits=row.judged_hits,
        latency_ms=row.latency_ms,
        error_class=row.error_code,
        judged_grades=grades,
    )


def _known(row: ReportedRow, question: GoldenQuestion) -> tuple[int | None, tuple[int, ...]]:
    """Targets and grades of the set, which what was reported of them must not contradict."""
    targets = None if question.unjudged else len(question.expected_document_ids)
    grades = tuple(sorted(question_relevance(question).values(), reverse=True))
    for name, stated, known in (
        ("targets", row.targets, targets),
        ("judged_grades", row.judged_grades, grades),
    ):
        if stated is not None and stated != known:
            field = _place(row.position, name)
            raise InvalidReport(field, "is not what the set says", code="set_contradicted")
    if (row.state is OutcomeState.UNJUDGED) is not question.unjudged:
        field = _place(row.position, "state")
        raise InvalidReport(field, "is not what the set says", code="set_contradicted")
    return targets, grades


def _window(row: ReportedRow, depth: int) -> int | None:
    """Distinct documents among the results that the protocol reads."""
    if row.retrieved is None:
        return row.window
    if row.retrieved > depth:
        rule = "is more than the depth that was asked for"
        raise InvalidReport(_place(row.position, "retrieved"), rule)
    if row.window is not None:
        if depth <= WINDOW and row.window != row.retrieved:
            rule = "is all that was retrieved where no more than 12 results were asked for"
            raise InvalidReport(_place(row.position, "window"), rule)
        return row.window
    # Of more results it is not known how many of the first twelve are distinct.
    if depth > WINDOW:
        rule = "is needed where more than 12 results were asked for"
        raise InvalidReport(_place(row.position, "window"), rule, code="window_missing")
    return row.retrieved


def _place(position: int, member: str | None = None) -> str:
    return f"outcomes.{position}" if member is None else f"outcomes.{position}.{member}"

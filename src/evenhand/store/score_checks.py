"""Are the graded values that are stored those of the outcomes? See ``store.checks``."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from evenhand.core.errors import EvenhandError
from evenhand.core.identity.graded import GradedScale
from evenhand.core.scoring.graded import StoredScore, graded_value
from evenhand.core.scoring.measure_names import parse_measure
from evenhand.core.scoring.measures import GRADED_VERSION
from evenhand.core.scoring.outcome import Outcome
from evenhand.core.scoring.outcome_rules import broken_grades
from evenhand.store.evaluation_rows import row_to_identity, row_to_outcome
from evenhand.store.evaluations import outcomes_of
from evenhand.store.scores import row_to_score, scores_of
from evenhand.store.tables import evaluation, evaluation_relevance, evaluation_score

_UNREADABLE = "its grades or graded values do not read back as what was written"


def score_problems(connection: Connection) -> Iterator[tuple[str, str, str]]:
    """Code, subject and message of what is wrong with grades and graded values."""
    for evaluation_id in _with_grades(connection):
        try:
            problems = list(_problems(connection, evaluation_id))
        except (msgspec.DecodeError, EvenhandError, ValueError, TypeError):
            problems = [("score_unreadable", _UNREADABLE)]
        for code, message in problems:
            yield code, f"evaluation {evaluation_id}", message


def _with_grades(connection: Connection) -> list[str]:
    """Evaluations that have judgements, or values without any."""
    tables = (evaluation_relevance, evaluation_score)
    found = (connection.scalars(sa.select(one.c.evaluation_id).distinct()) for one in tables)
    return sorted({evaluation_id for ids in found for evaluation_id in ids})


def _problems(connection: Connection, evaluation_id: str) -> Iterator[tuple[str, str]]:
    rows = connection.execute(outcomes_of(evaluation_id)).mappings()
    outcomes = tuple(map(row_to_outcome, rows))
    for outcome in outcomes:
        rule = broken_grades(outcome)
        if rule is not None:
            yield "grade_rule", f"outcome {outcome.position}: {rule}"
            return
    row = connection.execute(
        sa.select(evaluation).where(evaluation.c.id == evaluation_id)
    ).mappings()
    identity = row_to_identity(row.one())
    for score in map(row_to_score, connection.execute(scores_of(evaluation_id)).mappings()):
        scale = GradedScale(
            protocol=score.protocol,
            qrels_digest=score.qrels_digest,
            measure=score.value.measure,
            depth=score.depth,
        )
        if score.benchmark != scale.benchmark(identity):
            yield "score_benchmark", f"{score.value.measure}: its fingerprint is another one"
        if _is_other(score, outcomes):
            yield "score_value", f"{score.value.measure}: scoring the outcomes gives another value"


def _is_other(score: StoredScore, outcomes: tuple[Outcome, ...]) -> bool:
    # Without outcomes nothing can be computed; another version may compute otherwise.
    if not outcomes or score.protocol != GRADED_VERSION:
        return False
    if any(one.judged_grades is None and one.targets is not None for one in outcomes):
        return False
    return graded_value(parse_measure(score.value.measure), outcomes) != score.value

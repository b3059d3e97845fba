"""What does ``run`` store: the result, the answers that go with it, and what the store says of both?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand import __version__

if TYPE_CHECKING:
    from evenhand.bootstrap import App
    from evenhand.cli.experiment import Experiment
    from evenhand.core.comparison.checks import SelfCheck
    from evenhand.core.comparison.comparison import Comparison
    from evenhand.core.comparison.previous import Tolerance
    from evenhand.core.review.given_answer import GivenAnswer
    from evenhand.core.scoring.evaluation import Evaluation, EvaluationRecord
    from evenhand.core.scoring.measures import Measure
    from evenhand.usecases.evaluations import Recorded
    from evenhand.usecases.ports import UnitOfWork


def read_given(app: App, experiment: Experiment, file: Path | None) -> tuple[GivenAnswer, ...]:
    """The answers of a file, read before the first question is asked.

    Raises:
        InvalidFile: a line breaks a rule, or answers no question that will be asked.
        GoldenSetNotFound: there is no such set.
    """
    if file is None:
        return ()
    from evenhand.adapters.formats.answer_file import read_answers
    from evenhand.adapters.golden_sets import resolve_golden_set

    found = resolve_golden_set(
        experiment.golden_set, app.golden_set_context(), split=experiment.split
    ).golden_set
    return read_answers(file, frozenset(one.id for one in found.questions))


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A stored result and what the store says of it.

    Attributes:
        recorded: the row, and the result against the previous one.
        baseline: the result against the pinned baseline, None without one.
        checks: what speaks against it beside the previous result.
        history: stored results of the set and retriever, this one first.
    """

    recorded: Recorded
    baseline: Comparison | None
    checks: tuple[SelfCheck, ...]
    history: tuple[EvaluationRecord, ...]


def keep_run(
    app: App,
    evaluation: Evaluation,
    tolerance: Tolerance,
    measures: Sequence[Measure],
    given: Sequence[GivenAnswer],
) -> Kept:
    """Store the result and the answers; compare it with the previous one and the baseline."""
    from evenhand.core.comparison.side import fresh_side
    from evenhand.core.privacy import LevelPolicy, PrivacyLevel
    from evenhand.core.scoring.details import build_rankings
    from evenhand.usecases import answers, comparisons, evaluations

    def work(uow: UnitOfWork) -> Kept:
        recorded = evaluations.record(
            uow,
            evaluation,
            id=app.ids.new(),
            policy=app.policy,
            release=__version__,
            tolerance=tolerance,
            measures=measures,
        )
        answers.keep(
            uow,
            recorded.record.id,
            given,
            golden_set=evaluation.golden_set,
            policy=app.policy,
        )
        # Looked at here and now, whatever may be kept.
        rankings = build_rankings(evaluation, LevelPolicy(level=PrivacyLevel.FULL))
        side = fresh_side(evaluation, recorded.record, rankings)
        return Kept(
            recorded=recorded,
            baseline=comparisons.against_baseline(uow, side, evaluation.golden_set),
            checks=comparisons.unlike_previous(uow, recorded.comparison.previous, side),
            history=comparisons.find_history(uow, side),
        )

    return app.database.run(work)

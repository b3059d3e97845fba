"""How does an evaluation pass through the gate? One way for the command line and for pytest.

Store it, find its baseline in the store or in a file, compare, decide, note the decision. What is
printed, and which exit code follows, is left to the callers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from evenhand import __version__
from evenhand.adapters.formats.baseline_file import read_baseline
from evenhand.adapters.formats.gate_policy import DEFAULT_FILE, read_gate_policy
from evenhand.core.comparison.gate import Gated, gate_candidate
from evenhand.core.comparison.gate_policy import GatePolicy
from evenhand.core.comparison.side import Side, fresh_side, pinned_side
from evenhand.core.errors import InvalidSetting
from evenhand.core.privacy import LevelPolicy, PrivacyLevel, stricter
from evenhand.core.scoring.details import build_rankings
from evenhand.usecases import comparisons, evaluations, gates

if TYPE_CHECKING:
    from evenhand.bootstrap import App
    from evenhand.core.comparison.checks import SelfCheck
    from evenhand.core.comparison.set_use import SetUseCounts
    from evenhand.core.privacy import PrivacyPolicy
    from evenhand.core.retrieval.golden import GoldenSet
    from evenhand.core.scoring.evaluation import Evaluation, EvaluationRecord
    from evenhand.usecases.ports import UnitOfWork

BUILT_IN: Final = "built-in defaults"


@dataclass(frozen=True, slots=True, kw_only=True)
class GatePlan:
    """What a gate is asked for; read before the first question is put.

    Attributes:
        policy: what is demanded, its share of failed questions filled in from the settings.
        policy_source: the file it came from, or that it is the built-in one.
        has_file: whether the baseline comes from a file, and not from the store.
        baseline: of the file, None where the file is not there.
        allow_first: whether a candidate without a baseline may pass.
        save: whether the evaluation and the decision are stored.
        is_holdout: whether the evaluation is of the holdout part of a set; then it is stored and
            the reading noted in every case.
    """

    policy: GatePolicy = field(default_factory=GatePolicy)
    policy_source: str = BUILT_IN
    has_file: bool = False
    baseline: Side | None = None
    allow_first: bool = False
    save: bool = True
    is_holdout: bool = False

    @property
    def needs_store(self) -> bool:
        """Whether the database is read or written at all."""
        return self.save or not self.has_file


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRun:
    """A gate that was decided.

    Attributes:
        plan: what was asked for.
        evaluation: the candidate's.
        record: the row that it became, None where it was not stored.
        gated: both sides and what the gate says.
        uses: how many decisions rest on the labels, None where that is not known.
    """

    plan: GatePlan
    evaluation: Evaluation
    record: EvaluationRecord | None
    gated: Gated
    uses: SetUseCounts | None

    @property
    def named_set(self) -> GoldenSet | None:
        """The set whose questions a report may name.

        None for a holdout part: who knows which of its questions failed begins to tune on them.
        """
        return None if self.plan.is_holdout else self.evaluation.golden_set


def build_plan(
    app: App,
    *,
    policy: Path | None = None,
    baseline: Path | None = None,
    allow_first: bool = False,
    save: bool = True,
    is_holdout: bool = False,
) -> GatePlan:
    """Read the policy and the baseline's file.

    Args:
        app: the wired parts.
        policy: file of the policy; by default ``gate.toml`` in the project root where it is
            there, else the built-in policy.
        baseline: file of the baseline; by default the active one of the store. A file that is
            not there is no baseline.
        allow_first: whether a candidate without a baseline may pass.
        save: whether the evaluation and the decision are stored.
        is_holdout: whether the holdout part will be read.

    Raises:
        InvalidFile: a file breaks a rule.
        InvalidSetting: a reading of the holdout part that would leave no trace, or a policy
            that names single questions of it.
    """
    if is_holdout and not save:
        raise InvalidSetting("holdout", "each reading is counted, so it cannot go unsaved")
    own = app.project_root / DEFAULT_FILE
    chosen = policy or (own if own.is_file() else None)
    demanded = GatePolicy() if chosen is None else read_gate_policy(chosen)
    if is_holdout and demanded.critical.questions:
        # "1 lost" of one named question tells which one failed.
        raise InvalidSetting(
            "critical.questions",
            "with --holdout no single question may be named; mark critical questions in the set, "
            "and give --policy a file that names none",
        )
    share = demanded.completeness.max_failed_share
    completeness = replace(
        demanded.completeness,
        max_failed_share=app.settings.max_failed_share if share is None else share,
    )
    content = read_baseline(baseline) if baseline is not None and baseline.exists() else None
    return GatePlan(
        policy=replace(demanded, completeness=completeness),
        policy_source=BUILT_IN if chosen is None else chosen.name,
        has_file=baseline is not None,
        baseline=None if content is None else pinned_side(content),
        allow_first=allow_first,
        save=save,
        is_holdout=is_holdout,
    )


def run_gate(
    app: App,
    evaluation: Evaluation,
    plan: GatePlan,
    *,
    privacy: PrivacyPolicy | None = None,
    checks: Sequence[SelfCheck] = (),
) -> GateRun:
    """Put an evaluation to the gate, in one transaction where anything is stored.

    Args:
        app: the wired parts.
        evaluation: the candidate's, fresh.
        plan: what is asked for.
        privacy: what may be kept, by default as configured.
        checks: what was found about the candidate; told, and never decided by.
    """
    # Looked at here and now, whatever may be kept.
    rankings = build_rankings(evaluation, LevelPolicy(level=PrivacyLevel.FULL))

    def decide(
        candidate: Side, baseline: Side | None, beside_previous: Sequence[SelfCheck] = ()
    ) -> Gated:
        return gate_candidate(
            plan.policy,
            candidate,
            baseline,
            golden_set=evaluation.golden_set,
            allow_first=plan.allow_first,
            checks=(*checks, *beside_previous),
        )

    def stored(uow: UnitOfWork) -> GateRun:
        noted = evaluations.record(
            uow,
            evaluation,
            id=app.ids.new(),
            policy=_kept(privacy or app.policy, plan),
            release=__version__,
        )
        recorded = noted.record
        candidate = fresh_side(evaluation, recorded, rankings)
        gated = decide(
            candidate,
            _baseline(uow, plan, evaluation),
            comparisons.unlike_previous(uow, noted.comparison.previous, candidate),
        )
        uses = (
            gates.note_reading(
                uow, gated, evaluation.golden_set.labels_fingerprint, id=app.ids.new()
            )
            if plan.is_holdout
            else gates.note_gate(uow, gated, id=app.ids.new())
        )
        return GateRun(plan=plan, evaluation=evaluation, record=recorded, gated=gated, uses=uses)

    if plan.save:
        return app.database.run(stored)
    baseline = plan.baseline
    if plan.needs_store:
        baseline = app.database.read(lambda uow: _baseline(uow, plan, evaluation))
    gated = decide(fresh_side(evaluation, None, rankings), baseline)
    return GateRun(plan=plan, evaluation=evaluation, record=None, gated=gated, uses=None)


def _kept(policy: PrivacyPolicy, plan: GatePlan) -> PrivacyPolicy:
    """What is kept: of a holdout part no ranking and no id, so that nobody reads it there."""
    if not plan.is_holdout:
        return policy
    return LevelPolicy(level=stricter(PrivacyLevel(policy.level), PrivacyLevel.METADATA))


def _baseline(uow: UnitOfWork, plan: GatePlan, evaluation: Evaluation) -> Side | None:
    return plan.baseline if plan.has_file else gates.find_baseline(uow, fresh_side(evaluation))

"""Does a candidate pass the gate? Every demand of a policy becomes a finding, then one state.

Here stand the demands on the candidate alone; those against the baseline are
`core.comparison.gate_pairs`, and nothing asks them unless the verdict is ``comparable``.
A failed question counts as a miss.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from evenhand.core.comparison.baseline import baseline_verdict
from evenhand.core.comparison.checks import SelfCheck, Which, dirty_checkout
from evenhand.core.comparison.comparison import Comparison, compare_sides
from evenhand.core.comparison.gate_pairs import (
    adjusted_family,
    critical_findings,
    difference_findings,
    latency_findings,
)
from evenhand.core.comparison.gate_policy import GatePolicy
from evenhand.core.comparison.gate_result import (
    PRECEDENCE,
    GateCode,
    GateFinding,
    GateResult,
    GateState,
    unless,
)
from evenhand.core.comparison.paired import PairedDifference
from evenhand.core.comparison.side import Side
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.core.scoring.outcome import Outcome
from evenhand.core.scoring.protocols import HitCounts
from evenhand.core.verdict import Verdict, VerdictState


def decide_gate(
    policy: GatePolicy,
    candidate: Side,
    comparison: Comparison | None,
    *,
    golden_set: GoldenSet,
    allow_first: bool = False,
) -> GateResult:
    """Every demand of the policy as a finding, and the state that follows from them.

    Args:
        policy: declared before the candidate was measured.
        candidate: the side under test, with its outcomes.
        comparison: of the baseline (current) with the candidate, None where there is no
            baseline. Then only the demands on the candidate alone are looked at.
        golden_set: what the candidate was asked.
        allow_first: whether a candidate of which it is known what was run may pass without a
            baseline.

    Raises:
        ValueError: the candidate has no outcomes.
    """
    outcomes = candidate.outcomes
    if outcomes is None:
        raise ValueError("a candidate without outcomes cannot be gated")
    baseline = None if comparison is None else comparison.current
    findings = [_verdict(candidate, comparison, allow_first=allow_first)]
    findings += _completeness(policy, outcomes, () if baseline is None else baseline.outcomes)
    findings += [
        *_floors(policy, candidate.counts),
        *_false_abstention(policy, candidate, outcomes),
    ]
    findings += _basis(policy, candidate, baseline)
    family: tuple[PairedDifference, ...] = ()
    if comparison is not None and comparison.is_comparable:
        family = adjusted_family(policy, comparison)
        findings += difference_findings(policy, comparison, family)
        findings += critical_findings(policy, comparison, golden_set)
        findings += latency_findings(policy, comparison)
    states = {finding.state for finding in findings}
    state = next((one for one in PRECEDENCE if one in states), GateState.PASS)
    return GateResult(state=state, findings=tuple(findings), family=family)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gated:
    """A candidate that was put to the gate.

    Attributes:
        policy: what was demanded.
        candidate: the side under test.
        comparison: with the baseline, None where there is none.
        result: what the gate says.
        own_checks: what makes one doubt the candidate and the comparison does not say; decides
            nothing.
    """

    policy: GatePolicy
    candidate: Side
    comparison: Comparison | None
    result: GateResult
    own_checks: tuple[SelfCheck, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Whether the candidate may be compared with the baseline."""
        return gate_verdict(self.candidate, self.comparison)

    @property
    def checks(self) -> tuple[SelfCheck, ...]:
        """Everything that makes one doubt the candidate or the comparison."""
        of_both = () if self.comparison is None else self.comparison.checks
        return (*self.own_checks, *of_both)


def gate_candidate(
    policy: GatePolicy,
    candidate: Side,
    baseline: Side | None,
    *,
    golden_set: GoldenSet,
    allow_first: bool = False,
    checks: Sequence[SelfCheck] = (),
) -> Gated:
    """Compare a candidate with its baseline, by the policy's measure, and decide.

    Args:
        policy: declared before the candidate was measured.
        candidate: the side under test, with its outcomes.
        baseline: what it is held against, None where there is none.
        golden_set: what the candidate was asked.
        allow_first: whether it may pass without a baseline.
        checks: what was found about the candidate beyond what the sides say by themselves; of
            both sides where it is about the candidate and the result before it.

    Raises:
        Invalid: outcomes that cannot be those of the labels that both sides state.
    """
    comparison = None
    if baseline is not None:
        comparison = compare_sides(
            baseline,
            candidate,
            primary=policy.primary_measure,
            golden_set=golden_set,
            checks=[check for check in checks if check.which is not Which.BOTH],
        )
        told = {check.code for check in comparison.checks}
        own = [check for check in checks if check.code not in told]
    else:
        own = [*dirty_checkout(candidate.identity, Which.CANDIDATE), *checks]
    result = decide_gate(
        policy, candidate, comparison, golden_set=golden_set, allow_first=allow_first
    )
    return Gated(
        policy=policy,
        candidate=candidate,
        comparison=comparison,
        result=result,
        own_checks=tuple(own),
    )


def gate_verdict(candidate: Side, comparison: Comparison | None) -> Verdict:
    """The verdict of the comparison; without a baseline that of a first result."""
    if comparison is not None:
        return comparison.verdict
    return baseline_verdict(candidate.identity, None, has_previous=False)


def _verdict(candidate: Side, comparison: Comparison | None, *, allow_first: bool) -> GateFinding:
    state = gate_verdict(candidate, comparison).state
    passes = state is VerdictState.COMPARABLE or (state is VerdictState.BASELINE and allow_first)
    return GateFinding(
        code=GateCode.VERDICT,
        state=unless(broken=not passes, state=GateState.INCOMPARABLE),
        found=state.value,
        wanted=VerdictState.COMPARABLE.value,
    )


def _completeness(
    policy: GatePolicy, outcomes: Sequence[Outcome], before: Sequence[Outcome] | None
) -> Iterator[GateFinding]:
    rule = policy.completeness
    failed = sum(map(_is_failed, outcomes))
    if rule.max_failed_share is not None:
        share = Fraction(failed, len(outcomes) or 1)
        yield GateFinding(
            code=GateCode.FAILED_SHARE,
            state=unless(broken=share > rule.max_failed_share, state=GateState.INCOMPLETE),
            found=share,
            wanted=rule.max_failed_share,
        )
        share = Fraction(sum(map(_is_failed, before or ())), len(before or ()) or 1)
        if share > rule.max_failed_share:
            # Beside a baseline whose retrieval was broken everything looks good.
            yield GateFinding(
                code=GateCode.FAILED_SHARE,
                measure="baseline",
                state=GateState.INCOMPLETE,
                found=share,
                wanted=rule.max_failed_share,
            )
    if rule.require_complete:
        failed += sum(map(_is_failed, before or ()))
        yield GateFinding(
            code=GateCode.COMPLETE,
            state=unless(broken=failed > 0, state=GateState.INCOMPLETE),
            found=failed,
            wanted=0,
        )


def _floors(policy: GatePolicy, counts: HitCounts) -> Iterator[GateFinding]:
    hits = {
        "Success@1": (counts.answerable_top1_hits, counts.answerable),
        "Success@3": (counts.answerable_top3_hits, counts.answerable),
        "abstention": (counts.abstained, counts.no_answer),
    }
    for floor in policy.floors:
        found, total = hits[floor.measure]
        value = Fraction(found, total) if total else None
        state = GateState.INCOMPLETE
        if value is not None:
            state = unless(broken=value < floor.minimum, state=GateState.FAIL)
        yield GateFinding(
            code=GateCode.FLOOR,
            measure=floor.measure,
            state=state,
            found=value,
            wanted=floor.minimum,
        )


def _false_abstention(
    policy: GatePolicy, candidate: Side, outcomes: Sequence[Outcome]
) -> Iterator[GateFinding]:
    limit = policy.max_false_abstention
    if limit is None:
        return
    asked, abstained = candidate.counts.answerable, candidate.counts.false_abstained
    # A failed question gave nothing either, but nobody knows that it would have.
    failed = sum(_is_failed(outcome) and outcome.is_answerable for outcome in outcomes)
    state = GateState.INCOMPLETE
    if asked:
        may_be_above = Fraction(abstained + failed, asked) > limit
        state = unless(broken=may_be_above, state=GateState.INCOMPLETE)
        if Fraction(abstained, asked) > limit:
            state = GateState.FAIL
    yield GateFinding(
        code=GateCode.FALSE_ABSTENTION,
        measure="false abstention",
        state=state,
        found=Fraction(abstained, asked) if asked else None,
        wanted=limit,
    )


def _basis(policy: GatePolicy, candidate: Side, baseline: Side | None) -> Iterator[GateFinding]:
    for name, side in (("candidate", candidate), ("baseline", baseline)):
        if side is None or not policy.basis:
            continue
        is_other = side.basis not in policy.basis
        # A baseline that came as a file is imported, whoever saw it come into being: what it is
        # good for was decided when it was committed. So it is told, and decides nothing.
        decides = is_other and side is candidate
        yield GateFinding(
            code=GateCode.BASIS,
            measure=name,
            state=unless(broken=decides, state=GateState.FAIL),
            found=side.basis.value,
            wanted=" or ".join(policy.basis),
            is_flag=is_other and not decides,
        )


def _is_failed(outcome: Outcome) -> bool:
    return outcome.error_class is not None

"""Did the candidate do better than the current side, and may the two be compared at all?

The verdict comes first. Without ``comparable`` there is no number in the value: no difference,
no flip, no split, no latency, so that nothing downstream could show one. ``delta`` is candidate
less current everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from evenhand.core.comparison.baseline import baseline_verdict
from evenhand.core.comparison.cases import (
    Flip,
    Pairs,
    RankMoves,
    SplitDifference,
    flips_of,
    pair_outcomes,
    rank_moves,
    split_differences,
)
from evenhand.core.comparison.checks import SelfCheck, side_checks
from evenhand.core.comparison.coverage import JudgedAt, judged_coverage
from evenhand.core.comparison.graded import (
    graded_pair_difference,
    graded_verdict,
    require_comparable_measure,
)
from evenhand.core.comparison.paired import Conclusion, PairedDifference, as_family
from evenhand.core.comparison.pairing import hit_differences
from evenhand.core.comparison.side import Side
from evenhand.core.comparison.speed import LatencyDifference, NoLatency, latency_difference
from evenhand.core.errors import InvalidSetting
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.core.scoring.measure_names import parse_measure
from evenhand.core.scoring.measures import Measure
from evenhand.core.scoring.power import ALPHA
from evenhand.core.verdict import Verdict

#: The measure by which the hits protocol decides; declared here, before any result is seen.
PRIMARY: Final = "Success@1"
#: By which it decides where the labels say that nothing answers any question of the set.
PRIMARY_WITHOUT_ANSWERS: Final = "abstention"
MEASURES: Final = ("Success@1", "Success@3", "abstention", "false abstention")


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two results, the verdict on them, and what it allows.

    In the reasons of the verdict the candidate is the later result: what they call ``current``
    is the candidate's identity, what they call ``previous`` that of the current side.

    Attributes:
        verdict: whether the two may be compared, and why not.
        current, candidate: the two sides.
        primary: the measure that decides; the others are descriptive.
        graded: that measure where it is a graded one; None where it is a rate of the hits
            protocol. The verdict is then that of its benchmark, and rates are compared only
            where theirs is equal too.
        differences: by measure; empty unless comparable, and where a side keeps no outcomes.
        treatment_changed: comparable, and model, chunking or pipeline differ.
        depth_changed: the depths asked for differ, whatever the verdict.
        flips: questions whose top-1 hit was won or lost; empty as `differences`.
        rank_moves: what became of first targets; None where `differences` is empty.
        splits: the primary measure by form and hard class; empty where the golden set is not at
            hand or `differences` is empty. Descriptive.
        latency: the difference, or why there is none; None where `differences` is empty.
        judged: judged@k of both sides; empty as `differences`.
        checks: what makes one doubt the results, whatever the verdict.
    """

    verdict: Verdict
    current: Side
    candidate: Side
    primary: str
    differences: tuple[PairedDifference, ...] = ()
    treatment_changed: bool = False
    depth_changed: bool = False
    flips: tuple[Flip, ...] = ()
    rank_moves: RankMoves | None = None
    splits: tuple[SplitDifference, ...] = ()
    latency: LatencyDifference | NoLatency | None = None
    judged: tuple[JudgedAt, ...] = ()
    checks: tuple[SelfCheck, ...] = ()
    graded: Measure | None = None

    @property
    def is_comparable(self) -> bool:
        """Whether a difference may be shown at all."""
        return self.verdict.is_comparable

    @property
    def is_holdout(self) -> bool:
        """Whether a side is of the part that a set holds out: then no question is shown."""
        return self.current.is_holdout or self.candidate.is_holdout

    @property
    def lacks_outcomes(self) -> bool:
        """Whether the two are comparable, and a side keeps no outcomes to compare."""
        return self.is_comparable and None in (self.current.outcomes, self.candidate.outcomes)

    @property
    def primary_difference(self) -> PairedDifference | None:
        """The difference that decides; None where there is none."""
        found = [one for one in self.differences if one.measure == self.primary]
        return found[0] if found else None

    @property
    def conclusion(self) -> Conclusion | None:
        """What the primary measure says; None where it is not among the differences."""
        decided = self.primary_difference
        return None if decided is None else decided.conclusion

    @property
    def descriptive(self) -> tuple[PairedDifference, ...]:
        """Every difference but the primary one."""
        return tuple(one for one in self.differences if one.measure != self.primary)

    @property
    def won(self) -> tuple[Flip, ...]:
        """Questions that the candidate wins at top 1."""
        return tuple(flip for flip in self.flips if flip.won)

    @property
    def lost(self) -> tuple[Flip, ...]:
        """Questions that the candidate loses at top 1."""
        return tuple(flip for flip in self.flips if not flip.won)


def read_primary(name: str | None) -> str | Measure | None:
    """What decides a comparison: a rate of the hits protocol, or a graded measure.

    A name that both have, such as Success@1, is the rate.

    Args:
        name: of the measure, None where nobody gave one.

    Raises:
        InvalidMeasure, InvalidSetting: no measure has this name, or it has no mean that could be
            compared.
    """
    if name is None or name in MEASURES:
        return name
    return require_comparable_measure(parse_measure(name))


def compare_sides(
    current: Side,
    candidate: Side,
    *,
    primary: str | Measure | None = None,
    golden_set: GoldenSet | None = None,
    alpha: float = ALPHA,
    checks: Sequence[SelfCheck] = (),
) -> Comparison:
    """Verdict first; differences only when it is ``comparable``.

    Args:
        current: what is in use, or came before.
        candidate: what is tried.
        primary: the measure that decides, chosen before any result is seen: a rate of the hits
            protocol by its name, or a graded measure; by default that of the protocol.
        golden_set: the set at hand, None where there is none. Splits are made only where its
            labels are those that both sides state.
        alpha: significance level; intervals have a confidence of 1 - alpha.
        checks: what was found about the two beyond what they say by themselves.

    Raises:
        InvalidSetting: no such measure.
        Invalid: outcomes that cannot be those of the labels that both sides state.
    """
    graded = require_comparable_measure(primary) if isinstance(primary, Measure) else None
    if graded is None and primary is not None and primary not in MEASURES:
        raise InvalidSetting("primary measure", _known())
    of_hits = baseline_verdict(candidate.identity, current.identity, has_previous=True)
    verdict = of_hits if graded is None else graded_verdict(current, candidate, graded)
    comparison = Comparison(
        verdict=verdict,
        current=current,
        candidate=candidate,
        primary=_primary(current) if primary is None else str(primary),
        depth_changed=current.depth != candidate.depth,
        checks=(*side_checks(current, candidate), *checks),
        graded=graded,
    )
    if not verdict.is_comparable:
        return comparison
    comparison = replace(comparison, treatment_changed=current.variant != candidate.variant)
    if current.outcomes is None or candidate.outcomes is None:
        return comparison
    pairs = pair_outcomes(current.outcomes, candidate.outcomes)
    differences: tuple[PairedDifference, ...] = ()
    if graded is not None:
        decided = graded_pair_difference(graded, current.outcomes, candidate.outcomes, alpha=alpha)
        differences = () if decided is None else (decided,)
    if of_hits.is_comparable:
        differences += hit_differences(current.outcomes, candidate.outcomes, alpha=alpha)
    return replace(
        comparison,
        differences=differences,
        flips=flips_of(pairs),
        rank_moves=rank_moves(pairs),
        splits=_splits(comparison, golden_set, pairs, alpha),
        latency=latency_difference(current, candidate, pairs),
        judged=judged_coverage(pairs),
    )


def as_candidates(comparisons: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """Several candidates against one current side, decided together.

    The p values of the primary differences are adjusted by Holm's method over the candidates
    that were declared by asking for them at once. Descriptive differences stay as they are.

    Args:
        comparisons: one per candidate, of one current side and one primary measure.
    """
    decided = iter(
        as_family([d for one in comparisons if (d := one.primary_difference) is not None])
    )
    return tuple(
        one if one.primary_difference is None else _decided(one, next(decided))
        for one in comparisons
    )


def _decided(comparison: Comparison, primary: PairedDifference) -> Comparison:
    differences = tuple(
        primary if one.measure == primary.measure else one for one in comparison.differences
    )
    return replace(comparison, differences=differences)


def _primary(current: Side) -> str:
    # By the labels, which are the same whatever a retriever gives.
    return PRIMARY if current.counts.answerable else PRIMARY_WITHOUT_ANSWERS


def _splits(
    comparison: Comparison, golden_set: GoldenSet | None, pairs: Pairs, alpha: float
) -> tuple[SplitDifference, ...]:
    if golden_set is None or golden_set.labels_fingerprint != comparison.current.labels:
        return ()
    return split_differences(
        golden_set, pairs, comparison.graded or comparison.primary, alpha=alpha
    )


def _known() -> str:
    return f"must be one of {', '.join(MEASURES)}"

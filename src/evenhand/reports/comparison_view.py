"""How does a comparison read? Plain values, every number written out, for all renderers.

The verdict comes first. Without ``comparable`` a view holds no number that compares two results:
everything that could is empty, as it is in the `Comparison`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from evenhand.core.comparison.comparison import Comparison
from evenhand.core.comparison.graded import scale_of
from evenhand.core.comparison.paired import PairedDifference
from evenhand.core.comparison.set_use import SetUseCounts
from evenhand.core.comparison.side import Side
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.core.scoring.intervals import Interval
from evenhand.core.scoring.measures import Measure
from evenhand.reports import comparison_wording as words
from evenhand.reports import numbers, wording
from evenhand.reports.comparison_parts import (
    ComparisonView,
    IdentityRow,
    PairedView,
    SideView,
    SplitView,
)
from evenhand.reports.comparison_questions import flip_lists
from evenhand.reports.evaluation_view import label_values
from evenhand.reports.history import build_history
from evenhand.reports.notices import HELD_OUT, flag, flags_first, note
from evenhand.reports.safe_text import shown_id, shown_lines, shown_text
from evenhand.reports.subject import Subject
from evenhand.reports.verdict_view import Hints, reason_views
from evenhand.reports.view import Notice
from evenhand.reports.wording import Advice

# A share of judged documents that moves by more than this needs a look.
_LOUD_SHARE = Fraction(1, 20)


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonHints:
    """What only the caller knows.

    Attributes:
        golden_set: what a user types for the set; its identifier when empty.
        current, candidate: what a user types for the retrievers; their names when empty.
        declaration: lines by which a retriever would declare what it runs, for ``unknown``.
        command: what gives a fair answer, where it is not ``evenhand ab`` of both names.
        history: stored results of the candidate's set and retriever, newest first.
    """

    golden_set: str = ""
    current: str = ""
    candidate: str = ""
    declaration: str = ""
    command: str = ""
    history: tuple[EvaluationRecord, ...] = ()


def build_comparison_view(
    comparison: Comparison,
    *,
    golden_set: GoldenSet | None = None,
    hints: ComparisonHints | None = None,
    uses: SetUseCounts | None = None,
) -> ComparisonView:
    """Everything that a report of a comparison shows.

    Args:
        comparison: the value.
        golden_set: the set at hand; questions are named only where its labels are those that
            both sides state.
        hints: what only the caller knows.
        uses: how often the set was decided on, this decision included.
    """
    verdict, decided = comparison.verdict, comparison.primary_difference
    known = hints or ComparisonHints()
    current, candidate = comparison.current, comparison.candidate
    return ComparisonView(
        title=f"{shown_id(candidate.retriever)} against {shown_id(current.retriever)} "
        f"on {shown_id(candidate.set_identifier)}",
        sides=(_side("current", current), _side("candidate", candidate)),
        state=verdict.state,
        word=wording.state_word(verdict.state),
        sentence=words.comparable_sentence(comparison)
        if verdict.is_comparable
        else wording.state_sentence(verdict.state),
        reasons=reason_views(verdict, current=words.CANDIDATE, previous=words.CURRENT),
        advice=_advice(comparison, known),
        answer=words.conclusion_word(comparison.conclusion) if verdict.is_comparable else "",
        answer_sentence=words.conclusion_sentence(comparison) if verdict.is_comparable else "",
        primary=None if decided is None else paired_view(decided),
        detectable="" if decided is None else words.detectable_sentence(decided),
        notices=flags_first(_notices(comparison)),
        descriptive=tuple(map(paired_view, comparison.descriptive)),
        # A part that is held out is told in sums alone; a group of one question would be none.
        lists=() if comparison.is_holdout else flip_lists(comparison, golden_set),
        moves=_moves(comparison),
        splits=() if comparison.is_holdout else _splits(comparison),
        latency="" if comparison.latency is None else words.latency_sentence(comparison.latency),
        identities=_identities(current, candidate, comparison.graded),
        uses=words.uses_sentence(uses),
        history=build_history(known.history),
    )


def build_baseline_view(
    subject: Subject, hints: Hints, *, has_advice: bool
) -> ComparisonView | None:
    """A fresh result against the pinned baseline; None without one.

    Args:
        subject: the fresh result.
        hints: of its report.
        has_advice: whether the report advises already; then it is not said twice.
    """
    if hints.baseline is None:
        return None
    view = build_comparison_view(
        hints.baseline,
        golden_set=subject.golden_set,
        hints=ComparisonHints(command=hints.pair, declaration=hints.declaration),
    )
    return replace(view, advice=None) if has_advice else view


def paired_view(difference: PairedDifference) -> PairedView:
    """One difference, written out."""
    delta, interval = float(difference.delta), difference.interval
    ends = (interval.low, interval.high) if isinstance(interval, Interval) else (delta, delta)
    point, bounded = difference.point, difference.low != difference.high
    return PairedView(
        measure=difference.measure
        if difference.spread is not None
        else difference.measure[:1].upper() + difference.measure[1:],
        current=_value(difference.current, difference),
        candidate=_value(difference.candidate, difference),
        delta=_delta(difference),
        interval=words.interval_text(difference),
        confidence=words.confidence_text(difference),
        test=words.significance_text(difference),
        wins=point.wins,
        losses=point.losses,
        ties=point.ties,
        bounds=numbers.bounds_text(difference.low, difference.high) if bounded else "",
        word=words.conclusion_word(difference.conclusion),
        conclusion=difference.conclusion,
        lower_is_better=not difference.higher_is_better,
        drawn=(ends[0], delta, ends[1]),
        is_graded=difference.spread is not None,
    )


def _side(role: str, side: Side) -> SideView:
    stored = "" if side.created_at is None else f" of {numbers.instant_text(side.created_at)}"
    if side.is_baseline:
        source = f"baseline{stored}" if stored else "baseline from a file"
    elif side.evaluation_id is None:
        source = "not stored"
    else:
        source = f"evaluation {shown_id(side.evaluation_id)}{stored}"
    return SideView(
        role=role,
        retriever=shown_id(side.retriever),
        source=source,
        basis=wording.basis_sentence(
            side.basis, from_baseline_file=side.is_baseline and side.evaluation_id is None
        ),
    )


def _advice(comparison: Comparison, hints: ComparisonHints) -> Advice | None:
    current, candidate = comparison.current, comparison.candidate
    typed = hints.current or current.retriever
    other = hints.candidate or candidate.retriever
    if typed == other:
        # Two versions behind one name: the earlier one needs a name of its own.
        typed = wording.BEFORE
    measure = () if comparison.graded is None else ("--measure", str(comparison.graded))
    pair = wording.ab_command(hints.golden_set or candidate.set_identifier, typed, other, *measure)
    return wording.fair_pair_answer(
        comparison.verdict,
        shown_lines(hints.command or pair),
        shown_lines(hints.declaration),
    )


def _value(mean: Fraction, difference: PairedDifference) -> str:
    if difference.spread is not None:
        return numbers.decimal(mean)
    return numbers.rate_text(int(mean * difference.questions), difference.questions)


def _delta(difference: PairedDifference) -> str:
    if difference.spread is not None:
        return numbers.signed(difference.delta)
    return numbers.delta_text(difference.delta, int(difference.delta * difference.questions))


def _notices(comparison: Comparison) -> Iterator[Notice]:
    for check in comparison.checks:
        yield flag(words.check_sentence(check))
    failed = [
        f"{numbers.count(number, 'question')} of {side}"
        for side, number in (
            ("the current side", comparison.current.counts.failed),
            ("the candidate", comparison.candidate.counts.failed),
        )
        if number
    ]
    if failed:
        yield flag(f"Failed: {' and '.join(failed)}.")
    if comparison.depth_changed:
        yield flag(
            f"Depths differ: {numbers.count(comparison.current.depth, 'result')} "
            f"{numbers.verb(comparison.current.depth, 'was', 'were')} asked of the current side, "
            f"{comparison.candidate.depth} of the candidate."
        )
    for at in comparison.judged:
        if at.differs:
            moved = abs(at.candidate.share - at.current.share)
            yield (flag if moved > _LOUD_SHARE else note)(words.judged_sentence(at))
    if comparison.is_holdout:
        yield note(HELD_OUT)
    if comparison.is_comparable and not comparison.treatment_changed:
        yield note("Both sides declare the same model, chunking and pipeline.")


def _moves(comparison: Comparison) -> str:
    moves = comparison.rank_moves
    if moves is None:
        return ""
    return (
        f"First target nearer for {numbers.count(moves.nearer, 'question')}, further off for "
        f"{moves.further}, where it was for {moves.equal}."
    )


def _splits(comparison: Comparison) -> tuple[SplitView, ...]:
    groups = dict.fromkeys(split.group for split in comparison.splits)
    return tuple(
        SplitView(
            caption=words.SPLITS.format(group.value.replace("_", " ")),
            rows=tuple(
                (shown_text(split.name), paired_view(split.difference))
                for split in comparison.splits
                if split.group is group
            ),
        )
        for group in groups
    )


def _identities(current: Side, candidate: Side, graded: Measure | None) -> tuple[IdentityRow, ...]:
    stated = [
        label_values(None if side.identity is None else side.identity.provenance)
        for side in (current, candidate)
    ]
    declared = [(name, one, other) for (name, one), (_, other) in zip(*stated, strict=True)]
    unknown = wording.UNKNOWN
    derived = [
        ("Labels fingerprint", current.labels or unknown, candidate.labels or unknown),
        ("Benchmark fingerprint", current.benchmark or unknown, candidate.benchmark or unknown),
        ("Variant fingerprint", current.variant or unknown, candidate.variant or unknown),
        ("Scoring version", current.protocol, candidate.protocol),
    ]
    if graded is not None:
        scales = [(side, scale_of(side, graded)) for side in (current, candidate)]
        judgements = [scale.qrels_digest or unknown for _, scale in scales]
        benchmarks = [scale.benchmark(side.identity) or unknown for side, scale in scales]
        derived += [
            ("Judgements digest", judgements[0], judgements[1]),
            (f"Benchmark of {graded}", benchmarks[0], benchmarks[1]),
        ]
    return tuple(
        IdentityRow(name=name, current=one, candidate=other, moved=one != other)
        for name, one, other in (*declared, *derived)
    )

"""How are outcomes turned into counts and rates? One versioned protocol per answer.

The hits protocol (BP-08 to BP-12): twelve raw results are read, three distinct documents are
scored, a no-answer question is a hit when nothing comes back. Its pooled rates `top1` and `top3`
mix both kinds of question and are never a headline; Success@1, Success@3, abstention and false
abstention are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from evenhand.core.retrieval.golden import Form, GoldenQuestion, GoldenSet
from evenhand.core.scoring.outcome import Outcome, OutcomeState

GroupKey = TypeVar("GroupKey", Form, bytes)

#: Changes whenever cutoff, over-fetching, de-duplication, blanks or no-answer rule change (G-08).
SCORING_VERSION = "distinct-documents-top1-top3-no-result-v1"
#: Kept apart from every series of prompt grades (BP-12).
GRADER = "retrieval_hit_rate"
TOP_K = 3
OVERFETCH = 4
#: Raw results that the protocol reads; of a longer list the first ones (settled 8).
WINDOW = TOP_K * OVERFETCH


@dataclass(frozen=True, slots=True, kw_only=True)
class HitCounts:
    """Whole numbers of a hits evaluation; every rate is derived from them (G-10).

    Attributes:
        questions: judged questions, failed ones included; the sum of the next two.
        answerable: with at least one target.
        no_answer: that the corpus does not answer.
        failed: judged questions whose retrieval failed; they stay in every denominator.
        unjudged: questions nobody has judged, in no rate.
        top1_hits, top3_hits: pooled over answerable and no-answer questions.
        answerable_top1_hits, answerable_top3_hits: over answerable questions only.
        abstained: no-answer questions for which nothing came back.
        false_abstained: answerable questions for which nothing came back.
    """

    questions: int
    answerable: int
    no_answer: int
    failed: int
    unjudged: int
    top1_hits: int
    top3_hits: int
    answerable_top1_hits: int
    answerable_top3_hits: int
    abstained: int
    false_abstained: int

    @property
    def attempted(self) -> int:
        """Questions put to the retriever."""
        return self.questions + self.unjudged

    @property
    def scored(self) -> int:
        """Judged questions whose retrieval did not fail."""
        return self.questions - self.failed


def rate(hits: int, total: int) -> Fraction:
    """Exact share; 0 for an empty total (BP-10). Show it with its total."""
    return Fraction(hits, total) if total else Fraction(0)


def count_hits(outcomes: Iterable[Outcome]) -> HitCounts:
    """Counts of the hits protocol over outcomes, in any order."""
    listed = tuple(outcomes)
    judged = [o for o in listed if o.state is not OutcomeState.UNJUDGED]
    answerable = [o for o in judged if o.is_answerable]
    no_answer = [o for o in judged if o.is_no_answer]
    return HitCounts(
        questions=len(judged),
        answerable=len(answerable),
        no_answer=len(no_answer),
        failed=sum(o.state is OutcomeState.FAILED for o in judged),
        unjudged=len(listed) - len(judged),
        top1_hits=sum(o.is_hit(1) for o in judged),
        top3_hits=sum(o.is_hit(TOP_K) for o in judged),
        answerable_top1_hits=sum(o.is_hit(1) for o in answerable),
        answerable_top3_hits=sum(o.is_hit(TOP_K) for o in answerable),
        abstained=sum(o.is_hit(1) for o in no_answer),
        false_abstained=sum(o.window == 0 for o in answerable),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """One group of a breakdown; only groups that occur exist (BP-11).

    Attributes:
        name: the form, or the hard class for display, with escapes for bytes that are not UTF-8.
        counts: over the group's judged questions.
    """

    name: str
    counts: HitCounts


def split_by_form(golden_set: GoldenSet, outcomes: tuple[Outcome, ...]) -> tuple[Split, ...]:
    """Breakdown by form, in the order ``match``, ``gap``.

    Args:
        golden_set: the questions.
        outcomes: one per question, in order of position.
    """
    groups = _groups(golden_set, outcomes, lambda question: question.form)
    return tuple(
        Split(name=form.value, counts=count_hits(groups[form])) for form in Form if form in groups
    )


def split_by_hard_class(golden_set: GoldenSet, outcomes: tuple[Outcome, ...]) -> tuple[Split, ...]:
    """Breakdown by hard class, in byte order; questions without one are left out of it (BP-03).

    Args:
        golden_set: the questions.
        outcomes: one per question, in order of position.
    """
    groups = _groups(golden_set, outcomes, lambda question: question.hard_class)
    # Grouped by bytes: two classes that are no UTF-8 may read alike and are still two (BP-01).
    return tuple(
        Split(name=held.decode("utf-8", "backslashreplace"), counts=count_hits(groups[held]))
        for held in sorted(groups)
    )


def _groups(
    golden_set: GoldenSet,
    outcomes: tuple[Outcome, ...],
    group_of: Callable[[GoldenQuestion], GroupKey | None],
) -> dict[GroupKey, list[Outcome]]:
    groups: dict[GroupKey, list[Outcome]] = {}
    for question, outcome in zip(golden_set.by_position, outcomes, strict=True):
        group = group_of(question)
        if group is not None and not question.unjudged:
            groups.setdefault(group, []).append(outcome)
    return groups

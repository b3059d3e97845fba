"""What do all renderers of a comparison need? Plain values with every number written out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from evenhand.core.comparison.paired import Conclusion
from evenhand.core.verdict import VerdictState
from evenhand.reports.charts import Scale, difference_scale
from evenhand.reports.history import HistoryView
from evenhand.reports.view import Notice, QuestionList, ReasonView
from evenhand.reports.wording import Advice


@dataclass(frozen=True, slots=True, kw_only=True)
class SideView:
    """One side: its role, its retriever, and where the result comes from."""

    role: str
    retriever: str
    source: str
    basis: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedView:
    """One difference with its uncertainty.

    Attributes:
        measure: its name.
        current, candidate: both values as text.
        delta: ``+0.021 (+64)``, candidate less current.
        interval: ``-0.010 to +0.031``, or why there is none.
        confidence: of the interval, ``95 %``.
        test: p and how it came about, or why there is none.
        wins, losses, ties: questions.
        bounds: with failed questions decided either way; empty where none failed.
        word: the conclusion as a word.
        conclusion: for colour and shape.
        lower_is_better: a gain is a fall.
        drawn: (low, delta, high) of the interval for drawing; low and high are delta without one.
        is_graded: of which kind the measure is: a graded one, or a rate.
    """

    measure: str
    current: str
    candidate: str
    delta: str
    interval: str
    confidence: str
    test: str
    wins: int
    losses: int
    ties: int
    bounds: str
    word: str
    conclusion: Conclusion
    lower_is_better: bool
    drawn: tuple[float, float, float]
    is_graded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitView:
    """The primary measure within groups; descriptive."""

    caption: str
    rows: tuple[tuple[str, PairedView], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityRow:
    """One identity of both sides."""

    name: str
    current: str
    candidate: str
    moved: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonView:
    """Everything that a report of a comparison shows, in the order in which it shows it.

    Attributes:
        title: both retrievers and the set.
        sides: current, then candidate.
        state, word, sentence, reasons, advice: the verdict; reasons empty when comparable,
            advice None then.
        answer: the conclusion as a word, empty unless comparable.
        answer_sentence: what it says.
        primary: the difference that decides, None where there is none.
        detectable: what so many questions can show; empty unless inconclusive.
        notices: incompleteness, self-checks, depth, treatment, judged@k.
        descriptive: the other differences.
        lists: questions won and lost.
        moves: what became of first targets; empty without.
        splits: empty where the golden set is not at hand.
        latency: empty unless comparable.
        identities: what both sides state.
        uses: how often the set was decided on; empty where unknown.
        history: earlier results of the candidate's set and retriever, None where not at hand.
    """

    title: str
    sides: tuple[SideView, SideView]
    state: VerdictState
    word: str
    sentence: str
    reasons: tuple[ReasonView, ...]
    advice: Advice | None
    answer: str
    answer_sentence: str
    primary: PairedView | None
    detectable: str
    notices: tuple[Notice, ...]
    descriptive: tuple[PairedView, ...]
    lists: tuple[QuestionList, ...]
    moves: str
    splits: tuple[SplitView, ...]
    latency: str
    identities: tuple[IdentityRow, ...]
    uses: str
    history: HistoryView | None = None

    @property
    def drawn(self) -> tuple[PairedView, ...]:
        """Every difference that a page draws."""
        primary = () if self.primary is None else (self.primary,)
        parts = (row for split in self.splits for _, row in split.rows)
        return (*primary, *self.descriptive, *parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scales:
    """One axis for all measures of one kind on a page, so that equal differences look equal.

    Attributes:
        rates, graded: of either kind.
    """

    rates: Scale
    graded: Scale

    def of(self, rows: Iterable[PairedView]) -> Scale:
        """The axis of a table, whose measures are of one kind."""
        return self.graded if any(row.is_graded for row in rows) else self.rates


def page_scales(views: Iterable[ComparisonView]) -> Scales:
    """The axes of a page that shows these comparisons."""
    drawn = [row for view in views for row in view.drawn]
    return Scales(
        rates=difference_scale(row for row in drawn if not row.is_graded),
        graded=difference_scale(row for row in drawn if row.is_graded),
    )

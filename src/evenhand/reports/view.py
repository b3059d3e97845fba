"""What do both renderers need? Plain values with every number already written out.

Texts here are harmless (`safe_text`) but not escaped: the page's templates escape, the terminal
never reads them as markup. Shares are floats for drawing only.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from evenhand.core.verdict import VerdictState
from evenhand.reports.wording import Advice

_UNFOLDED_UP_TO: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class RateView:
    """One rate.

    Attributes:
        name: of the measure.
        scope: over which questions.
        text: ``0.521 (3168 of 6078)``.
        decimal: ``0.521``, empty when there are no such questions.
        fraction: ``3168 of 6078``.
        share: in [0, 1], None when there are no such questions.
        lower_is_better: a false abstention is a fault, the others are not.
    """

    name: str
    scope: str
    text: str
    decimal: str
    fraction: str
    share: float | None
    lower_is_better: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CountView:
    """One of the counts that stand beside every mean."""

    name: str
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedView:
    """One graded measure: its name, its mean as text, and over how many questions it is."""

    name: str
    mean: str
    scope: str


class NoticeKind(StrEnum):
    """How loud a notice is: a flag needs a look, a note is for the record."""

    FLAG = "flag"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """One line that stands out."""

    kind: NoticeKind
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonView:
    """One reason of a verdict; sides are empty where there is nothing to show."""

    dimension: str
    sentence: str
    current: str
    previous: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceView:
    """One difference of rates between comparable results.

    Attributes:
        measure: of the rate.
        previous, current: both rates as text.
        delta: ``+0.021 (+64)``.
        bounds: ``-0.010 to +0.031`` when questions failed, else empty.
        incomplete: the sign depends on the failed questions.
        drawn: (low, delta, high), for drawing.
        lower_is_better: a gain is a fall.
    """

    measure: str
    previous: str
    current: str
    delta: str
    bounds: str
    incomplete: bool
    drawn: tuple[float, float, float]
    lower_is_better: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictView:
    """A verdict with everything that may be said under it.

    Attributes:
        state: for colour and shape.
        word: the state as a word.
        sentence: what it means.
        previous: which result it was compared with, empty when there is none.
        reasons: empty when comparable.
        differences: empty unless comparable.
        notices: regression flag, incompleteness, changed treatment, changed depth.
        advice: what gives a fair answer, None where there is one.
    """

    state: VerdictState
    word: str
    sentence: str
    previous: str
    reasons: tuple[ReasonView, ...]
    differences: tuple[DifferenceView, ...]
    notices: tuple[Notice, ...]
    advice: Advice | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitRow:
    """One group of a breakdown with its counts and rates."""

    name: str
    questions: int
    scored: int
    failed: int
    no_answer: int
    success_at_1: RateView
    success_at_3: RateView
    abstention: RateView


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitTable:
    """A breakdown, marked descriptive by its caption."""

    caption: str
    group: str
    rows: tuple[SplitRow, ...]

    @property
    def has_no_answer(self) -> bool:
        """Whether abstention can be spoken of in any group."""
        return any(row.no_answer for row in self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class PooledRow:
    """Pooled rates of all questions or of one group."""

    name: str
    questions: int
    top1: RateView
    top3: RateView


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionView:
    """One question in a list; empty text where the golden set is not at hand."""

    id: str
    text: str
    group: str
    detail: str
    expected: tuple[str, ...] = ()
    retrieved: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionList:
    """Questions that share a fate.

    Attributes:
        key: stable name, for anchors.
        title: what they share.
        total: how many there are.
        shown: those that are listed, in order of their ids' bytes.
        is_named: named without being asked for.
        detail: heading of the detail column, empty when there is none.
    """

    key: str
    title: str
    total: int
    shown: tuple[QuestionView, ...]
    is_named: bool
    detail: str = ""

    @property
    def is_open(self) -> bool:
        """Whether the page shows the list unfolded."""
        return self.is_named and self.total <= _UNFOLDED_UP_TO

    @property
    def left_out(self) -> int:
        """How many are not listed."""
        return self.total - len(self.shown)


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyView:
    """Latency of the retrieval call, whole milliseconds, and what it depends on."""

    median: str
    p90: str
    questions: int
    conditions: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A name and its value; ``note`` says what kind of value it is, where that is not plain."""

    name: str
    value: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationView:
    """Everything that a report of one evaluation shows, in the order in which it shows it."""

    retriever: str
    set_name: str
    set_identifier: str
    stored_as: str
    started: str
    duration: str
    headline: tuple[RateView, ...]
    counts: tuple[CountView, ...]
    graded: tuple[GradedView, ...]
    privacy: str
    basis: str
    verdict: VerdictView | None
    notices: tuple[Notice, ...]
    splits: tuple[SplitTable, ...]
    pooled: tuple[PooledRow, ...]
    lists: tuple[QuestionList, ...]
    latency: LatencyView | None
    identities: tuple[Fact, ...]
    identity_note: str
    facts: tuple[Fact, ...]
    release: str

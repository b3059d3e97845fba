"""What do both renderers need of several results? Plain values, as in `view`."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.core.verdict import VerdictState
from evenhand.reports.view import DifferenceView, EvaluationView, Fact, Notice, ReasonView
from evenhand.reports.wording import Advice


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryView:
    """One result of a collection."""

    name: str
    note: str
    evaluation: EvaluationView


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupView:
    """Results on one benchmark, which may be read side by side."""

    benchmark: str
    corpus: str
    entries: tuple[EntryView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixCell:
    """Whether two results may be compared; no state where a result meets itself."""

    state: VerdictState | None
    word: str
    dimensions: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixRow:
    """One result against each."""

    name: str
    cells: tuple[MatrixCell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairView:
    """Two results: the verdict, and what it allows; differences are later minus earlier."""

    earlier: str
    later: str
    state: VerdictState
    word: str
    sentence: str
    reasons: tuple[ReasonView, ...]
    differences: tuple[DifferenceView, ...]
    flips: str
    notices: tuple[Notice, ...]
    advice: Advice | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandView:
    """A command and what it does."""

    text: str
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionView:
    """Everything that a report of several results shows.

    Attributes:
        corpora: name, number of documents, digest as the note.
        groups: results by benchmark.
        matrix: which may be compared with which.
        comparable, refused: the pairs, each once.
        refused_note: what holds for all that are refused.
        entries: each result in full.
    """

    title: str
    intro: tuple[str, ...]
    corpora: tuple[Fact, ...]
    groups: tuple[GroupView, ...]
    matrix: tuple[MatrixRow, ...]
    comparable: tuple[PairView, ...]
    refused: tuple[PairView, ...]
    refused_note: str
    entries: tuple[EntryView, ...]
    commands: tuple[CommandView, ...]

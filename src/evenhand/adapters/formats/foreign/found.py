"""What does a file of another tool hold that a golden set can be made of?

Readers give a `Found`; `build` makes the golden set of it, in one way for every format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeAlias

from evenhand.adapters.formats.corpus import CorpusDocument
from evenhand.adapters.formats.foreign.head import Head
from evenhand.adapters.formats.qrels_tsv import Judgement
from evenhand.core.errors import InvalidFile

#: Where something stands: the number of its line, or a name such as ``examples[3]``.
Place: TypeAlias = int | str


class Passage(NamedTuple):
    """A text that a format names without an id.

    Attributes:
        text: never empty.
        title: of the page that it is from, empty where there is none.
    """

    text: str
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundQuestion:
    """One question as a file states it.

    Attributes:
        text, place: what is asked, and where that stands.
        id: None where the format has no ids.
        targets: documents that answer; empty where the format says that the corpus does not,
            None where it says nothing.
        passages: texts that answer it and have no id; None where the format says nothing.
        answer: a hint for people.
        form, hard_class, critical, reviewed: as in a golden question.
    """

    text: str
    place: Place
    id: str | None = None
    targets: tuple[str, ...] | None = None
    passages: tuple[Passage, ...] | None = None
    answer: str | None = None
    form: str = "match"
    hard_class: str | None = None
    critical: bool = False
    reviewed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Everything that a reader found.

    Attributes:
        questions: in the order of the file.
        name: of the set, None where the file states none.
        judgements: with grades, None where the format has none of its own.
        documents: of the corpus, where the format holds one.
        is_whole_corpus: every target must be among them, and they can be gone over twice.
        remarks: what was left out or taken otherwise than it stands, for people.
    """

    questions: Sequence[FoundQuestion]
    name: str | None = None
    judgements: tuple[Judgement, ...] | None = None
    documents: Iterable[CorpusDocument] | None = None
    is_whole_corpus: bool = False
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Which column or key holds what; None leaves it to the documented names."""

    question: str | None = None
    id: str | None = None
    answer: str | None = None
    documents: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """What a reader may be told.

    Attributes:
        columns: for tables and LangSmith.
        topic_field: which field of a TREC topic is the question.
        split: of a Hugging Face folder.
        impossible_is_no_answer: take a question that its SQuAD paragraph does not answer for one
            that nothing in the corpus answers.
    """

    columns: Columns = field(default_factory=Columns)
    topic_field: str | None = None
    split: str | None = None
    impossible_is_no_answer: bool = False


Reader: TypeAlias = Callable[[Path, str, ReadOptions], Found]


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A format that can be told by its content.

    Attributes:
        name: for ``--format``.
        sniff: why a file looks like it, None where it does not.
        read: its reader, or the reason why no golden set can be made of such a file.
        is_general: asked only where no other format takes the file.
    """

    name: str
    sniff: Callable[[Head], str | None]
    read: Reader | str
    is_general: bool = False


def refused(file: str, place: Place | None, rule: str) -> InvalidFile:
    """The error for something in a file that breaks a rule."""
    if place is None or isinstance(place, int):
        return InvalidFile(file, rule, line=place)
    return InvalidFile(file, f"{place}: {rule}")

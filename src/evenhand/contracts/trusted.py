"""What may be asked of events, and what is an answer? Reviewed texts of SQL, and nothing else.

A question is a folder: the text of a query, what its columns mean, the digest of the text that
was reviewed, and cases with a known answer. A text that differs from the reviewed one is not
asked. Who carries a query out is for others: it is one text for SQLite, PostgreSQL and DuckDB.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import msgspec

from evenhand.contracts.contract import FOLDER, QUESTIONS, read_toml
from evenhand.contracts.decoding import timestamp_text
from evenhand.core.errors import InvalidFile, InvalidValue
from evenhand.core.errors.event import QuestionNotFound, UntrustedQuery
from evenhand.core.identity.canonical import sha256_hex

QUERY_FILE: Final = "query.sql"
QUESTION_FILE: Final = "question.toml"
CASES: Final = "cases"

#: Carries a text of SQL out over a half-open window; one mapping a row, in the query's order.
Execute = Callable[[str, "Window"], Sequence[Mapping[str, Any]]]


class Measure(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One number of a group.

    Attributes:
        name: the column.
        type: ``count`` or ``number``; a number is None where no row has one.
        means: one sentence.
    """

    name: str
    type: str
    means: str


class Rate(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A share of two counts of a group.

    Attributes:
        name: what it is called.
        of: the count above the line.
        among: the count below it; with none there is no share.
        means: one sentence.
    """

    name: str
    of: str
    among: str
    means: str


class QuestionFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What ``question.toml`` says.

    Attributes:
        asks: the question.
        sql_sha256: digest of the text that was reviewed.
        reviewed_by: who read it; empty: nobody.
        reviewed_on: when.
        groups: the columns that make a group, the first ones decide what may be compared.
        measures: the numbers of a group.
        rates: shares of counts.
    """

    asks: str
    sql_sha256: str
    reviewed_by: str
    reviewed_on: date
    groups: tuple[str, ...]
    measures: tuple[Measure, ...]
    rates: tuple[Rate, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question whose text is the reviewed one.

    Attributes:
        name: of its folder.
        sql: the text of the query.
        stated: what stands beside it.
    """

    name: str
    sql: str
    stated: QuestionFile

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return (*self.stated.groups, *(measure.name for measure in self.stated.measures))


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A half-open span of outcome boundaries: start <= time < end.

    Attributes:
        start: aware UTC.
        end: aware UTC, not before the start.

    Raises:
        InvalidValue: without a zone, or ending before it starts.
    """

    start: datetime
    end: datetime

    def __post_init__(self) -> None:
        for name, instant in (("start", self.start), ("end", self.end)):
            if instant.utcoffset() != timedelta(0):
                raise InvalidValue(name, "must be a time in UTC")
        if self.end < self.start:
            raise InvalidValue("end", "must not be before the start")


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """What a question gives for one group of rows.

    Attributes:
        of: the values that all of its rows share; None is unknown, a group of its own.
        measures: its numbers.
        rates: its shares, in [0, 1]; None where nothing is counted.
    """

    of: Mapping[str, str | None]
    measures: Mapping[str, float | None]
    rates: Mapping[str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustedAnswer:
    """What a question gives over a window: groups and no total.

    Attributes:
        question: what was asked.
        window: over which time.
        groups: in the query's order.
    """

    question: Question
    window: Window
    groups: tuple[Group, ...]


def question_names(folder: Path = FOLDER) -> tuple[str, ...]:
    """The names of a contract's questions, in order."""
    return tuple(sorted(one.parent.name for one in folder.glob(f"{QUESTIONS}/*/{QUESTION_FILE}")))


def load_question(name: str, folder: Path = FOLDER) -> Question:
    """A question by its name.

    Args:
        name: of its folder.
        folder: of the contract's version.

    Raises:
        QuestionNotFound: there is none.
        InvalidFile: it cannot be read.
        UntrustedQuery: nobody reviewed its text, or it is not the text that was reviewed.
    """
    known = question_names(folder)
    if name not in known:
        raise QuestionNotFound(known)
    place = folder / QUESTIONS / name
    try:
        stated = msgspec.convert(read_toml(place / QUESTION_FILE), QuestionFile)
    except msgspec.ValidationError as error:
        raise InvalidFile("/".join((name, QUESTION_FILE)), str(error)) from None
    try:
        content = (place / QUERY_FILE).read_bytes()
    except OSError as error:
        rule = f"cannot be read ({type(error).__name__})"
        raise InvalidFile("/".join((name, QUERY_FILE)), rule) from None
    if not stated.reviewed_by.strip():
        raise UntrustedQuery(name, "nobody has reviewed its text", code="query_unreviewed")
    if sha256_hex(content) != stated.sql_sha256:
        raise UntrustedQuery(name, "its text is not the one that was reviewed")
    try:
        sql = content.decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidFile("/".join((name, QUERY_FILE)), "is not UTF-8") from None
    return Question(name=name, sql=sql, stated=stated)


def ask(question: Question, window: Window, execute: Execute) -> TrustedAnswer:
    """The answer to a question over a window.

    Args:
        question: of :func:`load_question`.
        window: of outcome boundaries.
        execute: carries the text out on some engine.

    Raises:
        InvalidFile: the text gives no column of a name that stands beside it.
    """
    rows = execute(question.sql, window)
    missing = sorted(set(question.columns).difference(rows[0])) if rows else []
    if missing:
        rule = f"gives no column {missing[0]}"
        raise InvalidFile("/".join((question.name, QUERY_FILE)), rule)
    return TrustedAnswer(
        question=question,
        window=window,
        groups=tuple(_group(question.stated, row) for row in rows),
    )


def answer_document(answer: TrustedAnswer) -> dict[str, Any]:
    """The answer as JSON; ``series`` holds the same numbers for a chart."""
    stated = answer.question.stated
    return {
        "question": answer.question.name,
        "asks": stated.asks,
        "sql_sha256": stated.sql_sha256,
        "window_start": timestamp_text(answer.window.start),
        "window_end": timestamp_text(answer.window.end),
        "groups": [{"group": dict(one.of), **one.measures, **one.rates} for one in answer.groups],
        "series": [
            {
                "name": name,
                "means": means,
                "unit": unit,
                "points": [
                    {"group": dict(one.of), "value": {**one.measures, **one.rates}[name]}
                    for one in answer.groups
                ],
            }
            for name, means, unit in _series(stated)
        ],
    }


def _series(stated: QuestionFile) -> list[tuple[str, str, str]]:
    measures = [(one.name, one.means, one.type) for one in stated.measures]
    return measures + [(one.name, one.means, "share") for one in stated.rates]


def _group(stated: QuestionFile, row: Mapping[str, Any]) -> Group:
    measures = {one.name: _number(one, row[one.name]) for one in stated.measures}
    return Group(
        of={name: row[name] for name in stated.groups},
        measures=measures,
        rates={one.name: _share(measures[one.of], measures[one.among]) for one in stated.rates},
    )


def _number(measure: Measure, value: Any) -> float | None:
    # Engines give counts as integers or decimals of their own.
    if value is None:
        return None
    return int(value) if measure.type == "count" else float(value)


def _share(of: float | None, among: float | None) -> float | None:
    return None if of is None or not among else of / among

"""How do the contract of events, its questions and what was refused read?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.console.addresses import question_address
from evenhand.contracts.contract import Contract, Field
from evenhand.contracts.trusted import Question, Window
from evenhand.core.errors import EvenhandError
from evenhand.reports import numbers
from evenhand.reports.safe_text import shown_id
from evenhand.reports.view import Fact

#: What the checklist of a running hub is walked by; what it finds is stored nowhere.
VERIFY_COMMAND = "evenhand events verify --project NAME"


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRow:
    """One field of an event: what it holds, who may see it, and which decision it serves."""

    name: str
    type: str
    required: bool
    privacy: str
    meaning: str
    bounds: str
    decision: str
    need: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionRow:
    """One question that may be asked, and whether its text is the reviewed one.

    Attributes:
        name: of the question.
        address: of its answer.
        asks: the question.
        is_trusted: whether its text is the one that was reviewed.
        reviewed: by whom and when; or why it is not asked.
        digest: of the reviewed text; empty where it cannot be read.
    """

    name: str
    address: str
    asks: str
    is_trusted: bool
    reviewed: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectedRow:
    """How many events were refused for one reason at one field."""

    code: str
    field: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EventsView:
    """The contract, what may be asked, and what was refused in a window.

    Attributes:
        title: name and version of the contract.
        facts: what one row stands for.
        required, optional: fields in the order of the documentation.
        questions: by name.
        rejected: the most frequent first.
        window: over which time events were refused, as text.
        verify: the command that walks the checklist of a running hub.
    """

    title: str
    facts: tuple[Fact, ...]
    required: tuple[FieldRow, ...]
    optional: tuple[FieldRow, ...]
    questions: tuple[QuestionRow, ...]
    rejected: tuple[RejectedRow, ...]
    window: str
    verify: str

    @property
    def refused(self) -> int:
        """How many events were refused in the window."""
        return sum(row.count for row in self.rejected)


def events_view(
    contract: Contract,
    questions: Sequence[tuple[str, Question | EvenhandError]],
    rejected: Sequence[tuple[str, str, int]],
    window: Window,
) -> EventsView:
    """The page of events.

    Args:
        contract: that events are checked against.
        questions: name and question, or why it is not asked.
        rejected: code, field and how often.
        window: in which events were refused.
    """
    rows = tuple(map(_field, contract.fields))
    return EventsView(
        title=f"{contract.name} version {contract.version}",
        facts=(
            Fact(name="Grain", value=contract.grain),
            Fact(name="No two rows share", value=", ".join(contract.grain_key)),
            Fact(name="Emitted", value=contract.emitted_when),
            Fact(name="Owner", value=contract.owner),
        ),
        required=tuple(row for row in rows if row.required),
        optional=tuple(row for row in rows if not row.required),
        questions=tuple(_question(name, found) for name, found in questions),
        rejected=tuple(
            RejectedRow(code=code, field=shown_id(field), count=count)
            for code, field, count in sorted(rejected, key=lambda one: (-one[2], one[:2]))
        ),
        window=window_text(window),
        verify=VERIFY_COMMAND,
    )


def window_text(window: Window) -> str:
    """``from 2026-09-01 00:00:00 UTC until before 2026-09-08 00:00:00 UTC``."""
    start, end = numbers.instant_text(window.start), numbers.instant_text(window.end)
    return f"from {start} until before {end}"


def _field(field: Field) -> FieldRow:
    return FieldRow(
        name=field.name,
        type=field.type.value,
        required=field.required,
        privacy=field.privacy.value + (", of a review" if field.review else ""),
        meaning=field.meaning,
        bounds=_bounds(field),
        decision=field.decision or "",
        need=field.need or "",
    )


def _bounds(field: Field) -> str:
    if field.values:
        return " or ".join(field.values)
    least = "" if field.minimum is None else f"at least {field.minimum:g}"
    most = "" if field.maximum is None else f"at most {field.maximum:g}"
    return ", ".join(one for one in (least, most) if one)


def _question(name: str, found: Question | EvenhandError) -> QuestionRow:
    if isinstance(found, EvenhandError):
        return QuestionRow(
            name=name, address="", asks="", is_trusted=False, reviewed=str(found), digest=""
        )
    stated = found.stated
    return QuestionRow(
        name=name,
        address=question_address(name),
        asks=stated.asks,
        is_trusted=True,
        reviewed=f"by {stated.reviewed_by} on {stated.reviewed_on:%Y-%m-%d}",
        digest=stated.sql_sha256,
    )

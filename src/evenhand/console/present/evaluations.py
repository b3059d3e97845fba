"""What does the list of evaluations show?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from evenhand.console.listing import Listing, Paged
from evenhand.console.present.evaluation_rows import EvaluationRow, evaluation_rows
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.reports.safe_text import shown_id

#: Orders of the list, the customary one first. None is by a rate: results of different benchmarks
#: would stand in an order that means nothing.
SORTS: Final[Mapping[str, str]] = {"newest": "newest first", "oldest": "oldest first"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What filters propose: identifiers of sets and names of retrievers that have evaluations."""

    sets: tuple[str, ...]
    retrievers: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationListView:
    """A page of the list.

    Attributes:
        path: of the list.
        caption: what is listed.
        rows: evaluations.
        paged: the ways from this page.
        sorts: name, text and whether it is the present one.
        set_identifier, retriever, benchmark: values of the filters, empty where not set.
        choices: what they propose.
        is_filtered: whether any is set.
    """

    path: str
    caption: str
    rows: tuple[EvaluationRow, ...]
    paged: Paged[EvaluationRecord]
    sorts: tuple[tuple[str, str, bool], ...]
    set_identifier: str
    retriever: str
    benchmark: str
    choices: Choices
    is_filtered: bool


def build_list(
    listing: Listing, paged: Paged[EvaluationRecord], choices: Choices, *, now: datetime
) -> EvaluationListView:
    """A page of the list.

    Args:
        listing: what was asked for.
        paged: what was found.
        choices: what the filters propose.
        now: aware UTC.
    """
    return EvaluationListView(
        path=listing.path,
        caption=_caption(listing),
        rows=evaluation_rows(paged.rows, now=now),
        paged=paged,
        sorts=tuple((name, text, name == listing.sort) for name, text in SORTS.items()),
        set_identifier=listing.filter("set") or "",
        retriever=listing.filter("retriever") or "",
        benchmark=listing.filter("benchmark") or "",
        choices=choices,
        is_filtered=bool(listing.filters),
    )


def _caption(listing: Listing) -> str:
    retriever, golden_set = listing.filter("retriever"), listing.filter("set")
    of = f" of {shown_id(retriever)}" if retriever else ""
    on = f" on {shown_id(golden_set)}" if golden_set else ""
    same = ", all of one benchmark" if listing.filter("benchmark") else ""
    return f"Evaluations{of}{on}{same}, {SORTS[listing.sort]}"

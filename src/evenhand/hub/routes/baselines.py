"""Pinned baselines over HTTP: which result later ones are compared with, and which was before."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final

from fastapi import Query
from starlette.requests import Request

from evenhand.core.access.roles import Action
from evenhand.core.comparison.pinned import PinnedBaseline
from evenhand.core.privacy import PrivacyLevel
from evenhand.hub.parts import parts_of, principal_of
from evenhand.hub.problems import CREATED
from evenhand.hub.reading import page_of, place_of
from evenhand.hub.table import API, Body, Entry
from evenhand.usecases import baselines
from evenhand.wire import baselines as wire
from evenhand.wire.paging import Page, PageQuery

_PATH = f"{API}/baselines"
#: How much of a history is told at once.
_MOST: Final = 100


@dataclass(frozen=True, slots=True)
class _Row:
    """A baseline as it stands in a list."""

    pinned: PinnedBaseline

    @property
    def id(self) -> str:
        """Of its row."""
        return self.pinned.id

    @property
    def created_at(self) -> datetime:
        """When it was set."""
        return self.pinned.set_at


def list_baselines(request: Request, query: Annotated[PageQuery, Query()]) -> Page[wire.Baseline]:
    """The active one of each set and retriever, newest first."""
    after = place_of(query)
    found = parts_of(request).database.read(baselines.list_active)
    # There are as many as series that somebody cares for, so the page is cut here.
    rows = sorted(map(_Row, found), key=lambda row: (row.created_at, row.id), reverse=True)
    rest = [row for row in rows if after is None or (row.created_at, row.id) < after]
    return page_of(rest, query.limit, lambda row: wire.baseline_to_wire(row.pinned))


def get_baseline(request: Request, baseline_id: str) -> wire.BaselineDetail:
    """One baseline, active or not, with the history of its set and retriever."""
    found, history = parts_of(request).database.read(
        lambda uow: baselines.get_with_history(uow, baseline_id, limit=_MOST)
    )
    return wire.detail_to_wire(found, history)


def set_baseline(request: Request, body: wire.NewBaseline) -> wire.NewlyPinned:
    """Make a stored evaluation the baseline of its set and retriever."""
    parts, principal = parts_of(request), principal_of(request)
    pinned = parts.database.run(
        lambda uow: baselines.set_over_network(
            uow,
            body.evaluation_id,
            principal=principal,
            ids=parts.ids,
            level=PrivacyLevel(parts.policy.level),
            note=body.note,
            max_failed_share=parts.max_failed_share,
        )
    )
    replaced = pinned.replaced
    return wire.NewlyPinned(
        baseline=wire.baseline_to_wire(pinned.baseline),
        replaced=None if replaced is None else replaced.id,
        benchmark_changed=pinned.benchmark_changed,
    )


ENTRIES = (
    Entry(
        method="GET",
        path=_PATH,
        endpoint=list_baselines,
        action=Action.READ,
        summary="List active baselines",
        problems=(422,),
    ),
    Entry(
        method="GET",
        path=f"{_PATH}/{{baseline_id}}",
        endpoint=get_baseline,
        action=Action.READ,
        summary="One baseline with its history",
        problems=(404,),
    ),
    Entry(
        method="POST",
        path=_PATH,
        endpoint=set_baseline,
        action=Action.WRITE,
        summary="Set a baseline",
        body=Body.OBJECT,
        status=CREATED,
        problems=(404,),
    ),
)

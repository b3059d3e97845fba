"""Counts of reviews over HTTP: each stratum by itself; no request makes one of two."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from starlette.requests import Request

from evenhand.core.access.roles import Action
from evenhand.hub.parts import parts_of, principal_of
from evenhand.hub.table import API, Entry
from evenhand.usecases.ports import UnitOfWork
from evenhand.usecases.reviews import reading
from evenhand.usecases.reviews.telling import find_project
from evenhand.wire import reviews as wire

_PATH = f"{API}/reviews"


def list_strata(request: Request, query: Annotated[wire.OfOneProject, Query()]) -> wire.Strata:
    """Every stratum of a project with its counts, and what is in none; there is no total."""
    principal = principal_of(request)

    def read(uow: UnitOfWork) -> wire.Strata:
        project = find_project(uow, query.project_id, principal, active=False)
        found = reading.strata_of(uow, project.id)
        return wire.strata_to_wire(
            found.strata,
            permissions=found.permissions,
            rows=found.rows,
            excluded=found.excluded,
        )

    return parts_of(request).database.read(read)


def get_rates(request: Request, query: Annotated[wire.RatesQuery, Query()]) -> wire.StratumRates:
    """Rates of one stratum; with another one, both over the same cases, each by itself."""
    principal = principal_of(request)

    def read(uow: UnitOfWork) -> wire.StratumRates:
        project = find_project(uow, query.project_id, principal, active=False)
        other = () if query.other is None else (query.other,)
        found = reading.stratum_rates(uow, project.id, (query.stratum,), other)
        return wire.stratum_to_wire(
            found.rates,
            other=found.other,
            paired=found.paired,
            permissions=found.permissions,
            excluded=found.excluded,
        )

    return parts_of(request).database.read(read)


ENTRIES = (
    Entry(
        method="GET",
        path=f"{_PATH}/strata",
        endpoint=list_strata,
        action=Action.READ,
        summary="Counts of reviews, stratum by stratum",
        problems=(404, 422),
    ),
    Entry(
        method="GET",
        path=f"{_PATH}/rates",
        endpoint=get_rates,
        action=Action.READ,
        summary="Rates of one stratum, or of two side by side",
        problems=(404, 422),
    ),
)

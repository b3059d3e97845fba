"""Suite revisions over HTTP: frozen by operators, read by people; nobody changes one."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from evenhand.core.access.roles import Action
from evenhand.core.errors.registry import ReferenceRefused
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.core.retrieval.suite import require_size
from evenhand.core.retrieval.suite_revision import freeze_content
from evenhand.hub.parts import parts_of, principal_of
from evenhand.hub.problems import CREATED, OK
from evenhand.hub.reading import page_of, place_of
from evenhand.hub.table import API, Body, Entry
from evenhand.usecases.ports import UnitOfWork
from evenhand.usecases.registry import suites
from evenhand.wire import suite_revisions as wire
from evenhand.wire.golden_sets import golden_set_to_core
from evenhand.wire.paging import Page, PageQuery

_OF_SUITE = f"{API}/suites/{{suite_id}}/revisions"
_PATH = f"{API}/suite-revisions/{{revision_id}}"


def freeze(
    request: Request, response: Response, suite_id: str, body: wire.NewRevision
) -> wire.SuiteRevisionDetail:
    """A revision of the suite with this content; the one that is there where there is one."""
    parts, actor = parts_of(request), principal_of(request).actor

    def work(uow: UnitOfWork) -> suites.Frozen:
        # Existence comes before the rules of what is to be frozen (statements C.3).
        uow.suites.get(suite_id)
        content = freeze_content(
            _golden_set(uow, body),
            corpus_sha256=body.corpus_sha256,
            retrieval_settings=body.retrieval_settings,
            retrieval_config_sha256=body.retrieval_config_sha256,
        )
        return suites.freeze(uow, suite_id, content, actor=actor, ids=parts.ids)

    frozen = parts.database.run(work)
    if not frozen.is_new:
        response.status_code = OK
    return wire.detail_to_wire(frozen.revision)


def list_revisions(
    request: Request, suite_id: str, query: Annotated[PageQuery, Query()]
) -> Page[wire.SuiteRevision]:
    """The revisions of a suite, newest first, without their settings."""
    after = place_of(query)

    def read(uow: UnitOfWork) -> Page[wire.SuiteRevision]:
        uow.suites.get(suite_id)
        found = uow.suites.list_revisions(suite_id, limit=query.limit + 1, after=after)
        return page_of(found, query.limit, wire.revision_to_wire)

    return parts_of(request).database.read(read)


def get_revision(request: Request, revision_id: str) -> wire.SuiteRevisionDetail:
    """One revision: identities, numbers and settings."""
    found = parts_of(request).database.read(lambda uow: suites.get_facts(uow, revision_id))
    return wire.detail_to_wire(found)


def list_cases(
    request: Request, revision_id: str, query: Annotated[wire.CasesQuery, Query()]
) -> wire.CasesPage:
    """The cases of a revision with their labels, in order of position."""

    def read(uow: UnitOfWork) -> wire.CasesPage:
        suites.get_facts(uow, revision_id)
        found = uow.suites.list_cases(revision_id, after=query.after, limit=query.limit + 1)
        page = found[: query.limit]
        more = len(found) > len(page)
        return wire.CasesPage(
            items=list(map(wire.case_to_wire, page)),
            next_after=page[-1].position if more else None,
        )

    return parts_of(request).database.read(read)


def _golden_set(uow: UnitOfWork, body: wire.NewRevision) -> GoldenSet:
    """The set that was sent, or the imported one that was named.

    Raises:
        InvalidGoldenSet: the set that was sent breaks a rule.
        ReferenceRefused: none is kept under this identifier.
    """
    if body.golden_set is not None:
        # Before the set is built: to have no question is against a rule of every set.
        require_size(body.golden_set.asked)
        return golden_set_to_core(body.golden_set)
    found = uow.golden_sets.find(body.golden_set_identifier or "")
    if found is None:
        raise ReferenceRefused("golden_set", field="golden_set_identifier")
    return found


ENTRIES = (
    Entry(
        method="POST",
        path=_OF_SUITE,
        endpoint=freeze,
        action=Action.WRITE,
        summary="Freeze a golden set as a revision",
        body=Body.OBJECT,
        status=CREATED,
        also=(OK,),
        problems=(404, 409),
    ),
    Entry(
        method="GET",
        path=_OF_SUITE,
        endpoint=list_revisions,
        action=Action.READ,
        summary="List the revisions of a suite",
        problems=(404, 422),
    ),
    Entry(
        method="GET",
        path=_PATH,
        endpoint=get_revision,
        action=Action.READ,
        summary="One suite revision",
        problems=(404,),
    ),
    Entry(
        method="GET",
        path=f"{_PATH}/cases",
        endpoint=list_cases,
        action=Action.READ,
        summary="Cases of a suite revision, with their labels",
        problems=(404, 422),
    ),
)

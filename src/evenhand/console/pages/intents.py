"""Selected model comparisons: the history, one of them with its evidence, and how far it has come."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from evenhand.console.addresses import (
    INTENTS,
    INTENTS_NEW,
    intent_address,
    with_query,
)
from evenhand.console.guard import Page, actor_of, form_of, form_token_of, may
from evenhand.console.listing import Paged
from evenhand.console.names import names_of_intents
from evenhand.console.navigation import MODELS, Place
from evenhand.console.offsets import read_window
from evenhand.console.parts import parts_of
from evenhand.console.present.intent_cases import CaseRow, case_rows
from evenhand.console.present.intent_pins import EntryView, PinsView, entry_views, pins_view
from evenhand.console.present.intent_result import ResultView, result_view
from evenhand.console.present.intents import (
    IntentRow,
    ProgressView,
    intent_rows,
    progress_view,
    title_of,
)
from evenhand.console.reconciled import read_reconciled
from evenhand.console.rendering import fragment, render
from evenhand.core.access.audit import AuditEntry
from evenhand.core.access.roles import Action
from evenhand.core.comparison.concluded import Evidence
from evenhand.core.comparison.pins import LegName
from evenhand.core.retrieval.suite_revision import FrozenSuite
from evenhand.core.scoring.outcome import Outcome
from evenhand.usecases.intents import preparing, reading
from evenhand.usecases.intents.telling import OBJECT_KIND
from evenhand.usecases.ports import UnitOfWork

KEY: Final = "comparisons"
#: How many entries of the audit are shown: more than a comparison can have.
_ENTRIES: Final = 50
_SEE_OTHER: Final = 303
_NOT_MODIFIED: Final = 304


@dataclass(frozen=True, slots=True, kw_only=True)
class ListView:
    """The history.

    Attributes:
        paged: some comparisons, newest first.
        binding: only those of this one; empty for all.
        binding_name: what it is called; empty for all.
        prepare: address of the form for a new one; empty for who may not.
    """

    paged: Paged[IntentRow]
    binding: str
    binding_name: str
    prepare: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DetailView:
    """One comparison.

    Attributes:
        title: both sides.
        binding: of which binding; project and name.
        progress: how far it has come.
        result: what came of it; None before.
        pins: what was pinned.
        cases: case by case; None where they are not shown.
        consumer_revision: what reported it, as it says of itself; empty before.
        entries: the audit; None for who may not see it.
        can_cancel: whether whoever looks may cancel it now.
        again: address of the form for another one of its binding; empty for who may not.
        form_token: of the session.
    """

    title: str
    binding: str
    progress: ProgressView
    result: ResultView | None
    pins: PinsView
    cases: tuple[CaseRow, ...] | None
    consumer_revision: str
    entries: tuple[EntryView, ...] | None
    can_cancel: bool
    again: str
    form_token: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What is read for the page of a comparison, in one transaction."""

    told: reading.Told
    names: dict[str, str]
    suite: FrozenSuite | None
    outcomes: dict[LegName, tuple[Outcome, ...] | None]
    evidence: Evidence
    entries: tuple[AuditEntry, ...] | None


def list_intents(request: Request) -> Response:
    """Newest first; those of a binding, or all."""
    window = read_window(request, filters=("binding",))
    binding_id = window.filter("binding") or ""

    def work(uow: UnitOfWork) -> tuple[tuple[reading.Told, ...], dict[str, str]]:
        told = reading.list_history(
            uow, binding_id=binding_id or None, limit=window.wanted, offset=window.offset
        )
        return told, names_of_intents(uow, [one.intent for one in told], binding_id)

    told, names = read_reconciled(request, work)
    rows = intent_rows(
        [(one.intent, one.concluded) for one in told],
        names=names,
        now=parts_of(request).clock.now(),
    )
    view = ListView(
        paged=window.page(rows),
        binding=binding_id,
        binding_name=names.get(binding_id, ""),
        prepare=_prepare_address(request, binding_id),
    )
    return render(request, "intents/list.html", view, here=KEY)


def show_intent(request: Request) -> Response:
    """One comparison: where it stands, what came of it, and what it rests on."""
    intent_id, parts = request.path_params["intent_id"], parts_of(request)
    sees_audit = may(request, Action.ADMINISTER)
    found = read_reconciled(request, lambda uow: _find(uow, intent_id, sees_audit=sees_audit))
    intent, concluded, now = found.told.intent, found.told.concluded, parts.clock.now()
    names, suite = found.names, found.suite
    cases = None
    if suite is not None and concluded is not None:
        cases = case_rows(suite, found.outcomes, found.evidence)
    progress = progress_view(intent, now=now)
    view = DetailView(
        title=title_of(intent, names),
        binding=f"{names[intent.pins.project_id]} / {names[intent.pins.binding_id]}",
        progress=progress,
        result=None if concluded is None else result_view(concluded, intent.pins.case_count),
        pins=pins_view(
            intent, names=names, settings=None if suite is None else suite.revision.settings
        ),
        cases=cases,
        consumer_revision=found.evidence.consumer_revision_sha256 or "",
        entries=None if found.entries is None else entry_views(found.entries, now=now),
        can_cancel=progress.is_active and may(request, Action.WRITE),
        again=_prepare_address(request, intent.pins.binding_id),
        form_token=form_token_of(request),
    )
    return render(request, "intents/show.html", view, here=KEY)


def show_progress(request: Request) -> Response:
    """How far a comparison has come, for a page that is open; nothing where that has not changed."""
    intent_id, parts = request.path_params["intent_id"], parts_of(request)
    told = read_reconciled(request, lambda uow: reading.get_intent(uow, intent_id))
    view = progress_view(told.intent, now=parts.clock.now())
    text = fragment("intents/progress.html", view)
    tag = f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'
    # A browser may keep it, and asks each time whether it is still right.
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=_NOT_MODIFIED, headers=headers)
    return Response(text, headers=headers, media_type="text/html")


def cancel_intent(request: Request) -> Response:
    """Cancel a comparison, or ask its consumer to stop; no program is stopped by it."""
    intent_id, parts = request.path_params["intent_id"], parts_of(request)
    version, actor = form_of(request).version(), actor_of(request)
    parts.database.run(
        lambda uow: preparing.cancel_intent(
            uow, intent_id, expected_version=version, actor=actor, ids=parts.ids
        )
    )
    return RedirectResponse(intent_address(intent_id), status_code=_SEE_OTHER)


def _find(uow: UnitOfWork, intent_id: str, *, sees_audit: bool) -> _Found:
    told = reading.get_intent(uow, intent_id)
    pins, names = told.intent.pins, names_of_intents(uow, [told.intent])
    suite = uow.suites.find_revision(pins.suite_revision_id)
    if suite is not None:
        called = uow.suites.get(suite.revision.suite_id).name
        names[pins.suite_revision_id] = f"{called}, revision {suite.revision.number}"
    ids = {} if told.concluded is None else told.concluded.evaluation_ids
    return _Found(
        told=told,
        names=names,
        suite=suite,
        outcomes={leg: uow.evaluations.get_outcomes(one) for leg, one in ids.items()},
        evidence=uow.intents.find_evidence(intent_id),
        entries=uow.audit.list_latest(object_kind=OBJECT_KIND, object_id=intent_id, limit=_ENTRIES)
        if sees_audit
        else None,
    )


def _prepare_address(request: Request, binding_id: str) -> str:
    return with_query(INTENTS_NEW, binding=binding_id) if may(request, Action.WRITE) else ""


def _has_any(uow: UnitOfWork) -> bool:
    return bool(uow.intents.list_latest(binding_id=None, limit=1, offset=0))


_ONE: Final = f"{INTENTS}/{{intent_id}}"

ROUTES: Final = (
    Page(INTENTS, list_intents),
    Page(f"{_ONE}/progress", show_progress),
    Page(f"{_ONE}/cancel", cancel_intent, method="POST", action=Action.WRITE),
    Page(_ONE, show_intent),
)
PLACES: Final = (
    Place(
        key=KEY,
        name="Comparisons",
        path=INTENTS,
        group=MODELS,
        shortcut="i",
        is_kept=_has_any,
    ),
)

"""Preparing a selected model comparison: every choice from the registry, and once for each form.

Nothing here starts an evaluator: what is prepared waits until its consumer claims it (C-03). Where
the binding's last comparison was interrupted, whoever prepares another says first that its program
was looked at, and the audit keeps who said so (C-117).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from evenhand.console.addresses import INTENTS_NEW, intent_address
from evenhand.console.forms import Form
from evenhand.console.guard import Page, actor_of, form_of, form_token_of
from evenhand.console.names import names_of
from evenhand.console.parts import parts_of
from evenhand.console.present import intent_form as fields
from evenhand.console.present.intent_form import (
    BindingRow,
    Typed,
    binding_rows,
    prepare_view,
)
from evenhand.console.reconciled import read_reconciled
from evenhand.console.rendering import render
from evenhand.core.access.roles import Action
from evenhand.core.comparison.admission import IntentRequest
from evenhand.core.comparison.intent import Intent
from evenhand.core.errors import Conflict, EvenhandError, Invalid
from evenhand.core.errors.console import InvalidForm
from evenhand.core.scoring.publication import KEY_PATTERN
from evenhand.usecases.intents import choosing, preparing
from evenhand.usecases.ports import Refused, UnitOfWork

#: Key of the place in the menu that the form belongs to.
HERE: Final = "comparisons"
_SEE_OTHER: Final = 303
_CONFLICT, _INVALID = 409, 422
_LONGEST_INDEX: Final = 256
#: A field of the API's body → the field of the form that it is made from.
_FIELDS: Final = {
    "consumer_client_id": fields.CLIENT,
    "suite_revision_id": fields.REVISION,
    "corpus_sha256": fields.REVISION,
    "retrieval_config_sha256": fields.REVISION,
    "candidate_deployment_id": fields.ROUTE,
    "candidate_route_id": fields.ROUTE,
    "current_index_ref": fields.CURRENT_INDEX,
    "candidate_index_ref": fields.CANDIDATE_INDEX,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChooseView:
    """The first step: on which binding."""

    bindings: tuple[BindingRow, ...]


def show_form(request: Request) -> Response:
    """The bindings to choose from; of one that was chosen, the form."""
    binding_id, parts = request.query_params.get(fields.BINDING, ""), parts_of(request)
    if binding_id:
        return _form(request, binding_id, Typed(fields={}), key=f"console-{parts.ids.new()}")

    def work(uow: UnitOfWork) -> tuple[BindingRow, ...]:
        found = choosing.list_bindings(uow)
        return binding_rows(found, names_of(uow.projects, (one.project_id for one in found)))

    view = ChooseView(bindings=parts.database.read(work))
    return render(request, "intents/choose.html", view, here=HERE)


def prepare(request: Request) -> Response:
    """A comparison that waits for its consumer; sent twice it is prepared once."""
    form = form_of(request)
    binding_id, key = form.required(fields.BINDING), form.required(fields.KEY)
    if not re.fullmatch(KEY_PATTERN, key):
        raise InvalidForm(fields.KEY, "is not one that a form of the console has")
    try:
        made = _prepared(request, form, binding_id, key)
    except (Invalid, Conflict) as refusal:
        typed = Typed(fields=form.fields, problem=str(refusal), field=_field_of(refusal))
        status = _CONFLICT if isinstance(refusal, Conflict) else _INVALID
        return _form(request, binding_id, typed, key=key, status=status)
    return RedirectResponse(intent_address(made.id), status_code=_SEE_OTHER)


def _prepared(request: Request, form: Form, binding_id: str, key: str) -> Intent:
    parts, actor = parts_of(request), actor_of(request)
    looked_at = preparing.LookedAt(intent_id=form.text(fields.LOOKED_AT) or None)
    chosen = {name: form.required(name) for name in (fields.CLIENT, fields.REVISION, fields.ROUTE)}
    indexes = {name: _index(form, name) for name in (fields.CURRENT_INDEX, fields.CANDIDATE_INDEX)}
    current_id = form.required(fields.CURRENT)

    def work(uow: UnitOfWork) -> Intent | Refused:
        route = uow.routes.find(chosen[fields.ROUTE])
        revision = uow.suites.find_facts(chosen[fields.REVISION])
        wanted = IntentRequest(
            binding_id=binding_id,
            client_id=chosen[fields.CLIENT],
            suite_revision_id=chosen[fields.REVISION],
            current_deployment_id=current_id,
            # An experiment's route never points elsewhere, and a revision never changes: who
            # chose one chose what it holds.
            candidate_deployment_id="" if route is None else route.deployment_id,
            candidate_route_id=chosen[fields.ROUTE],
            corpus_sha256="" if revision is None else revision.corpus_sha256,
            retrieval_config_sha256="" if revision is None else revision.retrieval_config_sha256,
            current_index_ref=indexes[fields.CURRENT_INDEX],
            candidate_index_ref=indexes[fields.CANDIDATE_INDEX],
        )
        done = preparing.prepare_intent(
            uow, wanted, key=key, actor=actor, ids=parts.ids, looked_at=looked_at
        )
        return done if isinstance(done, Refused) else done.intent

    return preparing.once(parts.database, work)


def _index(form: Form, name: str) -> str:
    """What the consumer calls an index.

    Raises:
        InvalidForm: nothing, too long, or with control characters.
    """
    given = form.required(name)
    if len(given) > _LONGEST_INDEX or not given.isprintable():
        raise InvalidForm(name, "must have at most 256 characters, no control characters")
    return given


def _form(
    request: Request, binding_id: str, typed: Typed, *, key: str, status: int = 200
) -> Response:
    parts = parts_of(request)
    choices = read_reconciled(request, lambda uow: choosing.find_choices(uow, binding_id))
    view = prepare_view(
        choices,
        typed,
        key=key,
        form_token=form_token_of(request),
        now=parts.clock.now(),
    )
    return render(request, "intents/prepare.html", view, here=HERE, status=status)


def _field_of(refusal: EvenhandError) -> str:
    found = str(getattr(refusal, "field", ""))
    return _FIELDS.get(found, found)


ROUTES: Final = (
    Page(INTENTS_NEW, show_form, action=Action.WRITE),
    Page(INTENTS_NEW, prepare, method="POST", action=Action.WRITE),
)

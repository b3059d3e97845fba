"""What can be chosen when a comparison is prepared, and what is missing before one can be?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from evenhand.console.addresses import INTENTS_NEW, intent_address, with_query
from evenhand.console.present.forms import Option, options
from evenhand.console.present.intent_pins import settings_lines
from evenhand.console.present.registry import choice_text
from evenhand.console.present.times import Moment, moment
from evenhand.core.comparison.intent import Intent
from evenhand.core.registry.binding import Binding
from evenhand.reports import numbers, wording
from evenhand.usecases.intents.choosing import Choices, OfferedRevision, Pointed

#: Names of the form's fields.
BINDING: Final = "binding"
CLIENT: Final = "client"
REVISION: Final = "revision"
ROUTE: Final = "route"
CURRENT: Final = "current_deployment"
CURRENT_INDEX: Final = "current_index_ref"
CANDIDATE_INDEX: Final = "candidate_index_ref"
KEY: Final = "idempotency_key"
LOOKED_AT: Final = "looked_at"


@dataclass(frozen=True, slots=True, kw_only=True)
class BindingRow:
    """A binding on which a comparison may be prepared."""

    name: str
    project: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionView:
    """What a suite revision would pin.

    Attributes:
        name: suite and number.
        frozen: when.
        cases: how many, and how many of them are critical.
        corpus, settings_digest: digests, whole.
        settings: names and values of the retrieval settings.
    """

    name: str
    frozen: Moment
    cases: str
    corpus: str
    settings_digest: str
    settings: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class InterruptedView:
    """The comparison whose program is to be looked at first.

    Attributes:
        id, address: of that comparison.
        ended: when it was interrupted.
        consumer: who carried it out.
        is_confirmed: whether it was said before that somebody looked.
    """

    id: str
    address: str
    ended: Moment
    consumer: str
    is_confirmed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareView:
    """The form.

    Attributes:
        binding_id, binding: of which binding; project and name.
        current: what is in production: route and deployment.
        current_id: the deployment that this is.
        clients, candidates, revisions: what can be chosen.
        pinned: what each revision would pin.
        current_index, candidate_index: as they were typed.
        key: of this attempt; the same when it is sent again.
        interrupted: what is to be looked at first; None for nothing.
        missing: what has to be there first, in sentences; the form is shown only without any.
        problem: why it was refused; empty on the first try.
        field: name of the field that the refusal is about; empty for none.
        form_token: of the session.
    """

    binding_id: str
    binding: str
    current: str
    current_id: str
    clients: tuple[Option, ...]
    candidates: tuple[Option, ...]
    revisions: tuple[Option, ...]
    pinned: tuple[RevisionView, ...]
    current_index: str
    candidate_index: str
    key: str
    interrupted: InterruptedView | None
    missing: tuple[str, ...]
    problem: str
    field: str
    form_token: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """What was sent before and is shown again; empty texts on the first try.

    Attributes:
        fields: by name.
        problem: why it was refused.
        field: that this is about.
    """

    fields: Mapping[str, str]
    problem: str = ""
    field: str = ""

    def text(self, name: str) -> str:
        """What a field held."""
        return self.fields.get(name, "")


def binding_rows(found: Iterable[Binding], names: Mapping[str, str]) -> tuple[BindingRow, ...]:
    """Bindings to choose from, in the order given.

    Args:
        found: those on which a comparison may be prepared.
        names: of projects, by id.
    """
    return tuple(
        BindingRow(
            name=one.name,
            project=names.get(one.project_id, wording.UNKNOWN),
            address=with_query(INTENTS_NEW, binding=one.id),
        )
        for one in found
    )


def prepare_view(
    choices: Choices, typed: Typed, *, key: str, form_token: str, now: datetime
) -> PrepareView:
    """The form for a binding.

    Args:
        choices: what can be chosen.
        typed: what was sent before.
        key: of this attempt.
        form_token: of the session.
        now: aware UTC.
    """
    production = choices.production
    return PrepareView(
        binding_id=choices.binding.id,
        binding=f"{choices.project.name} / {choices.binding.name}",
        current="" if production is None else _pointed(production),
        current_id="" if production is None else production.deployment.id,
        clients=options(((one.id, one.name) for one in choices.clients), typed.text(CLIENT)),
        candidates=options(
            ((one.route.id, _pointed(one)) for one in choices.candidates), typed.text(ROUTE)
        ),
        revisions=options(
            ((one.revision.id, _revision_text(one)) for one in choices.revisions),
            typed.text(REVISION),
        ),
        pinned=tuple(_revision(one, now) for one in choices.revisions),
        current_index=typed.text(CURRENT_INDEX),
        candidate_index=typed.text(CANDIDATE_INDEX),
        key=key,
        interrupted=_interrupted(choices, typed, now),
        missing=tuple(_missing(choices)),
        problem=typed.problem,
        field=typed.field,
        form_token=form_token,
    )


def _pointed(one: Pointed) -> str:
    return f"{one.route.name} → {choice_text(one.deployment)}"


def _revision_text(one: OfferedRevision) -> str:
    revision = one.revision
    cases = numbers.count(revision.case_count, "case")
    return (
        f"{one.suite.name}, revision {revision.number}: {cases}, corpus "
        f"{numbers.short(revision.corpus_sha256)}"
    )


def _revision(one: OfferedRevision, now: datetime) -> RevisionView:
    revision = one.revision
    critical = f", {revision.critical_count} critical" if revision.critical_count else ""
    return RevisionView(
        name=f"{one.suite.name}, revision {revision.number}",
        frozen=moment(revision.created_at, now=now),
        cases=f"{numbers.count(revision.case_count, 'case')}{critical}",
        corpus=revision.corpus_sha256,
        settings_digest=revision.retrieval_config_sha256,
        settings=settings_lines(revision.settings),
    )


def _interrupted(choices: Choices, typed: Typed, now: datetime) -> InterruptedView | None:
    found: Intent | None = choices.interrupted
    if found is None:
        return None
    names = {one.id: one.name for one in choices.clients}
    return InterruptedView(
        id=found.id,
        address=intent_address(found.id),
        ended=moment(found.finished_at or found.created_at, now=now),
        consumer=names.get(found.pins.client_id, found.pins.client_id),
        is_confirmed=typed.text(LOOKED_AT) == found.id,
    )


def _missing(choices: Choices) -> Iterable[str]:
    if choices.has_active:
        yield "The binding has a comparison that has not ended; at most one runs at a time."
    if choices.production is None:
        yield "No active stable route of the binding says which deployment is in production."
    if not choices.candidates:
        yield (
            "No candidate: it needs an active experiment route of the binding to an active "
            "deployment that is nowhere in production."
        )
    if not choices.clients:
        yield "No active service client of the binding may carry it out (rag.embedding@1)."
    if not choices.revisions:
        yield "The project has no suite with a frozen revision."

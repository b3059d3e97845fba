"""What was pinned of a selected model comparison, and what was done with it? Facts, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from evenhand.console.addresses import deployment_address, route_address
from evenhand.console.present.forms import FactView
from evenhand.console.present.times import Moment, moment
from evenhand.core.access.audit import AuditEntry
from evenhand.core.comparison.intent import Intent
from evenhand.core.comparison.pins import PinnedLeg
from evenhand.core.identity.settings_digest import RetrievalSettings
from evenhand.reports import numbers, wording
from evenhand.reports.safe_text import shown_id, shown_text

_NO_CUTOFF = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class LegFact:
    """One fact of both sides.

    Attributes:
        name: what it is.
        current, candidate: of either side.
        differs: whether they are not the same.
    """

    name: str
    current: FactView
    candidate: FactView
    differs: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PinsView:
    """What was pinned.

    Attributes:
        legs: of either side.
        facts: of both.
        settings: the retrieval settings, one a line; empty where they are not at hand.
    """

    legs: tuple[LegFact, ...]
    facts: tuple[FactView, ...]
    settings: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryView:
    """One entry of the audit.

    Attributes:
        at: when.
        actor: who.
        did: what, in words.
        states: from where to where; empty where neither is known.
        code: what else is to be known; empty for nothing.
        version: that it has from then on; empty where it has none.
    """

    at: Moment
    actor: str
    did: str
    states: str
    code: str
    version: str


def pins_view(
    intent: Intent, *, names: Mapping[str, str], settings: RetrievalSettings | None
) -> PinsView:
    """What was pinned when the comparison was prepared.

    Args:
        intent: the record.
        names: of what it names, by id.
        settings: those of the suite revision; None where it is not at hand.
    """
    pins = intent.pins
    return PinsView(
        legs=_legs(pins.current, pins.candidate, names),
        facts=(
            _named("Project", pins.project_id, names),
            _named("Binding", pins.binding_id, names),
            _named("Consumer", pins.client_id, names),
            _named("Suite revision", pins.suite_revision_id, names),
            FactView(name="Cases", text=str(pins.case_count)),
            _digest("Suite content", pins.suite_content_digest),
            _digest("Corpus", pins.corpus_sha256),
            _digest("Retrieval settings", pins.retrieval_config_sha256),
            _digest("Pins digest", pins.digest),
        ),
        settings=settings_lines(settings),
    )


def settings_lines(settings: RetrievalSettings | None) -> tuple[tuple[str, str], ...]:
    """Names and values of retrieval settings, in their own order."""
    if settings is None:
        return ()
    return tuple(
        (shown_text(name), shown_text(str(value), limit=None))
        for name, value in settings.value.items()
    )


def entry_views(found: Sequence[AuditEntry], *, now: datetime) -> tuple[EntryView, ...]:
    """Entries of the audit, in the order given.

    Args:
        found: as they are stored.
        now: aware UTC.
    """
    return tuple(_entry(one, now) for one in found)


def _legs(
    current: PinnedLeg, candidate: PinnedLeg, names: Mapping[str, str]
) -> tuple[LegFact, ...]:
    sides = [_leg_facts(leg, names) for leg in (current, candidate)]
    return tuple(
        LegFact(
            name=before.name,
            current=before,
            candidate=after,
            differs=(before.whole or before.text) != (after.whole or after.text),
        )
        for before, after in zip(*sides, strict=True)
    )


def _leg_facts(leg: PinnedLeg, names: Mapping[str, str]) -> tuple[FactView, ...]:
    cutoff = _NO_CUTOFF if leg.score_cutoff is None else f"{leg.score_cutoff:g}"
    return (
        FactView(
            name="Deployment",
            text=names.get(leg.deployment_id, wording.UNKNOWN),
            whole=leg.deployment_id,
            address=deployment_address(leg.deployment_id),
        ),
        FactView(
            name="Route",
            text=leg.route_name,
            whole=leg.route_name,
            address=route_address(leg.route_id),
        ),
        FactView(name="Embedding identity", text=shown_id(leg.embedding_identity)),
        FactView(name="Dimension", text=str(leg.embedding_dimension)),
        FactView(name="Runtime", text=shown_id(leg.runtime_identity)),
        _digest("Artifact", leg.artifact_digest),
        FactView(name="Index", text=shown_text(leg.index_ref)),
        FactView(name="Score cutoff", text=cutoff),
    )


def _named(name: str, row_id: str, names: Mapping[str, str]) -> FactView:
    return FactView(name=name, text=names.get(row_id, wording.UNKNOWN), whole=row_id)


def _digest(name: str, digest: str) -> FactView:
    return FactView(name=name, text=numbers.short(digest), whole=digest)


def _entry(one: AuditEntry, now: datetime) -> EntryView:
    by = one.actor.kind.value.replace("_", " ")
    states = [state.replace("_", " ") for state in (one.from_state, one.to_state) if state]
    return EntryView(
        at=moment(one.at, now=now),
        actor=by if one.actor.id is None else f"{by} {shown_id(one.actor.id)}",
        did=one.action.replace("_", " "),
        states=" → ".join(dict.fromkeys(states)),
        code="" if one.code is None else one.code.replace("_", " "),
        version="" if one.version is None else str(one.version),
    )

"""Selected model comparisons of one open transaction: every step is fenced by the row it writes.

A step was decided on what was read. So its statement says again what it was decided on: the state
and version, and for the holder of a claim the token, the lease and the deadline (settled 11). Where
no row fits, somebody was quicker, and nothing is written.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from evenhand.core.comparison.concluded import Concluded, Conclusion, Evidence
from evenhand.core.comparison.intent import ACTIVE, HELD, Intent
from evenhand.core.comparison.pins import LegName
from evenhand.core.errors import EvenhandError
from evenhand.core.errors.comparison import ActiveIntentRace
from evenhand.core.errors.publication import IdempotencyRace
from evenhand.core.errors.registry import VersionConflict
from evenhand.store import intent_results
from evenhand.store.errors import translate
from evenhand.store.intent_rows import intent_to_row, row_to_intent, state_to_row
from evenhand.store.pages import newest_first
from evenhand.store.tables import comparison_intent, comparison_request
from evenhand.store.text import is_storable, require_storable
from evenhand.store.times import time_to_text

_KEY_TAKEN: Final = "uq_comparison_intent_project_id_idempotency_key"
_ONE_ACTIVE: Final = "ix_comparison_intent_one_active"
_INTENT: Final = comparison_intent.c


class SqlIntents:
    """The comparisons of one open transaction; implements `ports.IntentRepository`.

    Args:
        connection: in a transaction.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, intent: Intent) -> None:
        """Insert one.

        Raises:
            IdempotencyRace: another of its project has its key, were it of a transaction that ran
                beside this one.
            ActiveIntentRace: another of its binding has not ended, likewise.
            ConstraintRefused: what it names is not there.
            InvalidText: an index reference that a database cannot hold.
        """
        row = intent_to_row(intent)
        for leg in LegName:
            require_storable(intent.pins.leg(leg).index_ref, f"{leg.value}_index_ref")
        try:
            self._connection.execute(comparison_intent.insert(), row)
        except IntegrityError as error:
            failure = _refusal(error)
        else:
            return
        # Outside the clause: an error of ours must not carry the driver's as its context.
        raise failure

    def find(self, intent_id: str) -> Intent | None:
        """The one with this id."""
        return self._first(_all().where(_INTENT.id == intent_id), intent_id)

    def find_locked(self, intent_id: str) -> Intent | None:
        """The one with this id, held until the transaction ends: who would change it waits."""
        # SQLite has one writer at a time anyway, and no such clause.
        return self._first(_all().where(_INTENT.id == intent_id).with_for_update(), intent_id)

    def find_by_key(self, project_id: str, key: str) -> Intent | None:
        """The one of a project that was prepared under this key."""
        chosen = _all().where(_INTENT.project_id == project_id, _INTENT.idempotency_key == key)
        return self._first(chosen, project_id, key)

    def has_active(self, binding_id: str) -> bool:
        """Whether a binding has one that has not ended."""
        chosen = sa.select(_INTENT.id).where(_INTENT.binding_id == binding_id, _is_in(ACTIVE))
        return self._connection.scalar(chosen.limit(1)) is not None

    def save(self, former: Intent, made: Intent) -> None:
        """Write its next state.

        Raises:
            VersionConflict: it is not as it was read.
        """
        self._update(former, made)

    def save_held(self, former: Intent, made: Intent, *, now: datetime) -> None:
        """Write what the holder of its claim does, while the claim lives.

        Args:
            former: as it was read; its token's digest is the one that the holder proved.
            made: as it is from now on.
            now: of the database; lease and deadline have to lie behind it.

        Raises:
            VersionConflict: it is not as it was read, or the claim is over.
        """
        instant = time_to_text(now)
        self._update(
            former,
            made,
            _INTENT.token_digest == former.token_digest,
            _INTENT.claim_expires_at > instant,
            _INTENT.deadline_at > instant,
            _INTENT.current_completed <= made.current_completed,
            _INTENT.candidate_completed <= made.candidate_completed,
        )

    def has_expired(self, now: datetime) -> bool:
        """Whether the time of some claim is over that is still running."""
        return (
            self._connection.scalar(sa.select(_INTENT.id).where(*_over(now)).limit(1)) is not None
        )

    def lock_expired(
        self, now: datetime, *, limit: int, binding_id: str | None = None
    ) -> tuple[Intent, ...]:
        """Running ones whose time is over, oldest first, held until the transaction ends.

        Of all bindings, those that somebody else holds just now are passed over, since that one
        is about to see the same; of one binding they are waited for.
        """
        chosen = _all().where(*_over(now)).order_by(_INTENT.claim_expires_at, _INTENT.id)
        if binding_id is not None:
            chosen = chosen.where(_INTENT.binding_id == binding_id)
        return self._every(chosen.limit(limit).with_for_update(skip_locked=binding_id is None))

    def lock_active(self, *, limit: int) -> tuple[Intent, ...]:
        """Those that have not ended, oldest first, held until the transaction ends."""
        chosen = _all().where(_is_in(ACTIVE)).order_by(_INTENT.created_at, _INTENT.id)
        return self._every(chosen.limit(limit).with_for_update())

    def list_latest(
        self, *, binding_id: str | None, limit: int, offset: int
    ) -> tuple[Intent, ...]:
        """Newest first, at most ``limit`` behind the first ``offset``; of a binding, or all."""
        chosen = _all().order_by(*newest_first(_INTENT.created_at, _INTENT.id))
        if binding_id is not None:
            if not is_storable(binding_id):
                return ()
            chosen = chosen.where(_INTENT.binding_id == binding_id)
        return self._every(chosen.limit(limit).offset(offset))

    def list_assigned(self, client_id: str, *, limit: int) -> tuple[Intent, ...]:
        """Those of a client that have not ended, oldest first, at most ``limit``."""
        chosen = _all().where(_INTENT.client_id == client_id, _is_in(ACTIVE))
        return self._every(chosen.order_by(_INTENT.created_at, _INTENT.id).limit(limit))

    def conclude(self, intent: Intent, conclusion: Conclusion) -> None:
        """Keep what came of one, beside its evaluations.

        Raises:
            ReportRejected: a request proves a case of a comparison that was published at this
                very moment.
            ConstraintRefused: an evaluation or a request is not there.
        """
        intent_results.conclude(self._connection, intent, conclusion)

    def list_concluded(self, intent_ids: Sequence[str]) -> Mapping[str, Concluded]:
        """What came of those that were completed, by id.

        Raises:
            Invalid, ValueError: it is not what was written.
        """
        return intent_results.list_concluded(self._connection, intent_ids)

    def find_evidence(self, intent_id: str) -> Evidence:
        """What a completed comparison rests on; nothing where it was not completed."""
        return intent_results.find_evidence(self._connection, intent_id)

    def find_consumed(self, public_ids: Collection[str]) -> frozenset[str]:
        """Which of these gateway requests proved a case before."""
        asked = list(filter(is_storable, public_ids))
        used = comparison_request.c.public_id
        return frozenset(self._connection.scalars(sa.select(used).where(used.in_(asked))))

    def _update(self, former: Intent, made: Intent, *further: sa.ColumnElement[bool]) -> None:
        statement = (
            comparison_intent.update()
            .where(
                _INTENT.id == former.id,
                _INTENT.state == former.state.value,
                _INTENT.version == former.version,
                *further,
            )
            .values(state_to_row(made))
        )
        if self._connection.execute(statement).rowcount != 1:
            raise VersionConflict(former.id)

    def _first(self, query: sa.Select[Any], *asked: str) -> Intent | None:
        # A text that no database can hold is equal to nothing that is stored.
        if not all(map(is_storable, asked)):
            return None
        return next(iter(self._every(query)), None)

    def _every(self, query: sa.Select[Any]) -> tuple[Intent, ...]:
        return tuple(map(row_to_intent, self._connection.execute(query).mappings()))


def _all() -> sa.Select[Any]:
    return sa.select(comparison_intent)


def _is_in(states: Collection[str]) -> sa.ColumnElement[bool]:
    return _INTENT.state.in_(sorted(states))


def _over(now: datetime) -> tuple[sa.ColumnElement[bool], ...]:
    """The conditions under which a claim is running although its time is over."""
    return _is_in(HELD), _INTENT.claim_expires_at <= time_to_text(now)


def _refusal(error: IntegrityError) -> EvenhandError:
    refused = translate(error)
    constraint = getattr(refused, "constraint", None)
    if constraint == _KEY_TAKEN:
        return IdempotencyRace()
    return ActiveIntentRace() if constraint == _ONE_ACTIVE else refused

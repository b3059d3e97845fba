"""Requests to the gateway: written once, with their calls of upstreams, and never changed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import RowMapping
from sqlalchemy.engine import Connection

from evenhand.core.access.roles import Capability
from evenhand.core.gateway.failure import Failure
from evenhand.core.gateway.inputs import InputKind, Purpose
from evenhand.core.gateway.listing import Wanted
from evenhand.core.gateway.request import (
    Asked,
    Attempt,
    Caller,
    GatewayRequest,
    Outcome,
    RequestState,
    Served,
    is_public_id,
)
from evenhand.store.bulk import insert_some
from evenhand.store.pages import in_order, page_before, page_behind
from evenhand.store.retention import delete_gateway_requests, retention
from evenhand.store.tables import gateway_attempt, gateway_request, route
from evenhand.store.text import is_storable, require_storable
from evenhand.store.times import text_to_time, time_to_text

_in_order_of_request: Final = itemgetter(*gateway_request.c.keys())
_in_order_of_attempt: Final = itemgetter(*gateway_attempt.c.keys())


class SqlGatewayRequests:
    """The gateway's requests of one open transaction; implements `ports.GatewayRequestRepository`.

    Args:
        connection: in a transaction.
        now: the transaction's time.
        new_id: where the id of a trace comes from.

    Attributes:
        has_deleted: whether rows were taken away in this transaction.
    """

    def __init__(
        self,
        connection: Connection,
        *,
        now: Callable[[], datetime],
        new_id: Callable[[], str],
    ) -> None:
        self._connection = connection
        self._now = now
        self._new_id = new_id
        self.has_deleted = False

    def add_all(self, added: Sequence[GatewayRequest]) -> None:
        """Keep requests with their calls.

        Args:
            added: at least one.

        Raises:
            ConstraintRefused: an id is taken, or a row contradicts itself or the registry.
        """
        rows = [_in_order_of_request(_to_row(one)) for one in added]
        insert_some(self._connection, gateway_request, rows)
        calls = [_attempt_to_row(one.id, call) for one in added for call in one.attempts]
        insert_some(self._connection, gateway_attempt, list(map(_in_order_of_attempt, calls)))

    def find_by_public_id(self, public_id: str) -> GatewayRequest | None:
        """The request that a client was told this id of; the id of a row finds nothing."""
        if not is_public_id(public_id):
            return None
        query = requests().where(gateway_request.c.public_id == public_id)
        row = self._connection.execute(query).mappings().first()
        return None if row is None else row_to_request(row, self._attempts(row["id"]))

    def find_all(self, public_ids: Collection[str]) -> dict[str, GatewayRequest]:
        """Those of these requests that there are, by public id."""
        asked = list(filter(is_public_id, public_ids))
        found = self._all(requests().where(gateway_request.c.public_id.in_(asked)))
        return {one.public_id: one for one in found}

    def list_latest(
        self,
        wanted: Wanted,
        *,
        limit: int,
        after: tuple[datetime, str] | None = None,
        before: tuple[datetime, str] | None = None,
    ) -> tuple[GatewayRequest, ...]:
        """Newest first, at most ``limit``.

        Args:
            wanted: which.
            limit: at least 1.
            after: time and row id of one; then those behind it in the list.
            before: the same; then the last ones that stand before it.
        """
        time, row = gateway_request.c.created_at, gateway_request.c.id
        query = requests().where(*_chosen(wanted)).limit(limit)
        if before is not None:
            query = page_before(query, time, row, before)
        else:
            query = page_behind(query, time, row, after)
        return in_order(self._all(query), backwards=before is not None)

    def purge(self, *, before: datetime, category: str, actor: str) -> int:
        """Delete requests that began strictly before, but those that something else rests on.

        Returns:
            How many; a trace of it stays.
        """
        require_storable(actor, "actor")
        chosen = gateway_request.c.created_at < time_to_text(before)
        with retention(
            self._connection,
            id=self._new_id(),
            at=self._now(),
            actor=actor,
            rule=f"purge:{category}",
        ) as tally:
            tally.rows = delete_gateway_requests(self._connection, chosen)
        self.has_deleted = self.has_deleted or tally.rows > 0
        return tally.rows

    def _all(self, query: sa.Select[tuple[Any, ...]]) -> list[GatewayRequest]:
        rows = self._connection.execute(query).mappings().all()
        if not rows:
            return []
        of_rows = gateway_attempt.c.request_id.in_([row["id"] for row in rows])
        calls: dict[str, list[Attempt]] = {row["id"]: [] for row in rows}
        for call in self._connection.execute(attempts().where(of_rows)).mappings():
            calls[call["request_id"]].append(row_to_attempt(call))
        return [row_to_request(row, tuple(calls[row["id"]])) for row in rows]

    def _attempts(self, request_id: str) -> tuple[Attempt, ...]:
        query = attempts().where(gateway_attempt.c.request_id == request_id)
        rows = self._connection.execute(query).mappings()
        return tuple(map(row_to_attempt, rows))


def _chosen(wanted: Wanted) -> list[sa.ColumnElement[bool]]:
    row = gateway_request.c
    equal = (
        (row.client_id, wanted.client_id),
        (row.deployment_id, wanted.deployment_id),
        (row.state, None if wanted.state is None else wanted.state.value),
    )
    if not all(is_storable(value or "") for _, value in equal):
        return [sa.false()]
    chosen: list[sa.ColumnElement[bool]] = [
        column == value for column, value in equal if value is not None
    ]
    if wanted.state not in (None, RequestState.COMPLETED):
        # The index of what did not complete serves only who says the very words of its condition.
        chosen.append(row.state != sa.literal_column("'completed'"))
    if wanted.since is not None:
        chosen.append(row.created_at >= time_to_text(wanted.since))
    if wanted.until is not None:
        chosen.append(row.created_at < time_to_text(wanted.until))
    return chosen


def requests() -> sa.Select[tuple[Any, ...]]:
    """Requests with the name of the route that each went through."""
    joined = gateway_request.outerjoin(route, route.c.id == gateway_request.c.route_id)
    return sa.select(gateway_request, route.c.name.label("route_name")).select_from(joined)


def attempts() -> sa.Select[tuple[Any, ...]]:
    """Calls of upstreams, in the order in which they were made."""
    call = gateway_attempt.c
    return sa.select(gateway_attempt).order_by(call.request_id, call.part, call.number)


def row_to_request(row: RowMapping, calls: tuple[Attempt, ...]) -> GatewayRequest:
    """The request of a row of :func:`requests`.

    Raises:
        Invalid, ValueError: it is not what was written.
    """
    return GatewayRequest(
        id=row["id"],
        public_id=row["public_id"],
        capability=Capability(row["capability"]),
        caller=Caller(
            credential_id=row["credential_id"],
            client_id=row["client_id"],
            project_id=row["project_id"] if row["client_id"] is not None else None,
        ),
        served=_served(row),
        asked=_asked(row),
        outcome=Outcome(
            state=RequestState(row["state"]),
            status=row["http_status"],
            code=row["error_code"],
            prompt_tokens=row["prompt_tokens"],
            zero_vectors=row["zero_vectors"],
            from_cache=row["from_cache"],
            from_fallback=row["from_fallback"],
        ),
        attempts=calls,
        created_at=text_to_time(row["created_at"]),
        completed_at=text_to_time(row["completed_at"]),
    )


def row_to_attempt(row: RowMapping) -> Attempt:
    """The call of a row.

    Raises:
        ValueError: it is not what was written.
    """
    return Attempt(
        part=row["part"],
        number=row["number"],
        count=row["input_count"],
        milliseconds=row["milliseconds"],
        upstream_status=row["upstream_status"],
        failure=None if row["failure"] is None else Failure(row["failure"]),
    )


def _served(row: RowMapping) -> Served | None:
    if row["route_id"] is None:
        return None
    return Served(
        route_id=row["route_id"],
        route_name=row["route_name"],
        deployment_id=row["deployment_id"],
        project_id=row["project_id"],
        binding_id=row["binding_id"],
    )


def _asked(row: RowMapping) -> Asked | None:
    if row["input_kind"] is None:
        return None
    return Asked(
        kind=InputKind(row["input_kind"]),
        count=row["input_count"],
        size=row["input_bytes"],
        purpose=Purpose(row["purpose"]),
        query_digest=row["query_digest"],
    )


def _to_row(added: GatewayRequest) -> dict[str, Any]:
    caller, served, asked, outcome = added.caller, added.served, added.asked, added.outcome
    return {
        "id": added.id,
        "public_id": added.public_id,
        "capability": added.capability.value,
        "credential_id": caller.credential_id,
        "client_id": caller.client_id,
        "project_id": caller.project_id if served is None else served.project_id,
        "binding_id": None if served is None else served.binding_id,
        "route_id": None if served is None else served.route_id,
        "deployment_id": None if served is None else served.deployment_id,
        "input_kind": None if asked is None else asked.kind.value,
        "input_count": None if asked is None else asked.count,
        "input_bytes": None if asked is None else asked.size,
        "purpose": None if asked is None else asked.purpose.value,
        "query_digest": None if asked is None else asked.query_digest,
        "state": outcome.state.value,
        "http_status": outcome.status,
        "error_code": outcome.code,
        "prompt_tokens": outcome.prompt_tokens,
        "zero_vectors": outcome.zero_vectors,
        "from_cache": outcome.from_cache,
        "from_fallback": outcome.from_fallback,
        "created_at": time_to_text(added.created_at),
        "completed_at": time_to_text(added.completed_at),
    }


def _attempt_to_row(request_id: str, attempt: Attempt) -> dict[str, Any]:
    return {
        "request_id": request_id,
        "part": attempt.part,
        "number": attempt.number,
        "input_count": attempt.count,
        "milliseconds": attempt.milliseconds,
        "upstream_status": attempt.upstream_status,
        "failure": None if attempt.failure is None else attempt.failure.value,
    }

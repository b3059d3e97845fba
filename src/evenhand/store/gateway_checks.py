"""Do the gateway's requests hold together? See ``store.checks``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from evenhand.core.errors import Invalid
from evenhand.core.gateway.request import Attempt, GatewayRequest, RequestState, failed_part
from evenhand.store.gateway_requests import attempts, requests, row_to_attempt, row_to_request
from evenhand.store.tables import gateway_attempt, gateway_request

#: How many requests are looked at together: their number has no limit.
_AT_A_TIME = 1000


def gateway_problems(connection: Connection) -> Iterator[tuple[str, str, str]]:
    """Code, subject and message of what is wrong with requests to the gateway."""
    after = ""
    while True:
        page = (
            connection.execute(
                requests()
                .where(gateway_request.c.id > after)
                .order_by(gateway_request.c.id)
                .limit(_AT_A_TIME)
            )
            .mappings()
            .all()
        )
        if not page:
            return
        last = page[-1]["id"]
        calls = _calls(connection, after, last)
        for row in page:
            subject = f"gateway request {row['id']}"
            try:
                made = tuple(map(row_to_attempt, calls.get(row["id"], ())))
                found = row_to_request(row, made)
            except (Invalid, ValueError, TypeError):
                message = "it does not read back as what was written"
                yield "gateway_request_unreadable", subject, message
                continue
            for message in _contradictions(found):
                yield "gateway_attempts", subject, message
        after = last


def _calls(connection: Connection, after: str, last: str) -> dict[str, list[sa.RowMapping]]:
    request_id = gateway_attempt.c.request_id
    rows = connection.execute(attempts().where(request_id > after, request_id <= last)).mappings()
    return {key: list(group) for key, group in groupby(rows, lambda row: str(row["request_id"]))}


def _contradictions(found: GatewayRequest) -> Iterator[str]:
    if [(call.part, call.number) for call in found.attempts] != _numbered(found.attempts):
        yield "its calls of upstreams are not numbered from 0 without a gap"
    if found.outcome.state is not RequestState.COMPLETED:
        return
    if failed_part(found.attempts) is not None:
        yield "it is completed, and the last call of a part of it gave nothing"
    parts = {call.part: call.count for call in found.attempts}
    if found.asked is not None and sum(parts.values()) != found.asked.count:
        yield "it is completed, and its calls carried another number of inputs than it had"


def _numbered(calls: Sequence[Attempt]) -> list[tuple[int, int]]:
    """The places that so many calls of each part have, in order."""
    lengths: list[int] = []
    for call in calls:
        if call.number == 0:
            lengths.append(0)
        if lengths:
            lengths[-1] += 1
    return [(part, number) for part, length in enumerate(lengths) for number in range(length)]

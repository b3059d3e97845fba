"""Compare two stored results over HTTP: the verdict first, and numbers only where it allows them.

It is a POST because it leaves a trace: each decision is counted in the ledger of its set, as the
command counts it. Nothing else changes, no result and no baseline, so a viewer may ask.
"""

from __future__ import annotations

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from evenhand.core.access.roles import Action
from evenhand.core.comparison.comparison import Comparison, compare_sides, read_primary
from evenhand.core.comparison.set_use import SetUseCounts, SetUseKind
from evenhand.hub.parts import HubParts, parts_of
from evenhand.hub.schemas import COMPARISON
from evenhand.hub.table import API, Body, Entry
from evenhand.hub.threads import writer_threads_of
from evenhand.reports.comparison_json import comparison_document
from evenhand.usecases import comparisons as verbs
from evenhand.wire import comparisons as wire


async def compare(request: Request, body: wire.NewComparison) -> Response:
    """The verdict, and differences only where it is comparable; no id of a question."""
    # What reads and reckons has a thread of the readers; only the note waits for the writer.
    comparison = await run_in_threadpool(_compare, parts_of(request), body)
    uses = await _note(request, comparison)
    content = await run_in_threadpool(
        lambda: msgspec.json.encode(comparison_document(comparison, uses=uses))
    )
    return Response(content, media_type="application/json")


def _compare(parts: HubParts, body: wire.NewComparison) -> Comparison:
    primary = read_primary(body.measure)
    sides, golden_set = parts.database.read(
        lambda uow: verbs.find_with_set(uow, body.current, body.candidate)
    )
    # Between two transactions: to resample takes long, and no lock is held meanwhile.
    return compare_sides(*sides, golden_set=golden_set, primary=primary)


async def _note(request: Request, comparison: Comparison) -> SetUseCounts | None:
    if not verbs.is_use(comparison):
        return None
    parts = parts_of(request)
    row_id = parts.ids.new()
    return await writer_threads_of(request).run(
        lambda: parts.database.run(
            lambda uow: verbs.note_uses(uow, [comparison], kind=SetUseKind.COMPARE, ids=[row_id])
        )
    )


ENTRIES = (
    Entry(
        method="POST",
        path=f"{API}/comparisons",
        endpoint=compare,
        action=Action.READ,
        summary="Compare two stored results",
        body=Body.OBJECT,
        problems=(404,),
        options={
            "response_class": Response,
            "responses": {200: {"content": {"application/json": {"schema": COMPARISON}}}},
        },
    ),
)

"""Take events in once, find them again, and ask them.

What is refused leaves a reason and the name of a field, and nothing of the event (G-71).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from evenhand.contracts.events import Event
from evenhand.contracts.ingestion import (
    Rejection,
    Result,
    Status,
    StoredEvent,
    conflict_with,
    grain_bytes,
)
from evenhand.contracts.trusted import TrustedAnswer, Window, ask, load_question
from evenhand.core.access.roles import Principal, sees
from evenhand.core.errors import EvenhandError, InvalidEvent
from evenhand.core.errors.event import EventConflict, EventNotFound, EventsRefused
from evenhand.core.errors.registry import ReferenceRefused, RegisteredNotFound
from evenhand.core.registry.project import Project, known_project, meant_project
from evenhand.core.registry.registered import Noun
from evenhand.usecases.ports import Ids, Refused, UnitOfWork

#: An event as it was read, or why it is none.
Read = Event | InvalidEvent
#: What became of one: stored (True), there before (False), or why neither.
_Found = bool | EventConflict | InvalidEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    """Who sends events, and whose they are.

    Attributes:
        project_id: of an active project.
        client_id: the service client; None for people and the command line.
    """

    project_id: str
    client_id: str | None = None


def find_sender(uow: UnitOfWork, project: str | None, principal: Principal) -> Sender:
    """The project that a caller's events belong to.

    Args:
        uow: the open transaction.
        project: its id or name; None is a service client's own.
        principal: who asks.

    Raises:
        InvalidReport: people have no project of their own, and none is named.
        RegisteredNotFound: there is no such project, or it is not the service client's own.
        ReferenceRefused: it is not active.
    """
    found = known_project(find_project(uow, meant_project(project, principal)), principal)
    if not found.active:
        raise ReferenceRefused(Noun.PROJECT.value, is_known=True)
    return Sender(project_id=found.id, client_id=principal.client_id)


def find_project(uow: UnitOfWork, reference: str) -> Project:
    """The project of an id or a name.

    Raises:
        RegisteredNotFound: there is none.
    """
    found = uow.projects.find(reference) or uow.projects.find_named(reference)
    if found is None:
        raise RegisteredNotFound(Noun.PROJECT.value)
    return found


def ingest(
    uow: UnitOfWork, read: Sequence[Read], *, sender: Sender, ids: Ids, first_place: int = 0
) -> list[Result]:
    """Take in what is new of some events; say of each what became of it, in their order.

    Args:
        uow: the open transaction.
        read: events, and refusals in the place of what is none.
        sender: who sends them.
        ids: of the rejections.
        first_place: place of the first of them in what was sent.
    """
    at = uow.now()
    events = [one for one in read if isinstance(one, Event)]
    taken = iter(
        uow.events.take(
            events, project_id=sender.project_id, client_id=sender.client_id, received_at=at
        )
    )
    results = []
    for place, one in enumerate(read, first_place):
        found = one if isinstance(one, InvalidEvent) else next(taken)
        results.append(_result(place, one, found))
    _keep_rejections(uow, results, sender=sender, ids=ids, at=at)
    return results


def ingest_one(uow: UnitOfWork, read: Read, *, sender: Sender, ids: Ids) -> Result | Refused:
    """Take one event in.

    Returns:
        What became of it, where it is stored now or was before; else the error that commits its
        trace and is raised then.
    """
    (result,) = ingest(uow, [read], sender=sender, ids=ids)
    if result.code is None:
        return result
    return Refused(_error(read, result))


def ingest_whole(
    uow: UnitOfWork, read: Sequence[Read], *, sender: Sender, ids: Ids
) -> list[Result] | Refused:
    """Take all of some events in, or none of them.

    Returns:
        What became of each, where none was refused; else an `EventsRefused`, which commits the
        traces and is raised then.
    """
    broken = [
        _result(place, one, one) for place, one in enumerate(read) if isinstance(one, InvalidEvent)
    ]
    at = uow.now()
    broken += _contradictions(uow, read, project_id=sender.project_id)
    if broken:
        _keep_rejections(uow, broken, sender=sender, ids=ids, at=at)
        return Refused(_all_refused(sorted(broken, key=lambda one: one.index)))
    events = [one for one in read if isinstance(one, Event)]
    taken = uow.events.take(
        events, project_id=sender.project_id, client_id=sender.client_id, received_at=at
    )
    results = [
        _result(place, one, found)
        for place, (one, found) in enumerate(zip(events, taken, strict=True))
    ]
    late = [one for one in results if one.code is not None]
    if late:
        # Another transaction was quicker than the look above; nothing of this one stays.
        raise _all_refused(late)
    return results


def get_visible(
    uow: UnitOfWork, event_id: str, *, project: str | None, principal: Principal
) -> StoredEvent:
    """An event that a caller may know of.

    Raises:
        EventNotFound: there is none, or the caller is a service client that did not send it.
        InvalidReport, RegisteredNotFound: as `find_sender`.
    """
    owner = find_project(uow, meant_project(project, principal))
    found = uow.events.find(owner.id, event_id)
    if found is None or not sees(principal, client_id=found.client_id):
        raise EventNotFound
    return found


def answer(uow: UnitOfWork, question: str, window: Window) -> TrustedAnswer:
    """What a reviewed question gives over a window of the stored events.

    Raises:
        QuestionNotFound, UntrustedQuery: see `contracts.trusted.load_question`.
    """
    return ask(load_question(question), window, uow.events.ask)


def _contradictions(uow: UnitOfWork, read: Sequence[Read], *, project_id: str) -> list[Result]:
    """What would be a conflict, found before anything is stored."""
    broken: list[Result] = []
    events = [
        (place, one, grain_bytes(project_id, one))
        for place, one in enumerate(read)
        if isinstance(one, Event)
    ]
    stored = uow.events.find_all(project_id, [one.event_id for _, one, _ in events])
    stored_grains = uow.events.find_grains([grain for _, _, grain in events])
    by_id: dict[str, Event] = {}
    by_grain: dict[bytes, str] = {}
    for place, one, grain in events:
        before = by_id.get(one.event_id) or stored.get(one.event_id)
        other = by_grain.get(grain) or stored_grains.get(grain)
        conflict = None
        if before is not None:
            conflict = conflict_with(before, one)
        elif other not in (None, one.event_id):
            conflict = EventConflict("evaluation_id", code="grain_conflict")
        if conflict is not None:
            broken.append(_result(place, one, conflict))
        by_id.setdefault(one.event_id, one)
        by_grain.setdefault(grain, one.event_id)
    return broken


def _result(place: int, read: Read, found: _Found) -> Result:
    if isinstance(found, EventConflict):
        return Result(
            index=place,
            event_id=read.event_id if isinstance(read, Event) else None,
            status=Status.CONFLICT,
            code=found.code,
            field=found.field,
        )
    if isinstance(found, InvalidEvent):
        return Result(
            index=place,
            event_id=None,
            status=Status.REFUSED,
            code=found.code,
            field=found.field,
        )
    assert isinstance(read, Event)  # noqa: S101 -- what is none was refused above
    status = Status.STORED if found else Status.DUPLICATE
    return Result(index=place, event_id=read.event_id, status=status)


def _error(read: Read, result: Result) -> EvenhandError:
    if isinstance(read, InvalidEvent):
        return read
    return EventConflict(result.field or "event_id", code=result.code or EventConflict.code)


def _all_refused(broken: Iterable[Result]) -> EventsRefused:
    return EventsRefused([(one.index, one.field or "", one.code or "") for one in broken])


def _keep_rejections(
    uow: UnitOfWork, results: Iterable[Result], *, sender: Sender, ids: Ids, at: datetime
) -> None:
    uow.events.add_rejections(
        [
            Rejection(
                id=ids.new(),
                project_id=sender.project_id,
                client_id=sender.client_id,
                received_at=at,
                place=one.index,
                code=one.code,
                field=one.field or "event",
            )
            for one in results
            if one.code is not None
        ]
    )

"""Artifacts over HTTP: register, list, look; nothing of one ever changes."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from starlette.requests import Request

from evenhand.core.access.roles import Action
from evenhand.hub.parts import parts_of, principal_of
from evenhand.hub.problems import CREATED
from evenhand.hub.reading import page_of, place_of
from evenhand.hub.table import API, Body, Entry
from evenhand.usecases.registry import artifacts
from evenhand.wire import artifacts as wire
from evenhand.wire.paging import Page, PageQuery

_PATH = f"{API}/artifacts"


def list_artifacts(request: Request, query: Annotated[PageQuery, Query()]) -> Page[wire.Artifact]:
    """Newest first."""
    after = place_of(query)
    found = parts_of(request).database.read(
        lambda uow: uow.artifacts.list_latest(limit=query.limit + 1, after=after)
    )
    return page_of(found, query.limit, wire.artifact_to_wire)


def create_artifact(request: Request, body: wire.NewArtifact) -> wire.Artifact:
    """A new artifact; nothing of it ever changes."""
    parts, actor = parts_of(request), principal_of(request).actor
    made = parts.database.run(
        lambda uow: artifacts.create(
            uow,
            name=body.name,
            digest=body.digest,
            model=body.model,
            actor=actor,
            ids=parts.ids,
        )
    )
    return wire.artifact_to_wire(made)


def get_artifact(request: Request, artifact_id: str) -> wire.Artifact:
    """One artifact by its id."""
    found = parts_of(request).database.read(lambda uow: uow.artifacts.get(artifact_id))
    return wire.artifact_to_wire(found)


ENTRIES = (
    Entry(
        method="GET",
        path=_PATH,
        endpoint=list_artifacts,
        action=Action.READ,
        summary="List artifacts",
        problems=(422,),
    ),
    Entry(
        method="POST",
        path=_PATH,
        endpoint=create_artifact,
        action=Action.WRITE,
        summary="Register an artifact",
        body=Body.OBJECT,
        status=CREATED,
        problems=(409,),
    ),
    Entry(
        method="GET",
        path=f"{_PATH}/{{artifact_id}}",
        endpoint=get_artifact,
        action=Action.READ,
        summary="One artifact",
        problems=(404,),
    ),
)

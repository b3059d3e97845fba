"""Artifacts over HTTP: register, list, look; nothing of one ever changes."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from starlette.requests import Request

from evenhand.hub.parts import parts_of, principal_of
from evenhand.hub.reading import page_of, place_of
from evenhand.hub.registered import registered_entries
from evenhand.usecases.registry import artifacts
from evenhand.wire import artifacts as wire
from evenhand.wire.paging import Page, PageQuery


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


ENTRIES = registered_entries(
    "artifact",
    list_all=list_artifacts,
    create=create_artifact,
    get=get_artifact,
)

"""Deployments over HTTP: register, list, look, set the cutoff."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from starlette.requests import Request

from evenhand.hub.parts import parts_of, principal_of
from evenhand.hub.reading import page_of, place_of
from evenhand.hub.registered import registered_entries
from evenhand.usecases.registry import deployments
from evenhand.wire import deployments as wire
from evenhand.wire.paging import Page
from evenhand.wire.registered import OfProjectQuery


def list_deployments(
    request: Request, query: Annotated[OfProjectQuery, Query()]
) -> Page[wire.Deployment]:
    """Newest first."""
    after = place_of(query)
    found = parts_of(request).database.read(
        lambda uow: uow.deployments.list_latest(
            project_id=query.project_id, limit=query.limit + 1, after=after
        )
    )
    return page_of(found, query.limit, wire.deployment_to_wire)


def create_deployment(request: Request, body: wire.NewDeployment) -> wire.Deployment:
    """A new deployment of a project."""
    parts, actor = parts_of(request), principal_of(request).actor
    made = parts.database.run(
        lambda uow: deployments.create(
            uow,
            project_id=body.project_id,
            name=body.name,
            artifact_id=body.artifact_id,
            runtime_id=body.runtime_id,
            upstream_model=body.upstream_model,
            embedding_identity=body.embedding_identity,
            dimension=body.dimension,
            query_prefix=body.query_prefix,
            document_prefix=body.document_prefix,
            score_cutoff=body.score_cutoff,
            actor=actor,
            ids=parts.ids,
        )
    )
    return wire.deployment_to_wire(made)


def get_deployment(request: Request, deployment_id: str) -> wire.Deployment:
    """One deployment by its id."""
    found = parts_of(request).database.read(lambda uow: uow.deployments.get(deployment_id))
    return wire.deployment_to_wire(found)


def change_deployment(
    request: Request, deployment_id: str, body: wire.DeploymentChange
) -> wire.Deployment:
    """The deployment with what was said; what was not stays as it is."""
    parts, actor = parts_of(request), principal_of(request).actor
    made = parts.database.run(
        lambda uow: deployments.change(
            uow,
            deployment_id,
            expected_version=body.expected_version,
            score_cutoff=body.stated("score_cutoff"),
            active=body.stated("active"),
            actor=actor,
            ids=parts.ids,
        )
    )
    return wire.deployment_to_wire(made)


ENTRIES = registered_entries(
    "deployment",
    list_all=list_deployments,
    create=create_deployment,
    get=get_deployment,
    change=change_deployment,
)

"""What does the API tell of deployments?"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from evenhand.core.registry import deployment as core
from evenhand.wire.registered import (
    OPTIONAL,
    Active,
    Change,
    Changeable,
    Label,
    NewRegistered,
    registered_members,
)

Prefix = Annotated[str, Field(max_length=core.LONGEST_PREFIX)]
Cutoff = Annotated[float | None, Field(allow_inf_nan=False)]


class NewDeployment(NewRegistered):
    """What to make. What decides what a vector is never changes."""

    project_id: str
    artifact_id: str
    runtime_id: str
    upstream_model: str | None = Field(
        default=None,
        pattern=r"^[!-~]{1,190}$",
        description="What a runtime of openai_http calls the model; null in process.",
    )
    embedding_identity: Label = Field(description="Label of the vector space.")
    dimension: int = Field(ge=1, le=core.MOST_DIMENSIONS)
    query_prefix: Prefix = Field(default="", description="Put before each query.")
    document_prefix: Prefix = Field(default="", description="Put before each document.")
    score_cutoff: Cutoff = Field(default=None, description="A result below it is no answer.")


class DeploymentChange(Change):
    """What to change."""

    score_cutoff: Annotated[Cutoff, Field(**OPTIONAL)] = None
    active: Active = True


class Deployment(Changeable):
    """A model that serves a project."""

    project_id: str
    artifact_id: str
    runtime_id: str
    upstream_model: str | None
    embedding_identity: str
    dimension: int
    query_prefix: str
    document_prefix: str
    score_cutoff: float | None


def deployment_to_wire(one: core.Deployment) -> Deployment:
    """All of it."""
    return Deployment(
        **registered_members(one),
        project_id=one.project_id,
        artifact_id=one.artifact_id,
        runtime_id=one.runtime_id,
        upstream_model=one.upstream_model,
        embedding_identity=one.embedding_identity,
        dimension=one.dimension,
        query_prefix=one.query_prefix,
        document_prefix=one.document_prefix,
        score_cutoff=one.score_cutoff,
    )

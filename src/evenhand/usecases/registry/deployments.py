"""Register a model that serves a project; set its cutoff; take it out of use."""

from __future__ import annotations

from evenhand.core.access.roles import Actor
from evenhand.core.registry.deployment import Deployment, require_runs
from evenhand.core.registry.registered import UNSET, Noun, Unset
from evenhand.usecases.ports import Ids, UnitOfWork
from evenhand.usecases.registry.keeping import Keeper, referred


def create(  # noqa: PLR0913 -- what a row is made of, by keyword
    uow: UnitOfWork,
    *,
    project_id: str,
    name: str,
    artifact_id: str,
    runtime_id: str,
    upstream_model: str | None,
    embedding_identity: str,
    dimension: int,
    query_prefix: str = "",
    document_prefix: str = "",
    score_cutoff: float | None = None,
    actor: Actor,
    ids: Ids,
) -> Deployment:
    """A new deployment of a project.

    Args:
        uow: an open transaction.
        project_id: whose.
        name: no other deployment of the project may have it.
        artifact_id: what is run.
        runtime_id: by what.
        upstream_model: what the runtime calls the model; None in process.
        embedding_identity: label of the vector space.
        dimension: of a vector.
        query_prefix: put before each query; empty for none.
        document_prefix: put before each document; empty for none.
        score_cutoff: a result below it is no answer; None for no cutoff.
        actor: who asks.
        ids: of the rows.

    Raises:
        ReferenceRefused: project, artifact or runtime is unknown or not active.
        InvalidName, InvalidLabel, InvalidText, InvalidValue: a value breaks its rule, or the runtime
            cannot be asked for the model.
        NameTaken: another deployment of the project has the name.
    """
    referred(uow.projects.find(project_id), Noun.PROJECT)
    referred(uow.artifacts.find(artifact_id), Noun.ARTIFACT)
    runtime = referred(uow.runtimes.find(runtime_id), Noun.RUNTIME)
    keeper = Keeper(uow, Noun.DEPLOYMENT, actor=actor, ids=ids)
    made = Deployment(
        **keeper.stamp(),
        name=name,
        project_id=project_id,
        artifact_id=artifact_id,
        runtime_id=runtime_id,
        upstream_model=upstream_model,
        embedding_identity=embedding_identity,
        dimension=dimension,
        query_prefix=query_prefix,
        document_prefix=document_prefix,
        score_cutoff=score_cutoff,
    )
    require_runs(made, runtime)
    return keeper.add(uow.deployments, made, related_id=project_id)


def change(  # noqa: PLR0913 -- what may change, by keyword
    uow: UnitOfWork,
    deployment_id: str,
    *,
    expected_version: int,
    score_cutoff: float | Unset | None = UNSET,
    active: bool | Unset = UNSET,
    actor: Actor,
    ids: Ids,
) -> Deployment:
    """Set the cutoff (None for none), take it out of use, or back.

    Raises:
        RegisteredNotFound: there is no such deployment.
        VersionConflict: it has another version.
        InvalidValue: a cutoff that is not finite.
    """
    keeper = Keeper(uow, Noun.DEPLOYMENT, actor=actor, ids=ids)
    return keeper.change(
        uow.deployments,
        uow.deployments.get(deployment_id),
        expected_version=expected_version,
        score_cutoff=score_cutoff,
        active=active,
    )

"""What does the API tell of artifacts?"""

from __future__ import annotations

from pydantic import Field

from evenhand.core.registry import artifact as core
from evenhand.wire.registered import Label, NewRegistered, Registered, registered_members


class NewArtifact(NewRegistered):
    """What to make. Nothing of it ever changes."""

    digest: str = Field(
        pattern=r"^[0-9a-f]{64}$", description="SHA-256 of the content, as you state it."
    )
    model: Label = Field(description="Label of model and revision.")


class Artifact(Registered):
    """The content of a model, as it was stated."""

    digest: str
    model: str


def artifact_to_wire(one: core.Artifact) -> Artifact:
    """All of it."""
    return Artifact(**registered_members(one), digest=one.digest, model=one.model)

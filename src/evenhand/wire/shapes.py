"""What have the bodies of the API in common? That no member is unknown, and types that many use."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

#: The id of a row.
Id = Annotated[str, Field(min_length=1, max_length=64)]
#: A SHA-256 in lowercase hex.
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
#: The same where the name does not say it.
Sha256 = Annotated[Digest, Field(description="Lowercase hex.")]


class Strict(BaseModel):
    """What is sent: no guessing, no unknown member."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Answer(BaseModel):
    """What is told."""

    model_config = ConfigDict(extra="forbid", frozen=True)

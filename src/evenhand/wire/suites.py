"""What does the API tell of suites, and how is one made and changed?"""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field

from evenhand.core.registry import suite as core
from evenhand.wire.paging import PageQuery


class NewSuite(BaseModel):
    """What to make."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    project_id: str = Field(min_length=1, max_length=64, description="Whose it is, for good.")
    name: str = Field(
        pattern=r"^[a-z0-9][a-z0-9-]{0,62}$",
        description="No other suite of the project may have it.",
    )


class SuiteChange(BaseModel):
    """What to change of a suite."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    active: bool = Field(description="Whether something can be frozen in it.")
    expected_version: int = Field(
        ge=1, le=2**31 - 1, description="The version that the caller saw."
    )


class SuitesQuery(PageQuery):
    """Which suites a list is of."""

    project_id: str | None = Field(
        default=None, min_length=1, max_length=64, description="Only this project's."
    )


class Suite(BaseModel):
    """A named place of a project in which golden sets are frozen."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    project_id: str
    name: str
    active: bool
    version: int
    created_at: datetime


def suite_to_wire(suite: core.Suite) -> Suite:
    """Everything that is kept of it."""
    return Suite(
        id=suite.id,
        project_id=suite.project_id,
        name=suite.name,
        active=suite.active,
        version=suite.version,
        created_at=suite.created_at,
    )

"""What does the API tell of stored events and of what may be asked of them?"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from evenhand.wire.shapes import Strict


class EventQuery(BaseModel):
    """Whose event is meant."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    project_id: str | None = Field(
        default=None,
        max_length=64,
        description="Id or name of the project; a service client's own may be left out.",
    )


class KeptEvent(BaseModel):
    """An event as it is stored, with what the hub knows of its coming."""

    model_config = ConfigDict(frozen=True)

    project_id: str
    received_at: datetime = Field(description="When the hub took it, by its own clock.")
    client_id: str | None = Field(description="The service client that sent it; null for others.")
    event: dict[str, Any] = Field(description="The event; what is unknown is absent.")


class WindowQuery(BaseModel):
    """A half-open window of outcome boundaries: start <= time < end, both in UTC."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    start: datetime = Field(description="The first instant, such as 2026-07-29T00:00:00Z.")
    end: datetime = Field(description="The first instant behind it.")


class Deletion(Strict):
    """Whose events are to be deleted."""

    account_id: str = Field(min_length=1, max_length=128, description="The pseudonym.")
    project_id: str | None = Field(
        default=None, max_length=64, description="Id or name; null: in every project."
    )


class Deleted(BaseModel):
    """How many events were deleted."""

    model_config = ConfigDict(frozen=True)

    deleted: int

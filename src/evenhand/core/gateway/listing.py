"""Which requests to the gateway does somebody want to see?"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from evenhand.core.errors import InvalidValue
from evenhand.core.gateway.request import RequestState


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What requests have in common that are looked for; None is any.

    Attributes:
        client_id: the service client that asked.
        deployment_id: what answered, or should have.
        state: how they ended.
        since: when they began, this moment included; aware UTC.
        until: the same, this moment left out.

    Raises:
        InvalidValue: a time without a zone, or an end before the beginning.
    """

    client_id: str | None = None
    deployment_id: str | None = None
    state: RequestState | None = None
    since: datetime | None = None
    until: datetime | None = None

    def __post_init__(self) -> None:
        for name, instant in (("since", self.since), ("until", self.until)):
            if instant is not None and instant.utcoffset() != timedelta(0):
                raise InvalidValue(name, "must be a time in UTC")
        if self.since is not None and self.until is not None and self.until < self.since:
            raise InvalidValue("until", "must not be before since")

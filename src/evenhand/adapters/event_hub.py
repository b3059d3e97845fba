"""How is a running hub asked about events? By calls with a token, which goes nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx2
import msgspec

from evenhand.core.errors.publication import HubUnavailable

_SECONDS = 30.0


class EventHub:
    """A hub at an address.

    Args:
        url: without a slash at its end and without a credential.
        token: of an operator.
        project: id or name of the project that events are sent to.
    """

    def __init__(self, url: str, token: str, project: str) -> None:
        self._project = project
        self._client = httpx2.Client(
            base_url=f"{url}/api/v1",
            headers={"authorization": f"Bearer {token}"},
            timeout=_SECONDS,
            follow_redirects=False,
            trust_env=False,
        )

    def send(self, document: Mapping[str, Any]) -> tuple[int, Any]:
        """Status and answer to one event."""
        query = {"project_id": self._project}
        return self._call("POST", "/events", content=msgspec.json.encode(document), params=query)

    def get(self, event_id: str) -> tuple[int, Any]:
        """Status and what is stored under an id."""
        return self._call("GET", f"/events/{event_id}", params={"project_id": self._project})

    def ask(self, question: str, start: str, end: str) -> tuple[int, Any]:
        """Status and the trusted answer over a window."""
        window = {"start": start, "end": end}
        return self._call("GET", f"/event-questions/{question}", params=window)

    def delete(self, account_id: str) -> tuple[int, Any]:
        """Status and how many events of an account were deleted."""
        body = msgspec.json.encode({"account_id": account_id, "project_id": self._project})
        return self._call("POST", "/event-deletions", content=body)

    def close(self) -> None:
        """End the connections."""
        self._client.close()

    def _call(self, method: str, path: str, **request: Any) -> tuple[int, Any]:
        headers = {"content-type": "application/json"} if "content" in request else {}
        try:
            answer = self._client.request(method, path, headers=headers, **request)
            return answer.status_code, msgspec.json.decode(answer.content)
        except httpx2.HTTPError:
            raise HubUnavailable("there is no connection to it") from None
        except msgspec.DecodeError:
            raise HubUnavailable("what answers there is no hub") from None

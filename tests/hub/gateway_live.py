"""A gateway that clients of other packages call: the real server on loopback."""

import io
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import uvicorn

from evenhand.core.gateway.request import GatewayRequest
from evenhand.hub.serving import address_of, listen
from tests.hub.conftest import Hub
from tests.hub.gateway_parts import CLIENT, Served, serve_model
from tests.upstream_server import ScriptedUpstream, letters, serving


@dataclass(frozen=True, slots=True, kw_only=True)
class Live:
    """A hub that listens on loopback.

    Attributes:
        served: what it serves.
        upstream: behind it.
        address: its base URL for clients.
    """

    served: Served
    upstream: ScriptedUpstream
    address: str

    @property
    def token(self) -> str:
        return self.served.hub.tokens[CLIENT]

    def kept(self, public_id: str | None) -> GatewayRequest:
        """The row of a request by the id that its client was told."""
        assert public_id is not None
        found = self.served.hub.parts.database.read(
            lambda uow: uow.gateway_requests.find_by_public_id(public_id)
        )
        assert found is not None
        return found


@contextmanager
def live_hub(open_hub: Callable[..., Hub], database_url: str) -> Iterator[Live]:
    """The real server over the real application, in a thread, before an upstream of letters."""
    with serving(letters) as upstream:
        hub = open_hub(database_url, serve_upstream_allow="127.0.0.1")
        served = serve_model(hub, upstream.url)
        config = uvicorn.Config(
            hub.parts.hub(io.StringIO()), loop="uvloop", http="httptools", log_config=None
        )
        server, listening = uvicorn.Server(config), listen("127.0.0.1", 0)
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            yield Live(served=served, upstream=upstream, address=f"{address_of(listening)}/v1")
        finally:
            server.should_exit = True
            thread.join()

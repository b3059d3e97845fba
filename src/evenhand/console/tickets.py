"""How does the person who started the console get in? By an address that opens it once.

The address is printed on the terminal of that person and works for a short time, once. Whatever
else runs on the machine can reach the port too, and has no ticket.
"""

from __future__ import annotations

import hmac
import threading
from typing import Final

from evenhand.console.session import nonce_of
from evenhand.usecases.ports import Clock, Secrets

#: How long a ticket lets somebody in.
TICKET_SECONDS: Final = 300


class Tickets:
    """The one ticket that is out; a new one takes the place of the former.

    Args:
        secrets: where tickets come from.
        clock: for durations.
    """

    def __init__(self, secrets: Secrets, clock: Clock) -> None:
        self._secrets = secrets
        self._clock = clock
        self._changed = threading.Lock()
        self._out: tuple[str, float] | None = None

    def issue(self) -> str:
        """A ticket, as 24 URL-safe characters."""
        made = nonce_of(self._secrets.new())
        with self._changed:
            self._out = (made, self._clock.monotonic() + TICKET_SECONDS)
        return made

    def redeem(self, given: str) -> bool:
        """Whether somebody gets in; whoever comes with the same ticket afterwards does not."""
        with self._changed:
            if self._out is None:
                return False
            ticket, ends = self._out
            if not hmac.compare_digest(ticket.encode(), given.encode("utf-8", "surrogatepass")):
                # A guess takes the right one from nobody.
                return False
            self._out = None
            return self._clock.monotonic() < ends

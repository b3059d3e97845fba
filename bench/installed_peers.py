"""Where is a program of a peer, and at which port may it listen?

The peers have environments of their own beside this one (`make bench` builds them from
`bench/peers/`).
"""

import socket
from pathlib import Path

LOOPBACK = "127.0.0.1"
_ROOT = Path(__file__).parent.parent


class PeerMissingError(Exception):
    """A peer is not installed; the message says what was looked for."""


def installed(peer: str, program: str) -> Path:
    """A program in the environment of a peer.

    Raises:
        PeerMissingError: it is not there.
    """
    found = _ROOT / f".venv-bench-{peer}" / "bin" / program
    if not found.exists():
        message = f"no {found.relative_to(_ROOT)}; `make bench` installs it"
        raise PeerMissingError(message)
    return found


def free_port() -> int:
    """A port of this machine that nobody listens at now."""
    with socket.socket() as held:
        held.bind((LOOPBACK, 0))
        port: int = held.getsockname()[1]
        return port

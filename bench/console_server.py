"""A console process for `console`: ``python -m bench.console_server URL``.

Prints the address that lets its one reader in.
"""

import socket
import sys
import tempfile
from pathlib import Path

import uvicorn

from evenhand.bootstrap import App
from evenhand.console.addresses import enter_address
from evenhand.settings import load_settings

HOST = "127.0.0.1"


def main(url: str) -> None:
    """Serve until it is told to stop."""
    with tempfile.TemporaryDirectory() as folder:
        parts = App(load_settings({"database_url": url}, start=Path(folder), environment={}))
        app = parts.laptop_console(_tell, frozenset({HOST}))
        listening = socket.socket()
        listening.bind((HOST, 0))
        listening.listen()
        enter = enter_address(app.state.parts.tickets.issue())
        print(f"http://{HOST}:{listening.getsockname()[1]}{enter}", flush=True)
        config = uvicorn.Config(app, log_level="critical", lifespan="off", ws="none")
        uvicorn.Server(config).run(sockets=[listening])
        parts.close()


def _tell(error: BaseException) -> None:
    print(f"{type(error).__name__}: {error}", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1])

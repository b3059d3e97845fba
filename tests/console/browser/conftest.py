"""A console that is served on loopback, and a browser for the tests of each module here."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.testclient import TestClient

from evenhand.bootstrap import App
from evenhand.console.addresses import enter_address
from evenhand.settings import load_settings
from tests.conftest import require_or_skip
from tests.console.browser.sites import fill_site
from tests.console.conftest import HOST, Console

CHROMIUM = Path("/usr/bin/chromium")
#: Without these it looks for hosts of its maker's; as root it needs the first two.
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


@dataclass(frozen=True, slots=True)
class Site:
    """A console that is served.

    Attributes:
        address: where, without a slash at its end.
        console: the same in this process.
        app: what is served.
    """

    address: str
    console: Console
    app: Starlette

    def enter(self, page: Any) -> None:
        """Let a window of the browser in, as the address on the terminal does."""
        page.goto(self.address + enter_address(self.app.state.parts.tickets.issue()))


# While it is open an event loop runs in this thread, and whatever starts one of its own fails.
@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    require_or_skip(CHROMIUM.exists(), "Chromium: apt-get install chromium fonts-dejavu-core")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield running
        running.close()


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A console over a store in which every page has something to show."""
    folder = tmp_path_factory.mktemp("site")
    with opened_site(folder) as made:
        fill_site(made.console)
        yield made


@contextmanager
def opened_site(folder: Path) -> Iterator[Site]:
    """A console over a store of a folder's, served until the block ends."""
    from evenhand.store.migrate import upgrade

    url = f"sqlite:///{folder / 'store.db'}"
    upgrade(url)
    parts = App(load_settings({"database_url": url}, start=folder, environment={}))
    failures: list[BaseException] = []
    app = parts.laptop_console(failures.append, frozenset({HOST}))
    with served(app) as address:
        client = TestClient(app, base_url=address, follow_redirects=False)
        client.get(enter_address(app.state.parts.tickets.issue()))
        yield Site(address, Console(parts=parts, client=client, failures=failures), app)
    parts.close()


@contextmanager
def served(app: Starlette) -> Iterator[str]:
    """Address of an application on loopback."""
    listening = socket.socket()
    listening.bind((HOST, 0))
    listening.listen()
    config = uvicorn.Config(app, log_level="critical", lifespan="off", ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield f"http://{HOST}:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listening.close()

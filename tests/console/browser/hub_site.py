"""A hub with its console, served: comparisons in each state, and somebody who signs in."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.console.browser.conftest import served
from tests.console.conftest import Page
from tests.console.hub_console import Browser, HubConsole, opened_hub_console


@dataclass(frozen=True, slots=True)
class HubSite:
    """A hub's console that is served.

    Attributes:
        address: where, without a slash at its end.
        hub: the same in this process.
        reader: an operator who is signed in, without a browser's window.
    """

    address: str
    hub: HubConsole
    reader: Browser

    def get(self, path: str) -> Page:
        """The page at a path, as an operator sees it."""
        return self.reader.get(path)

    def enter(self, page: Any, role: str = "operator") -> None:
        """Sign somebody of a role in, by typing the token."""
        page.goto(f"{self.address}/console/")
        page.fill("input[name=token]", self.hub.hub.tokens[role])
        page.click("main form button")
        page.wait_for_url("**/console/")


@contextmanager
def opened_hub_site(folder: Path) -> Iterator[HubSite]:
    """A hub over a database of a folder's, served until the block ends."""
    from evenhand.store.migrate import upgrade

    url = f"sqlite:///{folder / 'hub.db'}"
    upgrade(url)
    with opened_hub_console(url, folder) as hub, served(hub.hub.app) as address:
        yield HubSite(address, hub, hub.browser("operator"))


def fill_hub(site: HubSite) -> str:
    """One comparison that was published, and one that waits; the id of the first."""
    comparing = site.hub.comparing
    claimed = comparing.claimed("published")
    answer = comparing.publish(claimed, comparing.result(claimed))
    assert answer.status_code == 200, answer.text
    assert comparing.prepare("waiting").status_code == 201
    return str(claimed["comparison"]["id"])

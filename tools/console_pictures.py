"""Take the pictures of the console that the documentation shows.

A project and a hub are filled with made-up results, served on loopback and photographed with the
Chromium of the system, so that a changed page shows itself as a changed picture.

    python -m tools.console_pictures [FOLDER]
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import sync_playwright

from tests.console.browser.conftest import CHROMIUM, FLAGS, Site, opened_site
from tests.console.browser.hub_site import HubSite, fill_hub, opened_hub_site
from tests.console.browser.sites import fill_site
from tests.console.rows import Trail

IMAGES: Final = Path(__file__).parent.parent / "docs" / "images"
_DESK: Final = (1024, 620)
_WIDE: Final = (1200, 520)
_TELEPHONE: Final = (360, 720)
_MONTH: Final = "start=2026-08-15T00:00&end=2026-10-01T00:00"


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """One picture: its file, the path of its page, and in which window it is shown."""

    name: str
    path: str
    scheme: str = "light"
    window: tuple[int, int] = _DESK


def main() -> None:
    """Take all of them."""
    parser = argparse.ArgumentParser(description="Pictures of the console.")
    parser.add_argument("folder", nargs="?", type=Path, default=IMAGES)
    folder: Path = parser.parse_args().folder
    with ExitStack() as opened:
        made = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        project = made / "handbook-search"
        project.mkdir()
        site = opened.enter_context(opened_site(project))
        trail = fill_site(site.console)
        hub = opened.enter_context(opened_hub_site(made))
        published = fill_hub(hub)
        playwright = opened.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        _take(browser, site, list(_of_project(site, trail)), folder)
        _take(browser, hub, list(_of_hub(published)), folder)
        browser.close()


def _of_project(site: Site, trail: Trail) -> Iterator[Picture]:
    newest = site.console.parts.database.read(
        lambda uow: uow.evaluations.list_latest(
            set_identifier="handbook", retriever="hybrid", limit=4
        )
    )
    rival = site.console.parts.database.read(
        lambda uow: uow.evaluations.list_latest(
            set_identifier="handbook", retriever="dense", limit=1
        )
    )
    last, before, _, older = (one.id for one in newest)
    evaluation = f"/console/evaluations/{last}"
    yield Picture(name="overview", path="/console/", window=_WIDE)
    yield Picture(name="evaluation", path=evaluation)
    yield Picture(name="evaluation-dark", path=evaluation, scheme="dark")
    yield Picture(name="evaluation-360", path=evaluation, window=_TELEPHONE)
    compare = "/console/compare?current={}&candidate={}".format
    yield Picture(name="compare", path=compare(rival[0].id, last))
    yield Picture(name="compare-refused", path=compare(older, last), scheme="dark")
    yield Picture(name="compare-360", path=compare(before, last), window=_TELEPHONE)
    yield Picture(name="review", path=f"/console/reviews/{trail.reviewed.id}")
    yield Picture(
        name="answer", path=f"/console/event-questions/relevant_grounded_accepted?{_MONTH}"
    )
    yield Picture(name="gateway-requests", path="/console/gateway-requests")


def _of_hub(published: str) -> Iterator[Picture]:
    yield Picture(name="comparison", path=f"/console/comparisons/{published}")


def _take(browser: Any, site: Site | HubSite, pictures: list[Picture], folder: Path) -> None:
    for one in pictures:
        width, height = one.window
        context = browser.new_context(
            color_scheme=one.scheme, viewport={"width": width, "height": height}
        )
        page = context.new_page()
        site.enter(page)
        page.goto(site.address + one.path)
        file = folder / f"console-{one.name}.png"
        page.screenshot(path=file)
        context.close()
        print(f"{file.name}: {file.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()

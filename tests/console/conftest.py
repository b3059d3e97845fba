"""A console over a store with built rows: that of a project, on either database."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from starlette.testclient import TestClient

from evenhand.bootstrap import App
from evenhand.console.addresses import enter_address
from evenhand.core.privacy import LevelPolicy, PrivacyLevel
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.core.scoring.details import build_rankings
from evenhand.core.scoring.evaluation import Evaluation, EvaluationRecord
from evenhand.settings import load_settings
from tests.builders import START, a_record, an_evaluation

if TYPE_CHECKING:
    from tests.console.hub_console import HubConsole

HOST = "127.0.0.1"
only_sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@dataclass(slots=True)
class Page:
    """What a page says, and what it is made of.

    Attributes:
        response: as it came.
        text: what a reader sees, with single blanks.
        elements: name and attributes of each element, in order.
    """

    response: httpx2.Response
    text: str
    elements: list[tuple[str, dict[str, str]]]

    @property
    def status(self) -> int:
        return self.response.status_code

    def all(self, name: str, **attributes: str) -> list[dict[str, str]]:
        """Attributes of the elements of this name that have these."""
        wanted = {key.replace("_", "-").rstrip("-"): value for key, value in attributes.items()}
        return [
            given
            for found, given in self.elements
            if found == name and wanted.items() <= given.items()
        ]

    def links(self) -> list[str]:
        """Where its links lead, in order."""
        return [given["href"] for given in self.all("a") if "href" in given]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.words += data.split()


def read_page(response: httpx2.Response) -> Page:
    """An answer as a page."""
    reader = _Reader()
    reader.feed(response.text)
    reader.close()
    return Page(response=response, text=" ".join(reader.words), elements=reader.elements)


@dataclass(slots=True)
class Console:
    """A console in this process.

    Attributes:
        parts: what it is wired of.
        client: a browser without script; redirects are not followed.
        failures: what nobody foresaw.
    """

    parts: App
    client: httpx2.Client
    failures: list[BaseException] = field(default_factory=list)

    def get(self, path: str, **request: Any) -> Page:
        """The page at a path."""
        return read_page(self.client.get(path, **request))

    def add(
        self,
        evaluation: Evaluation | None = None,
        *,
        privacy: PrivacyLevel = PrivacyLevel.FULL,
        **stated: Any,
    ) -> EvaluationRecord:
        """Store an evaluation as the use case would; ``number=n`` makes it the n-th."""
        whole = evaluation or an_evaluation()
        record = a_record(whole, privacy=privacy, **stated)
        outcomes = whole.outcomes if privacy.keeps_outcomes else None
        rankings = build_rankings(whole, LevelPolicy(level=privacy))
        self.parts.database.run(
            lambda uow: uow.evaluations.add(
                record, outcomes=outcomes, rankings=rankings, details=None
            )
        )
        return record

    def keep(self, golden_set: GoldenSet) -> GoldenSet:
        """Import a golden set."""
        self.parts.database.run(lambda uow: uow.golden_sets.save(golden_set, imported_at=START))
        return golden_set


@pytest.fixture
def open_console(tmp_path: Path) -> Iterator[Callable[[str], Console]]:
    """Opens consoles of a project over databases that are ready, or not there."""
    with ExitStack() as opened:

        def _open(url: str) -> Console:
            settings = load_settings({"database_url": url}, start=tmp_path, environment={})
            parts = App(settings)
            opened.callback(parts.close)
            failures: list[BaseException] = []
            app = parts.laptop_console(failures.append, frozenset({HOST}))
            client = TestClient(app, base_url=f"http://{HOST}:8643", follow_redirects=False)
            opened.enter_context(client)
            client.get(enter_address(app.state.parts.tickets.issue()))
            return Console(parts=parts, client=client, failures=failures)

        yield _open


@pytest.fixture
def console(open_console: Callable[[str], Console], database_url: str) -> Console:
    """A console over a database of either kind, without rows."""
    return open_console(database_url)


@pytest.fixture
def hub_console(database_url: str, tmp_path: Path) -> Iterator["HubConsole"]:
    """A hub with its console over a database of either kind, with what a comparison names."""
    from tests.console.hub_console import opened_hub_console

    with opened_hub_console(database_url, tmp_path) as opened:
        yield opened

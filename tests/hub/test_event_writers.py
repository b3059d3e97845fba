"""Many writers of events in two processes on one file: each event is there once, and no 5xx."""

import threading
from collections import Counter
from contextlib import ExitStack, closing
from typing import Any

import httpx2
import pytest

from evenhand.bootstrap import App
from evenhand.core.access.roles import Role
from evenhand.settings import load_settings
from evenhand.store.migrate import check, upgrade
from tests.altered_cases import require_failure
from tests.cases_runner import load
from tests.event_builders import event_document
from tests.hub.conftest import made_token
from tests.hub.processes import PATIENCE, Process
from tests.registry_builders import a_project

PATH = "/api/v1/events"


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What came of the writers of B-127, also while somebody else held the file."""
    given, folder = load("B-127")["given"], tmp_path_factory.mktemp("writers")
    url = f"sqlite:///{folder / 'evenhand.db'}"
    upgrade(url)
    parts = App(load_settings({"database_url": url}, start=folder, environment={}))
    parts.database.run(lambda uow: uow.projects.add(a_project()))
    shown = {"Authorization": f"Bearer {made_token(parts, Role.OPERATOR, 'operator')}"}
    statuses: list[int] = []
    is_answered = threading.Event()
    with ExitStack() as running:
        processes = [
            running.enter_context(closing(Process(folder, "--database-url", url)))
            for _ in range(given["processes"])
        ]
        addresses = [process.said["address"] for process in processes]

        def writer(number: int) -> None:
            with httpx2.Client(base_url=addresses[number % 2], timeout=PATIENCE) as client:
                for at in range(given["writes_each"]):
                    one = event_document(number * given["writes_each"] + at)
                    answer = client.post(
                        PATH, json=one, headers=shown, params={"project_id": a_project().id}
                    )
                    statuses.append(answer.status_code)
                    is_answered.set()

        threads = [
            threading.Thread(target=writer, args=(number,)) for number in range(given["writers"])
        ]
        with parts.database.engine.begin():
            for thread in threads:
                thread.start()
            was_answered = is_answered.wait(given["held_lock_s"])
        for thread in threads:
            thread.join(PATIENCE)
    rows = parts.database.read(lambda uow: uow.events.count(None, project_id=None))
    parts.close()
    return {
        "statuses": Counter(statuses),
        "rows": rows,
        "was_answered": was_answered,
        "problems": [one for one in check(url) if one.code.startswith("event")],
    }


@pytest.mark.proves("E-12", "E-43")
def test_many_writers_on_sqlite_b_127(found: dict[str, Any]) -> None:
    expected = load("B-127")["expected"]
    statuses = found["statuses"]

    assert found["was_answered"] is False
    assert sum(times for one, times in statuses.items() if one >= 500) == expected["status_5xx"]
    assert found["rows"] == statuses[201] == expected["rows"]
    assert found["problems"] == []


@pytest.mark.parametrize(("path", "value"), [(("rows",), 399), (("status_5xx",), 1)], ids=str)
def test_an_altered_case_fails(
    path: tuple[str | int, ...], value: object, request: pytest.FixtureRequest
) -> None:
    require_failure(test_many_writers_on_sqlite_b_127, path, value, request)

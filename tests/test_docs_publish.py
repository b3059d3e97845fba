"""Each command of docs/publish.md, executed in the order of its page against a hub process."""

import os
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from evenhand.bootstrap import App
from evenhand.core.access.roles import Actor, ActorKind
from evenhand.settings import load_settings
from evenhand.usecases.registry import projects
from tests.docs_pages import ROOT, Step, forget_imports, missing, perform, steps
from tests.hub.processes import Process


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Process]:
    """A hub in a folder of its own, with the project that the page names."""
    folder = tmp_path / "hub"
    folder.mkdir()
    process = Process(folder)
    try:
        assert process.said["operator_token"]
        parts = App(load_settings(start=folder, environment={}))
        with closing(parts):
            parts.database.run(
                lambda uow: projects.create(
                    uow, name="search", actor=Actor(kind=ActorKind.COMMAND_LINE), ids=parts.ids
                )
            )
        yield process
    finally:
        process.close()


def test_every_command_of_the_page_does_what_the_page_shows(
    hub: Process, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "laptop"
    place.mkdir()
    monkeypatch.chdir(place)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("EVENHAND_HUB_URL", hub.said["address"])
    monkeypatch.setenv("EVENHAND_TOKEN", hub.said["operator_token"])
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    found = [one for one in steps(ROOT / "docs" / "publish.md") if isinstance(one, Step)]
    assert len(found) >= 7

    for step in found:
        forget_imports(place)
        printed = perform(step)
        assert (step.command, missing(step, printed)) == (step.command, []), "\n".join(printed)

    assert hub.said["operator_token"] not in hub.errors
    forget_imports(place)

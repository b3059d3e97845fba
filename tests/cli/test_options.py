import io
import json
import sys
from pathlib import Path

import click
import pytest

from evenhand.cli.options import RootFlags, app_of, print_json, remark
from evenhand.core.errors import InvalidSetting
from evenhand.core.privacy import PrivacyLevel


def a_context(**root: str) -> click.Context:
    flags = RootFlags()
    flags.set(root.get("project"), root.get("database_url"), show_frames=False)
    return click.Context(click.Command("some"), obj=flags)


def test_flags_of_root_and_command_win_over_the_file(folder: Path) -> None:
    (folder / "evenhand.toml").write_text("depth = 3\njobs = 3\nprivacy = 'none'\n")

    with a_context(database_url="sqlite:///elsewhere.db") as context:
        settings = app_of(context, depth="5", jobs=None).settings

    assert settings.database_url == "sqlite:///elsewhere.db"
    assert (settings.depth, settings.jobs, settings.privacy) == (5, 3, PrivacyLevel.NONE)


def test_the_project_is_looked_for_from_the_folder_that_is_named(folder: Path) -> None:
    (folder / "one" / "deep").mkdir(parents=True)
    (folder / "one" / "evenhand.toml").write_text("depth = 3\n")

    with a_context(project="one/deep") as context:
        app = app_of(context)

    assert (app.project_root, app.settings.depth) == (folder / "one", 3)


def test_a_command_that_nobody_called_through_the_root_has_parts_too(folder: Path) -> None:
    with click.Context(click.Command("some")) as context:
        assert app_of(context).project_root == folder


def test_a_malformed_flag_names_itself_and_not_its_value(folder: Path) -> None:
    assert folder.exists()
    with a_context() as context, pytest.raises(InvalidSetting) as caught:
        app_of(context, jobs="canary")

    assert (caught.value.name, caught.value.source) == ("jobs", "flag")
    assert "canary" not in str(caught.value)


def test_the_store_is_closed_when_the_command_ends(folder: Path) -> None:
    assert folder.exists()
    with a_context() as context:
        app = app_of(context)
        database = app.database
        assert database.read(lambda uow: uow.evaluations.list_latest(
            set_identifier=None, retriever=None, limit=1
        )) == ()  # fmt: skip

    # Nothing is held: the file may be taken away, and a warning would be an error.
    (folder / ".evenhand" / "evenhand.db").unlink()


def test_a_store_that_no_command_opened_is_not_made(folder: Path) -> None:
    with a_context() as context:
        app_of(context)

    assert list(folder.iterdir()) == []


def test_json_is_utf_8_on_any_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))

    print_json({"name": "größe", "rows": [1, None]})

    assert raw.getvalue().endswith(b"\n")
    assert json.loads(raw.getvalue().decode("utf-8")) == {"name": "größe", "rows": [1, None]}


def test_a_remark_goes_to_standard_error_unless_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    remark("said")
    remark("not said", quiet=True)

    assert capsys.readouterr() == ("", "said\n")

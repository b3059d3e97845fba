"""The demo's folder: made when absent, its own, never somebody else's."""

import stat
from pathlib import Path

import pytest

from evenhand.core.errors import InvalidSetting
from evenhand.demo.project import MARK, open_project, write_configuration
from evenhand.settings import load_settings


def test_an_absent_folder_is_made_and_is_its_own_project_root(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.evenhand]\njobs = 3\n")
    project = open_project(tmp_path / "new" / "demo")
    assert load_settings(start=project.corpus, environment={}).project_root == project.folder
    assert project.folder == (tmp_path / "new" / "demo").resolve()
    assert stat.S_ISDIR(project.edited.stat().st_mode)


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    assert open_project(tmp_path).corpus.is_dir()


def test_git_ignores_the_folder(tmp_path: Path) -> None:
    project = open_project(tmp_path / "demo")
    assert (project.folder / ".gitignore").read_text() == "*\n"


def test_its_own_folder_is_taken_again_and_keeps_its_store(tmp_path: Path) -> None:
    project = open_project(tmp_path)
    write_configuration(project, "\n[retrievers.bm25]\nuse = 'bm25'\n")
    (tmp_path / ".evenhand").mkdir()
    (tmp_path / ".evenhand" / "evenhand.db").write_bytes(b"kept")
    assert open_project(tmp_path) == project
    assert (tmp_path / ".evenhand" / "evenhand.db").read_bytes() == b"kept"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("evenhand.toml", "jobs = 2\n"),
        ("evenhand.toml", f"jobs = 2\n{MARK}\n"),  # the mark stands first or does not count
        ("pyproject.toml", "[project]\n"),
        ("notes.txt", "mine"),
    ],
)
def test_a_folder_in_use_is_refused_and_left_as_it_was(
    tmp_path: Path, name: str, content: str
) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(InvalidSetting, match="in use for something else"):
        open_project(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == content


def test_a_file_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "demo").write_text("a file")
    with pytest.raises(InvalidSetting, match="in use"):
        open_project(tmp_path / "demo")


def test_the_store_lies_in_the_folder(tmp_path: Path) -> None:
    project = open_project(tmp_path)
    assert project.database_url == f"sqlite:///{project.folder}/.evenhand/evenhand.db"

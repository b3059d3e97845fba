"""Where does the demo put its things? In a project folder of its own, like anybody's project.

Nothing of the reader's is overwritten: a folder that holds anything must have been made by the
demo, which its configuration file says in its first line.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evenhand.adapters.formats.whole_file import writing
from evenhand.core.errors import InvalidSetting
from evenhand.settings import CONFIG_FILE, DATABASE_FILE, STATE_FOLDER

DEFAULT_FOLDER: Final = "evenhand-demo"
CORPUS_FOLDER: Final = "stdlib-corpus"
EDITED_FOLDER: Final = "stdlib-corpus-edited"
REPORT_FILE: Final = "report.html"
MARK: Final = "# Written by `evenhand demo`, which replaces it on each run."


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoProject:
    """The demo's folder and what lies in it.

    Attributes:
        folder: the project root.
    """

    folder: Path

    @property
    def corpus(self) -> Path:
        """Folder of the corpus."""
        return self.folder / CORPUS_FOLDER

    @property
    def edited(self) -> Path:
        """Folder of the copy in which one document is edited."""
        return self.folder / EDITED_FOLDER

    @property
    def report(self) -> Path:
        """The page that the demo writes."""
        return self.folder / REPORT_FILE

    @property
    def database_url(self) -> str:
        """The store in the folder, whatever the environment says of another."""
        return f"sqlite:///{self.folder / STATE_FOLDER / DATABASE_FILE}"


def open_project(folder: Path) -> DemoProject:
    """The demo's project in a folder, made where it is missing.

    Raises:
        InvalidSetting: the folder holds something that the demo did not make, or is no folder.
    """
    root = folder.resolve()
    if root.exists() and not _is_ours(root):
        raise InvalidSetting("--folder", _taken(folder))
    project = DemoProject(folder=root)
    for part in (project.corpus, project.edited):
        part.mkdir(parents=True, exist_ok=True)
    # In a checkout of some repository the demo must not show up as something to commit.
    (root / ".gitignore").write_text("*\n", encoding="utf-8")
    write_configuration(project, "")
    return project


def write_configuration(project: DemoProject, tables: str) -> None:
    """Write ``evenhand.toml`` with these tables under the demo's mark."""
    with writing(project.folder / CONFIG_FILE) as stream:
        stream.write(f"{MARK}\n{tables}".encode())


def _is_ours(root: Path) -> bool:
    if not root.is_dir():
        return False
    configuration = root / CONFIG_FILE
    if configuration.is_file():
        return configuration.read_text(encoding="utf-8", errors="replace").startswith(MARK)
    return not any(root.iterdir())


def _taken(folder: Path) -> str:
    return f"{folder} is in use for something else; name a folder that is empty or not there"

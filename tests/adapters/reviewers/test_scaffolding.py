"""The files by which grounding is judged: shipped for good under their version, or a folder's."""

from pathlib import Path

import pytest

from evenhand.adapters.reviewers.scaffolding import (
    RUBRIC,
    SCHEMA,
    SHIPPED,
    SYSTEM,
    read_scaffolding,
    shipped_scaffolding,
)
from evenhand.core.errors import InvalidFile
from evenhand.core.identity.file_digests import root_digest


@pytest.mark.proves("R-14", "BR-04")
def test_what_a_version_ships_never_changes() -> None:
    # Another text is another version, in a folder of its own: old digests stay explicable.
    found = shipped_scaffolding()
    assert SHIPPED == "grounding/v1"
    assert found.digest == root_digest(found.files)
    assert found.digest == "9d88903147f5d640f0769a3e672a1708add818a3f5a1e09f0d61904b8626f889"


def test_the_prompt_holds_the_rubric_and_the_schema_names_each_member() -> None:
    found = shipped_scaffolding()
    assert found.rubric.decode().strip() in found.prompt
    assert "{rubric}" not in found.prompt
    assert found.shape["required"] == ["observations"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in shipped_scaffolding().files:
        (tmp_path / name).write_bytes(content)
    return tmp_path


def test_a_folder_with_the_same_files_is_the_same_prompt(folder: Path) -> None:
    assert read_scaffolding(folder) == shipped_scaffolding()
    (folder / RUBRIC).write_text("Another one.", encoding="utf-8")
    assert read_scaffolding(folder).digest != shipped_scaffolding().digest


@pytest.mark.parametrize(
    ("name", "content", "rule"),
    [
        (SYSTEM, b"Judge.", "must say {rubric}"),
        (SYSTEM, b"\xff{rubric}", "is not UTF-8"),
        (RUBRIC, b"x" * 65_537, "is a file of more than"),
        (SCHEMA, b"[]", "must be a JSON object"),
        (SCHEMA, None, "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(
    folder: Path, name: str, content: bytes | None, rule: str
) -> None:
    if content is None:
        (folder / name).unlink()
    else:
        (folder / name).write_bytes(content)
    with pytest.raises(InvalidFile) as error:
        read_scaffolding(folder)
    assert str(error.value).startswith(name)
    assert rule in str(error.value)

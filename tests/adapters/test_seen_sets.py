"""What a set was asked for by is remembered, so that a printed command can be typed as it stands."""

from pathlib import Path

import pytest

from evenhand.adapters.seen_sets import FILE, recall_set, remember_set


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "state").mkdir()
    (tmp_path / "set.jsonl").touch()
    return tmp_path / "state"


def test_a_path_comes_back_as_it_is_typed_here(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember_set(folder, "tiny", "./set.jsonl")
    assert recall_set(folder, "tiny") == "set.jsonl"
    monkeypatch.chdir(folder)
    assert recall_set(folder, "tiny") == str(folder.parent / "set.jsonl")


def test_the_file_is_for_its_owner_only(folder: Path) -> None:
    (folder / FILE).write_text("{}", encoding="utf-8")
    (folder / FILE).chmod(0o644)
    remember_set(folder, "tiny", "./set.jsonl")
    assert (folder / FILE).stat().st_mode & 0o777 == 0o600
    assert [path.name for path in folder.iterdir()] == [FILE]


def test_a_module_comes_back_as_it_was_typed(folder: Path) -> None:
    remember_set(folder, "tiny", "sets:tiny")
    assert recall_set(folder, "tiny") == "sets:tiny"


def test_the_last_reference_counts(folder: Path) -> None:
    remember_set(folder, "tiny", "sets:tiny")
    remember_set(folder, "other", "sets:other")
    remember_set(folder, "tiny", "set.jsonl")
    assert [recall_set(folder, one) for one in ("tiny", "other")] == ["set.jsonl", "sets:other"]


def test_a_file_that_went_is_not_named(folder: Path) -> None:
    remember_set(folder, "tiny", "set.jsonl")
    Path("set.jsonl").unlink()
    assert recall_set(folder, "tiny") is None
    assert recall_set(folder, "never") is None


@pytest.mark.parametrize("broken", [b"", b"{", b"[]", b'{"format": "other/1", "sets": {}}'])
def test_a_file_that_cannot_be_read_is_no_memory(folder: Path, broken: bytes) -> None:
    (folder / FILE).write_bytes(broken)
    assert recall_set(folder, "tiny") is None
    remember_set(folder, "tiny", "set.jsonl")
    assert recall_set(folder, "tiny") == "set.jsonl"


def test_without_a_state_folder_nothing_is_written(folder: Path) -> None:
    remember_set(folder / "absent", "tiny", "set.jsonl")
    assert list(folder.iterdir()) == []

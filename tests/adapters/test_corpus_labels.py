"""A label that stays while the documents move is noticed."""

from pathlib import Path

import pytest

from evenhand.adapters.corpus_labels import FILE, has_moved


def test_a_label_is_remembered_with_the_first_digest_seen(tmp_path: Path) -> None:
    seen = [has_moved(tmp_path, "label", digest) for digest in ("a", "a", "b", "a", "b")]
    assert seen == [False, False, True, False, True]
    assert has_moved(tmp_path, "another", "b") is False


@pytest.mark.parametrize("broken", [b"", b"{", b"[]", b'{"format": "other/1", "labels": {}}'])
def test_a_file_that_cannot_be_read_is_no_memory(tmp_path: Path, broken: bytes) -> None:
    (tmp_path / FILE).write_bytes(broken)
    assert has_moved(tmp_path, "label", "a") is False
    assert has_moved(tmp_path, "label", "b") is True


def test_without_a_state_folder_nothing_is_written(tmp_path: Path) -> None:
    assert has_moved(tmp_path / "absent", "label", "a") is False
    assert list(tmp_path.iterdir()) == []

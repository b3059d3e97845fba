"""A file is there as a whole or not at all; what is no file is never replaced by one."""

import os
import stat
import threading
from pathlib import Path

import pytest

from evenhand.adapters.formats.whole_file import writing
from evenhand.core.errors import InvalidFile


def test_a_file_appears_when_the_block_ends_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    with writing(path) as stream:
        stream.write(b"new")
        assert not path.exists()

    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_was_there_survives_a_block_that_raises(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError), writing(path) as stream:
        stream.write(b"new" * (1 // 0))

    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(path.read_bytes()))
    reader.start()
    with writing(path) as stream:
        stream.write(b"new")
    reader.join()

    assert read == [b"new"]
    assert stat.S_ISFIFO(path.stat().st_mode)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["", "missing/page.html"], ids=["folder", "no-folder"])
def test_what_cannot_be_written_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidFile, match="cannot be written"), writing(tmp_path / name):
        pass

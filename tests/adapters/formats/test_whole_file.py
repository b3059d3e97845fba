"""A file is there as a whole or not at all; what is no file is never replaced by one."""

import os
import stat
import threading
from pathlib import Path

import pytest

from evenhand.adapters.formats.whole_file import add_to, writing
from evenhand.core.errors import InvalidFile, UnwritableFile


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


@pytest.mark.parametrize(
    "name", ["", "missing/page.html", "file/page.html"], ids=["folder", "no-folder", "below-file"]
)
def test_what_cannot_be_written_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(InvalidFile, match="cannot be written") as refused,
        writing(tmp_path / name),
    ):
        pass
    assert not isinstance(refused.value, UnwritableFile)


def test_a_full_disk_is_no_fault_of_the_name() -> None:
    with (
        pytest.raises(UnwritableFile, match="No space left"),
        writing(Path("/dev/full")) as stream,
    ):
        stream.write(b"new")


def test_what_is_added_stands_behind_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "summary.md"
    for content in (b"one\n", b"two\n"):
        add_to(path, content, named_by="SUMMARY")
    assert path.read_bytes() == b"one\ntwo\n"
    with pytest.raises(UnwritableFile, match=r"No such file or directory \(SUMMARY\)"):
        add_to(tmp_path / "no" / "file", b"", named_by="SUMMARY")

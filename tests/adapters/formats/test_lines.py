"""Lines: LF and nothing else ends one, whatever else is in the file."""

import gzip
from pathlib import Path

import pytest

from evenhand.adapters.formats import lines
from evenhand.adapters.formats.lines import read_lines, read_whole
from evenhand.core.errors import InvalidFile

MARK = b"\xef\xbb\xbf"


def read(tmp_path: Path, content: bytes) -> list[tuple[int, bytes]]:
    path = tmp_path / "file"
    path.write_bytes(content)
    return list(read_lines(path, "file"))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", []),
        (b"a\nb\n", [(1, b"a"), (2, b"b")]),
        (b"a\nb", [(1, b"a"), (2, b"b")]),
        (b"a\r\nb\r\n", [(1, b"a"), (2, b"b")]),
        (b"a\r\nb\r", [(1, b"a"), (2, b"b")]),
        (b"\n\na\n \t\n\r\nb\n\n", [(3, b"a"), (6, b"b")]),
        (MARK + b"a\n", [(1, b"a")]),
        (MARK + MARK + b"a\n", [(1, MARK + b"a")]),
        (b"a\n" + MARK + b"b\n", [(1, b"a"), (2, MARK + b"b")]),
        (b"a\rb\n", [(1, b"a\rb")]),
        (b"a\x0b\x0c\x1c\x85b\n", [(1, b"a\x0b\x0c\x1c\x85b")]),
        ("a\u2028b\u2029c\u0085d\n".encode(), [(1, "a\u2028b\u2029c\u0085d".encode())]),
        (b"a\0b\n", [(1, b"a\0b")]),
    ],
)
def test_only_lf_ends_a_line(
    tmp_path: Path, content: bytes, expected: list[tuple[int, bytes]]
) -> None:
    assert read(tmp_path, content) == expected


def test_gzip_is_recognised_by_its_first_bytes_and_not_by_the_name(tmp_path: Path) -> None:
    assert read(tmp_path, gzip.compress(MARK + b"a\nb\n")) == [(1, b"a"), (2, b"b")]
    plain = tmp_path / "plain.gz"
    plain.write_bytes(b"a\n")
    assert list(read_lines(plain, "plain.gz")) == [(1, b"a")]


@pytest.mark.parametrize("cut", ["truncated", "junk", "header", "checksum"])
def test_damaged_gzip_is_refused(tmp_path: Path, cut: str) -> None:
    whole = gzip.compress(b"line\n" * 1000, mtime=0)
    damaged = {
        "truncated": whole[:-12],
        "junk": whole + b"junk",
        "header": whole[:5],
        "checksum": whole[:-8] + b"\0\0\0\0" + whole[-4:],
    }[cut]
    with pytest.raises(InvalidFile, match="damaged or truncated gzip"):
        read(tmp_path, damaged)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_refused_by_its_mark(tmp_path: Path, encoding: str) -> None:
    with pytest.raises(InvalidFile, match="file, line 1: is UTF-16"):
        read(tmp_path, "\ufeffq1 0 d1 1\n".encode(encoding))


def test_a_line_over_the_limit_is_refused_by_its_number_in_bounded_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "MAX_LINE_BYTES", 1000)
    assert read(tmp_path, b"a\n" + b"x" * 999 + b"\n")[1] == (2, b"x" * 999)
    bomb = gzip.compress(b"a\n" + bytes(10_000_000))
    with pytest.raises(InvalidFile, match="file, line 2: is a line of more than 1000 bytes"):
        read(tmp_path, bomb)


def test_text_of_twenty_million_characters_is_one_line(tmp_path: Path) -> None:
    ((_, line),) = read(tmp_path, b"y" * 20_000_000)
    assert len(line) == 20_000_000


def test_a_file_that_cannot_be_read_is_refused_and_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match="gone: cannot be read: No such file"):
        list(read_lines(tmp_path / "gone", "gone"))
    with pytest.raises(InvalidFile, match="folder: cannot be read: Is a directory"):
        list(read_lines(tmp_path, "folder"))


def test_a_whole_file_has_a_limit_after_decompression(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(gzip.compress(MARK + b"x" * 50))
    assert read_whole(path, "file", limit=53) == b"x" * 50
    with pytest.raises(InvalidFile, match="file of more than 52 bytes"):
        read_whole(path, "file", limit=52)

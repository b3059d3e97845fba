"""Whatever is wrong with an archive is told by member and rule, before a database is touched."""

import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evenhand.core.errors import EvenhandError
from evenhand.core.errors.database import ArchiveRefused, InvalidArchive
from evenhand.store.archive import read
from evenhand.store.archive.read import opened
from evenhand.store.archive.write import MANIFEST
from tests.store.archive.conftest import Altered, members, packed, restore

Alter = Callable[[Altered], object]
GOLDEN = "golden_set"


def verify(archive: bytes) -> str:
    """The archive's own digest, after all of it was read."""
    with opened(io.BytesIO(archive), "a.zip") as whole:
        whole.verify()
        return whole.manifest.digest


def refusal(archive: bytes) -> str:
    with pytest.raises(InvalidArchive) as refused:
        verify(archive)
    assert refused.value.code == "invalid_archive"
    return str(refused.value)


def test_a_whole_archive_is_verified(filled_archive: bytes) -> None:
    assert len(verify(filled_archive)) == 64
    assert verify(Altered.of(filled_archive).pack()) == verify(filled_archive)


def edit_line(altered: Altered) -> None:
    altered.parts["tables/golden_set.jsonl"] = altered.parts["tables/golden_set.jsonl"].replace(
        b"Tiny", b"Tinx"
    )


def drop_line(altered: Altered) -> None:
    entry = altered.entry("golden_question")
    entry["rows"] += 1


def add_bytes(altered: Altered) -> None:
    altered.parts["tables/golden_set.jsonl"] += b"\n"


def second_row_twice(altered: Altered) -> None:
    rows = altered.rows(GOLDEN)
    altered.set_rows(GOLDEN, [rows[0], rows[0]])


def out_of_order(altered: Altered) -> None:
    row = altered.rows(GOLDEN)[0]
    altered.set_rows(GOLDEN, [["b", *row[1:]], ["a", *row[1:]]])


def blanks(altered: Altered) -> None:
    altered.set_lines(GOLDEN, altered.parts[f"tables/{GOLDEN}.jsonl"].replace(b",", b", ", 1))


def without_end(altered: Altered) -> None:
    lines = altered.parts[f"tables/{GOLDEN}.jsonl"]
    altered.set_lines(GOLDEN, lines.rstrip(b"\n"))


def blank_line(altered: Altered) -> None:
    altered.set_lines(GOLDEN, altered.parts[f"tables/{GOLDEN}.jsonl"] + b"\n")


def wrong_type(altered: Altered) -> None:
    row = altered.rows(GOLDEN)[0]
    altered.set_rows(GOLDEN, [[*row[:1], 7, *row[2:]]])


def value_missing(altered: Altered) -> None:
    altered.set_rows(GOLDEN, [altered.rows(GOLDEN)[0][:-1]])


def null_in_key(altered: Altered) -> None:
    row = altered.rows(GOLDEN)[0]
    altered.set_rows(GOLDEN, [[None, *row[1:]]])


MEMBER = "a.zip, tables/golden_set.jsonl"


@pytest.mark.parametrize(
    ("alter", "says"),
    [
        (edit_line, f"{MEMBER}: has another digest than the manifest states"),
        (drop_line, "golden_question.jsonl: holds 1 rows, the manifest states 2"),
        (add_bytes, f"{MEMBER}: has "),
        (second_row_twice, f"{MEMBER}, line 2: is not behind the line before it, by key"),
        (out_of_order, f"{MEMBER}, line 2: is not behind the line before it, by key"),
        (blanks, f"{MEMBER}, line 1: is not spelt as an archive spells a row"),
        (without_end, f"{MEMBER}, line 1: does not end with a line feed"),
        (blank_line, f"{MEMBER}, line 2: is no JSON array of 5 values"),
        (wrong_type, f"{MEMBER}, line 1: column name holds no value of the kind text"),
        (value_missing, f"{MEMBER}, line 1: is no JSON array of 5 values"),
        (null_in_key, f"{MEMBER}, line 1: a column of the key holds nothing"),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_lines_that_are_not_what_they_should_be(
    filled_archive: bytes, alter: Alter, says: str
) -> None:
    altered = Altered.of(filled_archive)
    alter(altered)
    assert refusal(altered.pack()).startswith(says) or says in refusal(altered.pack())


def in_manifest(**values: Any) -> Alter:
    return lambda altered: altered.manifest.update(values)


def in_entry(**values: Any) -> Alter:
    return lambda altered: altered.entry(GOLDEN).update(values)


MANIFESTS: list[tuple[Alter, str]] = [
    (in_manifest(format="evenhand.archive/2"), "is not of the format evenhand.archive/1"),
    (in_manifest(format=None), "is not of the format evenhand.archive/1"),
    (in_manifest(more=1), "breaks its schema"),
    (in_manifest(release="a b"), "breaks its schema (at `$.release`)"),
    (in_manifest(revision="head"), "breaks its schema (at `$.revision`)"),
    (in_manifest(chain_digest="0" * 63), "breaks its schema (at `$.chain_digest`)"),
    (in_manifest(created_at="today"), "breaks its schema (at `$.created_at`)"),
    (in_manifest(tables={}), "breaks its schema (at `$.tables`)"),
    (lambda a: a.manifest.pop("release"), "breaks its schema"),
    (in_entry(rows=-1), "breaks its schema"),
    (in_entry(rows=1.0), "breaks its schema"),
    (in_entry(rows=True), "breaks its schema"),
    (in_entry(sha256="0" * 64 + "\n"), "breaks its schema"),
    (in_entry(name="../golden_set"), "breaks its schema"),
    (in_entry(columns=[]), "breaks its schema"),
    (in_entry(columns=[["identifier", "date"]]), "breaks its schema"),
    (in_entry(columns=[["identifier", "text"]] * 2), "names a column of golden_set twice"),
    (in_entry(key=["other"]), "names a key of golden_set that is no column of it"),
    (in_entry(key=[]), "breaks its schema"),
    (lambda a: a.manifest["tables"].reverse(), "does not name each table once, in order"),
    (
        lambda a: a.manifest["tables"].append(a.manifest["tables"][-1]),
        "does not name each table once, in order",
    ),
]


@pytest.mark.parametrize(("alter", "says"), MANIFESTS, ids=map(str, range(len(MANIFESTS))))
def test_a_manifest_that_breaks_a_rule(filled_archive: bytes, alter: Alter, says: str) -> None:
    altered = Altered.of(filled_archive)
    alter(altered)
    assert refusal(altered.pack()).startswith(f"a.zip, manifest.json: {says}")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"{",
        b'{"format":"evenhand.archive/1","format":"x"}',
        b'{"format":NaN}',
        b"\xff",
    ],
)
def test_a_manifest_is_strict_json(filled_archive: bytes, content: bytes) -> None:
    parts = members(filled_archive)
    assert refusal(packed({**parts, MANIFEST: content})).startswith("a.zip, manifest.json: ")


def test_members_are_those_of_the_manifest_and_no_other(filled_archive: bytes) -> None:
    parts = members(filled_archive)
    assert "holds 1 members that its manifest does not name" in refusal(
        packed({**parts, "tables/other.jsonl": b""})
    )
    name = "tables/golden_set.jsonl"
    assert refusal(packed({k: v for k, v in parts.items() if k != name})) == (
        f"a.zip, {name}: is missing"
    )
    assert "holds no manifest.json" in refusal(
        packed({k: v for k, v in parts.items() if k != MANIFEST})
    )
    with pytest.warns(UserWarning, match="Duplicate name"):
        twice = packed([*parts.items(), (name, parts[name])])
    assert "holds two members of one name" in refusal(twice)


def test_a_member_that_is_packed_otherwise_is_refused(filled_archive: bytes) -> None:
    parts = members(filled_archive)
    assert verify(packed(parts, compression=zipfile.ZIP_STORED)) == verify(filled_archive)
    assert "packed otherwise" in refusal(packed(parts, compression=zipfile.ZIP_BZIP2))
    encrypted = bytearray(filled_archive)
    # The flag of the first member in the central directory.
    encrypted[encrypted.index(b"PK\x01\x02") + 8] |= 1
    assert "encrypted" in refusal(bytes(encrypted))


def test_what_is_no_zip_is_refused(filled_archive: bytes) -> None:
    for content in (b"", b"PK", b"these are notes\n" * 100, filled_archive[:-1] + b"x" * 70_000):
        assert refusal(content) == "a.zip: is no ZIP file, or a damaged one"


def test_what_is_read_is_bounded(filled_archive: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    altered = Altered.of(filled_archive)
    altered.set_lines(GOLDEN, b'["' + b"a" * 3_000_000 + b'"]\n')
    bomb = altered.pack()
    assert len(bomb) < 30_000
    monkeypatch.setattr(read, "MAX_LINE_BYTES", 2_000_000)
    assert refusal(bomb) == f"{MEMBER}: holds a line longer than 2000000 bytes"
    monkeypatch.setattr(read, "MAX_MANIFEST_BYTES", 100)
    assert refusal(filled_archive) == "a.zip, manifest.json: is larger than 100 bytes"


@pytest.mark.parametrize("claimed", [100, 2**32 - 2], ids=["less", "more"])
def test_a_manifest_is_not_unpacked_beyond_its_bound(tmp_path: Path, claimed: int) -> None:
    """The growth of a process that reads 128 MiB of blanks, whatever size the file claims."""
    file = tmp_path / "a.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made, made.open(MANIFEST, "w") as to:
        for _ in range(128):
            to.write(b" " * 2**20)
    content = bytearray(file.read_bytes())
    # The size in the central directory.
    place = content.index(b"PK\x01\x02") + 24
    assert content[place : place + 4] == (2**27).to_bytes(4, "little")
    content[place : place + 4] = claimed.to_bytes(4, "little")
    file.write_bytes(content)
    assert _growth(file) < 50


GROWTH = """
import resource, sys
from evenhand.core.errors.database import InvalidArchive
from evenhand.store.archive.read import opened
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    with open(sys.argv[1], "rb") as stream, opened(stream, "a.zip") as archive:
        archive.verify()
except InvalidArchive:
    print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def _growth(file: Path) -> int:
    """Mebibytes by which a process grows until it refuses an archive."""
    done = subprocess.run(
        [sys.executable, "-c", GROWTH, str(file)], capture_output=True, text=True, check=True
    )
    return int(done.stdout)


def test_values_beyond_those_of_the_table_are_not_decoded(
    filled_archive: bytes, tmp_path: Path
) -> None:
    altered = Altered.of(filled_archive)
    altered.set_lines(GOLDEN, b"[1" + b",1" * 8_000_000 + b"]\n")
    file = tmp_path / "a.zip"
    file.write_bytes(altered.pack())
    assert refusal(file.read_bytes()) == f"{MEMBER}, line 1: is no JSON array of 5 values"
    # Three times the line of 15 MiB, and what a read takes; the values as a list are 64 more.
    assert _growth(file) < 70


def test_lines_longer_than_what_is_read_at_once_are_whole(
    filled_archive: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read, "_CHUNK", 7)
    verify(filled_archive)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_byte_that_changed_is_noticed_or_says_nothing(
    filled_archive: bytes, data: st.DataObject
) -> None:
    """Some bytes of a ZIP file are read by nobody, such as the hour of a member."""
    place = data.draw(st.integers(0, len(filled_archive) - 1))
    changed = bytearray(filled_archive)
    changed[place] ^= data.draw(st.integers(1, 255))
    try:
        assert verify(bytes(changed)) == verify(filled_archive)
    except InvalidArchive:
        return


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_an_archive_that_was_cut_is_refused(filled_archive: bytes, data: st.DataObject) -> None:
    end = data.draw(st.integers(0, len(filled_archive) - 1))
    refusal(filled_archive[:end])


@pytest.mark.parametrize(
    ("alter", "error"),
    [
        (edit_line, InvalidArchive),
        (in_entry(rows=2), InvalidArchive),
        (in_manifest(revision="29990101_9999"), ArchiveRefused),
        (in_manifest(chain_digest="0" * 64), ArchiveRefused),
    ],
    ids=["line", "rows", "newer", "other lineage"],
)
def test_a_refused_archive_leaves_no_database(
    filled_archive: bytes, tmp_path: Path, alter: Alter, error: type[EvenhandError]
) -> None:
    altered = Altered.of(filled_archive)
    alter(altered)
    with pytest.raises(error):
        restore(f"sqlite:///{tmp_path / 'new' / 'file.db'}", altered.pack())
    assert list(tmp_path.iterdir()) == []


def test_messages_repeat_no_value(filled_archive: bytes) -> None:
    canary = "archive-canary"
    altered = Altered.of(filled_archive)
    row = altered.rows(GOLDEN)[0]
    altered.set_lines(GOLDEN, json.dumps([canary, *row[1:]]).encode() + b"\n")
    assert canary not in refusal(altered.pack())
    altered.set_lines(GOLDEN, f'["{canary}'.encode() + b"\n")
    assert canary not in refusal(altered.pack())
    altered.manifest[canary] = canary
    assert canary not in refusal(altered.pack())

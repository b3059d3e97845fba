import gzip
import hashlib
import io
import os
import sys
from pathlib import Path
from threading import Thread

import pytest

from evenhand.adapters.scoring.inputs import score_inputs
from evenhand.adapters.scoring.source import Source
from evenhand.core.errors import InvalidFile
from evenhand.core.scoring.projection import QueryHits, per_query
from tests.adapters.scoring.runs import Row, run_text, write_inputs

ROWS: list[Row] = [(b"q", b"d%d" % one, str(-one)) for one in range(9)]


class Typed:
    """Standard input that holds these bytes."""

    def __init__(self, content: bytes) -> None:
        self.buffer = io.BytesIO(content)


@pytest.mark.parametrize("small_bytes", [0, 2**20])
@pytest.mark.parametrize("packed", [False, True])
def test_standard_input_is_read_like_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small_bytes: int, *, packed: bool
) -> None:
    # Scattered, so that columns read it a second time.
    rows = [row for one in ROWS for row in (one, (b"p", *one[1:]))]
    content = gzip.compress(run_text(rows), mtime=0) if packed else run_text(rows)
    qrels, _ = write_inputs(tmp_path, b"q 0 d2 1\n", b"")
    monkeypatch.setattr(sys, "stdin", Typed(content))
    hits, facts = score_inputs(qrels, "-", small_bytes=small_bytes, block_bytes=50)
    expected = {b"q": QueryHits(hits=((3, 1),), retrieved=9, judged=(1,))}
    assert dict(per_query(hits)) == expected
    assert facts.run_sha256 == hashlib.sha256(content).hexdigest()


def test_a_fault_of_standard_input_names_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    qrels, _ = write_inputs(tmp_path, b"q 0 d2 1\n", b"")
    monkeypatch.setattr(sys, "stdin", Typed(b"q Q0 a 1 2.0 t\nq Q0 b 2\n"))
    with pytest.raises(InvalidFile, match="standard input, line 2: must have 6 columns"):
        score_inputs(qrels, "-")


@pytest.mark.parametrize("small_bytes", [0, 2**20])
def test_damaged_gzip_is_refused_in_the_middle_too(tmp_path: Path, small_bytes: int) -> None:
    rows: list[Row] = [(b"q", b"d%d" % (one * 7919), str(-one)) for one in range(20_000)]
    packed = bytearray(gzip.compress(run_text(rows), mtime=0))
    packed[len(packed) // 2] ^= 255
    paths = write_inputs(tmp_path, b"q 0 d2 1\n", bytes(packed))
    with pytest.raises(InvalidFile, match="is damaged or truncated gzip data"):
        score_inputs(*paths, small_bytes=small_bytes)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    qrels, run = write_inputs(tmp_path, b"q 0 d2 1\n", run_text(ROWS))
    with pytest.raises(InvalidFile, match=r"absent: cannot be read: No such file"):
        score_inputs(qrels, tmp_path / "absent")
    with pytest.raises(InvalidFile, match="cannot be read"):
        score_inputs(tmp_path, run)


def test_a_source_says_how_large_it_is(tmp_path: Path) -> None:
    _, run = write_inputs(tmp_path, b"", b"123")
    with Source(run) as source:
        assert source.size == 3


def test_a_pipe_is_read_like_a_file(tmp_path: Path) -> None:
    qrels, run = write_inputs(tmp_path, b"q 0 d2 1\n", run_text(ROWS))
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = Thread(target=lambda: pipe.write_bytes(run.read_bytes()))
    writer.start()
    hits, facts = score_inputs(qrels, pipe)
    writer.join()
    expected, same = score_inputs(qrels, run)
    assert dict(per_query(hits)) == dict(per_query(expected))
    assert facts.run_sha256 == same.run_sha256

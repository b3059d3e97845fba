from pathlib import Path

import pytest

from evenhand.adapters.scoring.hits_file import FORMAT, is_hits_file, read_hits, write_hits
from evenhand.adapters.scoring.inputs import score_inputs
from evenhand.core.errors import InvalidFile
from evenhand.core.scoring.projection import per_query
from tests.adapters.scoring.runs import Row, qrels_text, run_text, write_inputs

ROWS: list[Row] = [
    (query, b"doc-%d" % (one * 7 % 50), str(50 - one // 2))
    for query in (b"q2", b"q10", b"caf\xc3\xa9")
    for one in range(50)
]


@pytest.fixture(params=[False, True], ids=["plain", "columns"])
def written(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, object, str]:
    judged = {b"q2": {b"doc-7": 3, b"doc-1": -1}, b"q10": {b"doc-4": 300}, b"absent": {b"x": 1}}
    paths = write_inputs(tmp_path, qrels_text(judged), run_text(ROWS))
    hits, facts = score_inputs(*paths, small_bytes=0 if request.param else 2**20)
    path = tmp_path / "some.hits"
    write_hits(path, hits, facts)
    return path, dict(per_query(hits)), facts.qrels_digest()


class TestHitsFile:
    def test_reads_what_was_written(self, written: tuple[Path, object, str]) -> None:
        path, expected, qrels_digest = written
        hits, header = read_hits(path)
        assert dict(per_query(hits)) == expected
        assert (header.format, header.rows, header.qrels_digest) == (FORMAT, 150, qrels_digest)
        assert is_hits_file(path)

    def test_holds_no_document_id(self, written: tuple[Path, object, str]) -> None:
        assert b"doc-" not in written[0].read_bytes()

    def test_any_changed_byte_is_refused(self, written: tuple[Path, object, str]) -> None:
        path = written[0]
        content = path.read_bytes()
        begin = content.find(b"\n") + 1
        for place in range(begin, len(content)):
            changed = bytearray(content)
            changed[place] ^= 1
            path.write_bytes(changed)
            with pytest.raises(InvalidFile, match="is damaged"):
                read_hits(path)

    @pytest.mark.parametrize("cut", [1, 40, 300])
    def test_a_truncated_file_is_refused(
        self, written: tuple[Path, object, str], cut: int
    ) -> None:
        path = written[0]
        path.write_bytes(path.read_bytes()[:-cut])
        with pytest.raises(InvalidFile):
            read_hits(path)

    @pytest.mark.parametrize(
        ("old", "new", "rule"),
        [
            (b"hits/1", b"hits/2", "another version"),
            (b'"queries":3', b'"queries":-3', "cannot be"),
            (b'"queries":3', b'"queries":2', "is damaged"),
            (b'"rows":150', b'"rows":"x"', "no header"),
            (b'{"format"', b'{"farmat"', "is not a file of judged hits"),
        ],
    )
    def test_a_header_that_says_otherwise_is_refused(
        self, written: tuple[Path, object, str], old: bytes, new: bytes, rule: str
    ) -> None:
        path = written[0]
        path.write_bytes(path.read_bytes().replace(old, new, 1))
        with pytest.raises(InvalidFile, match=rule):
            read_hits(path)

    def test_a_run_is_none(self, tmp_path: Path) -> None:
        _, run = write_inputs(tmp_path, b"", run_text(ROWS))
        assert not is_hits_file(run)
        assert not is_hits_file(tmp_path / "absent")

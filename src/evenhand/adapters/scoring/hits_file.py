"""How do judged hits lie in a file, so that they are scored again without the run?

``evenhand.hits/1``: a line of JSON, then columns of little-endian integers. No document id and no
text is in it; a digest covers the columns, so that a damaged file is refused rather than scored.
"""

from __future__ import annotations

import hashlib
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from evenhand.adapters.formats.whole_file import writing
from evenhand.core.errors import InvalidFile
from evenhand.core.scoring.projection import JudgedHits, columns_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.core.scoring.run_facts import Projection, RunFacts

FORMAT: Final = "evenhand.hits/1"

_START: Final = b'{"format":"evenhand.hits/'
_HEADER_BYTES: Final = 4096
_SINGLE: Final = 32
_DAMAGED: Final = "is damaged: its columns are not what its header says"


class HitsHeader(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """First line of the file.

    Attributes:
        format: always `FORMAT`.
        queries, hits, judgements: how many there are.
        id_bytes: of all query ids together.
        rank_bytes, grade_bytes: width of the integers, 2 or 4 and 1 or 4.
        columns_sha256: hexadecimal digest of everything behind the first line.
        rows: rows of the run.
        depth: how many best rows of each query were looked at; None for all.
        run_sha256, qrels_sha256: hexadecimal digests of the inputs.
        qrels_digest: ``qrels-v1`` digest of all judgements.
        precision: bits in which the scores of the run were held, 64 or 32; files of before this
            was asked have 64.
    """

    format: str
    queries: int
    hits: int
    judgements: int
    id_bytes: int
    rank_bytes: int
    grade_bytes: int
    columns_sha256: str
    rows: int
    depth: int | None
    run_sha256: str
    qrels_sha256: str
    qrels_digest: str
    precision: Literal[64, 32] = 64


def write_hits(path: Path, projection: Projection, facts: RunFacts) -> None:
    """Write judged hits; the file is there as a whole or not at all.

    Args:
        path: a file that was there is replaced.
        projection: in either shape.
        facts: of the inputs that it was read from.

    Raises:
        InvalidFile: the file cannot be written.
    """
    import numpy as np

    hits = projection if isinstance(projection, JudgedHits) else columns_of(projection)
    ids = b"".join(hits.queries)
    rank_bytes = 2 if hits.hit_rank.max(initial=0) < 2**15 else 4
    grades = hits.judged_grade
    grade_bytes = 1 if -(2**7) <= grades.min(initial=0) <= grades.max(initial=0) < 2**7 else 4
    columns = b"".join(
        [
            np.array([len(one) for one in hits.queries]).astype("<u4").tobytes(),
            ids,
            hits.retrieved.astype("<i8").tobytes(),
            np.diff(hits.hit_start).astype("<u4").tobytes(),
            np.diff(hits.judged_start).astype("<u4").tobytes(),
            hits.hit_rank.astype(f"<i{rank_bytes}").tobytes(),
            hits.hit_grade.astype(f"<i{grade_bytes}").tobytes(),
            grades.astype(f"<i{grade_bytes}").tobytes(),
        ]
    )
    header = HitsHeader(
        format=FORMAT,
        queries=len(hits.queries),
        hits=len(hits.hit_rank),
        judgements=len(grades),
        id_bytes=len(ids),
        rank_bytes=rank_bytes,
        grade_bytes=grade_bytes,
        columns_sha256=hashlib.sha256(columns).hexdigest(),
        rows=facts.ranked.rows,
        depth=facts.depth,
        run_sha256=facts.run_sha256,
        qrels_sha256=facts.qrels_sha256,
        qrels_digest=facts.qrels_digest(),
        precision=32 if facts.precision == _SINGLE else 64,
    )
    with writing(path) as stream:
        stream.write(msgspec.json.encode(header) + b"\n" + columns)


def is_hits_file(path: Path) -> bool:
    """Whether a file begins like one of judged hits, of any version."""
    try:
        with path.open("rb") as stream:
            return stream.read(len(_START)) == _START
    except OSError:
        return False


def read_hits(path: Path) -> tuple[JudgedHits, HitsHeader]:
    """Read judged hits.

    Raises:
        InvalidFile: the file cannot be read, is of another version, or is damaged.
    """
    file = path.name
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InvalidFile(file, _unreadable(error)) from None
    header = _header(content[:_HEADER_BYTES].split(b"\n", 1)[0], file)
    columns = content[content.find(b"\n") + 1 :]
    if hashlib.sha256(columns).hexdigest() != header.columns_sha256:
        raise InvalidFile(file, _DAMAGED)
    return _Columns(columns, header, file).hits(), header


def _header(line: bytes, file: str) -> HitsHeader:
    if not line.startswith(_START):
        raise InvalidFile(file, f"is not a file of judged hits ({FORMAT})")
    try:
        header = msgspec.json.decode(line, type=HitsHeader)
    except msgspec.DecodeError:
        raise InvalidFile(file, "has no header that can be read", line=1) from None
    if header.format != FORMAT:
        raise InvalidFile(file, "is of another version than evenhand.hits/1", line=1)
    sizes = (header.queries, header.hits, header.judgements, header.id_bytes)
    if min(sizes) < 0 or header.rank_bytes not in (2, 4) or header.grade_bytes not in (1, 4):
        raise InvalidFile(file, "has sizes that cannot be", line=1)
    return header


class _Columns:
    """Takes one column after the other from the bytes behind the header."""

    def __init__(self, content: bytes, header: HitsHeader, file: str) -> None:
        self._content, self._header, self._file = content, header, file
        self._place = 0

    def hits(self) -> JudgedHits:
        """All columns, checked against each other."""
        import numpy as np

        header = self._header
        ends = np.cumsum(self._taken(header.queries, "<u4"), dtype=np.int64)
        ids = self._bytes(header.id_bytes)
        starts = np.concatenate([[0], ends]).tolist()
        hits = JudgedHits(
            queries=tuple(ids[low:high] for low, high in pairwise(starts)),
            retrieved=self._taken(header.queries, "<i8").astype(np.int64),
            hit_start=_offsets(self._taken(header.queries, "<u4")),
            judged_start=_offsets(self._taken(header.queries, "<u4")),
            hit_rank=self._taken(header.hits, f"<i{header.rank_bytes}").astype(np.int32),
            hit_grade=self._taken(header.hits, f"<i{header.grade_bytes}").astype(np.int32),
            judged_grade=self._taken(header.judgements, f"<i{header.grade_bytes}").astype(
                np.int32
            ),
        )
        if (
            self._place != len(self._content)
            or starts[-1] != header.id_bytes
            or hits.hit_start[-1] != header.hits
            or hits.judged_start[-1] != header.judgements
            or list(hits.queries) != sorted(set(hits.queries))
        ):
            raise InvalidFile(self._file, _DAMAGED)
        return hits

    def _taken(self, count: int, kind: str) -> NDArray[Any]:
        import numpy as np

        return np.frombuffer(self._bytes(count * np.dtype(kind).itemsize), dtype=kind)

    def _bytes(self, count: int) -> bytes:
        taken = self._content[self._place : self._place + count]
        if len(taken) < count:
            raise InvalidFile(self._file, _DAMAGED)
        self._place += count
        return taken


def _offsets(counts: NDArray[Any]) -> NDArray[Any]:
    import numpy as np

    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int64)


def _unreadable(error: OSError) -> str:
    return f"cannot be read: {error.strerror or type(error).__name__}"

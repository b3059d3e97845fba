"""Runs and judgements as text and as what a ten-line reference makes of them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from evenhand.adapters.scoring.inputs import score_inputs
from evenhand.core.scoring.projection import QueryHits, per_query
from evenhand.core.scoring.run_facts import RunFacts

Row = tuple[bytes, bytes, str]
Judged = Mapping[bytes, Mapping[bytes, int]]


def reference(judged: Judged, rows: Sequence[Row]) -> dict[bytes, QueryHits]:
    """What the definitions say: by score, then by id, both descending."""
    found = {}
    for query, grades in judged.items():
        mine = [(float(score), document) for of, document, score in rows if of == query]
        ranking = [document for _, document in sorted(mine, reverse=True)]
        ranks = enumerate(ranking, start=1)
        hits = tuple((rank, grades[one]) for rank, one in ranks if one in grades)
        grades_of = tuple(sorted(grades.values(), reverse=True))
        found[query] = QueryHits(hits=hits, retrieved=len(ranking), judged=grades_of)
    return found


def run_text(rows: Sequence[Row], *, end: bytes = b"\n", blank: bytes = b" ") -> bytes:
    lines = [
        blank.join([query, b"Q0", document, b"%d" % rank, score.encode(), b"tag"]) + end
        for rank, (query, document, score) in enumerate(rows, start=1)
    ]
    return b"".join(lines)


def qrels_text(judged: Judged) -> bytes:
    return b"".join(
        b"%s 0 %s %d\n" % (query, document, grade)
        for query, grades in judged.items()
        for document, grade in grades.items()
    )


def write_inputs(folder: Path, qrels: bytes, run: bytes) -> tuple[Path, Path]:
    paths = folder / "judged.qrels", folder / "some.run"
    for path, content in zip(paths, (qrels, run), strict=True):
        path.write_bytes(content)
    return paths


def scored(
    paths: tuple[Path, Path], *, columns: bool, block_bytes: int = 2**16, threads: int = 2
) -> tuple[dict[bytes, QueryHits], RunFacts]:
    """The hits of one of the two ways, as mappings, and the facts."""
    hits, facts = score_inputs(
        *paths, small_bytes=0 if columns else 2**30, block_bytes=block_bytes, threads=threads
    )
    return dict(per_query(hits)), facts

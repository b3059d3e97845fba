"""Runs and judgements of a given size, from a seed; made once and kept in a folder outside.

Ids are as long as those of a large web collection, each query has 20 to 60 judged documents of
which about half are retrieved, and one row in fifty shares its score with the row before. Scores
of one query that differ also differ in 32 bits, so that every peer ranks the same.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

COLLECTION = 9_000_000
STEPS = 100_000  # scores are whole multiples of 1 / STEPS


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How large an input is: queries, rows each, and whether the rows lie in no order."""

    name: str
    queries: int
    depth: int
    shuffled: bool = False


SIZES = {
    size.name: size
    for size in (
        Size(name="small", queries=200, depth=100),
        Size(name="S", queries=1_000, depth=1_000),
        Size(name="S shuffled", queries=1_000, depth=1_000, shuffled=True),
        Size(name="M", queries=10_000, depth=1_000),
        Size(name="XL", queries=40_000, depth=1_000),
    )
}


def inputs(size: Size, folder: Path, *, seed: int = 20260901) -> tuple[Path, Path]:
    """Judgements and run of a size; written when they are not there."""
    stem = size.name.replace(" ", "-")
    qrels, run = folder / f"{stem}.qrels", folder / f"{stem}.run"
    if not run.exists():
        folder.mkdir(parents=True, exist_ok=True)
        part = run.with_suffix(".part")
        with qrels.open("w", encoding="ascii") as judged, part.open("w", encoding="ascii") as rows:
            for query_judgements, query_rows in _queries(size, np.random.default_rng(seed)):
                judged.writelines(query_judgements)
                rows.writelines(query_rows)
        if size.shuffled:
            _shuffle(part, np.random.default_rng(seed))
        part.rename(run)
    return qrels, run


def _queries(size: Size, draw: np.random.Generator) -> Iterator[tuple[list[str], list[str]]]:
    for number in range(size.queries):
        query = f"2026-{100_000 + number}"
        documents = draw.choice(COLLECTION, size.depth + 60, replace=False)
        names = [f"msmarco_v2_doc_{one % 60:02d}_{one}" for one in documents.tolist()]
        drops = draw.integers(1, 4_000, size.depth)
        drops[draw.random(size.depth) < 0.02] = 0
        scores = (3_000_000 + drops.sum() - np.cumsum(drops)) / STEPS
        yield (
            _judgements(query, names, size.depth, draw),
            [
                f"{query} Q0 {name} {rank} {score:.5f} bench\n"
                for rank, (name, score) in enumerate(
                    zip(names[: size.depth], scores.tolist(), strict=True), start=1
                )
            ],
        )


def _judgements(query: str, names: list[str], depth: int, draw: np.random.Generator) -> list[str]:
    """Judgements that thin out with the rank, and some of documents that were not retrieved."""
    count = int(draw.integers(20, 61))
    hits = {int(one) for one in draw.random(count * 5 // 8) ** 2 * depth}
    places = [*sorted(hits), *range(depth, depth + count - len(hits))]
    grades = draw.choice(4, len(places), p=[0.4, 0.35, 0.15, 0.1]).tolist()
    rows = [
        f"{query} 0 {names[place]} {grade}\n" for place, grade in zip(places, grades, strict=True)
    ]
    return [rows[place] for place in draw.permutation(len(rows)).tolist()]


def _shuffle(path: Path, draw: np.random.Generator) -> None:
    lines = path.read_text(encoding="ascii").splitlines(keepends=True)
    order = draw.permutation(len(lines)).tolist()
    path.write_text("".join([lines[place] for place in order]), encoding="ascii")

"""TREC text in the plainest way: what the readers of the product must be equal to, too.

Rows of a run are ordered by score, then document id, both descending; ids by bytes, scores as
64-bit doubles. Nothing is refused here: the texts are known to be well formed.
"""

from collections.abc import Iterable, Mapping, Sequence

from evenhand.core.scoring.projection import QueryHits

Qrels = dict[bytes, dict[bytes, int]]
Run = dict[bytes, list[tuple[bytes, float]]]


def read_qrels(text: bytes) -> Qrels:
    """Grades by query and document; a line that begins with ``#`` is a comment."""
    qrels: Qrels = {}
    for fields in _rows(text):
        qrels.setdefault(fields[0], {})[fields[2]] = int(fields[3])
    return qrels


def read_beir_qrels(text: bytes) -> Qrels:
    """The same of a BEIR file: a header, then query, document and grade."""
    qrels: Qrels = {}
    for query, document, grade in (line.split(b"\t") for line in text.splitlines()[1:]):
        qrels.setdefault(query, {})[document] = int(grade)
    return qrels


def read_run(text: bytes) -> Run:
    """Documents and scores by query, in the order of the rows."""
    run: Run = {}
    for fields in _rows(text):
        run.setdefault(fields[0], []).append((fields[2], float(fields[4])))
    return run


def ordered(rows: Iterable[tuple[bytes, float]]) -> list[bytes]:
    """Documents in the order of the protocol."""
    return [document for document, _ in sorted(rows, key=lambda r: (r[1], r[0]), reverse=True)]


def project(qrels: Mapping[bytes, Mapping[bytes, int]], run: Run) -> dict[bytes, QueryHits]:
    """The projection of a run onto judgements; queries without judgements are left out."""
    return {
        query: query_hits(grades, ordered(run.get(query, []))) for query, grades in qrels.items()
    }


def query_hits(grades: Mapping[bytes, int], ranking: Sequence[bytes]) -> QueryHits:
    """The projection of one ranking of distinct documents."""
    return QueryHits(
        hits=tuple(
            (n, grades[document]) for n, document in enumerate(ranking, 1) if document in grades
        ),
        retrieved=len(ranking),
        judged=tuple(sorted(grades.values(), reverse=True)),
    )


def cut(hits: QueryHits, depth: int) -> QueryHits:
    """What is left of a query when only so many documents are looked at."""
    return QueryHits(
        hits=tuple(hit for hit in hits.hits if hit[0] <= depth),
        retrieved=min(hits.retrieved, depth),
        judged=hits.judged,
    )


def _rows(text: bytes) -> list[list[bytes]]:
    return [line.split() for line in text.splitlines() if line and not line.startswith(b"#")]

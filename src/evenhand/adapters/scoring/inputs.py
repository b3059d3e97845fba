"""What do two files say, a run and the judgements it is measured against? One door for both.

What one reader alone needs is imported when it runs, as a small run takes less time than numpy.
Three readers, one result: plain Python for a run of some megabytes, which loads no numpy; columns
of bytes on two threads for a larger one; and a line-numbered one for whatever they cannot read,
which names the lines that break a rule.
"""

from __future__ import annotations

from evenhand.adapters.scoring.heads import HEAD_BYTES, framed, is_beir, without_head
from evenhand.adapters.scoring.source import Opened, Source
from evenhand.core.scoring.lines import (
    BadLine,
    in_32_bits,
    qrels_line,
    rank_lines,
    rank_rows,
    read_grades,
    run_line,
)
from evenhand.core.scoring.projection import JudgedHits
from evenhand.core.scoring.run_facts import FIRST, RunFacts, cut_ranks

# Not from typing, which takes longer to import than a small run to score.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path
    from typing import Final

    from evenhand.core.scoring.judgements import Judgements
    from evenhand.core.scoring.lines import Grades
    from evenhand.core.scoring.run_facts import OtherSpellings, Projection, RankedRun

#: Up to this many bytes of text a run is read by plain Python.
SMALL_BYTES: Final = 8 * 2**20
#: Of a larger run, how much is worked on at a time by each thread.
BLOCK_BYTES: Final = 4 * 2**20
_BEIR_HEAD: Final = 100
#: As `core.scoring.cuts` has it, which is not imported for a small run.
_BEFORE, _AFTER = 32, 65
_WHOLE: Final = 2**40
_SINGLE: Final = 32


def score_inputs(  # noqa: PLR0913 -- how a run is read, by keyword
    qrels: str | Path,
    run: str | Path,
    *,
    depth: int | None = None,
    precision: int = 64,
    threads: int = 2,
    small_bytes: int = SMALL_BYTES,
    block_bytes: int = BLOCK_BYTES,
) -> tuple[Projection, RunFacts]:
    """The judged hits of a run, ranked as trec_eval does, and what is to be said of the inputs.

    Rows count by score, then by document id, both descending, ids by their bytes and scores as
    64-bit doubles; the rank column and the order of the lines say nothing. Memory grows with the
    judgements and not with the run, where the rows of each query lie side by side.

    Args:
        qrels: judgements as TREC text, as a BEIR folder's TSV with its header, or as Parquet;
            gzip is unpacked, ``-`` is standard input.
        run: TREC text or Parquet, likewise.
        depth: only this many best rows of each query count; None for all, else at least 1.
        precision: bits in which scores are held, 64 or 32 as in trec_eval 9 and pytrec_eval.
        threads: how many work on a large run, at least 1.
        small_bytes: up to this many bytes of text plain Python reads a run.
        block_bytes: of text that a thread works on at a time.

    Returns:
        The projection of all judged queries, as a mapping where the run is small and as columns
        where it is large, and the facts.

    Raises:
        InvalidFile: an input cannot be read, holds no row, or lines of it break a rule; names the
            file and the lines.
        MissingExtra: Parquet without what reads it.
    """
    with Source(qrels) as judgements, Source(run) as rows:
        importing = _Importing() if _is_large(rows, small_bytes) else None
        judged = _read_judged(judgements)
        reading = _Reading(rows, judged, threads=threads, block_bytes=block_bytes)
        reading.importing = importing
        reading.is_single = precision == _SINGLE
        ranked = reading.ranked(small_bytes)
        if not ranked.rows:
            raise rows.refused("holds no row")
        spellings = _spellings(judgements, judged, rows, reading, ranked)
    missing = _missing(ranked.hits)
    facts = RunFacts(
        ranked=ranked,
        judged_rows=judged.rows,
        missing_queries=len(missing),
        first_missing=tuple(missing[:FIRST]),
        hash_run=reading.sha256,
        hash_qrels=judged.sha256,
        run_format=reading.format,
        qrels_format=judged.format,
        metadata=reading.metadata,
        depth=depth,
        precision=precision,
        spellings=spellings,
    )
    return (ranked.hits if depth is None else cut_ranks(ranked.hits, depth)), facts


def _is_large(run: Source, small_bytes: int) -> bool:
    """Whether a run has so many bytes on disk already."""
    try:
        return run.size > small_bytes
    except OSError:
        return False  # whoever opens it says why


class _Importing:
    """What reads a large run, imported while the judgements and its beginning are read.

    The one needs the interpreter, the other the system and a digest.

    Attributes:
        is_alone: whether nothing else than this ran when it began, so that processes may share
            the work.
    """

    def __init__(self) -> None:
        from threading import Thread

        from evenhand.adapters.scoring.processes import may_fork

        self.is_alone = may_fork()
        self._thread = Thread(target=self._import, daemon=True)
        self._thread.start()

    def _import(self) -> None:
        try:
            import evenhand.adapters.scoring.columns  # noqa: F401
        except ImportError:
            return  # whoever uses it says why

    def finish(self) -> None:
        """Wait for it."""
        self._thread.join()


class _Judged:
    """Judgements that were read, in the shape that a reader of runs asks for.

    Attributes:
        sha256: gives the digest of the bytes on disk.
        format: ``trec``, ``beir`` or ``parquet``.
        is_ascii: whether every id is ASCII.
    """

    def __init__(
        self,
        source: Source,
        sha256: Callable[[], str],
        kind: str,
        judged: Grades | tuple[bytearray, int, int],
    ) -> None:
        self._source, self.sha256, self.format = source, sha256, kind
        self._text = judged if isinstance(judged, tuple) else None
        self._grades = {} if isinstance(judged, tuple) else judged
        self._columns: Judgements | None = None
        self.is_ascii = (
            all(query.isascii() and all(map(bytes.isascii, of)) for query, of in judged.items())
            if not isinstance(judged, tuple)
            else judged[0].isascii()
        )

    def grades(self) -> Grades:
        """As mappings."""
        if self._columns is not None:
            return _grades_of(self._columns.rows())
        if self._text is not None:
            room, start, end = self._text
            self._text = None
            try:
                self._grades = read_grades(bytes(memoryview(room)[start:end]))
            except BadLine as error:
                from evenhand.adapters.scoring.faults import refuse

                refuse(self._source, qrels_line)
                raise self._source.refused(str(error)) from None
        if not self._grades:
            raise self._source.refused("holds no judgement")
        return self._grades

    def columns(self, *, threads: int) -> Judgements:
        """As columns, made by so many threads.

        Raises:
            Irregular: two documents cannot be told apart by their keys.
        """
        from contextlib import suppress
        from functools import partial

        from evenhand.adapters.scoring.threads import map_together
        from evenhand.core.scoring.byte_words import Irregular
        from evenhand.core.scoring.judgements import judgement_columns, read_judgements

        in_order = partial(map_together, threads=threads)
        if self._text is not None:
            with suppress(Irregular):
                self._columns = read_judgements(*self._text, in_order=in_order)
        if self._columns is None:
            self._columns = judgement_columns(self.grades())
        return self._columns

    def rows(self) -> Iterable[tuple[bytes, bytes, int]]:
        """Every judgement."""
        if self._columns is not None:
            return self._columns.rows()
        return (
            (query, document, grade)
            for query, grades in self.grades().items()
            for document, grade in grades.items()
        )


class _Reading:
    """One reading of a run, by whichever reader can.

    Attributes:
        source: the run.
        sha256: gives the digest of its bytes on disk, once it was read.
        format: ``trec`` or ``parquet``.
        metadata: the YAML text of its ir_metadata head.
        is_single: whether scores are rounded to 32 bits.
        importing: what reads a large run, on its way; None where the run may be small.
    """

    def __init__(self, source: Source, judged: _Judged, *, threads: int, block_bytes: int) -> None:
        self.source, self._judged = source, judged
        self._threads, self._block_bytes = threads, block_bytes
        self.sha256: Callable[[], str] = str
        self.format = "trec"
        self.is_single = False
        self.metadata: str | None = None
        self.importing: _Importing | None = None

    def ranked(self, small_bytes: int) -> RankedRun:
        """The judged hits of the run."""
        with self.source.opened() as stream:
            self.sha256 = stream.sha256
            if stream.is_parquet:
                self.format = "parquet"
                return self._parquet(stream)
            first = stream.read(HEAD_BYTES if self.importing else max(small_bytes, HEAD_BYTES) + 1)
            text, self.metadata = without_head(first, self.source.label)
            if self.importing is None and len(first) <= small_bytes:
                return self._small(text)
            return self._large(stream, text)

    def _parquet(self, stream: Opened) -> RankedRun:
        from evenhand.adapters.scoring.parquet import read_parquet_run

        try:
            found = read_parquet_run(stream, self.source)
            if self.is_single:
                found = {query: (ids, in_32_bits(of)) for query, (ids, of) in found.items()}
            return rank_rows(self._judged.grades(), found)
        except BadLine as error:
            from evenhand.adapters.scoring.parquet import refuse_repeated

            refuse_repeated(self.source)
            raise self.source.refused(str(error)) from None

    def _small(self, text: bytes) -> RankedRun:
        try:
            return rank_lines(self._judged.grades(), text, is_single=self.is_single)
        except BadLine as error:
            from evenhand.adapters.scoring.faults import refuse

            refuse(self.source, run_line)
            raise self.source.refused(str(error)) from None

    def _large(self, stream: Opened, text: bytes) -> RankedRun:
        from evenhand.adapters.scoring.large_run import LargeRun

        self.importing = self.importing or _Importing()
        run = LargeRun(
            self.source,
            self._columns,
            threads=self._threads,
            block_bytes=self._block_bytes,
            is_forking=self._threads > 1 and self.importing.is_alone,
        )
        found = run.ranked(stream, text)
        self.sha256 = run.sha256
        if found is not None:
            return found
        # Plain Python compares the ids themselves.
        with self.source.opened() as again:
            whole, _ = without_head(again.read(_WHOLE), self.source.label)
            self.sha256 = again.sha256
        return self._small(whole)

    def _columns(self) -> Judgements:
        if self.importing is not None:
            self.importing.finish()
        from dataclasses import replace

        columns = self._judged.columns(threads=self._threads)
        return replace(columns, is_single=self.is_single)


def _read_judged(source: Source) -> _Judged:
    with source.opened() as stream:
        if stream.is_parquet:
            from evenhand.adapters.scoring.parquet import read_parquet_qrels

            grades = read_parquet_qrels(stream, source)
            return _Judged(source, stream.sha256, "parquet", grades)
        room, start, end = stream.room(_WHOLE, before=_BEFORE, after=_AFTER)
        sha256 = stream.sha256
    if is_beir(bytes(room[start : start + _BEIR_HEAD])):
        return _Judged(source, sha256, "beir", _beir_grades(source))
    return _Judged(source, sha256, "trec", framed(room, start, end, source.label))


def _spellings(
    judgements: Source, judged: _Judged, run: Source, reading: _Reading, ranked: RankedRun
) -> OtherSpellings | None:
    """What misses a judgement by its spelling alone; looked for where an id is not ASCII.

    Raises:
        InvalidFile: a byte order mark stands before an id.
    """
    is_text = reading.format == "trec"
    marked = is_text and not all(map(bytes.isascii, ranked.last_unjudged))
    if judged.is_ascii and not marked:
        return None
    from evenhand.adapters.scoring.spellings import (
        other_spellings,
        refuse_marked,
        refuse_marked_run,
    )

    if judged.format != "parquet":
        refuse_marked(judgements, sorted({query for query, _, _ in judged.rows()}))
    if marked:
        refuse_marked_run(run)
    if judged.is_ascii or not is_text:
        return None
    return other_spellings(judged.rows(), run)


def _beir_grades(source: Source) -> Grades:
    from pathlib import Path

    from evenhand.adapters.formats.qrels_tsv import read_qrels_tsv

    if source.path is None:
        raise source.refused("is a BEIR folder's TSV, which is read from a file only")
    judgements = read_qrels_tsv(Path(source.path), source.label)
    return _grades_of((one.query_id, one.document_id, one.grade) for one in judgements)


def _grades_of(rows: Iterable[tuple[bytes, bytes, int]]) -> Grades:
    found: dict[bytes, dict[bytes, int]] = {}
    for query, document, grade in rows:
        found.setdefault(query, {})[document] = grade
    return found


def _missing(projection: Projection) -> list[bytes]:
    """Judged queries that the run does not have, in byte order."""
    if not isinstance(projection, JudgedHits):
        return sorted(query for query, hits in projection.items() if not hits.retrieved)
    return [projection.queries[place] for place in (projection.retrieved == 0).nonzero()[0]]

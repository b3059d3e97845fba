"""Which golden set is in a file of any known format, with the judgements that lie beside it?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from evenhand.adapters.formats.beir import BeirSet
from evenhand.adapters.formats.corpus import CorpusDocument, read_corpus
from evenhand.adapters.formats.foreign.build import (
    BuildOptions,
    BuiltSet,
    build_set,
    judgements_of,
    require_documents,
)
from evenhand.adapters.formats.foreign.catalogue import (
    BEIR,
    JSONL,
    YAML,
    Guess,
    format_named,
    guess_format,
)
from evenhand.adapters.formats.foreign.corpus_table import TABLE_KINDS, read_corpus_table
from evenhand.adapters.formats.foreign.found import Columns, Found, ReadOptions
from evenhand.adapters.formats.foreign.head import Kind, read_head
from evenhand.adapters.formats.foreign.ir_datasets_ids import PREFIX, read_ir_datasets
from evenhand.adapters.formats.foreign.judgements import read_judgements
from evenhand.adapters.formats.foreign.passages import passage_documents
from evenhand.adapters.formats.foreign.smart import is_smart, read_smart_documents
from evenhand.adapters.formats.golden_jsonl import read_golden_jsonl
from evenhand.adapters.formats.golden_yaml import read_golden_yaml
from evenhand.adapters.formats.qrels_tsv import Judgement
from evenhand.adapters.formats.sets import read_golden_set
from evenhand.core.errors import InvalidFile
from evenhand.core.retrieval.golden import GoldenSet

IR_DATASETS: Final = "ir_datasets"

_WITH_COLUMNS: Final = ("csv", "records", "parquet", "hugging-face", "langsmith")
_WITH_FIELDS: Final = ("trec", "trec-xml", IR_DATASETS)
_WITH_SPLITS: Final = ("beir", "hugging-face")
_WITH_IMPOSSIBLE: Final = ("squad",)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRequest:
    """What to read, and what the user says of it.

    Attributes:
        reference: a file, a folder, or ``ir_datasets:ID``.
        format: one of `format_names.IMPORT_NAMES`; None guesses.
        split: of a BEIR or Hugging Face folder.
        qrels, qrels_format: a file of judgements beside the questions, and its shape.
        documents: the corpus beside them: as `corpus.read_corpus`, a SMART file,
            or a table.
        read, build: what readers and the set may be told.
    """

    reference: str
    format: str | None = None
    split: str | None = None
    qrels: Path | None = None
    qrels_format: str | None = None
    documents: Path | None = None
    read: ReadOptions = field(default_factory=ReadOptions)
    build: BuildOptions = field(default_factory=BuildOptions)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignSet:
    """A golden set from a file, and what came with it.

    Attributes:
        golden_set: the questions.
        format: in which they were.
        guessed: why this format was taken, None where the user named it.
        judgements: with their grades, 1 where nobody graded.
        documents: of the corpus, where the format or the user brings one; gone over once.
        remarks: what was left out or taken otherwise than it stands, for people.
        beir: what a BEIR folder said beside the questions, else None.
    """

    golden_set: GoldenSet
    format: str
    guessed: str | None
    judgements: tuple[Judgement, ...]
    documents: Iterable[CorpusDocument] | None
    remarks: tuple[str, ...] = ()
    beir: BeirSet | None = None


def read_foreign(request: ImportRequest) -> ForeignSet:
    """The golden set that a request names.

    Raises:
        InvalidFile: the format is not known, not clear or holds no questions; something breaks a
            rule; an option does not fit the format.
        MissingExtra: a package is needed that is not installed.
    """
    if request.reference.startswith(PREFIX):
        _require_fitting(request, IR_DATASETS)
        found = read_ir_datasets(request.reference, request.read)
        named = Guess(IR_DATASETS, f"the reference begins with {PREFIX}")
        return _built(found, named, request, request.reference.removeprefix(PREFIX))
    path = Path(request.reference)
    if not path.exists():
        raise InvalidFile(request.reference, "does not exist")
    file = path.resolve().name
    guess = guess_format(path, file) if request.format is None else Guess(request.format, "")
    if guess.name in (JSONL, YAML, BEIR):
        return _own(path, guess, request)
    _require_fitting(request, guess.name)
    form = format_named(guess.name)
    if isinstance(form.read, str):
        raise InvalidFile(file, form.read)
    return _built(form.read(path, file, request.read), guess, request, file)


def _require_fitting(request: ImportRequest, name: str) -> None:
    """See that every option says something to the format; one that does not is a mistake."""
    read = request.read
    given = {
        "--question-column, --id-column, --answer-column or --documents-column": (
            read.columns != Columns(),
            _WITH_COLUMNS,
        ),
        "--topic-field": (read.topic_field is not None, _WITH_FIELDS),
        "--split": (request.split is not None, _WITH_SPLITS),
        "--impossible-is-no-answer": (read.impossible_is_no_answer, _WITH_IMPOSSIBLE),
    }
    for option, (is_given, formats) in given.items():
        if is_given and name not in formats:
            raise InvalidFile(request.reference, _no_meaning(option, name, formats))


def _built(found: Found, guess: Guess, request: ImportRequest, file: str) -> ForeignSet:
    qrels: tuple[Judgement, ...] | None = None
    qrels_file = file
    remarks: tuple[str, ...] = ()
    if request.qrels is not None:
        qrels_file = request.qrels.name
        read = read_judgements(request.qrels, qrels_file, request.qrels_format)
        qrels, remarks = read.rows, (f"judgements read as {read.format}", *read.remarks)
    built = build_set(found, file, request.build, qrels, qrels_file)
    return ForeignSet(
        golden_set=built.golden_set,
        format=guess.name,
        guessed=guess.why or None,
        judgements=built.judgements,
        documents=_documents(found, built, request, qrels_file),
        remarks=(*remarks, *built.remarks, *_counts(built)),
    )


def _own(path: Path, guess: Guess, request: ImportRequest) -> ForeignSet:
    given = (request.qrels, request.documents, request.build.identifier, request.build.name)
    if any(given) or request.build.with_passages or request.build.ids_by_position:
        raise InvalidFile(path.name, _ALL_THERE)
    if request.split is not None or guess.name == BEIR:
        read = read_golden_set(path, split=request.split)
        golden_set, beir = read.golden_set, read.beir
    else:
        reader = read_golden_jsonl if guess.name == JSONL else read_golden_yaml
        golden_set, beir = reader(path), None
    return ForeignSet(
        golden_set=golden_set,
        format=guess.name,
        guessed=guess.why or None,
        judgements=tuple(judgements_of(golden_set)),
        documents=None,
        beir=beir,
    )


def _documents(
    found: Found, built: BuiltSet, request: ImportRequest, qrels_file: str
) -> Iterable[CorpusDocument] | None:
    if request.documents is not None:
        ids = {one.id for one in _read_documents(request.documents)}
        require_documents(built.judgements, ids, qrels_file, request.documents.name)
        # Read again, by whoever wants the texts: a corpus need not fit into memory.
        return _read_documents(request.documents)
    if any(one.passages for one in found.questions):
        return passage_documents(found.questions)
    if found.documents is not None and found.is_whole_corpus:
        ids = {one.id for one in found.documents}
        require_documents(built.judgements, ids, qrels_file, "the corpus")
    return found.documents


def _read_documents(path: Path) -> Iterator[CorpusDocument]:
    if path.is_file():
        head = read_head(path, path.name)
        if head.kind is Kind.TEXT and is_smart(head):
            yield from read_smart_documents(path, path.name)
            return
        if head.kind in TABLE_KINDS:
            yield from read_corpus_table(path, path.name)
            return
    yield from read_corpus(path)


def _counts(built: BuiltSet) -> Iterator[str]:
    unjudged = sum(one.unjudged for one in built.golden_set.questions)
    if unjudged:
        yield f"unjudged questions, in no rate: {unjudged} of {len(built.golden_set.questions)}"


def _no_meaning(option: str, name: str, formats: tuple[str, ...]) -> str:
    return f"{option} says nothing to the format {name}, only to {', '.join(formats)}"


_ALL_THERE: Final = (
    "states its identifier, its ids and its judgements itself; --qrels, --documents, --identifier, "
    "--name, --ids-by-position and --corpus-out are for other formats"
)

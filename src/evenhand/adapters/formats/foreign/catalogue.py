"""Which formats of golden sets are known, and which one is a file in?

A guess goes by content. It is said aloud, and refused where two formats fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from evenhand.adapters.formats.beir_queries import is_beir_folder
from evenhand.adapters.formats.foreign import no_questions, questions_table, trec_topics
from evenhand.adapters.formats.foreign.autorag import AUTORAG
from evenhand.adapters.formats.foreign.found import Format
from evenhand.adapters.formats.foreign.head import Head, Kind, read_head
from evenhand.adapters.formats.foreign.hugging_face import HUGGING_FACE
from evenhand.adapters.formats.foreign.langsmith import LANGSMITH
from evenhand.adapters.formats.foreign.llamaindex import LLAMAINDEX
from evenhand.adapters.formats.foreign.mtrag import MTRAG
from evenhand.adapters.formats.foreign.ragas import RAGAS
from evenhand.adapters.formats.foreign.ragchecker import RAGCHECKER
from evenhand.adapters.formats.foreign.smart import SMART, SMART_DOCUMENTS
from evenhand.adapters.formats.foreign.squad import SQUAD
from evenhand.adapters.formats.foreign.trec_folder import TREC_FOLDER
from evenhand.adapters.formats.format_names import IMPORT_NAMES
from evenhand.core.errors import InvalidFile

#: Evenhand's own formats and BEIR, whose readers give a golden set at once.
JSONL, YAML, BEIR = "jsonl", "yaml", "beir"

#: Every other format.
FORMATS: Final[tuple[Format, ...]] = (
    trec_topics.CLASSIC,
    trec_topics.XML,
    trec_topics.TSV,
    TREC_FOLDER,
    SMART,
    SQUAD,
    RAGAS,
    LANGSMITH,
    LLAMAINDEX,
    RAGCHECKER,
    MTRAG,
    AUTORAG,
    HUGGING_FACE,
    no_questions.MTEB,
    no_questions.JUDGEMENTS,
    no_questions.CORPUS,
    no_questions.RUN,
    no_questions.HTML,
    SMART_DOCUMENTS,
    questions_table.CSV,
    questions_table.RECORDS,
    questions_table.PARQUET,
)
_GOLDEN_KEYS: Final = frozenset(("id", "question", "form"))
_YAML_ENDINGS: Final = (".yaml", ".yml")


class Guess(NamedTuple):
    """A format and why a file looks like it.

    Attributes:
        name: of the format.
        why: for people, with the file as its subject.
    """

    name: str
    why: str


def guess_format(path: Path, file: str) -> Guess:
    """The one format that a file looks like.

    Raises:
        InvalidFile: it looks like none, or like more than one.
        MissingExtra: it is a Parquet file and pyarrow is not installed.
    """
    if path.is_dir() and is_beir_folder(path):
        return Guess(BEIR, "the folder has queries.jsonl")
    if not path.is_dir() and path.name.endswith(_YAML_ENDINGS):
        return Guess(YAML, f"its name ends in {path.suffix}")
    found = guesses(read_head(path, file))
    if not found:
        raise InvalidFile(file, _unknown())
    if len(found) > 1:
        raise InvalidFile(file, _ambiguous(found))
    return found[0]


def guesses(head: Head) -> Sequence[Guess]:
    """Every format that the beginning of a file looks like."""
    first = head.first_element
    if head.kind in (Kind.LINES, Kind.DOCUMENT) and not isinstance(head.value, list):
        stated = first.get("format")
        if isinstance(stated, str) and stated.startswith("evenhand."):
            return (Guess(JSONL, "its first line states an Evenhand format"),)
        if head.kind is Kind.LINES and head.names >= _GOLDEN_KEYS:
            # A golden set that lost its header: as a plain table it would lose its forms too.
            return (Guess(JSONL, "its first line has the keys of a golden question"),)
    for is_general in (False, True):
        asked = [one for one in FORMATS if one.is_general is is_general]
        found = [Guess(one.name, why) for one in asked if (why := one.sniff(head)) is not None]
        if found:
            return found
    return ()


def format_named(name: str) -> Format:
    """The format of a name that `guess_format` gave or `format_names.IMPORT_NAMES` has, of `FORMATS`."""
    return next(one for one in FORMATS if one.name == name)


def _unknown() -> str:
    return f"is in no format that is known; --format takes one of {', '.join(IMPORT_NAMES)}"


def _ambiguous(found: Sequence[Guess]) -> str:
    shown = "; ".join(f"{one.name} ({one.why})" for one in found)
    return f"may be in several formats; say which with --format: {shown}"

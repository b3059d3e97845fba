"""Which documents does a table hold: CSV, TSV or Parquet with an id and a text a row?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from evenhand.adapters.formats.corpus import CorpusDocument
from evenhand.adapters.formats.foreign.fields import kind_of, optional_text, text_of
from evenhand.adapters.formats.foreign.found import refused
from evenhand.adapters.formats.foreign.head import Kind
from evenhand.adapters.formats.foreign.tables import read_table
from evenhand.core.errors import InvalidFile
from evenhand.core.identity.canonical import to_bytes

#: What a file has to be made of to be read as a table of documents; JSON Lines is a corpus as is.
TABLE_KINDS: Final = (Kind.TEXT, Kind.PARQUET)

_ID_NAMES: Final = ("_id", "id", "doc_id", "docid", "document_id", "corpus-id")
_TEXT_NAMES: Final = ("text", "contents", "content", "passage")
_TITLE: Final = "title"


def read_corpus_table(path: Path, file: str) -> Iterator[CorpusDocument]:
    """The documents of a table, one in memory at a time.

    Raises:
        InvalidFile: no column, or several, may hold the id or the text; a row breaks a rule.
        MissingExtra: it is a Parquet file and pyarrow is not installed.
    """
    id_column = text_column = ""
    for place, row in read_table(path, file):
        if not id_column:
            id_column = _column(tuple(row), _ID_NAMES, file)
            text_column = _column(tuple(row), _TEXT_NAMES, file)
        text = row.get(text_column)
        if not isinstance(text, str):
            raise refused(file, place, f"{text_column} must be text, not {kind_of(text)}")
        name = text_of(row, id_column, file, place)
        if "\0" in name:
            raise refused(file, place, f"{id_column} must not hold NUL")
        title = optional_text(row, _TITLE, file, place) or ""
        yield CorpusDocument(id=to_bytes(name), title=title, text=text)


def _column(names: tuple[str, ...], known: Sequence[str], file: str) -> str:
    found = [name for name in names if name.casefold() in known]
    if len(found) != 1:
        raise InvalidFile(file, _no_column(known, names))
    return found[0]


def _no_column(known: Sequence[str], there: tuple[str, ...]) -> str:
    return (
        f"a table of documents has one column called {' or '.join(known)}; "
        f"there are: {', '.join(map(repr, there))}"
    )

"""Which golden set is a folder of topics and qrels, as ``sets export --format trec`` writes it?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from evenhand.adapters.formats.foreign.found import Format, Found, ReadOptions
from evenhand.adapters.formats.foreign.head import Head, Kind
from evenhand.adapters.formats.foreign.judgements import read_judgements
from evenhand.adapters.formats.foreign.trec_topics import read_tsv
from evenhand.adapters.formats.foreign.trec_writer import QRELS_NAME, TOPICS_NAME
from evenhand.core.errors import InvalidFile


def read_trec_folder(path: Path, file: str, options: ReadOptions) -> Found:
    """The questions of ``topics.tsv`` with the grades of ``qrels.txt``.

    Raises:
        InvalidFile: it is no folder, or one of its two files is missing or breaks a rule.
    """
    if not path.is_dir():
        raise InvalidFile(file, _NO_FOLDER)
    found = read_tsv(path / TOPICS_NAME, f"{file}/{TOPICS_NAME}", options)
    judgements = read_judgements(path / QRELS_NAME, f"{file}/{QRELS_NAME}", "trec")
    return replace(found, judgements=judgements.rows)


def _sniff(head: Head) -> str | None:
    found = head.kind is Kind.FOLDER and {TOPICS_NAME, QRELS_NAME} <= head.names
    return f"the folder has {TOPICS_NAME} and {QRELS_NAME}" if found else None


_NO_FOLDER: Final = f"is no folder of {TOPICS_NAME} and {QRELS_NAME}"

TREC_FOLDER: Final = Format(name="trec-folder", sniff=_sniff, read=read_trec_folder)

"""Adapter of `cases_runner` for the kind that is about files: ``import``."""

import base64
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evenhand.adapters.formats.beir import read_beir
from evenhand.adapters.formats.corpus import read_corpus
from evenhand.adapters.formats.qrels_tsv import read_qrels_tsv
from evenhand.adapters.formats.sets import read_golden_set, write_golden_set
from evenhand.core.errors import Invalid
from evenhand.core.identity.canonical import to_text
from tests.adapters.formats.beir_folder import document, query, write_beir

Case = dict[str, Any]


def check_import(given: Case, expected: Case) -> Iterator[str]:
    """What did not hold of a case of files to read."""
    with tempfile.TemporaryDirectory() as folder:
        match given["format"]:
            case "beir":
                found = _read_ids(Path(folder), given["ids"])
                yield from _unequal(expected, found)
            case "beir_qrels_tsv":
                yield from _check_qrels(Path(folder), given["files"], expected)
            case other:
                yield f"no adapter for the format {other}"


def _read_ids(folder: Path, ids: list[str]) -> Case:
    """A BEIR folder with these ids as queries, documents and judgements, there and back."""
    write_beir(
        folder / "set",
        queries=[query(one) for one in ids],
        qrels=[(one, one, 1) for one in ids],
        corpus=[document(one) for one in ids],
    )
    read = read_beir(folder / "set")
    documents = [one.id for one in read_corpus(folder / "set")]
    wanted = [one.encode() for one in ids]
    is_identical = documents == wanted
    for name in ("out.jsonl", "out.yaml"):
        write_golden_set(read.golden_set, folder / name)
        back = read_golden_set(folder / name).golden_set
        is_identical &= back == read.golden_set
        is_identical &= [question.id for question in back.questions] == wanted
        is_identical &= [q.expected_document_ids for q in back.questions] == [(w,) for w in wanted]
    return {
        "outcome": "accept",
        "questions": len({question.id for question in read.golden_set.questions}),
        "documents": len(set(documents)),
        "judgements": read.judgements,
        "round_trip_identical": is_identical,
    }


def _check_qrels(folder: Path, files: list[Case], expected: Case) -> Iterator[str]:
    found: dict[str, Case] = {}
    for file in files:
        path = folder / file["name"]
        path.write_bytes(base64.b64decode(file["bytes_b64"]))
        found[file["name"]] = _read_qrels(path)
    for name, wanted in expected.items():
        if name == "never":
            rows = [f"rows == {one.get('rows')}" for one in found.values()]
            yield from (f"never: {rule}" for rule in wanted if rule in rows)
        elif not any(one.items() <= found[name].items() for one in wanted.get("any_of", [wanted])):
            yield f"{name}: expected {wanted!r}, found {found[name]!r}"


def _read_qrels(path: Path) -> Case:
    try:
        judgements = read_qrels_tsv(path, path.name)
    except Invalid:
        return {"outcome": "reject"}
    targets: dict[str, list[str]] = {}
    for one in judgements:
        targets.setdefault(to_text(one.query_id), []).append(to_text(one.document_id))
    return {"outcome": "accept", "rows": len(judgements), **targets}


def _unequal(expected: Case, found: Case) -> Iterator[str]:
    for key in expected.keys() | found.keys():
        if key not in expected or key not in found or expected[key] != found[key]:
            yield f"{key}: expected {expected.get(key)!r}, found {found.get(key)!r}"

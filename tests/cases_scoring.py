"""Adapter of the cases about files of judgements and runs: what `score_inputs` makes of them.

Of a case only the files in these formats are looked at; golden sets and corpora are the business
of ``cases_sets``. Each file is read both ways, in plain Python and as columns.
"""

import base64
import gzip
import re
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from evenhand.adapters.scoring.inputs import score_inputs
from evenhand.core.errors import Invalid

Case = dict[str, Any]

_JUDGED = b"q1 0 d1 1\n"
_RUN = b"q1 Q0 other 1 1.0 x\n"


def run(case: Case) -> list[str]:
    """What did not hold of a case; empty where it passed."""
    return [
        f"{'columns' if columns else 'plain'}: {finding}"
        for columns in (False, True)
        for finding in _CHECKS[case["id"]](case["given"], case["expected"], columns)
    ]


def _read(format_: str, content: bytes, columns: bool) -> Case:
    """What is said of one file of judgements or of a run."""
    is_run = format_ == "trec_run"
    with tempfile.TemporaryDirectory() as folder:
        qrels, rows = Path(folder) / "qrels", Path(folder) / "run"
        qrels.write_bytes(_JUDGED if is_run else content)
        rows.write_bytes(content if is_run else _RUN)
        try:
            _, facts = score_inputs(qrels, rows, small_bytes=0 if columns else 2**20)
        except Invalid as error:
            return {"outcome": "reject", "lines": _lines(str(error)), "stored_rows": 0}
        if is_run:
            warnings = ["extra_columns"] if facts.ranked.longer_rows else []
            count = facts.ranked.rows
            return {"outcome": "accept", "rows": count, "warnings": warnings, "facts": facts}
        judged = list(facts.judged_rows())
        grades = {document.decode(): grade for _, document, grade in judged}
        first = judged[0][0].hex()
        return {"outcome": "accept", "rows": len(judged), "grades": grades, "first": first}


def _lines(message: str) -> list[int]:
    found = re.findall(r"line ([0-9]+(?:, [0-9]+)*)", message)
    return sorted({int(one) for part in found for one in part.split(", ")})


def _files(given: Case, expected: Case, columns: bool) -> Iterator[str]:
    """B-010, B-025, B-046: each file is accepted or refused, with the lines that are named."""
    for file in given["files"]:
        format_ = file.get("format", given.get("format"))
        found = _read(format_, base64.b64decode(file["bytes_b64"]), columns)
        wanted = expected[file["name"]]
        if not any(_holds(found, one) for one in wanted.get("any_of", [wanted])):
            yield f"{file['name']}: expected {wanted}, found {found}"


def _holds(found: Case, wanted: Case) -> bool:
    return all(found.get(key) == value for key, value in wanted.items())


def _scores(given: Case, expected: Case, columns: bool) -> Iterator[str]:
    """B-028, the half about a run file."""
    found = _read("trec_run", base64.b64decode(given["trec_run_b64"]), columns)
    if not _holds(found, expected["trec_run"]):
        yield f"expected {expected['trec_run']}, found {found}"


def _marks(given: Case, expected: Case, columns: bool) -> Iterator[str]:
    """B-043: a byte order mark is dropped, UTF-16 is refused."""
    for file in given["files"]:
        if file["format"] not in ("trec_run", "trec_qrels", "beir_qrels_tsv"):
            continue
        found = _read(file["format"], base64.b64decode(file["bytes_b64"]), columns)
        wanted = expected["utf16" if file.get("name") == "utf16" else "others"]
        if found["outcome"] != wanted["outcome"]:
            yield f"{file}: expected {wanted}, found {found}"
        elif found["outcome"] == "accept":
            first = found["first"] if "first" in found else _first_of_run(found)
            if first != expected["first_question_id_hex"]:
                yield f"{file['format']}: the first id is {first}"


def _first_of_run(found: Case) -> str:
    """The only query of the run, which is judged, so that it is found only if it is q1."""
    facts = found["facts"]
    return "7131" if not facts.missing_queries else str(facts.ranked.first_unjudged[0].hex())


def _ends(given: Case, expected: Case, columns: bool) -> Iterator[str]:
    """B-044: line ends, blank lines, no final line end."""
    for file in given["files"]:
        found = _read(file["format"], base64.b64decode(file["bytes_b64"]), columns)
        if not _holds(found, expected["each"]):
            yield f"{file['name']}: expected {expected['each']}, found {found}"
        if file["format"] != "trec_run" and found.get("grades") != expected["grades"]:
            yield f"{file['name']}: found the grades {found.get('grades')}"


def _header(given: Case, expected: Case, columns: bool) -> Iterator[str]:
    """B-047: no judgement is lost to a header."""
    for file in given["files"]:
        # A row of the fourth is one of TREC judgements; only as a BEIR file it has none.
        if file["name"] == "d":
            continue
        found = _read(given["format"], base64.b64decode(file["bytes_b64"]), columns)
        wanted = expected[file["name"]].get("any_of", [expected[file["name"]]])
        # A case names a reason and an id only where it lists alternatives.
        if not any(
            found.get(key) == one[key]
            for one in wanted
            for key in ("rows", "outcome")
            if key in one
        ):
            yield f"{file['name']}: expected {wanted}, found {found}"
        if f"rows == {found.get('rows')}" in expected["never"]:
            yield f"{file['name']}: has {found['rows']} rows"


def _separators(given: Case, expected: Case, columns: bool) -> Iterator[str]:
    """B-049: a character that some functions take for a line end is part of an id."""
    found = _read("trec_run", base64.b64decode(given["trec_run_b64"]), columns)
    accepted = "one row, id contains U+2028"
    if accepted not in expected["trec_run"]["any_of"] or found.get("rows") != 1:
        yield f"found {found}"


def _packed(given: Case, expected: Case, columns: bool) -> Iterator[str]:
    """B-050: gzip is told by its bytes; what is damaged or has no end is refused."""
    for name in ("good", "truncated", "garbage"):
        found = _read("trec_run", base64.b64decode(given[f"{name}_b64"]), columns)
        if not _holds(found, expected[name]):
            yield f"{name}: expected {expected[name]}, found {found}"
    tracemalloc.start()
    found = _read("trec_run", _zeros(given["bomb"]["zeros_mib"]), columns)
    peak_mib = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    if found["outcome"] != expected["bomb"]["outcome"]:
        yield f"bomb: found {found}"
    if peak_mib > expected["bomb"]["peak_memory_mib_max"]:
        yield f"bomb: took {peak_mib:.0f} MiB"


def _zeros(mib: int) -> bytes:
    """So many MiB of zeros, as members of one gzip file."""
    return gzip.compress(bytes(2**20)) * mib


_CHECKS: dict[str, Callable[[Case, Case, bool], Iterator[str]]] = {
    "B-010": _files,
    "B-025": _files,
    "B-028": _scores,
    "B-043": _marks,
    "B-044": _ends,
    "B-046": _files,
    "B-047": _header,
    "B-049": _separators,
    "B-050": _packed,
}

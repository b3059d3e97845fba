"""Adapters for the public cases about files, as far as they speak of questions, judgements beside
them and documents. What they say of run files is looked at where run files are read.

Like `cases_runner`: an adapter gives what did not hold, nothing where all of it did.
"""

import base64
import gzip
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from evenhand.adapters.formats.beir import read_beir
from evenhand.adapters.formats.corpus import read_corpus
from evenhand.adapters.formats.foreign.corpus_table import read_corpus_table
from evenhand.adapters.formats.foreign.importing import ImportRequest, read_foreign
from evenhand.adapters.formats.foreign.judgements import read_judgements
from evenhand.adapters.formats.golden_jsonl import read_golden_jsonl
from evenhand.adapters.formats.golden_records import FORMAT
from evenhand.core.errors import Invalid
from tests.adapters.formats.beir_folder import document, query, write_beir

Case = dict[str, Any]

_QRELS = {"trec_qrels": "trec", "beir_qrels_tsv": "beir"}


def run(case: Case) -> list[str]:
    """What did not hold of a case; empty where it passed."""
    with tempfile.TemporaryDirectory() as folder:
        return list(_ADAPTERS[case["id"]](case["given"], case["expected"], Path(folder)))


def _numbers(given: Case, expected: Case, folder: Path) -> Iterator[str]:
    """B-037: ids of questions and targets that are no text."""
    for body in given["bodies"]:
        wrong = [body["case_id"], *(one["chunk_id"] for one in body["ranked_results"])]
        for value in wrong:
            if isinstance(value, str):
                continue
            for record in ({"id": value}, {"id": "q1", "expected_document_ids": [value]}):
                lines = [
                    {"format": FORMAT, "identifier": "a", "name": "A"},
                    {"question": "x", "form": "gap", "expected_document_ids": [], **record},
                ]
                path = _write(folder, "set.jsonl", msgspec.json.Encoder().encode_lines(lines))
                outcome, error = _outcome(partial(read_golden_jsonl, path))
                yield from _unequal(expected["each"]["outcome"], outcome, repr(value))
                named = "id" in str(error)
                yield from _unequal(expected["each"]["names_field"], named, "names_field")


def _accents(given: Case, expected: Case, folder: Path) -> Iterator[str]:
    """B-041: two spellings of one accent are two ids, and two sets."""
    spelt = [bytes.fromhex(given[name]).decode() for name in ("gold_hex", "run_hex")]
    digests, held = set(), []
    for one in spelt:
        path = _write(folder, "set.csv", f"question,relevant_docs\nx,{one}\n".encode())
        found = read_foreign(ImportRequest(reference=str(path))).golden_set
        digests.add(found.labels_fingerprint)
        held += [target.hex() for target in found.questions[0].expected_document_ids]
    is_unchanged = held == [given["gold_hex"], given["run_hex"]] and len(digests) == 2
    yield from _unequal(expected["stored_bytes_unchanged"], is_unchanged, "bytes")


def _marks(given: Case, expected: Case, folder: Path) -> Iterator[str]:
    """B-043: a byte order mark, and UTF-16."""
    for file in _set_files(given):
        path = _write(folder, file.get("name", "file"), base64.b64decode(file["bytes_b64"]))
        outcome, found = _outcome(partial(_first_id, file, path))
        wanted = (expected.get(file.get("name", "")) or expected["others"])["outcome"]
        yield from _unequal(wanted, outcome, file["format"])
        if outcome == "accept":
            yield from _unequal(expected["first_question_id_hex"], found, file["format"])


def _ends(given: Case, expected: Case, folder: Path) -> Iterator[str]:
    """B-044: line ends, blank lines, no end at all."""
    for file in _set_files(given):
        path = _write(folder, file["name"], base64.b64decode(file["bytes_b64"]))
        rows = read_judgements(path, file["name"], _QRELS[file["format"]]).rows
        yield from _unequal(expected["each"]["rows"], len(rows), file["name"])
        grades = {row.document_id.decode(): row.grade for row in rows}
        wanted = {name: grade for name, grade in expected["grades"].items() if name in grades}
        yield from _unequal(wanted, grades, file["name"])


def _malformed(given: Case, expected: Case, folder: Path) -> Iterator[str]:
    """B-046: lines of judgements with too few columns, and with tabs."""
    for file in _set_files(given):
        name = file["name"]
        path = _write(folder, name, base64.b64decode(file["bytes_b64"]))
        outcome, found = _outcome(partial(read_judgements, path, name, "trec"))
        yield from _unequal(expected[name]["outcome"], outcome, name)
        if outcome == "reject":
            yield from _unequal(expected[name]["lines"], [found.line], name)
        else:
            yield from _unequal(expected[name]["rows"], len(found.rows), name)


def _line_ends(given: Case, expected: Case, folder: Path) -> Iterator[str]:
    """B-049: what some functions take for a line end is text."""
    path = _write(folder, "corpus.jsonl", base64.b64decode(given["bytes_b64"]))
    documents = list(read_corpus(path))
    yield from _unequal(expected["documents"], len(documents), "documents")
    yield from _unequal(expected["text_d1"], documents[0].text, "text_d1")
    path = _write(folder, "control.jsonl", base64.b64decode(given["control_in_text_b64"]))
    yield from _unequal(expected["text_d3"], next(read_corpus(path)).text, "text_d3")
    row = f"id,text\nd1,{documents[0].text}\n"
    table = read_corpus_table(_write(folder, "corpus.csv", row.encode()), "corpus.csv")
    yield from _unequal(expected["text_d1"], next(table).text, "text_d1 of a table")


def _compressed(given: Case, expected: Case, folder: Path) -> Iterator[str]:
    """B-050: gzip is told by its bytes; what is damaged or too much is refused."""
    good = gzip.decompress(base64.b64decode(given["good_b64"]))
    rows = good.replace(b" Q0 ", b" 0 ").replace(b" 1 1.0 x", b" 1")
    packed = gzip.compress(rows, mtime=0)
    contents = {"good": packed, "truncated": packed[:-6], "garbage": packed + b"junk"}
    for kind, content in contents.items():
        for name in given["names"]:
            path = _write(folder, name, content)
            outcome, found = _outcome(partial(read_judgements, path, name, "trec"))
            yield from _unequal(expected[kind]["outcome"], outcome, f"{kind} as {name}")
            if outcome == "accept":
                yield from _unequal(expected[kind]["rows"], len(found.rows), kind)


def _long(given: Case, expected: Case, folder: Path) -> Iterator[str]:
    """B-052: long texts in one field of a corpus."""
    for name in ("text", "big_line"):
        repeat = given[name]["repeat"]
        text = repeat["char"] * repeat["count"]
        for form in given["formats"]:
            outcome, length = _outcome(partial(_length, folder, form, text))
            wanted = expected[name]
            if "any_of" in wanted:
                if outcome not in wanted["any_of"]:
                    yield f"{name} as {form}: {outcome}"
                continue
            yield from _unequal(wanted, {"outcome": outcome, "length": length}, form)


def _nul(given: Case, expected: Case, folder: Path) -> Iterator[str]:
    """B-053: NUL in a text or in an id."""
    for body in given["bodies_b64"]:
        record = msgspec.json.decode(base64.b64decode(body))
        line = {
            "id": record["question_id"],
            "question": record["text"],
            "expected_document_ids": record["target_ids"],
        }
        path = _write(folder, "set.jsonl", msgspec.json.Encoder().encode_lines([line]))
        outcome, error = _outcome(partial(read_foreign, ImportRequest(reference=str(path))))
        yield from _unequal("reject", outcome, record["question_id"])
        field = "question" if "\0" in record["text"] else "expected_document_ids"
        yield from _unequal(expected["each"]["names_field"], field in str(error), field)


def _nowhere(given: Case, expected: Case, folder: Path) -> Iterator[str]:
    """B-055: judgements of documents and of questions that are not there."""
    for kind, field, row in (("documents", 1, 1), ("questions", 0, 2)):
        qrels = [tuple(one) for at, one in enumerate(given["qrels"]) if at in (0, row)]
        name = f"set-{kind}"
        write_beir(
            folder / name,
            queries=[query(one) for one in given["queries"]],
            corpus=[document(one) for one in given["corpus"]],
            qrels=qrels,
        )
        outcome, error = _outcome(partial(read_beir, folder / name))
        if not any({"outcome": outcome} == one for one in expected["any_of"]):
            yield f"{kind}: {outcome}"
        missing = expected["report"][f"missing_{kind}"]
        yield from _unequal([qrels[1][field]], missing, kind)
        yield from (f"{one} is not named" for one in missing if one not in str(error))


def _set_files(given: Case) -> list[Case]:
    return [one for one in given["files"] if one["format"] != "trec_run"]


def _first_id(file: Case, path: Path) -> str:
    if file["format"] == "beir_queries_jsonl":
        (path.parent / "set").mkdir(exist_ok=True)
        write_beir(path.parent / "set", queries=[], qrels=[("q1", "d1", 1)])
        (path.parent / "set" / "queries.jsonl").write_bytes(path.read_bytes())
        return read_beir(path.parent / "set").golden_set.questions[0].id.hex()
    rows = read_judgements(path, path.name, _QRELS[file["format"]]).rows
    return rows[0].query_id.hex()


def _length(folder: Path, form: str, text: str) -> int:
    if form == "beir_corpus_jsonl":
        content = msgspec.json.encode({"_id": "d", "title": "", "text": text}) + b"\n"
        return len(next(read_corpus(_write(folder, "corpus.jsonl", content))).text)
    separator = "\t" if form == "corpus_tsv" else ","
    table = f"id{separator}text\nd{separator}{text}\n"
    name = "corpus.tsv" if form == "corpus_tsv" else "corpus.csv"
    return len(next(read_corpus_table(_write(folder, name, table.encode()), name)).text)


def _outcome(read: Callable[[], Any]) -> tuple[str, Any]:
    """Accept with what was read, or reject with the error."""
    try:
        return "accept", read()
    except Invalid as error:
        return "reject", error


def _write(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def _unequal(expected: object, found: object, where: str) -> Iterator[str]:
    if expected != found:
        yield f"{where}: expected {expected!r}, found {found!r}"


_ADAPTERS: dict[str, Callable[[Case, Case, Path], Iterator[str]]] = {
    "B-037": _numbers,
    "B-041": _accents,
    "B-043": _marks,
    "B-044": _ends,
    "B-046": _malformed,
    "B-049": _line_ends,
    "B-050": _compressed,
    "B-052": _long,
    "B-053": _nul,
    "B-055": _nowhere,
}

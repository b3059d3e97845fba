"""How does a baseline leave the machine? ``evenhand.baseline/2``: one JSON file to be committed.

Equal baselines give equal bytes, whoever pinned them and whenever: keys are sorted, an outcome is
a line, and neither ids nor texts of questions or documents are in it. Reading trusts nothing that
can be computed: fingerprints, counts and the digest over the content have to be right, so that a
slip of the hand or a merge gone wrong is refused. The digest is no signature.

Version 1 holds neither the grades of judgements nor their digest, so no graded measure can be
compared with it. It is read as before, and what came from it is written as it was.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from evenhand.adapters.formats.lines import read_whole
from evenhand.adapters.formats.outcome_records import (
    ConditionsRecord,
    CountsRecord,
    Fingerprint,
    Name,
    OutcomeRecord,
    Positive,
    ProvenanceRecord,
    Sha256,
    convert,
    outcome_record,
    read_outcomes,
    require_counts,
    require_identity,
)
from evenhand.adapters.formats.strict_json import decode_object
from evenhand.adapters.formats.whole_file import writing
from evenhand.core.comparison.pinned import BaselineContent
from evenhand.core.errors import InvalidFile
from evenhand.core.identity.canonical import json_ascii_v1_digest
from evenhand.core.identity.stored import to_stored
from evenhand.core.scoring.evaluation import Basis, Conditions

FORMAT: Final = "evenhand.baseline/2"
FORMATS: Final = ("evenhand.baseline/1", FORMAT)
#: Bytes that are read at most; a million outcomes need less.
MAX_BYTES: Final = 512 * 2**20
_DIGEST: Final = "content_sha256"
_WRONG_DIGEST: Final = (
    "content_sha256: is not the digest of the content; the file was changed after the export"
)


class BaselineRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A baseline as a file.

    ``content_sha256`` is the ``json-ascii-v1`` digest of the document without it. ``basis`` says
    who saw the rankings where the file was written; where it is read, nobody did.
    """

    format: Literal["evenhand.baseline/1", "evenhand.baseline/2"]
    set_identifier: Name
    retriever: Name
    basis: Literal["imported", "local", "reported", "witnessed"]
    depth: Positive
    conditions: ConditionsRecord
    provenance: ProvenanceRecord
    benchmark_fingerprint: Fingerprint
    variant_fingerprint: Fingerprint
    counts: CountsRecord
    outcomes: list[OutcomeRecord]
    content_sha256: Sha256
    # In version 2 only.
    qrels_digest: Fingerprint | None = None


def baseline_bytes(content: BaselineContent) -> bytes:
    """The file of a baseline: sorted keys, an outcome a line, one LF at the end."""
    document = _document(content)
    document[_DIGEST] = json_ascii_v1_digest(document)
    members = (f" {_json(key)}: {_laid_out(document[key])}" for key in sorted(document))
    return ("{\n" + ",\n".join(members) + "\n}\n").encode("utf-8")


def write_baseline(path: Path, content: BaselineContent) -> None:
    """Write a baseline; the file appears as a whole or not at all.

    Raises:
        InvalidFile: it cannot be written.
    """
    encoded = baseline_bytes(content)
    with writing(path) as stream:
        stream.write(encoded)


def read_baseline(path: Path) -> BaselineContent:
    """The baseline that a file holds, with the basis ``imported``.

    Raises:
        InvalidFile: it is not such a file, or was changed; names the place and the rule.
    """
    file = path.name
    document = decode_object(read_whole(path, file, limit=MAX_BYTES), file, None)
    if document.get("format") not in FORMATS:
        raise InvalidFile(file, "format: is not evenhand.baseline/1 or evenhand.baseline/2")
    record = convert(document, BaselineRecord, file)
    _require_version(record, file)
    outcomes = read_outcomes(record.outcomes, file)
    counts = require_counts(record.counts, outcomes, file)
    identity = require_identity(
        record.provenance, record.benchmark_fingerprint, record.variant_fingerprint, file
    )
    # Last, so that what a person can put right is named by its own rule.
    stated = {key: value for key, value in document.items() if key != _DIGEST}
    if json_ascii_v1_digest(stated) != record.content_sha256:
        raise InvalidFile(file, _WRONG_DIGEST)
    return BaselineContent(
        set_identifier=record.set_identifier,
        retriever=record.retriever,
        identity=identity,
        basis=Basis.IMPORTED,
        depth=record.depth,
        conditions=Conditions(**msgspec.to_builtins(record.conditions)),
        counts=counts,
        outcomes=outcomes,
        qrels_digest=record.qrels_digest,
    )


def _require_version(record: BaselineRecord, file: str) -> None:
    grades = [one.judged_grades is not None for one in record.outcomes]
    has_digest = record.qrels_digest is not None
    if record.format == FORMAT and not (has_digest and all(grades)):
        raise InvalidFile(file, "qrels_digest: it and judged_grades belong to version 2")
    if record.format != FORMAT and (has_digest or any(grades)):
        raise InvalidFile(file, "qrels_digest: neither it nor judged_grades are in version 1")


def _document(content: BaselineContent) -> dict[str, Any]:
    identity = content.identity
    is_graded = content.qrels_digest is not None and all(
        one.judged_grades is not None for one in content.outcomes
    )
    outcomes = [msgspec.to_builtins(outcome_record(one)) for one in content.outcomes]
    if not is_graded:
        for one in outcomes:
            del one["judged_grades"]
    document = {
        "format": FORMAT if is_graded else FORMATS[0],
        "set_identifier": content.set_identifier,
        "retriever": content.retriever,
        "basis": content.basis.value,
        "depth": content.depth,
        "conditions": asdict(content.conditions),
        "provenance": to_stored(identity.provenance, identity.fingerprints),
        "benchmark_fingerprint": content.benchmark_fingerprint,
        "variant_fingerprint": content.variant_fingerprint,
        "counts": asdict(content.counts),
        "outcomes": outcomes,
    }
    return document | ({"qrels_digest": content.qrels_digest} if is_graded else {})


def _laid_out(value: object) -> str:
    if isinstance(value, dict):
        members = (f"  {_json(key)}: {_json(value[key])}" for key in sorted(value))
        return "{\n" + ",\n".join(members) + "\n }"
    if isinstance(value, list):
        return "[\n" + ",\n".join(f"  {_json(one)}" for one in value) + "\n ]"
    return _json(value)


def _json(value: object) -> str:
    return msgspec.json.encode(value, order="sorted").decode("utf-8")

"""Vectors of digests over bytes: files, labels, judgements, corpora, legacy text, observations."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.core.errors.identity import InvalidCorpus, InvalidPath, UnknownEncoding
from evenhand.core.errors.retrieval import InvalidQrels
from evenhand.core.identity.canonical import compact_json
from evenhand.core.identity.corpus import (
    CorpusDigest,
    DocumentIdentity,
    content_sha256,
    parse_manifest,
)
from evenhand.core.identity.file_digests import elided_digest, inputs_digest, root_digest
from evenhand.core.identity.labels_bytes import LabelRow, labels_fingerprint, labels_members
from evenhand.core.identity.legacy_bytes import decode_text, encode_at_full
from evenhand.core.identity.qrels import qrels_digest, qrels_members, scoring_identity
from evenhand.core.review.observation import recurrence_key
from evenhand.usecases.vectors.expectation import Case, compare, compare_refusal, raw, spelt


def check_root_digest(case: Case, _defaults: Case) -> Iterator[str]:
    """Digest over paths and contents."""
    files = _files(case)
    if "refused" in case:
        yield from compare("refused", case["refused"], "path")
        yield from compare_refusal(lambda: root_digest(files), InvalidPath)
        return
    yield from compare("root_digest", case["root_digest"], root_digest(files))


def check_inputs_digest(case: Case, _defaults: Case) -> Iterator[str]:
    """Digest over paths and contents without the job's id, and the digest of each content."""
    files, job_id = _files(case), case["job_id"]
    contents = {path: elided_digest(content, job_id=job_id) for path, content in files}
    yield from compare("content_digests", case["content_digests"], contents)
    yield from compare("inputs_digest", case["inputs_digest"], inputs_digest(files, job_id=job_id))


def check_retrieval_bytes(case: Case, _defaults: Case) -> Iterator[str]:
    """Encoding at FULL under a policy that changes nothing, and strict decoding."""
    match case["op"]:
        case "encode_at_full":
            encoded = encode_at_full(raw(case["bytes_b64"]), lambda value: value)
            yield from compare("expected", case["expected"], encoded)
        case "decode" if "refused" in case:
            yield from compare("refused", case["refused"], True)  # noqa: FBT003 -- the value
            yield from compare_refusal(lambda: decode_text(case["input"]), UnknownEncoding)
        case "decode":
            yield from compare("bytes_b64", raw(case["bytes_b64"]), decode_text(case["input"]))
        case other:
            yield f"op: {other!r} is not known"


def check_labels_bytes(case: Case, _defaults: Case) -> Iterator[str]:
    """Canonical text and digest of golden labels."""
    rows = [
        LabelRow(
            id=spelt(question["id"]),
            question=spelt(question["question"]),
            form=question["form"],
            hard_class=None if question["hard_class"] is None else spelt(question["hard_class"]),
            targets=tuple(spelt(target) for target in question["expected"]),
        )
        for question in case["questions"]
    ]
    yield from compare("canonical", case["canonical"], compact_json(labels_members(rows)))
    yield from compare("labels_fingerprint", case["labels_fingerprint"], labels_fingerprint(rows))


def check_qrels(case: Case, _defaults: Case) -> Iterator[str]:
    """Canonical text and digest of judgements, and the scoring identity of one measure."""
    rows = [(spelt(query), spelt(document), grade) for query, document, grade in case["rows"]]
    if "refused" in case:
        yield from compare("refused", case["refused"], "qrels")
        yield from compare_refusal(lambda: qrels_digest(rows), InvalidQrels)
        return
    digest = qrels_digest(rows)
    yield from compare("canonical", case["canonical"], compact_json(qrels_members(rows)))
    yield from compare("qrels_digest", case["qrels_digest"], digest)
    scoring = case["scoring"]
    identity = scoring_identity(scoring["protocol"], digest, scoring["measure"], scoring["depth"])
    yield from compare("scoring.identity", scoring["identity"], identity)


def check_corpus_bytes(case: Case, _defaults: Case) -> Iterator[str]:
    """Manifest lines and digest of a corpus; the lines are read back as well."""
    if "refused" in case:
        yield from compare("refused", case["refused"], "corpus")
        yield from compare_refusal(lambda: _manifest(case), InvalidCorpus)
        return
    lines, digest = _manifest(case)
    yield from compare("manifest", case["manifest"], lines)
    yield from compare("corpus_digest", case["corpus_digest"], digest)
    yield from compare("manifest read back", _documents(case), list(parse_manifest(lines)))


def check_recurrence_key(case: Case, _defaults: Case) -> Iterator[str]:
    """Key that observations of one concern share."""
    key = recurrence_key(
        practice_slug=case["practice_slug"],
        artifact_kind=case["artifact_kind"],
        artifact_id=case["artifact_id"],
        subject_id=case["about_user_id"],
        first_evidence_path=case["first_location_path"],
    )
    yield from compare("recurrence_key", case["recurrence_key"], key)


def _files(case: Case) -> list[tuple[str, bytes]]:
    return [(file["path"], raw(file["content_b64"])) for file in case["files"]]


def _documents(case: Case) -> list[DocumentIdentity]:
    documents = [
        DocumentIdentity(
            id=spelt(document["id"]),
            content_sha256=content_sha256(document["title"], document["text"]),
            scope=None if document["scope"] is None else spelt(document["scope"]),
        )
        for document in case["documents"]
    ]
    # Sorted as whatever streams them has to: a stable sort keeps repeated ids side by side.
    return sorted(documents, key=lambda document: document.id)


def _manifest(case: Case) -> tuple[list[str], str]:
    digest = CorpusDigest()
    lines = [digest.add(document) for document in _documents(case)]
    return lines, digest.hexdigest()

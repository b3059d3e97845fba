"""What was run, on what, and which two results may therefore be compared?

A consumer states labels (``RetrievalProvenance``); Evenhand derives fingerprints from them. The
benchmark fingerprint decides comparability, the variant fingerprint says whether the treatment
differs. Labels state what the consumer ran: they prove neither that a corpus was frozen nor that
a remote model kept its weights. Whether two fingerprints are comparable is the business of
``core.comparison``; how a retriever is asked, that of ``capability``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Final, TypeAlias, final

from evenhand.core.errors import InvalidGoldenSet, InvalidLabel
from evenhand.core.identity import labels
from evenhand.core.identity.canonical import Tagged, b64, is_fingerprint, tagged_digest

LABELS_TAG: Final = "labels-bytes-v1"
BENCHMARK_TAG: Final = "benchmark-v1"
VARIANT_TAG: Final = "variant-v1"

LabelRow: TypeAlias = tuple[bytes, bytes, str, bytes | None, tuple[bytes, ...]]
"""One question's labels: id, question text, form, hard class or None, targets in any order.

Free text as its original bytes. No hard class is not an empty one. No targets say that the
corpus does not answer.
"""

_LABELS_KEY: Final = "labelsFingerprint"
_SCORING_KEY: Final = "scoringVersion"
_KEYS: Final = {
    "corpusRevision": "corpus_revision",
    "modelRevision": "model_revision",
    "chunkingIdentity": "chunking_identity",
    "pipelineIdentity": "pipeline_identity",
    "executionRevision": "execution_revision",
}


@final
@dataclass(frozen=True, slots=True)
class RetrievalProvenance:
    """The labels that identify one retrieval experiment, as the consumer states them.

    Supply revision labels or digests, never document content, option values, addresses of
    endpoints or secrets. Positional order is that of the source. An illegal label raises, and
    no object exists afterwards.

    Attributes:
        corpus_revision: changes when document content, membership or access scope changes.
        model_revision: the embedding model, or ``NOT_APPLICABLE`` where there is none.
        chunking_identity: the chunker, or ``NOT_APPLICABLE`` where there is none.
        pipeline_identity: every treatment setting that can alter the ranking: fusion weights,
            candidate depth, reranking and the like.
        execution_revision: the code used; None is unknown. Part of neither fingerprint.

    Raises:
        InvalidLabel: codes ``invalid_label`` and ``sentinel_not_allowed``.

    Source: statements P-09 to P-33.
    """

    corpus_revision: str
    model_revision: str
    chunking_identity: str
    pipeline_identity: str
    execution_revision: str | None = None

    MAX_IDENTITY_BYTES: ClassVar[int] = labels.MAX_IDENTITY_BYTES
    NOT_APPLICABLE: ClassVar[str] = labels.NOT_APPLICABLE

    def __post_init__(self) -> None:
        labels.require_revision(self.corpus_revision, "corpus_revision")
        labels.require_label(self.model_revision, "model_revision")
        labels.require_label(self.chunking_identity, "chunking_identity")
        labels.require_revision(self.pipeline_identity, "pipeline_identity")
        if self.execution_revision is not None:
            labels.require_label(self.execution_revision, "execution_revision")

    def to_dict(self) -> dict[str, str | None]:
        """The five values under their interchange names, in the order of the constructor."""
        return {
            "corpusRevision": self.corpus_revision,
            "modelRevision": self.model_revision,
            "chunkingIdentity": self.chunking_identity,
            "pipelineIdentity": self.pipeline_identity,
            "executionRevision": self.execution_revision,
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, object]) -> RetrievalProvenance:
        """The declaration that :meth:`to_dict` wrote: all five names, and no others.

        Raises:
            InvalidLabel: a name is missing or unknown, or a value is no legal label.
        """
        for key in _KEYS:
            if key not in document:
                raise InvalidLabel(key, "is missing")
        if len(document) != len(_KEYS):
            raise InvalidLabel("provenance", "has a name that is not one of the five")
        # The constructor checks the values at run time; a mapping cannot promise their types.
        stated: dict[str, Any] = {name: document[key] for key, name in _KEYS.items()}
        return cls(**stated)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprints:
    """The digests of one evaluation, derived and never asked of the consumer.

    Attributes:
        labels: digest of the golden questions' labels.
        benchmark: decides comparability; None where provenance is unknown, and then it equals
            nothing, not even another None.
        variant: changes with the treatment; None where provenance is unknown.
        scoring_version: version of the scoring protocol that is part of the benchmark.
    """

    labels: str
    benchmark: str | None
    variant: str | None
    scoring_version: str


def labels_members(rows: Iterable[LabelRow]) -> Tagged:
    """The members of ``labels-bytes-v1``: rows in byte order of the ids, free text in Base64.

    Raises:
        InvalidGoldenSet: two rows have one id; their order, and so the digest, would be chance.
    """
    # Sorting sees the bytes: Base64 text, and text with surrogates, sort differently.
    ordered = sorted(rows, key=lambda row: row[0])
    for before, row in pairwise(ordered):
        if before[0] == row[0]:
            raise InvalidGoldenSet("two questions have one id")
    return [LABELS_TAG, [_row_members(row) for row in ordered]]


def labels_fingerprint(rows: Iterable[LabelRow]) -> str:
    """Digest of the labels of a golden set, ``v1:`` and hex.

    Raises:
        InvalidGoldenSet: two rows have one id.

    Source: statements P-35 to P-41, BP-16, G-07.
    """
    return tagged_digest(labels_members(rows))


def benchmark_members(
    corpus_revision: str, labels_fingerprint: str, scoring_version: str
) -> Tagged:
    """The members of ``benchmark-v1``; the labels fingerprint goes in with its prefix."""
    return [BENCHMARK_TAG, corpus_revision, labels_fingerprint, scoring_version]


def variant_members(provenance: RetrievalProvenance) -> Tagged:
    """The members of ``variant-v1``: model, chunking and pipeline, and nothing else."""
    return [
        VARIANT_TAG,
        provenance.model_revision,
        provenance.chunking_identity,
        provenance.pipeline_identity,
    ]


def benchmark_fingerprint(
    corpus_revision: str, labels_fingerprint: str, scoring_version: str
) -> str:
    """Digest that binds corpus, labels and scoring protocol (``v1:`` and hex).

    Source: statements P-34, BP-17.
    """
    return tagged_digest(benchmark_members(corpus_revision, labels_fingerprint, scoring_version))


def variant_fingerprint(provenance: RetrievalProvenance) -> str:
    """Digest of the treatment (``v1:`` and hex); the execution revision is not part of it.

    Source: statements P-42, P-44, BP-18.
    """
    return tagged_digest(variant_members(provenance))


def build_fingerprints(
    provenance: RetrievalProvenance | None, labels_fingerprint: str, scoring_version: str
) -> Fingerprints:
    """All digests of an evaluation. Unknown provenance gives no benchmark and no variant.

    Source: statements P-08, BP-19, G-09.
    """
    if provenance is None:
        benchmark = variant = None
    else:
        benchmark = benchmark_fingerprint(
            provenance.corpus_revision, labels_fingerprint, scoring_version
        )
        variant = variant_fingerprint(provenance)
    return Fingerprints(
        labels=labels_fingerprint,
        benchmark=benchmark,
        variant=variant,
        scoring_version=scoring_version,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredIdentity:
    """A stored declaration together with the fingerprints that were recomputed from it."""

    provenance: RetrievalProvenance
    fingerprints: Fingerprints


def to_stored(
    provenance: RetrievalProvenance | None, fingerprints: Fingerprints
) -> dict[str, str | None] | None:
    """The JSON object to store: five labels, labels fingerprint, scoring version.

    Returns:
        None where provenance is unknown; then nothing of the identity is stored (SQL NULL).

    Source: statements P-45, BP-19, BP-20, G-09.
    """
    if provenance is None:
        return None
    return {
        **provenance.to_dict(),
        _LABELS_KEY: fingerprints.labels,
        _SCORING_KEY: fingerprints.scoring_version,
    }


def from_stored(document: object, benchmark: object, variant: object) -> StoredIdentity | None:
    """The identity that was stored, or None: unknown.

    Unknown is everything that is not whole: no object, a missing or an unknown name, a label
    that the constructor refuses, a fingerprint of another shape, and a fingerprint that is not
    the one recomputed from the stored declaration.

    Args:
        document: the decoded JSON value of the provenance column, or None.
        benchmark: text of the benchmark column, or None.
        variant: text of the variant column, or None.

    Source: statements P-08, BP-21, G-09.
    """
    # An exact dict has text keys only where it was JSON; anything else fails on the names below.
    if type(document) is not dict:
        return None
    stated = dict(document)
    labels_fingerprint = stated.pop(_LABELS_KEY, None)
    scoring_version = stated.pop(_SCORING_KEY, None)
    if not is_fingerprint(labels_fingerprint):
        return None
    try:
        provenance = RetrievalProvenance.from_dict(stated)
        version = labels.require_label(scoring_version, _SCORING_KEY)
    except InvalidLabel:
        return None
    rebuilt = build_fingerprints(provenance, labels_fingerprint, version)
    if (benchmark, variant) != (rebuilt.benchmark, rebuilt.variant):
        return None
    return StoredIdentity(provenance=provenance, fingerprints=rebuilt)


def _row_members(row: LabelRow) -> Tagged:
    question_id, question, form, hard_class, targets = row
    return [
        b64(question_id),
        b64(question),
        form,
        None if hard_class is None else b64(hard_class),
        [b64(target) for target in sorted(targets)],
    ]

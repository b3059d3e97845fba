"""What was run, on what, and which two results may therefore be compared?

A consumer states labels (``RetrievalProvenance``); Evenhand derives fingerprints from them. The
benchmark fingerprint decides comparability, the variant fingerprint says whether the treatment
differs. Labels state what the consumer ran: they prove neither that a corpus was frozen nor that
a remote model kept its weights. Whether two fingerprints are comparable is the business of
``core.comparison``, how they are stored that of ``stored``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import CoroutineType
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol, final, runtime_checkable

from evenhand.core.errors.evaluation import ProvenanceFailed
from evenhand.core.errors.identity import InvalidLabel
from evenhand.core.identity import labels
from evenhand.core.identity.canonical import tagged_digest

if TYPE_CHECKING:
    from evenhand.core.identity.canonical import Tagged

BENCHMARK_TAG: Final = "benchmark-v1"
VARIANT_TAG: Final = "variant-v1"

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


@runtime_checkable
class RetrievalProvenanceProvider(Protocol):
    """The optional capability of a retriever that can say what it is."""

    def get_retrieval_provenance(self) -> RetrievalProvenance:
        """A declaration that is stable for the whole run, obtained without a remote request."""
        ...


def take_provenance(retriever: object) -> RetrievalProvenance | None:
    """The declaration of a retriever, taken once and before the first retrieval.

    Returns:
        None where the retriever lacks the capability: its provenance is unknown.

    Raises:
        ProvenanceFailed: the capability is there but raised, or gave something else. A broken
            declaration is not turned into "unknown", which would hide it.

    Source: statements P-04 to P-08, G-01, G-02.
    """
    if not isinstance(retriever, RetrievalProvenanceProvider):
        return None
    try:
        declared: object = retriever.get_retrieval_provenance()
    except Exception as error:
        raise ProvenanceFailed(_declaration_raised(error)) from error
    if isinstance(declared, CoroutineType):
        # It is refused below; left open, Python would complain of it later.
        declared.close()
    # A subclass could hold state that no fingerprint covers, and change what the labels are.
    if type(declared) is not RetrievalProvenance:
        raise ProvenanceFailed(_declaration_is(declared))
    return declared


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


def _declaration_raised(error: Exception) -> str:
    # Which label it was is no content; what its value was might be.
    field = error.field if isinstance(error, InvalidLabel) else ""
    which = f" for {field}" if field in _KEYS.values() else ""
    return f"the retriever's provenance declaration raised {type(error).__name__}{which}"


def _declaration_is(declared: object) -> str:
    return f"the retriever declared {type(declared).__name__}, not a RetrievalProvenance itself"

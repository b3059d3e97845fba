"""Which two graded values may be compared? One benchmark fingerprint for each measure.

The scoring version of ``benchmark-v1`` is replaced by an identity of the protocol, the judgements,
the measure and the depth (settled 2), so that a value compares only with one that was measured by
the same judgements, and asking for one more measure changes nothing for the others.
"""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.core.identity.provenance import benchmark_fingerprint
from evenhand.core.identity.qrels import scoring_identity
from evenhand.core.identity.stored import StoredIdentity


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedScale:
    """What a graded value was measured with, beside corpus and labels.

    Attributes:
        protocol: version of the graded protocol, such as ``trec-eval-v1``.
        qrels_digest: of every judgement (``qrels-v1``); None when unknown.
        measure: canonical name.
        depth: how many documents of a ranking were asked for, at least 1.
    """

    protocol: str
    qrels_digest: str | None
    measure: str
    depth: int

    @property
    def identity(self) -> str | None:
        """What stands for the scoring version; None when the judgements are unknown."""
        if self.qrels_digest is None:
            return None
        return scoring_identity(self.protocol, self.qrels_digest, self.measure, self.depth)

    def benchmark(self, identity: StoredIdentity | None) -> str | None:
        """The benchmark fingerprint of a value on this scale (``v1:`` and hex).

        Args:
            identity: what was declared of the run; None when unknown.

        Returns:
            None when either is unknown; it then equals nothing, not even another None.
        """
        scoring = self.identity
        if identity is None or scoring is None:
            return None
        return benchmark_fingerprint(
            identity.provenance.corpus_revision, identity.fingerprints.labels, scoring
        )

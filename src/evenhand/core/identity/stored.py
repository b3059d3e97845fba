"""How is the identity of an evaluation stored, and when does what was stored count as known?

The stored form is content-free and kept at every privacy level: one JSON object with the five
stated labels, the labels fingerprint and the scoring version, beside it the two fingerprints.
Reading never raises: what cannot be trusted in every part is unknown, and unknown equals nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from evenhand.core.errors.identity import InvalidLabel
from evenhand.core.identity.canonical import is_fingerprint
from evenhand.core.identity.labels import require_label
from evenhand.core.identity.provenance import (
    Fingerprints,
    RetrievalProvenance,
    build_fingerprints,
)

_LABELS_KEY: Final = "labelsFingerprint"
_SCORING_KEY: Final = "scoringVersion"


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
        version = require_label(scoring_version, _SCORING_KEY)
    except InvalidLabel:
        return None
    rebuilt = build_fingerprints(provenance, labels_fingerprint, version)
    if (benchmark, variant) != (rebuilt.benchmark, rebuilt.variant):
        return None
    return StoredIdentity(provenance=provenance, fingerprints=rebuilt)

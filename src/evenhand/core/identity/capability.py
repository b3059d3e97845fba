"""What can a retriever say about itself, and how is it asked?

The capability is optional and found by its shape on the retriever itself; nothing is registered a
second time. What is said is ``provenance.RetrievalProvenance``.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from evenhand.core.errors import ProvenanceFailed
from evenhand.core.identity.provenance import RetrievalProvenance


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
    if not isinstance(declared, RetrievalProvenance):
        raise ProvenanceFailed(_declaration_is(declared))
    return declared


def _declaration_raised(error: Exception) -> str:
    return f"the retriever's provenance declaration raised {type(error).__name__}"


def _declaration_is(declared: object) -> str:
    return f"the retriever declared {type(declared).__name__}, not a RetrievalProvenance"

"""How does a retriever that somebody else wrote get a name and a declaration, and nothing else?

A wrapper has exactly the capabilities of what it wraps. The one it may add is the declaration,
and only where the labels for a whole one were stated: a missing label stays unknown, it never
becomes ``not-applicable``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Final

from evenhand.adapters.retrievers.context import Declaration
from evenhand.adapters.retrievers.labels import corpus_label_of, with_depth
from evenhand.adapters.system import checkout_of
from evenhand.core.errors import InvalidSetting
from evenhand.core.identity.provenance import RetrievalProvenance
from evenhand.core.retrieval.coverage import ListsQueries
from evenhand.core.scoring.evaluation import Basis
from evenhand.usecases.ports import DerivesLabels, Retriever

#: What a retriever may have beside ``identifier`` and ``retrieve``.
CAPABILITIES: Final = (
    "retrieve_scored",
    "retrieve_many",
    "retrieve_for",
    "get_retrieval_provenance",
    "close",
)

#: Labels without which a declaration is incomplete, and the provenance unknown.
REQUIRED_LABELS: Final = ("corpus", "model", "chunking", "pipeline")

_GIT: Final = "git"


class FunctionRetriever:
    """A plain function ``question, limit -> ids`` as a retriever.

    Args:
        identifier: name under which results are stored.
        function: called with the question and the limit, by position.
    """

    def __init__(self, identifier: str, function: Callable[[str, int], Sequence[str]]) -> None:
        self.identifier = identifier
        self._function = function

    def retrieve(self, question: str, limit: int) -> Sequence[str]:
        """What the function gives."""
        return self._function(question, limit)


class WrappedRetriever(DerivesLabels, ListsQueries):
    """A retriever under a name, with a declaration where one is known.

    Args:
        inner: what is called; its capabilities pass through unchanged.
        identifier: name under which results are stored.
        provenance: the declaration of ``inner``, stated or taken; None leaves its own capability
            as it is, or absent.
        basis: who saw the rankings come into being.
        corpus_digested: whether the corpus label of ``provenance`` is a digest made here.
    """

    def __init__(
        self,
        inner: Retriever,
        *,
        identifier: str,
        provenance: RetrievalProvenance | None,
        basis: Basis,
        corpus_digested: bool = False,
    ) -> None:
        self.identifier = identifier
        self.basis = basis
        # A built-in has a declaration of its own, so none was stated in its place.
        self.labels_derived = derives_labels(inner)
        self.corpus_digested = corpus_digested
        self.query_ids = inner.query_ids if isinstance(inner, ListsQueries) else None
        self._inner = inner
        # On the instance and not on the class: a capability is found by its shape, and this
        # wrapper must not have the shape of one that is not there.
        for name in CAPABILITIES:
            if callable(function := getattr(inner, name, None)):
                setattr(self, name, function)
        if provenance is not None:
            grant(self, "get_retrieval_provenance", lambda: provenance)

    def retrieve(self, question: str, limit: int) -> Sequence[str | bytes]:
        """What the wrapped retriever gives."""
        return self._inner.retrieve(question, limit)


def derives_labels(retriever: object) -> bool:
    """Whether the labels that a retriever declares are digests that Evenhand made."""
    return isinstance(retriever, DerivesLabels) and retriever.labels_derived


def grant(retriever: object, capability: str, function: Callable[..., object]) -> None:
    """Give one retriever, not its class, a capability."""
    setattr(retriever, capability, function)


def stated_provenance(
    stated: Declaration,
    *,
    root: Path,
    depth: int,
    scope_field: str | None = None,
    tell: Callable[[str], None] | None = None,
) -> RetrievalProvenance | None:
    """The declaration that labels make for a wrapped retriever.

    Args:
        stated: the labels.
        root: project root; whose commit is the default execution.
        depth: limit that the retriever is called with, appended to the pipeline label.
        scope_field: field of a document that holds its access scope, for a corpus by path.
        tell: hears why the execution is unknown, where it is to be git's or git is there.

    Returns:
        None, which is unknown, where corpus, model, chunking or pipeline is not stated.

    Raises:
        InvalidLabel: a label breaks the label rule.
        InvalidSetting: the pipeline label is too long with the depth appended.
        InvalidFile: the corpus is a path and cannot be read.
    """
    corpus, model, chunking, pipeline = (
        stated.corpus,
        stated.model,
        stated.chunking,
        stated.pipeline,
    )
    if corpus is None or model is None or chunking is None or pipeline is None:
        return None
    return RetrievalProvenance(
        corpus_label_of(corpus, root, scope_field),
        model,
        chunking,
        with_depth(pipeline, depth),
        _execution(stated.execution, root, tell),
    )


def imported_provenance(
    stated: Declaration,
    run_sha256: str,
    *,
    root: Path,
    depth: int,
    scope_field: str | None = None,
) -> RetrievalProvenance | None:
    """The declaration of a run file: unknown until somebody states the corpus it was made on.

    Labels that are not stated name the file: ``imported:`` and its SHA-256. The execution is
    unknown unless it is stated, since the code at hand did not make the file.
    """
    if stated.corpus is None:
        return None
    imported = f"imported:{run_sha256}"
    return RetrievalProvenance(
        corpus_label_of(stated.corpus, root, scope_field),
        stated.model or imported,
        stated.chunking or imported,
        with_depth(stated.pipeline or imported, depth),
        None if stated.execution is None else _execution(stated.execution, root),
    )


def require_agreement(
    own: RetrievalProvenance, stated: Declaration, *, root: Path, scope_field: str | None = None
) -> None:
    """Refuse labels that contradict what a retriever declares of itself.

    Raises:
        InvalidSetting: names the label that differs, neither of its values.
    """
    declared = {
        "corpus": own.corpus_revision,
        "model": own.model_revision,
        "chunking": own.chunking_identity,
        "pipeline": own.pipeline_identity,
        "execution": own.execution_revision,
    }
    for one in fields(stated):
        value = getattr(stated, one.name)
        if value is None:
            continue
        if one.name == "corpus":
            value = corpus_label_of(value, root, scope_field)
        if one.name == "execution":
            value = _execution(value, root)
        if value != declared[one.name]:
            raise InvalidSetting(one.name, "contradicts what the retriever declares of itself")


def _execution(
    stated: str | None, root: Path, tell: Callable[[str], None] | None = None
) -> str | None:
    if stated not in (None, _GIT):
        return stated
    checkout = checkout_of(root)
    is_expected = stated is not None or checkout.is_inside
    if tell is not None and checkout.why is not None and is_expected:
        tell(f"the execution is unknown: {checkout.why}")
    return checkout.label

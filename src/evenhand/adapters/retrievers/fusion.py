"""Built-in ``fusion``: several retrievers, fused by reciprocal rank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Final

import msgspec

from evenhand.adapters.retrievers.context import ConfigFile, option_name
from evenhand.adapters.retrievers.labels import derived_pipeline, settings_digest
from evenhand.adapters.retrievers.options import execution_of_evenhand, require_number
from evenhand.adapters.retrievers.wrapped import derives_labels, grant
from evenhand.core.errors import InvalidSetting
from evenhand.core.identity.canonical import to_text
from evenhand.core.identity.labels import NOT_APPLICABLE
from evenhand.core.identity.provenance import RetrievalProvenance, take_provenance
from evenhand.core.retrieval.fusion import DEFAULT_K, reciprocal_rank_fusion
from evenhand.core.retrieval.golden import QueryId
from evenhand.core.retrieval.ranking import build_retrieved
from evenhand.core.scoring.evaluation import Basis
from evenhand.usecases.ports import DerivesLabels, QueryIdRetriever, Retriever

#: Its name; unlike the other built-ins it is nothing without a table that says what it fuses.
FUSION: Final = "fusion"

#: Results asked of each component, where the configuration says nothing.
DEFAULT_CANDIDATES: Final = 100

_RULE: Final = "reciprocal rank fusion"


class FusionOptions(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Options of ``fusion``.

    Attributes:
        retrievers: names of the components, at least two; the order settles ties.
        weights: a number above 0 for each component; None weighs them alike.
        k: constant of the formula, at least 0.
        candidates: results asked of each component, at least 1.
        abstain_on: name of the component whose empty answer empties the fused one; None for none.
    """

    retrievers: list[str]
    weights: list[float] | None = None
    k: float = DEFAULT_K
    candidates: int = DEFAULT_CANDIDATES
    abstain_on: str | None = None


class FusionRetriever(DerivesLabels):
    """Components fused by reciprocal rank.

    It has a declaration where every component has one and all of them name the same corpus, and
    ``retrieve_for`` where a component needs query ids.

    Args:
        identifier: name under which results are stored.
        components: what is fused, by name, in the order that settles ties.
        options: see `FusionOptions`; names the same components.
        depth: limit that it will be called with, part of its pipeline label.
        bases: who saw each component's rankings come into being.

    Raises:
        InvalidSetting: an option out of its range.
        ProvenanceFailed: a component has the provenance capability but gives no declaration.
    """

    def __init__(
        self,
        identifier: str,
        components: Mapping[str, Retriever],
        options: FusionOptions,
        *,
        depth: int,
        bases: Sequence[Basis] = (),
    ) -> None:
        require_fusion_options(identifier, options)
        self.identifier = identifier
        self.basis = Basis.IMPORTED if Basis.IMPORTED in bases else Basis.LOCAL
        self._components = dict(components)
        self._options = options
        provenance = _fused_provenance(self._components, options, depth)
        self.labels_derived = provenance is not None and all(
            map(derives_labels, self._components.values())
        )
        if provenance is not None:
            grant(self, "get_retrieval_provenance", lambda: provenance)
        if any(isinstance(one, QueryIdRetriever) for one in self._components.values()):
            grant(self, "retrieve_for", self._retrieve_for)
        else:
            grant(self, "retrieve_scored", self._retrieve_scored)

    def retrieve(self, question: str, limit: int) -> list[str]:
        """Document ids, best first, distinct; empty where the component it abstains on is."""
        return [identifier for identifier, _ in self._retrieve_scored(question, limit)]

    def close(self) -> None:
        """Close every component that can be closed."""
        with ExitStack() as stack:
            for component in self._components.values():
                if callable(close := getattr(component, "close", None)):
                    stack.callback(close)

    def _retrieve_scored(self, question: str, limit: int) -> list[tuple[str, float]]:
        return self._fuse(None, question, limit)

    def _retrieve_for(self, query_id: QueryId, question: str, limit: int) -> list[str]:
        return [identifier for identifier, _ in self._fuse(query_id, question, limit)]

    def _fuse(
        self, query_id: QueryId | None, question: str, limit: int
    ) -> list[tuple[str, float]]:
        options = self._options
        lists = {
            name: _ask(component, query_id, question, options.candidates)
            for name, component in self._components.items()
        }
        if options.abstain_on is not None and not lists[options.abstain_on]:
            return []
        fused = reciprocal_rank_fusion(list(lists.values()), options.weights, options.k)
        return [(to_text(document_id), score) for document_id, score in fused[:limit]]


def require_fusion_options(name: str, options: FusionOptions) -> None:
    """Check what the types cannot.

    Raises:
        InvalidSetting: fewer than two components, one twice, a wrong number of weights, a value
            out of its range, or ``abstain_on`` names no component.
    """
    names = options.retrievers
    if len(names) < 2 or len(set(names)) != len(names):
        raise InvalidSetting(option_name(name, "retrievers"), "must be two or more distinct names")
    require_number(option_name(name, "candidates"), options.candidates, low=1)
    if options.abstain_on is not None and options.abstain_on not in names:
        raise InvalidSetting(option_name(name, "abstain_on"), "must be one of the retrievers")
    # The fusion itself knows what weights and k may be.
    reciprocal_rank_fusion([()] * len(names), options.weights, options.k)


def unconfigured_fusion(file: ConfigFile) -> InvalidSetting:
    """What is wrong with ``fusion`` as a plain name, with the lines that would help."""
    rule = "is configured, not named: a table of its own says what it fuses; paste and name that"
    error = InvalidSetting(FUSION, rule)
    error.lines = (
        f"# in {file.name}\n"
        f"[{file.table}.both]\n"
        f'use = "{FUSION}"\n'
        'retrievers = ["bm25", "lexical"]'
    )
    return error


def _ask(component: Retriever, query_id: QueryId | None, question: str, limit: int) -> list[bytes]:
    if query_id is not None and isinstance(component, QueryIdRetriever):
        found = component.retrieve_for(query_id, question, limit)
    else:
        found = component.retrieve(question, limit)
    # Held to the rules of any ranking: a text or a set is none, whatever it could be read as.
    ranked = build_retrieved(found, depth=limit, scored=False, latency_ms=None)
    # An empty id is dropped before it could take a rank.
    return [document for document in ranked.documents if document]


def _fused_provenance(
    components: Mapping[str, Retriever], options: FusionOptions, depth: int
) -> RetrievalProvenance | None:
    taken = {name: take_provenance(component) for name, component in components.items()}
    known = {name: one for name, one in taken.items() if one is not None}
    if len(known) != len(taken) or len({one.corpus_revision for one in known.values()}) != 1:
        return None
    settings = {
        "retriever": "fusion",
        "rule": _RULE,
        "k": options.k,
        "weights": options.weights,
        "candidates": options.candidates,
        # By place: a component that is only renamed gives the same rankings. In order, since the
        # order settles ties.
        "abstain_on": None
        if options.abstain_on is None
        else list(known).index(options.abstain_on),
        "components": [
            [one.model_revision, one.chunking_identity, one.pipeline_identity]
            for one in known.values()
        ],
    }
    threshold = None
    if options.abstain_on is not None:
        threshold = getattr(components[options.abstain_on], "threshold", None)
    return RetrievalProvenance(
        next(iter(known.values())).corpus_revision,
        _joined([one.model_revision for one in known.values()]),
        _joined([one.chunking_identity for one in known.values()]),
        derived_pipeline("fusion", settings, depth=depth, threshold=threshold),
        _execution(components, known),
    )


def _execution(
    components: Mapping[str, Retriever], known: Mapping[str, RetrievalProvenance]
) -> str | None:
    """Evenhand's version where only its own code ran, else what all components say alike."""
    if all(map(derives_labels, components.values())):
        return execution_of_evenhand()
    stated = {one.execution_revision for one in known.values()}
    return stated.pop() if len(stated) == 1 else None


def _joined(labels: Sequence[str]) -> str:
    """One label for those of all components; one that does not exist adds nothing."""
    distinct = sorted(set(labels) - {NOT_APPLICABLE})
    if not distinct:
        return NOT_APPLICABLE
    if len(distinct) == 1:
        return distinct[0]
    return f"fusion:{settings_digest({'labels': distinct})}"

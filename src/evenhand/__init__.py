"""Evenhand: did a retrieval change help, and may the two results be compared?

The public names load on first use, so that ``import evenhand`` stays as cheap as an
empty module.
"""

# Not from typing, which takes longer to import than everything else here together.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from evenhand.core.errors import EvenhandError
    from evenhand.core.identity.labels import NOT_APPLICABLE
    from evenhand.core.identity.provenance import (
        RetrievalProvenance,
        RetrievalProvenanceProvider,
    )
    from evenhand.core.privacy import PrivacyLevel, PrivacyPolicy
    from evenhand.core.retrieval.golden import Form, GoldenQuestion, GoldenSet, LabelProvenance
    from evenhand.core.verdict import Verdict, VerdictState
    from evenhand.library import Evaluation, evaluate, save
    from evenhand.usecases.ports import Retriever

__version__ = "0.1.0"

__all__ = [
    "NOT_APPLICABLE",
    "Evaluation",
    "EvenhandError",
    "Form",
    "GoldenQuestion",
    "GoldenSet",
    "LabelProvenance",
    "PrivacyLevel",
    "PrivacyPolicy",
    "RetrievalProvenance",
    "RetrievalProvenanceProvider",
    "Retriever",
    "Verdict",
    "VerdictState",
    "evaluate",
    "save",
]

_HOMES = {
    "NOT_APPLICABLE": "evenhand.core.identity.labels",
    "Evaluation": "evenhand.library",
    "EvenhandError": "evenhand.core.errors",
    "Form": "evenhand.core.retrieval.golden",
    "GoldenQuestion": "evenhand.core.retrieval.golden",
    "GoldenSet": "evenhand.core.retrieval.golden",
    "LabelProvenance": "evenhand.core.retrieval.golden",
    "PrivacyLevel": "evenhand.core.privacy",
    "PrivacyPolicy": "evenhand.core.privacy",
    "RetrievalProvenance": "evenhand.core.identity.provenance",
    "RetrievalProvenanceProvider": "evenhand.core.identity.provenance",
    "Retriever": "evenhand.usecases.ports",
    "Verdict": "evenhand.core.verdict",
    "VerdictState": "evenhand.core.verdict",
    "evaluate": "evenhand.library",
    "save": "evenhand.library",
}


def __getattr__(name: str) -> object:
    from importlib import import_module

    home = _HOMES.get(name)
    if home is None:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]

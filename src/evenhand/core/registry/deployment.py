"""Which model serves a project's embeddings, run by what? A deployment.

Model, runtime, embedding identity, dimension and prefixes decide what a vector is, so they never
change: another one of these is another deployment, with an index of its own.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Final

from evenhand.core.errors import InvalidText, InvalidValue
from evenhand.core.identity.labels import require_revision
from evenhand.core.registry.registered import Changeable
from evenhand.core.registry.runtime import Runtime, RuntimeKind

#: The largest dimension of a vector.
MOST_DIMENSIONS: Final = 65536
#: How many characters a prefix may have.
LONGEST_PREFIX: Final = 2000
_MODEL: Final = re.compile(r"[!-~]{1,190}")
_PLAIN_CONTROLS: Final = "\t\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment(Changeable):
    """A model that serves a project. No other deployment of the project has its name.

    Attributes:
        project_id: whose.
        artifact_id, runtime_id: what is run by what.
        upstream_model: what the runtime calls the model; None in process.
        embedding_identity: label of the vector space: two of one label have comparable vectors.
        dimension: of a vector, 1 to `MOST_DIMENSIONS`.
        query_prefix, document_prefix: put before each text by the gateway, as they are; empty for
            none.
        score_cutoff: a result below it is no answer; finite, None for no cutoff. May change.

    Raises:
        InvalidLabel: the embedding identity breaks the label rule.
        InvalidText: a model or a prefix that cannot be one; the value is not repeated.
        InvalidValue: a dimension or cutoff out of range.
    """

    project_id: str
    artifact_id: str
    runtime_id: str
    upstream_model: str | None
    embedding_identity: str
    dimension: int
    query_prefix: str = ""
    document_prefix: str = ""
    score_cutoff: float | None = None

    def __post_init__(self) -> None:
        Changeable.__post_init__(self)
        require_revision(self.embedding_identity, "embedding_identity")
        if self.upstream_model is not None and not _MODEL.fullmatch(self.upstream_model):
            raise InvalidText("upstream_model", "must be 1 to 190 printable ASCII characters")
        if not 1 <= self.dimension <= MOST_DIMENSIONS:
            raise InvalidValue("dimension", "must be 1 to 65536")
        _require_prefix(self.query_prefix, "query_prefix")
        _require_prefix(self.document_prefix, "document_prefix")
        if self.score_cutoff is not None and not math.isfinite(self.score_cutoff):
            raise InvalidValue("score_cutoff", "must be finite")


def require_runs(deployment: Deployment, runtime: Runtime) -> None:
    """Let a deployment through whose runtime can be asked for its model.

    Raises:
        InvalidValue: a server needs to be told which model, an embedder in process is the model.
    """
    if (runtime.kind is RuntimeKind.OPENAI_HTTP) is not (deployment.upstream_model is not None):
        raise InvalidValue(
            "upstream_model", "belongs to a runtime of openai_http, and to no other kind"
        )


def _require_prefix(text: str, field: str) -> None:
    if len(text) > LONGEST_PREFIX:
        raise InvalidText(field, "must have at most 2000 characters")
    if any(not (one.isprintable() or one in _PLAIN_CONTROLS) for one in text):
        raise InvalidText(field, "must hold no control character but tab and line feed")

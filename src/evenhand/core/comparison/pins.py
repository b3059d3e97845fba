"""What has to stay as it was between a comparison's preparation and its result?

The pins: who owns and who carries out, which frozen cases, which corpus and settings, and of each
side the identities of what makes its vectors. Their digest says no more than what they are, so
equal targets have equal digests in every attempt (G-42). Whether they may be pinned at all is
`core.comparison.admission`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from evenhand.core.access.roles import Capability
from evenhand.core.errors import Invalid
from evenhand.core.identity.canonical import is_sha256, json_ascii_v1_digest
from evenhand.core.retrieval.suite import MAX_CASES

#: The name of the shape that the digest covers; another shape gets another name.
PINS_SCHEMA: Final = "evenhand.comparison-pins/1"
#: What a comparison uses.
CAPABILITY: Final = Capability.EMBEDDING


class LegName(StrEnum):
    """The two sides of a comparison."""

    CURRENT = "current"
    CANDIDATE = "candidate"


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedLeg:
    """One side, as it was when the comparison was prepared.

    Attributes:
        deployment_id: what is called.
        runtime_identity: label of what carries the model out.
        artifact_digest: of the model's content, as an operator states it.
        embedding_identity: label of the vector space.
        embedding_dimension: of a vector.
        route_id, route_name: through which it is called; the name is the gateway's ``model``.
        index_ref: what the consumer calls the index that it searches.
        score_cutoff: a result below it is no answer; None for no cutoff.
    """

    deployment_id: str
    runtime_identity: str
    artifact_digest: str
    embedding_identity: str
    embedding_dimension: int
    route_id: str
    route_name: str
    index_ref: str
    score_cutoff: float | None

    @property
    def document(self) -> dict[str, object]:
        """What the digest covers of it. A route's name never changes, so its id says it."""
        return {
            "deployment_id": self.deployment_id,
            "runtime_identity": self.runtime_identity,
            "artifact_digest": self.artifact_digest,
            "embedding_identity": self.embedding_identity,
            "embedding_dimension": self.embedding_dimension,
            "route_id": self.route_id,
            "index_ref": self.index_ref,
            "score_cutoff": self.score_cutoff,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Pins:
    """Everything that is pinned.

    Attributes:
        project_id, binding_id: whose comparison it is.
        client_id: the service client that carries it out.
        suite_revision_id, suite_content_digest: the frozen cases.
        case_count: how many they are, 1 to 100.
        corpus_sha256, retrieval_config_sha256: over which corpus, with which settings.
        current, candidate: the two sides.

    Raises:
        Invalid: a number or digest of another shape, or one index for both sides.

    Source: statements C-22, C-24, C-25, G-42.
    """

    project_id: str
    binding_id: str
    client_id: str
    suite_revision_id: str
    suite_content_digest: str
    case_count: int
    corpus_sha256: str
    retrieval_config_sha256: str
    current: PinnedLeg
    candidate: PinnedLeg

    def __post_init__(self) -> None:
        if not 1 <= self.case_count <= MAX_CASES:
            raise Invalid("case_count: must be 1 to 100")
        digests = (self.suite_content_digest, self.corpus_sha256, self.retrieval_config_sha256)
        if not all(map(is_sha256, digests)):
            raise Invalid("pins: a digest must be 64 lowercase hex digits")
        if self.current.index_ref == self.candidate.index_ref:
            raise Invalid("pins: the two sides must have indexes of their own")

    def leg(self, name: LegName) -> PinnedLeg:
        """One of the two sides."""
        return self.current if name is LegName.CURRENT else self.candidate

    @property
    def digest(self) -> str:
        """What a consumer sends back with its result, 64 lowercase hex digits."""
        return json_ascii_v1_digest(
            {
                "schema": PINS_SCHEMA,
                "project_id": self.project_id,
                "project_binding_id": self.binding_id,
                "consumer_client_id": self.client_id,
                "capability": CAPABILITY.value,
                "suite_revision_id": self.suite_revision_id,
                "suite_content_digest": self.suite_content_digest,
                "case_count": self.case_count,
                "corpus_sha256": self.corpus_sha256,
                "retrieval_config_sha256": self.retrieval_config_sha256,
                "current": self.current.document,
                "candidate": self.candidate.document,
            }
        )

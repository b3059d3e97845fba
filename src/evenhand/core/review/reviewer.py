"""What does somebody who judges get, and what does it give back? One look at the staged files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from evenhand.core.review.usage import Rates, Tokens, UsageSource

#: The member of a configuration in which a claim says what the worker runs.
REVIEWER_MEMBER: Final = "reviewer"
#: Members that every configuration has once it is claimed.
COMMON_MEMBERS: Final = frozenset(
    {"schemaVersion", "apiProtocol", "upstreamModelId", "timeoutSeconds", REVIEWER_MEMBER}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """What one look used.

    Attributes:
        calls: of a model, at least 0; those that failed as well.
        tokens: as counted over all calls; unknown where one of them told nothing.
        rates: prices of a million tokens; None where they are unknown.
    """

    calls: int
    tokens: Tokens
    rates: Rates | None

    @property
    def source(self) -> UsageSource:
        """Who counted."""
        return UsageSource.RUNNER if self.tokens.is_known else UsageSource.NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """An output, as it was given.

    Attributes:
        candidates: neither checked nor mended; None for output that could not be read.
        used: what it took.
    """

    candidates: Sequence[object] | None
    used: Used


@dataclass(frozen=True, slots=True, kw_only=True)
class NoOutput:
    """That there was none to be had.

    Attributes:
        error_class: why, in capitals.
        used: what it took.
        is_refusal: whether the next review would meet the same.
    """

    error_class: str
    used: Used
    is_refusal: bool = False


class Reviewer(Protocol):
    """Somebody who judges."""

    @property
    def scaffolding(self) -> Sequence[tuple[str, bytes]]:
        """Paths and contents of the files that say how it judges; of them is the prompt digest."""

    def carries_out(self, config: Mapping[str, Any]) -> bool:
        """Whether it judges by this configuration, all of it."""

    def review(
        self, staged: Mapping[str, bytes], config: Mapping[str, Any], *, seconds: float
    ) -> Found | NoOutput:
        """Look at what is staged, once.

        Args:
            staged: content by path.
            config: the whole configuration of the review.
            seconds: until it is too late, above 0.
        """

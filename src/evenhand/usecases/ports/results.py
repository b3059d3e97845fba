"""What emits a result, in the transaction of the step that makes it final?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from evenhand.contracts.emission import CaseResult
from evenhand.core.review.job import AgentJob
from evenhand.core.review.reaction import Acceptance
from evenhand.core.scoring.publication import Publication
from evenhand.usecases.ports.unit_of_work import UnitOfWork


class ResultEmitter(Protocol):
    """Emits what a step has made final, in the transaction of the step: with it or not at all.

    Each gives how many events are new.
    """

    def emit(self, uow: UnitOfWork, project_id: str, results: Iterable[CaseResult]) -> int:
        """Those of some results that are final and were not emitted before."""

    def review_ended(self, uow: UnitOfWork, job: AgentJob) -> int:
        """What the end of a review has made final."""

    def run_published(self, uow: UnitOfWork, publication: Publication) -> int:
        """What the publication of a run has made final."""

    def answer_accepted(self, uow: UnitOfWork, acceptance: Acceptance) -> int:
        """What a person's word on an answer has made final."""

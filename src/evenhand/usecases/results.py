"""Emit results in the transaction that makes them final, whichever evaluation was the later one.

The end of a review looks for the run that its answer belongs to, the publication of a run for
reviews that have ended, and a person's word for results that waited for it. Each takes hold of the
project first, so that of two which run at once the later one sees what the other wrote; and one
grain has one event, whoever would emit it again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from evenhand.contracts.emission import CaseResult, PseudonymKey, build_event
from evenhand.contracts.reviewed import reviewed_result
from evenhand.core.review.answer import AnswerPlace, JudgedAnswer
from evenhand.core.review.grounds import GroundingBasis
from evenhand.core.review.job import AgentJob
from evenhand.core.review.reaction import Acceptance
from evenhand.core.review.strata import Identities
from evenhand.core.scoring.outcome import Outcome
from evenhand.core.scoring.publication import Publication
from evenhand.usecases.ports import Ids, UnitOfWork

#: Gives the key of pseudonyms, within a transaction.
GetKey: TypeAlias = Callable[[UnitOfWork], PseudonymKey]
#: By what a review that ran with these may say whether an answer is grounded; None: it may not.
GetGrounding: TypeAlias = Callable[[UnitOfWork, Identities], GroundingBasis | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """Emits results; implements `ports.ResultEmitter`.

    Attributes:
        key: of the pseudonyms.
        grounding: by what criteria may say whether an answer is grounded.
        ids: of the rows.
        release: version of the program that emits.
    """

    key: GetKey
    grounding: GetGrounding
    ids: Ids
    release: str

    def emit(self, uow: UnitOfWork, project_id: str, results: Iterable[CaseResult]) -> int:
        """Those of some results that are final and were not emitted before, in the outbox."""
        listed = list(results)
        if not listed:
            return 0
        used, at = self.key(uow), uow.now()
        events = [event for one in listed if (event := build_event(one, used)) is not None]
        taken = uow.events.take(events, project_id=project_id, client_id=None, received_at=at)
        # What is there under the same grain stays as it is: one row is one durable outcome.
        new = [event for event, found in zip(events, taken, strict=True) if found is True]
        uow.event_outbox.append(
            [event.event_id for event in new],
            new_id=self.ids.new,
            project_id=project_id,
            key_version=used.version,
            at=at,
        )
        return len(new)

    def review_ended(self, uow: UnitOfWork, job: AgentJob) -> int:
        """What the end of a review has made final."""
        if uow.reviewed_answers.find(job.id) is None:
            return 0
        project_id = job.submission.project_id
        uow.reviewed_answers.hold(project_id)
        return self._emit_judged(uow, project_id, uow.reviewed_answers.list_of_job(job.id))

    def run_published(self, uow: UnitOfWork, publication: Publication) -> int:
        """What the publication of a run has made final."""
        project_id = publication.project_id
        uow.reviewed_answers.hold(project_id)
        found = uow.reviewed_answers.list_of_run(project_id, publication.idempotency_key)
        return self._emit_run(uow, project_id, publication.evaluation_id, found)

    def answer_accepted(self, uow: UnitOfWork, acceptance: Acceptance) -> int:
        """What a person's word on an answer has made final; what is emitted stays as it is."""
        project_id = acceptance.project_id
        uow.reviewed_answers.hold(project_id)
        found = uow.reviewed_answers.list_of_answer(project_id, acceptance.answer_id)
        return self._emit_judged(
            uow, project_id, [one for one in found if one.place.awaits_acceptance]
        )

    def _emit_judged(self, uow: UnitOfWork, project_id: str, found: Iterable[JudgedAnswer]) -> int:
        by_run: dict[str, list[JudgedAnswer]] = {}
        for one in found:
            evaluation_id = _evaluation_id(uow, project_id, one.place)
            if evaluation_id is not None:
                by_run.setdefault(evaluation_id, []).append(one)
        return sum(
            self._emit_run(uow, project_id, evaluation_id, judged)
            for evaluation_id, judged in by_run.items()
        )

    def _emit_run(
        self, uow: UnitOfWork, project_id: str, evaluation_id: str, judged: Sequence[JudgedAnswer]
    ) -> int:
        run = uow.reviewed_answers.find_run(evaluation_id) if judged else None
        if run is None or run.project_id != project_id:
            return 0
        record = uow.evaluations.get(evaluation_id)
        outcomes = _outcomes(uow, evaluation_id, judged)
        bases: dict[Identities, GroundingBasis | None] = {}
        results = []
        for one in judged:
            if one.identities not in bases:
                bases[one.identities] = self.grounding(uow, one.identities)
            if (outcome := outcomes.get(one.place.position)) is None:
                continue
            basis = bases[one.identities]
            made = reviewed_result(
                one, run, record, outcome, grounding=basis, release=self.release
            )
            if made is not None:
                results.append(made)
        return self.emit(uow, project_id, results)


def _evaluation_id(uow: UnitOfWork, project_id: str, place: AnswerPlace) -> str | None:
    """The run that a reviewed answer belongs to; None while it is not published."""
    if place.publication_key is None:
        return place.evaluation_id
    found = uow.publications.find_by_key(project_id, place.publication_key)
    return None if found is None else found.evaluation_id


def _outcomes(
    uow: UnitOfWork, evaluation_id: str, judged: Sequence[JudgedAnswer]
) -> dict[int, Outcome]:
    """The outcomes of the cases, by position; none where the privacy level keeps none."""
    positions = {one.place.position for one in judged}
    if len(positions) == 1:
        (position,) = positions
        found = uow.evaluations.list_outcomes(evaluation_id, after=position - 1, limit=1)
    else:
        found = uow.evaluations.get_outcomes(evaluation_id)
    return {one.position: one for one in found or () if one.position in positions}

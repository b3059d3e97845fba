"""The store that `console` asks: large evaluations of one set, by two retrievers."""

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from evenhand.adapters.system import SystemClock, UuidV7Ids
from evenhand.core.identity.provenance import RetrievalProvenance, build_fingerprints
from evenhand.core.identity.stored import StoredIdentity
from evenhand.core.privacy import PrivacyLevel
from evenhand.core.retrieval.golden import Form, GoldenQuestion, GoldenSet
from evenhand.core.scoring.evaluation import Basis, Conditions, EvaluationRecord
from evenhand.core.scoring.outcome import JudgedHit, Outcome, OutcomeState
from evenhand.core.scoring.protocols import GRADER, SCORING_VERSION, count_hits
from evenhand.store.migrate import upgrade
from evenhand.store.uow import open_database
from evenhand.usecases.ports import UnitOfWork

EVALUATIONS, QUESTIONS = 20, 100_000
_RETRIEVERS = ("hybrid", "dense")
_START = datetime(2026, 9, 1, 8, tzinfo=UTC)
_CLASSES = ("normal", "near-duplicate", None)
#: Of so many questions one fails, and one has no answer.
_FAILING, _UNANSWERED = 500, 20


def build_store(path: Path, *, evaluations: int = EVALUATIONS, questions: int = QUESTIONS) -> None:
    """Make a database with so many evaluations, half of them of either retriever."""
    url = f"sqlite:///{path}"
    upgrade(url)
    database = open_database(url, clock=SystemClock(), ids=UuidV7Ids())
    golden_set = _golden_set(questions)
    draws = random.Random(7)  # noqa: S311 -- the same store in every run
    try:
        database.run(lambda uow: uow.golden_sets.save(golden_set, imported_at=_START))
        for number in range(evaluations):
            outcomes = _outcomes(golden_set, draws)
            record = _record(golden_set, outcomes, number)
            database.run(lambda uow, kept=(record, outcomes): _add(uow, *kept))  # type: ignore[misc]
    finally:
        database.close()


def _add(uow: UnitOfWork, record: EvaluationRecord, outcomes: tuple[Outcome, ...]) -> None:
    uow.evaluations.add(record, outcomes=outcomes, rankings=None, details=None)


def _golden_set(questions: int) -> GoldenSet:
    return GoldenSet(
        identifier="large",
        name="A large set",
        questions=tuple(
            GoldenQuestion(
                id=f"question-{number:06d}",
                question=f"Where does the manual speak of part {number}?",
                form=Form.MATCH if number % 2 else Form.GAP,
                expected_document_ids=() if number % _UNANSWERED == 0 else (f"doc-{number}",),
                hard_class=_CLASSES[number % 3],
            )
            for number in range(questions)
        ),
    )


def _outcomes(golden_set: GoldenSet, draws: random.Random) -> tuple[Outcome, ...]:
    return tuple(
        _outcome(position, len(question.expected_document_ids), draws)
        for position, question in enumerate(golden_set.by_position)
    )


def _outcome(position: int, targets: int, draws: random.Random) -> Outcome:
    made = Outcome(
        position=position,
        state=OutcomeState.SCORED,
        targets=targets,
        retrieved=12,
        window=12,
        latency_ms=int(draws.lognormvariate(3, 0.5)),
        judged_grades=(1,) * targets,
    )
    if position % _FAILING == 1:
        return replace(
            made,
            state=OutcomeState.FAILED,
            retrieved=None,
            window=None,
            latency_ms=None,
            error_class="TimeoutError",
        )
    rank = draws.choice((1, 1, 1, 2, 3, 5, 9, None)) if targets else None
    hits = () if rank is None else (JudgedHit(rank, 1),)
    return replace(made, judged_hits=hits)


def _record(golden_set: GoldenSet, outcomes: tuple[Outcome, ...], number: int) -> EvaluationRecord:
    name = _RETRIEVERS[number % len(_RETRIEVERS)]
    provenance = RetrievalProvenance("corpus-1", "model-1", "chunks-1", f"{name}-{number}", None)
    fingerprints = build_fingerprints(provenance, golden_set.labels_fingerprint, SCORING_VERSION)
    at = _START + timedelta(hours=number)
    return EvaluationRecord(
        id=UuidV7Ids().new(),
        created_at=at,
        set_identifier=golden_set.identifier,
        set_name=golden_set.name,
        retriever=name,
        grader=GRADER,
        protocol=SCORING_VERSION,
        basis=Basis.LOCAL,
        depth=12,
        conditions=Conditions(machine="bench"),
        counts=count_hits(outcomes),
        privacy=PrivacyLevel.METADATA,
        identity=StoredIdentity(provenance=provenance, fingerprints=fingerprints),
        started_at=at - timedelta(minutes=5),
        finished_at=at,
        release="bench",
        qrels_digest=golden_set.qrels_digest,
    )

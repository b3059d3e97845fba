"""An exported evaluation comes into another store, never with more than the level keeps."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from evenhand.core.errors import Invalid
from evenhand.core.errors.evaluation import EvaluationExists, EvaluationNotFound
from evenhand.core.privacy import LevelPolicy, PrivacyLevel, PrivacyPolicy
from evenhand.core.scoring.details import build_details, build_rankings
from evenhand.core.scoring.evaluation import Basis, Evaluation
from evenhand.store.migrate import check
from evenhand.usecases import evaluations
from evenhand.usecases.evaluations import Kept
from evenhand.usecases.ports import UnitOfWorkRunner
from tests.builders import (
    START,
    a_provenance,
    a_question,
    a_record,
    a_set,
    an_evaluation,
    row_id,
)

FULL = LevelPolicy(level=PrivacyLevel.FULL)
EVALUATION = an_evaluation(provenance=a_provenance())


def kept_at(level: PrivacyLevel, evaluation: Evaluation = EVALUATION) -> Kept:
    policy = LevelPolicy(level=level)
    return Kept(
        record=a_record(evaluation, privacy=level, created_at=START - timedelta(days=1)),
        outcomes=evaluation.outcomes if level.keeps_outcomes else None,
        rankings=build_rankings(evaluation, policy),
        details=build_details(evaluation, policy) if level is PrivacyLevel.FULL else None,
    )


def bring_in(database: UnitOfWorkRunner, kept: Kept, policy: PrivacyPolicy = FULL) -> Kept:
    database.run(lambda uow: evaluations.import_kept(uow, kept, policy=policy))
    return database.read(lambda uow: evaluations.find_everything(uow, kept.record.id))


@pytest.mark.parametrize("level", PrivacyLevel)
def test_it_keeps_everything_but_its_basis(
    database: UnitOfWorkRunner, database_url: str, level: PrivacyLevel
) -> None:
    kept = kept_at(level)
    found = bring_in(database, kept)
    assert kept.record.basis is Basis.LOCAL
    assert found == replace(kept, record=replace(kept.record, basis=Basis.IMPORTED))
    assert check(database_url) == []


@pytest.mark.parametrize("configured", PrivacyLevel)
@pytest.mark.parametrize("stated", PrivacyLevel)
def test_never_more_is_stored_than_the_stricter_level_keeps(
    database: UnitOfWorkRunner, stated: PrivacyLevel, configured: PrivacyLevel
) -> None:
    found = bring_in(database, kept_at(stated), LevelPolicy(level=configured))
    level = min(stated, configured, key=list(PrivacyLevel).index)
    assert found.record.privacy is level
    assert (found.outcomes is not None) is level.keeps_outcomes
    assert (found.rankings is not None) is level.keeps_run
    assert (found.details is not None) is (level is PrivacyLevel.FULL)


def test_a_policy_of_ones_own_sees_ids_and_details(database: UnitOfWorkRunner) -> None:
    class Masking:
        level = PrivacyLevel.FULL

        def filter_content(self, value: str | bytes | None) -> str | bytes | None:
            return None if value in ("d1", "q2") else "masked" if value == "d4" else value

    found = bring_in(database, kept_at(PrivacyLevel.FULL), Masking())
    assert found.rankings is not None
    documents = {one.query_id: one.documents for one in found.rankings}
    assert documents == {b"q1": (b"",), b"q3": (b"masked",), b"q4": ()}


def test_a_policy_may_drop_the_details(database: UnitOfWorkRunner) -> None:
    class Dropping:
        level = PrivacyLevel.FULL

        def filter_content(self, value: str | bytes | None) -> str | bytes | None:
            return None if isinstance(value, str) and value.startswith("[") else value

    assert bring_in(database, kept_at(PrivacyLevel.FULL), Dropping()).details == ""


def test_an_id_that_is_stored_is_refused_and_nothing_changes(
    database: UnitOfWorkRunner,
) -> None:
    before = bring_in(database, kept_at(PrivacyLevel.FULL))
    with pytest.raises(EvaluationExists):
        bring_in(database, kept_at(PrivacyLevel.METADATA))
    found = database.read(lambda uow: evaluations.find_everything(uow, row_id(1)))
    assert found == before


def test_one_from_the_future_is_refused(database: UnitOfWorkRunner) -> None:
    kept = kept_at(PrivacyLevel.METADATA)
    later = replace(kept, record=replace(kept.record, created_at=START + timedelta(days=99_999)))
    with pytest.raises(Invalid, match="future"):
        bring_in(database, later)
    with pytest.raises(EvaluationNotFound):
        database.read(lambda uow: evaluations.find_everything(uow, row_id(1)))


def test_an_old_row_comes_in_with_unknown_provenance(database: UnitOfWorkRunner) -> None:
    found = bring_in(database, kept_at(PrivacyLevel.METADATA, an_evaluation()))
    assert found.record.identity is None
    assert found.record.basis is Basis.IMPORTED


def test_it_takes_its_place_in_the_series_by_its_own_time(
    database: UnitOfWorkRunner, record: Callable[..., Any]
) -> None:
    fresh = record(EVALUATION, number=9)
    bring_in(database, kept_at(PrivacyLevel.METADATA))
    listed = database.read(
        lambda uow: uow.evaluations.list_latest(set_identifier=None, retriever=None, limit=9)
    )
    assert [one.id for one in listed] == [fresh.record.id, row_id(1)]


def test_of_a_part_that_is_held_out_it_keeps_no_ranking_and_gives_no_outcome(
    database: UnitOfWorkRunner,
) -> None:
    part = a_set(holdout=[a_question("h1", "d1")]).holdout_part
    kept = kept_at(PrivacyLevel.FULL, an_evaluation(part, provenance=a_provenance()))

    given = bring_in(database, kept)

    assert (given.outcomes, given.rankings, given.details) == (None, None, None)
    assert given.record.privacy is PrivacyLevel.NONE
    stored = database.read(lambda uow: uow.evaluations.get(kept.record.id))
    assert stored.privacy is PrivacyLevel.METADATA
    assert database.read(lambda uow: uow.evaluations.get_outcomes(stored.id)) == kept.outcomes

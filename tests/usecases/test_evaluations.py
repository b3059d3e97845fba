"""Recording, finding and letting go of evaluations, on both databases."""

from collections.abc import Callable
from datetime import timedelta
from fractions import Fraction
from functools import partial
from typing import Any

import pytest
from sqlalchemy.engine import Engine

from evenhand.core.comparison.previous import Tolerance
from evenhand.core.errors import InvalidSetting
from evenhand.core.errors.evaluation import EvaluationNotFound
from evenhand.core.privacy import LevelPolicy, PrivacyLevel
from evenhand.core.scoring.evaluation import Evaluation
from evenhand.core.verdict import Dimension, ReasonCode, VerdictState
from evenhand.store.uow import Database
from evenhand.usecases import evaluations
from evenhand.usecases.evaluations import Recorded
from tests.builders import (
    RELEASE,
    START,
    a_provenance,
    a_question,
    a_record,
    a_set,
    an_evaluation,
    row_id,
)
from tests.usecases.conftest import SettableClock

Record = Callable[..., Recorded]
DECLARED = a_provenance()
WRONG = {"q1": ["x"], "q2": ["x"], "q3": ["x"], "q4": ["x"]}
COMPARABLE, BASELINE, UNKNOWN, MISMATCH = (
    VerdictState.COMPARABLE,
    VerdictState.BASELINE,
    VerdictState.UNKNOWN,
    VerdictState.MISMATCH,
)


def declared(corpus: str | None, **more: Any) -> Evaluation:
    """An evaluation over a corpus of this name; None for a retriever without the capability."""
    return an_evaluation(
        provenance=None if corpus is None else a_provenance(corpus=corpus), **more
    )


# Read the previous one, store, compare -------------------------------------------------------


@pytest.mark.proves("BP-13", "BP-22")
def test_a_first_evaluation_is_stored_and_is_not_its_own_previous(
    record: Record, database: Database
) -> None:
    made = record(declared("corpus-1"))
    assert made.comparison.verdict.state is BASELINE
    assert made.comparison.previous is None
    assert database.read(lambda uow: uow.evaluations.get(row_id(1))) == made.record


@pytest.mark.proves("BP-13", "BP-22")
def test_the_next_evaluation_is_compared_with_the_one_that_was_stored_before_it(
    record: Record,
) -> None:
    first = record(declared("corpus-1"), 1)
    second = record(declared("corpus-1", given=WRONG), 2)
    assert second.comparison.verdict.state is COMPARABLE
    assert second.comparison.previous == first.record
    assert second.comparison.regression is not None
    assert second.comparison.regression.is_regression
    third = record(declared("corpus-1", given=WRONG), 3)
    assert third.comparison.previous == second.record
    assert third.comparison.regression is not None
    assert not third.comparison.regression.is_regression


@pytest.mark.proves("BP-23")
@pytest.mark.parametrize(
    ("before", "now", "state"),
    [(None, "a", UNKNOWN), ("a", None, UNKNOWN), (None, None, UNKNOWN), ("a", "b", MISMATCH)],
)
def test_what_cannot_be_compared_is_stored_all_the_same(
    record: Record, database: Database, before: str | None, now: str | None, state: VerdictState
) -> None:
    record(declared(before), 1)
    made = record(declared(now, given=WRONG), 2)
    assert made.comparison.verdict.state is state
    assert made.comparison.differences == ()
    assert database.read(lambda uow: uow.evaluations.get(row_id(2))).counts == made.record.counts


@pytest.mark.proves("G-11")
def test_alternating_between_two_corpora_says_mismatch_every_time(record: Record) -> None:
    states = [
        record(declared(f"corpus-{number % 2}"), number).comparison.verdict.state
        for number in range(1, 7)
    ]
    assert states == [BASELINE, *[MISMATCH] * 5]


@pytest.mark.proves("BP-25", "G-13")
def test_after_a_legacy_row_one_run_records_the_identity_and_the_next_is_strict(
    record: Record,
) -> None:
    verdicts = [
        record(declared(corpus), number).comparison.verdict
        for number, corpus in enumerate([None, "a", "a"], 1)
    ]
    assert [verdict.state for verdict in verdicts] == [UNKNOWN, UNKNOWN, COMPARABLE]
    assert [reason.code for reason in verdicts[1].reasons] == [ReasonCode.PREVIOUS_UNKNOWN]


@pytest.mark.proves("BP-12")
def test_another_set_or_retriever_is_another_series(record: Record) -> None:
    asked = a_set(a_question("q", "d"))
    record(an_evaluation(asked, provenance=DECLARED), 1)
    other_set = a_set(a_question("q", "d"), identifier="other")
    assert (
        record(an_evaluation(other_set, provenance=DECLARED), 2).comparison.verdict.state
        is BASELINE
    )
    other_retriever = an_evaluation(asked, provenance=DECLARED, identifier="other")
    assert record(other_retriever, 3).comparison.verdict.state is BASELINE


@pytest.mark.proves("P-34")
@pytest.mark.parametrize(
    ("changed", "dimension"),
    [
        (an_evaluation(provenance=a_provenance(corpus="corpus-2")), Dimension.CORPUS),
        (an_evaluation(a_set(a_question("q9", "d1")), provenance=DECLARED), Dimension.LABELS),
    ],
    ids=["corpus", "labels"],
)
def test_the_dimension_that_moved_is_named_from_what_was_stored(
    record: Record, changed: Evaluation, dimension: Dimension
) -> None:
    record(an_evaluation(provenance=DECLARED), 1)
    verdict = record(changed, 2).comparison.verdict
    assert [reason.dimension for reason in verdict.reasons] == [dimension]


@pytest.mark.proves("BP-24", "P-43")
def test_a_changed_treatment_is_said_and_compared(record: Record) -> None:
    record(an_evaluation(provenance=DECLARED), 1)
    made = record(an_evaluation(provenance=a_provenance(model="model-2")), 2)
    assert made.comparison.verdict.state is COMPARABLE
    assert made.comparison.treatment_changed


def test_the_tolerance_is_the_caller_s(record: Record, database: Database) -> None:
    record(declared("a"), 1)
    everything = Tolerance(max_top1_drop=Fraction(1), max_top3_drop=Fraction(1))
    made = database.run(
        lambda uow: evaluations.record(
            uow,
            declared("a", given=WRONG),
            id=row_id(2),
            policy=LevelPolicy(level=PrivacyLevel.METADATA),
            release=RELEASE,
            tolerance=everything,
        )
    )
    assert made.comparison.regression is not None
    assert not made.comparison.regression.is_regression


@pytest.mark.proves("BP-20", "BP-28")
@pytest.mark.parametrize("level", list(PrivacyLevel))
def test_aggregates_and_identity_are_kept_at_every_level(
    record: Record, database: Database, level: PrivacyLevel
) -> None:
    evaluation = an_evaluation(provenance=DECLARED)
    record(evaluation, 1, level)
    kept = database.read(lambda uow: uow.evaluations.get(row_id(1)))
    assert kept.counts == evaluation.counts
    assert kept.identity == evaluation.identity
    assert kept.privacy is level


@pytest.mark.proves("BP-19", "P-08")
def test_without_the_capability_nothing_of_an_identity_is_stored(
    record: Record, engine: Engine
) -> None:
    record(an_evaluation(), 1)
    with engine.connect() as connection:
        row = connection.exec_driver_sql(
            "SELECT provenance, benchmark_fingerprint, variant_fingerprint FROM evaluation"
        ).one()
    assert tuple(row) == (None, None, None)


@pytest.mark.parametrize("level", list(PrivacyLevel))
def test_flips_need_the_outcomes_of_the_previous_one(record: Record, level: PrivacyLevel) -> None:
    record(declared("a"), 1, level)
    made = record(declared("a", given=WRONG), 2, PrivacyLevel.NONE)
    if level is PrivacyLevel.NONE:
        assert made.comparison.flips is None
    else:
        assert made.comparison.flips is not None
        assert len(made.comparison.flips) == 4


@pytest.mark.proves("G-14")
def test_when_the_policy_raises_nothing_is_stored(record: Record, database: Database) -> None:
    class Refusing:
        level = PrivacyLevel.FULL

        def filter_content(self, value: str | bytes | None) -> str | bytes | None:
            raise LookupError

    with pytest.raises(LookupError):
        record(declared("a"), 1, Refusing())
    assert not database.read(
        lambda uow: uow.evaluations.list_latest(set_identifier=None, retriever=None, limit=9)
    )


@pytest.mark.proves("P-56")
def test_details_leave_the_store_only_with_everything_at_full(
    record: Record, database: Database
) -> None:
    for number, level in enumerate(PrivacyLevel, 1):
        record(declared("a"), number, level)
    kept = {
        level: database.read(partial(evaluations.find_everything, reference=row_id(number)))
        for number, level in enumerate(PrivacyLevel, 1)
    }
    assert {level for level, one in kept.items() if one.details is not None} == {PrivacyLevel.FULL}
    assert {level for level, one in kept.items() if one.rankings is not None} == {
        PrivacyLevel.FULL
    }
    assert {level for level, one in kept.items() if one.outcomes is None} == {PrivacyLevel.NONE}


def test_found_with_its_outcomes(record: Record, database: Database) -> None:
    evaluation = declared("a")
    made = record(evaluation, 1)
    found, outcomes = database.read(lambda uow: evaluations.find_with_outcomes(uow, "latest"))
    assert (found, outcomes) == (made.record, evaluation.outcomes)


# Finding -------------------------------------------------------------------------------------


def find(database: Database, reference: str) -> str:
    return database.read(lambda uow: evaluations.find(uow, reference)).id


def test_an_evaluation_is_found_by_id_prefix_or_as_the_latest(
    record: Record, database: Database
) -> None:
    record(declared("a"), 1)
    record(declared("a"), 20)
    assert find(database, row_id(1)) == row_id(1)
    assert find(database, row_id(20)[:-1]) == row_id(20)
    assert find(database, "latest") == row_id(20)


def test_the_previous_one_is_that_before_the_latest_in_its_series(
    record: Record, database: Database
) -> None:
    record(declared("a"), 1)
    with pytest.raises(EvaluationNotFound, match="no earlier result of the latest one's set"):
        find(database, "previous")
    record(declared("b"), 2)
    record(declared("a", identifier="other"), 3)
    record(declared("a"), 4)
    assert find(database, "latest") == row_id(4)
    assert find(database, "previous") == row_id(2)


@pytest.mark.parametrize(
    ("reference", "why"),
    [
        ("0199", "several ids start so"),
        ("019", "at least four characters"),
        ("", "at least four characters"),
        ("%%%%", "no stored evaluation matches"),
        ("____", "no stored evaluation matches"),
        ("0199\0", "no stored evaluation matches"),
        ("nonsense", "no stored evaluation matches"),
    ],
    ids=repr,
)
def test_a_reference_that_names_no_single_evaluation_is_refused(
    record: Record, database: Database, reference: str, why: str
) -> None:
    record(declared("a"), 1)
    record(declared("a"), 2)
    with pytest.raises(EvaluationNotFound, match=why):
        find(database, reference)


def test_there_is_no_latest_of_nothing(database: Database) -> None:
    with pytest.raises(EvaluationNotFound, match="nothing is stored yet"):
        find(database, "latest")


# Retention -----------------------------------------------------------------------------------


def add_old(database: Database, *ages: timedelta) -> None:
    """Evaluations number 1, 2, … that were stored so long before now."""

    def add(uow: Any) -> None:
        now = uow.now()
        for number, age in enumerate(ages, 1):
            made = a_record(number=number, created_at=now - age, privacy=PrivacyLevel.NONE)
            uow.evaluations.add(made, outcomes=None, rankings=None, details=None)

    database.run(add)


def left(database: Database) -> list[str]:
    listed = database.read(
        lambda uow: uow.evaluations.list_latest(set_identifier=None, retriever=None, limit=99)
    )
    return [one.id for one in listed]


def purge(database: Database, days: int) -> int:
    return database.run(lambda uow: evaluations.purge(uow, days=days, actor="test"))


@pytest.mark.proves("BP-30")
def test_a_purge_takes_what_is_older_than_its_days(database: Database) -> None:
    add_old(database, timedelta(days=30, minutes=1), timedelta(days=29), timedelta(days=400))
    assert purge(database, 30) == 2
    assert left(database) == [row_id(2)]
    assert purge(database, 30) == 0


# A server has a clock of its own, which cannot be held still.
@pytest.mark.proves("BP-30")
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_purge_takes_only_what_is_strictly_before(
    database: Database, clock: SettableClock
) -> None:
    tick = timedelta(microseconds=1)
    add_old(database, timedelta(days=2) + tick, timedelta(days=2), timedelta(days=2) - tick)
    assert purge(database, 2) == 1
    assert left(database) == [row_id(3), row_id(2)]
    clock.at = START + tick
    assert purge(database, 2) == 1
    assert left(database) == [row_id(3)]


@pytest.mark.proves("BP-30")
@pytest.mark.parametrize("days", [0, -1, -30])
def test_no_number_of_days_means_delete_now(database: Database, days: int) -> None:
    add_old(database, timedelta(days=4000))
    with pytest.raises(InvalidSetting, match="retention days: must be at least 1"):
        purge(database, days)
    assert left(database) == [row_id(1)]


@pytest.mark.parametrize("days", [800_000, 999_999_999])
def test_a_window_longer_than_the_calendar_holds_everything(database: Database, days: int) -> None:
    add_old(database, timedelta(days=4000))
    assert purge(database, days) == 0
    assert left(database) == [row_id(1)]


@pytest.mark.proves("BP-20", "BP-30")
def test_a_purge_takes_everything_that_hangs_on_an_evaluation(
    record: Record, database: Database, engine: Engine
) -> None:
    record(an_evaluation(provenance=DECLARED), 1, PrivacyLevel.FULL)

    def purge_all(uow: Any) -> int:
        taken: int = uow.evaluations.purge(
            before=uow.now() + timedelta(days=1),
            category=evaluations.RETENTION_CATEGORY,
            actor="test",
        )
        return taken

    assert database.run(purge_all) == 1
    with engine.connect() as connection:
        for table in ("", "_outcome", "_ranking", "_ranked_document"):
            query = f"SELECT count(*) FROM evaluation{table}"  # noqa: S608 -- names from above
            assert connection.exec_driver_sql(query).scalar_one() == 0


@pytest.mark.proves("BP-30")
def test_the_default_window_is_thirty_days() -> None:
    assert evaluations.DEFAULT_RETENTION_DAYS == 30
    assert evaluations.RETENTION_CATEGORY == "evaluation"

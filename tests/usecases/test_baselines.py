from collections.abc import Callable

import pytest

from evenhand.core.comparison.pinned import PinnedBaseline, content_of
from evenhand.core.errors.evaluation import BaselineNotFound, InvalidBaseline
from evenhand.core.privacy import LevelPolicy, PrivacyLevel
from evenhand.core.scoring.evaluation import Evaluation, EvaluationRecord
from evenhand.usecases import baselines, evaluations
from evenhand.usecases.baselines import Pinned
from evenhand.usecases.ports import UnitOfWorkRunner
from tests.builders import RELEASE, a_provenance, a_record, a_set, an_evaluation, row_id

METADATA = PrivacyLevel.METADATA
Store = Callable[..., EvaluationRecord]
Pin = Callable[..., Pinned]


@pytest.fixture
def store(database: UnitOfWorkRunner) -> Store:
    """Store an evaluation; gives its record."""

    def _store(
        evaluation: Evaluation, *, number: int = 1, level: PrivacyLevel = METADATA
    ) -> EvaluationRecord:
        recorded = database.run(
            lambda uow: evaluations.record(
                uow,
                evaluation,
                id=row_id(number),
                policy=LevelPolicy(level=level),
                release=RELEASE,
            )
        )
        return recorded.record

    return _store


@pytest.fixture
def pin(database: UnitOfWorkRunner) -> Pin:
    """Make an evaluation the baseline."""

    def _pin(
        record: EvaluationRecord,
        *,
        number: int = 1,
        level: PrivacyLevel = METADATA,
        note: str = "",
    ) -> Pinned:
        return database.run(
            lambda uow: baselines.set_from_evaluation(
                uow, record, id=row_id(100 + number), level=level, actor="tester", note=note
            )
        )

    return _pin


def a_known(corpus: str = "corpus-1", *, set_identifier: str = "tiny") -> Evaluation:
    return an_evaluation(a_set(identifier=set_identifier), provenance=a_provenance(corpus=corpus))


def active(database: UnitOfWorkRunner, *series: str) -> PinnedBaseline | None:
    set_identifier, retriever = series or ("tiny", "fake")
    return database.read(lambda uow: baselines.find_active(uow, set_identifier, retriever))


def test_the_evaluation_that_was_chosen_is_the_baseline(
    database: UnitOfWorkRunner, store: Store, pin: Pin
) -> None:
    evaluation = a_known()
    record = store(evaluation)
    done = pin(record, note="why")
    assert done.replaced is None
    assert not done.benchmark_changed
    assert active(database) == done.baseline
    assert done.baseline.evaluation_id == record.id
    assert (done.baseline.actor, done.baseline.note) == ("tester", "why")
    assert done.baseline.outcomes == evaluation.outcomes


def test_a_run_alone_sets_no_baseline(database: UnitOfWorkRunner, store: Store) -> None:
    store(a_known())
    assert active(database) is None


def test_another_one_takes_its_place_and_the_former_stays_in_history(
    database: UnitOfWorkRunner, store: Store, pin: Pin
) -> None:
    first = pin(store(a_known(), number=1), number=1)
    second = pin(store(a_known(), number=2), number=2)
    assert second.replaced == first.baseline
    assert not second.benchmark_changed
    assert active(database) == second.baseline
    found = database.read(lambda uow: baselines.history(uow, None, None, limit=9))
    assert found == (second.baseline, first.baseline)


def test_a_former_one_can_be_set_again(database: UnitOfWorkRunner, store: Store, pin: Pin) -> None:
    record = store(a_known(), number=1)
    pin(record, number=1)
    pin(store(a_known("corpus-2"), number=2), number=2)
    again = pin(record, number=3)
    assert active(database) == again.baseline
    assert again.baseline.evaluation_id == record.id


def test_another_benchmark_is_said(store: Store, pin: Pin) -> None:
    pin(store(a_known("corpus-1"), number=1), number=1)
    assert pin(store(a_known("corpus-2"), number=2), number=2).benchmark_changed


def test_an_unknown_identity_is_refused_and_nothing_is_pinned(
    database: UnitOfWorkRunner, store: Store, pin: Pin
) -> None:
    record = store(an_evaluation())
    with pytest.raises(InvalidBaseline, match="does not say what was run"):
        pin(record)
    assert active(database) is None


@pytest.mark.parametrize(
    ("stored_at", "kept_now"),
    [(PrivacyLevel.NONE, PrivacyLevel.FULL), (PrivacyLevel.FULL, PrivacyLevel.NONE)],
)
def test_without_outcomes_there_is_no_baseline(
    database: UnitOfWorkRunner,
    store: Store,
    pin: Pin,
    stored_at: PrivacyLevel,
    kept_now: PrivacyLevel,
) -> None:
    record = store(a_known(), level=stored_at)
    with pytest.raises(InvalidBaseline):
        pin(record, level=kept_now)
    assert active(database) is None


def test_a_file_becomes_a_baseline_without_an_evaluation(database: UnitOfWorkRunner) -> None:
    evaluation = a_known()
    content = content_of(a_record(evaluation), evaluation.outcomes, level=METADATA)
    done = database.run(
        lambda uow: baselines.set_from_file(
            uow, content, id=row_id(1), level=METADATA, actor="tester"
        )
    )
    assert done.baseline.evaluation_id is None
    assert active(database) == done.baseline


def test_a_file_is_refused_at_a_level_that_keeps_no_outcomes(
    database: UnitOfWorkRunner,
) -> None:
    evaluation = a_known()
    content = content_of(a_record(evaluation), evaluation.outcomes, level=METADATA)
    with pytest.raises(InvalidBaseline):
        database.run(
            lambda uow: baselines.set_from_file(
                uow, content, id=row_id(1), level=PrivacyLevel.NONE, actor="tester"
            )
        )


def test_the_only_baseline_needs_no_name(
    database: UnitOfWorkRunner, store: Store, pin: Pin
) -> None:
    done = pin(store(a_known()))
    assert database.read(lambda uow: baselines.get_active(uow, None, None)) == done.baseline
    named = database.read(lambda uow: baselines.get_active(uow, "tiny", "fake"))
    assert named == done.baseline


@pytest.mark.parametrize("pinned", [0, 2])
def test_without_a_name_none_and_several_are_refused(
    database: UnitOfWorkRunner, store: Store, pin: Pin, pinned: int
) -> None:
    for number in range(pinned):
        pin(store(a_known(set_identifier=f"s{number}"), number=number), number=number)
    with pytest.raises(BaselineNotFound, match="no baseline is set" if not pinned else "several"):
        database.read(lambda uow: baselines.get_active(uow, None, None))


def test_a_name_without_a_baseline_is_refused(
    database: UnitOfWorkRunner, store: Store, pin: Pin
) -> None:
    pin(store(a_known()))
    with pytest.raises(BaselineNotFound, match="for this golden set and retriever"):
        database.read(lambda uow: baselines.get_active(uow, "tiny", "other"))

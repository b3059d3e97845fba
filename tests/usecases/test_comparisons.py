"""Which stored results operands name, and what is noted of a decision."""

from collections.abc import Callable

import pytest

from evenhand.core.comparison.comparison import Comparison, compare_sides
from evenhand.core.comparison.set_use import SetUseKind
from evenhand.core.comparison.side import Side
from evenhand.core.errors import Invalid
from evenhand.core.errors.evaluation import BaselineNotFound, EvaluationNotFound
from evenhand.core.privacy import PrivacyLevel
from evenhand.core.scoring.evaluation import Evaluation
from evenhand.store.uow import Database
from evenhand.usecases import baselines
from evenhand.usecases.comparisons import find_sides, note_uses
from evenhand.usecases.evaluations import Recorded
from tests.builders import a_set, row_id
from tests.core.comparison.pairs import FORTY, a_result, a_side, answers, compared

Record = Callable[..., Recorded]


def named(
    database: Database, current: str | Side, candidate: str | Side, set_id: str | None = None
) -> list[str | None]:
    """Ids of the evaluations that two operands name."""
    sides = database.read(lambda uow: find_sides(uow, current, candidate, set_identifier=set_id))
    return [side.evaluation_id for side in sides]


@pytest.fixture
def stored(record: Record) -> Record:
    """Rows 1 to 4: one, one again, two, two on another set."""
    record(a_result(identifier="one"), 1)
    record(a_result(answers([3]), identifier="one"), 2)
    record(a_result(identifier="two"), 3)
    other = a_set(*FORTY.questions, identifier="other")
    record(a_result(golden_set=other, identifier="two"), 4)
    return record


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(
    ("operands", "rows"),
    [
        (("one", row_id(3)), (2, 3)),
        (("previous", "one"), (1, 2)),
        (("one", "previous"), (2, 1)),
        ((row_id(1), "latest"), (1, 4)),
        ((row_id(2), row_id(1)), (2, 1)),
    ],
)
def test_operands_name_stored_results(
    database: Database, operands: tuple[str, str], rows: tuple[int, int]
) -> None:
    assert named(database, *operands) == [row_id(number) for number in rows]


@pytest.mark.usefixtures("stored")
def test_a_set_says_which_where_a_retriever_has_results_on_several(database: Database) -> None:
    with pytest.raises(EvaluationNotFound, match="forty, other; --set says which"):
        named(database, "one", "two")
    assert named(database, "one", "two", "forty") == [row_id(2), row_id(3)]
    assert named(database, "one", "latest", "forty") == [row_id(2), row_id(3)]


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(
    ("operands", "error"),
    [
        (("previous", "baseline"), Invalid),
        (("one", "one"), Invalid),
        (("latest", row_id(4)), Invalid),
        (("one", "nothing-of-this-name"), EvaluationNotFound),
        (("one", "0199"), EvaluationNotFound),
        (("one", "abc"), EvaluationNotFound),
        (("previous", row_id(1)), EvaluationNotFound),
        (("baseline", "one"), BaselineNotFound),
    ],
)
def test_operands_that_name_nothing_or_too_much_are_refused(
    database: Database, operands: tuple[str, str], error: type[Exception]
) -> None:
    with pytest.raises(error):
        named(database, *operands)


def test_nothing_stored_has_no_latest(database: Database) -> None:
    with pytest.raises(EvaluationNotFound):
        named(database, "latest", a_side(a_result()))


def test_the_baseline_is_the_one_of_the_other_operand_or_the_only_one_of_its_set(
    database: Database, stored: Record
) -> None:
    pinned = stored(a_result(identifier="one"), 5).record
    database.run(
        lambda uow: baselines.set_from_evaluation(
            uow, pinned, id=row_id(90), level=PrivacyLevel.METADATA, actor="me"
        )
    )
    for candidate in (row_id(2), row_id(3)):
        sides = database.read(
            lambda uow, one=candidate: find_sides(uow, "baseline", one)  # type: ignore[misc]
        )
        assert sides[0].is_baseline
        assert sides[0].evaluation_id == row_id(5)
    with pytest.raises(BaselineNotFound):
        named(database, "baseline", row_id(4))


def test_rankings_come_along_only_where_they_should_be_equal(
    database: Database, record: Record
) -> None:
    for number, result in enumerate((a_result(), a_result(), a_result(model="other")), 1):
        record(result, number, PrivacyLevel.FULL)
    for candidate, loaded in ((row_id(2), True), (row_id(3), False)):
        sides = database.read(
            lambda uow, one=candidate: find_sides(uow, row_id(1), one)  # type: ignore[misc]
        )
        assert [side.rankings is not None for side in sides] == [loaded, loaded]


def test_a_decision_is_noted_once_for_the_same_two_results(database: Database) -> None:
    comparison = compared(a_result(answers([1])), a_result())
    for number in (1, 2):
        uses = noted(database, comparison, number)
        assert uses == 1


def test_what_decides_nothing_is_not_noted(database: Database) -> None:
    refused = compared(a_result(corpus="a"), a_result(corpus="b"))
    assert noted(database, refused, 1) == 0


def test_results_without_ids_are_a_decision_each_time(database: Database) -> None:
    comparison = compare_unstored(a_result(answers([1])), a_result())
    assert [noted(database, comparison, number) for number in (1, 2)] == [1, 2]


def compare_unstored(current: Evaluation, candidate: Evaluation) -> Comparison:
    return compare_sides(a_side(current), a_side(candidate))


def noted(database: Database, comparison: Comparison, number: int) -> int:
    uses = database.run(
        lambda uow: note_uses(
            uow, [comparison], kind=SetUseKind.COMPARE, ids=[row_id(100 + number)]
        )
    )
    assert uses is not None
    return uses.total

import pytest

from evenhand.cli.exits import Exit, exit_code_of
from evenhand.core.errors import EvenhandError, Invalid, NotFound, UnwritableFile
from evenhand.core.errors.retrieval import InvalidRanking
from tests.error_classes import error_classes

CLASSES = error_classes()


@pytest.mark.proves("G-12")
@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_what_a_user_named_or_wrote_wrongly_is_usage_and_all_else_went_wrong(
    kind: type[EvenhandError],
) -> None:
    went_wrong = InvalidRanking | UnwritableFile
    is_usage = issubclass(kind, Invalid | NotFound) and not issubclass(kind, went_wrong)

    error = kind.__new__(kind)

    assert exit_code_of(error) is (Exit.USAGE if is_usage else Exit.WENT_WRONG)


def test_no_error_is_a_pass_a_finding_or_a_verdict() -> None:
    for kind in CLASSES:
        assert exit_code_of(kind.__new__(kind)) in (Exit.USAGE, Exit.WENT_WRONG)


def test_the_codes_are_those_of_the_design() -> None:
    assert {one.name: int(one) for one in Exit} == {
        "PASS": 0,
        "FINDING": 1,
        "USAGE": 2,
        "NOT_COMPARABLE": 3,
        "INCONCLUSIVE": 4,
        "WENT_WRONG": 5,
        "INTERRUPTED": 130,
    }

import pytest

from evenhand.core.retrieval.golden import GoldenSet
from evenhand.core.scoring.outcome import Outcome
from evenhand.reports.subject import stored_subject
from tests.builders import a_provenance, a_question, a_record, a_set, an_evaluation
from tests.reports.rendering import SURFACES

ASKED = a_set(a_question("q1", "d1"), a_question("q3"), a_question("q5", "d2", unjudged=False))
RELABELLED = a_set(a_question("q1", "d9"), a_question("q3"), a_question("q5", "d2"))
ONE_MORE_UNJUDGED = a_set(*ASKED.questions, a_question("q0", unjudged=True))


def outcomes_of(golden_set: GoldenSet) -> tuple[Outcome, ...]:
    return an_evaluation(golden_set).outcomes


def test_the_set_that_was_asked_is_joined() -> None:
    record = a_record(an_evaluation(ASKED, provenance=a_provenance()))

    subject = stored_subject(record, outcomes_of(ASKED), ASKED)

    assert subject.not_joined == ""
    assert subject.questions == ASKED.by_position


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize(
    ("at_hand", "why"),
    [
        (RELABELLED, "its questions or labels are not those of this result"),
        # The fingerprint of the labels is equal, yet every position has moved.
        (ONE_MORE_UNJUDGED, "its questions or labels are not those of this result"),
    ],
)
def test_another_set_is_not_joined_and_the_report_says_so(
    at_hand: GoldenSet, why: str, surface: str
) -> None:
    missing_everything = an_evaluation(ASKED, {"q3": ["d7"]}, provenance=a_provenance())
    subject = stored_subject(a_record(missing_everything), missing_everything.outcomes, at_hand)

    text = SURFACES[surface](subject)

    assert subject.questions is None
    assert why in text
    assert "q1" not in text


def test_a_result_that_does_not_say_its_labels_is_joined_with_nothing() -> None:
    record = a_record(an_evaluation(ASKED))

    subject = stored_subject(record, outcomes_of(ASKED), ASKED)

    assert subject.questions is None
    assert "does not say which labels" in subject.not_joined


@pytest.mark.parametrize("surface", SURFACES)
def test_without_outcomes_the_report_keeps_the_aggregates_and_says_what_is_missing(
    surface: str,
) -> None:
    record = a_record(an_evaluation(ASKED, provenance=a_provenance()))

    text = SURFACES[surface](stored_subject(record, None, ASKED))

    assert "2 of 2" in text
    assert "No outcomes are stored at this privacy level" in text

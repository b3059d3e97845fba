"""A comparison's end emits what became ineligible, in the same commit, once, under pseudonyms."""

import pytest

from evenhand.contracts.events import Event, EventOutcome
from evenhand.core.scoring.protocols import SCORING_VERSION
from tests.comparison_builders import case_results
from tests.hub.comparing import Comparing, comparing
from tests.hub.conftest import only_sqlite

__all__ = ["comparing"]


def emitted(comparing: Comparing) -> list[Event]:
    return comparing.hub.parts.database.read(
        lambda uow: list(uow.events.walk(None, project_id=None))
    )


@pytest.mark.proves("E-06", "G-65", "E-07")
def test_each_case_of_an_ineligible_candidate_is_emitted_with_its_conclusion(
    comparing: Comparing,
) -> None:
    claimed = comparing.claimed()
    comparing.at(5)
    body = comparing.result(claimed)
    body["candidate"]["results"] = case_results(comparing.world, {"q1": ["x", "d1"]})

    told = comparing.publish(claimed, body).json()
    events = emitted(comparing)

    assert told["evaluation_summary"]["eligible"] is False
    assert len(events) == told["case_count"] == comparing.count("event_outbox") == 3
    assert {one.outcome for one in events} == {EventOutcome.INELIGIBLE}
    assert {(one.grounded, one.accepted) for one in events} == {(False, None)}
    assert sorted(one.retrieval_score for one in events) == [0.5, 1.0, 1.0]
    assert {one.evaluator_version for one in events} == {SCORING_VERSION}
    assert len({one.evaluation_id for one in events}) == 3
    assert len({(one.account_id, one.benchmark, one.retrieval_version) for one in events}) == 1
    said = repr(events)
    assert not any(case.case_id in said for case in comparing.world.suite.cases)


@only_sqlite
@pytest.mark.proves("E-12", "E-38", "E-43")
def test_the_same_result_again_emits_nothing_more_and_a_claim_alone_nothing(
    comparing: Comparing,
) -> None:
    claimed = comparing.claimed()
    assert emitted(comparing) == []
    body = comparing.result(claimed)
    body["candidate"]["results"] = case_results(comparing.world, {"q1": ["x", "d1"]})
    comparing.publish(claimed, body)
    before = emitted(comparing)

    assert comparing.publish(claimed, body).status_code == 200
    assert emitted(comparing) == before


@only_sqlite
@pytest.mark.proves("E-05", "G-67")
def test_an_eligible_candidate_of_which_no_answer_was_evaluated_emits_nothing(
    comparing: Comparing,
) -> None:
    claimed = comparing.claimed()
    told = comparing.publish(claimed, comparing.result(claimed)).json()
    assert told["evaluation_summary"]["eligible"] is True
    assert emitted(comparing) == []
    assert comparing.count("event_outbox") == 0

"""Of results of reviewed answers, every engine gives one answer to every reviewed question."""

from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from evenhand.adapters.formats.event_parquet import write_events
from evenhand.adapters.queries.memory import over_events
from evenhand.adapters.queries.parquet import over_parquet
from evenhand.contracts.lint import differences
from evenhand.contracts.trusted import (
    TrustedAnswer,
    Window,
    ask,
    load_question,
    question_names,
)
from evenhand.core.review.grounds import GroundingBasis
from evenhand.usecases.events import answer
from tests.conftest import require_or_skip
from tests.event_builders import an_event
from tests.review_builders import a_candidate, an_answer
from tests.usecases.test_results import GOOD, Pipeline, pipeline

__all__ = ["pipeline"]

ALL_TIME = Window(start=datetime(2000, 1, 1, tzinfo=UTC), end=datetime(2100, 1, 1, tzinfo=UTC))
EMPTY = Window(start=ALL_TIME.start, end=ALL_TIME.start)


def rows(found: TrustedAnswer) -> list[Mapping[str, Any]]:
    return [{**one.of, **one.measures, **one.rates} for one in found.groups]


def fill(pipeline: Pipeline) -> None:
    """Results of two runs under two prompts, one ineligible, and some of which little is known."""
    pipeline.accept(True, "answer-1")
    pipeline.accept(False, "answer-2")
    for key, prompt in (("K1", "p7"), ("K2", None)):
        for number, candidates in enumerate((GOOD, [a_candidate()], GOOD)):
            place = an_answer(publication_key=key, position=number, prompt_version=prompt)
            # Of the third answer nobody said anything.
            pipeline.judge(candidates, answer_of=place, artifact_id=f"answer-{number + 1}")
    pipeline.publish()
    pipeline.publish(basis=GroundingBasis.WAIVED, key="K2")
    known = [
        an_event(1, outcome="ineligible", grounded=False, retrieval_score=0.0),
        an_event(2, retrieval_score=1 / 3, duration_ms=0.1),
        an_event(3, benchmark="v1:" + "a7" * 32, accepted=False),
    ]
    pipeline.run(
        lambda uow: uow.events.take(
            known, project_id=pipeline.project_id, client_id=None, received_at=uow.now()
        )
    )


@pytest.mark.proves("E-14", "E-37", "G-65", "G-70")
def test_every_engine_gives_one_answer(pipeline: Pipeline, tmp_path: Path) -> None:
    require_or_skip(find_spec("duckdb") and find_spec("pyarrow"), "the extra analytics")
    fill(pipeline)
    events = pipeline.events()
    assert len(events) == 9
    path = tmp_path / "events.parquet"
    with path.open("wb") as stream:
        write_events(stream, events)

    for name in question_names():
        for window in (ALL_TIME, EMPTY):
            stored = rows(pipeline.database.read(lambda uow: answer(uow, name, window)))  # noqa: B023
            with over_parquet(path) as columns:
                for execute in (columns, over_events(events)):
                    found = rows(ask(load_question(name), window, execute))
                    assert differences(stored, found) == [], (name, window)
            assert (stored == []) is (window is EMPTY)


@pytest.mark.proves("E-14", "G-66")
def test_the_answer_tells_versions_apart_and_a_waiver_from_an_agreement(
    pipeline: Pipeline,
) -> None:
    fill(pipeline)
    found = pipeline.database.read(lambda uow: answer(uow, "relevant_grounded_accepted", ALL_TIME))
    of_runs = [one for one in found.groups if one.of["review_stratum"] is not None]
    told = {
        (one.of["prompt_version"], str(one.of["evaluator_version"])[-7:] == "+waived"): (
            one.measures["evaluated"],
            one.rates["grounded_rate"],
            one.rates["accepted_rate"],
            one.measures["acceptance_unknown"],
        )
        for one in of_runs
    }
    assert told == {("p7", False): (3, 2 / 3, 0.5, 1), (None, True): (3, 2 / 3, 0.5, 1)}

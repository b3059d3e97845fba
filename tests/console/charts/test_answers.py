"""Answers by version: beside each other inside one benchmark and stratum only."""

import pytest

from evenhand.console.charts.answers import answer_parts, drawn_series
from evenhand.contracts.trusted import Group, TrustedAnswer, Window, load_question
from tests.builders import START

QUESTION = load_question("relevant_grounded_accepted")
B1, B2, S1 = "v1:" + "1" * 64, "v1:" + "2" * 64, "a" * 64


def a_group(
    version: str, *, benchmark: str | None = B1, stratum: str | None = S1, grounded: int = 1
) -> Group:
    measures: dict[str, float | None] = {
        "events": 4,
        "ineligible": 0,
        "evaluated": 4,
        "mean_retrieval_score": 0.5,
        "grounded": grounded,
        "accepted": 0,
        "acceptance_known": 0,
        "acceptance_unknown": 4,
    }
    return Group(
        of={
            "benchmark": benchmark,
            "review_stratum": stratum,
            "retrieval_version": version,
            "evaluator_version": "e1",
            "prompt_version": None,
        },
        measures=measures,
        rates={"grounded_rate": grounded / 4, "accepted_rate": None},
    )


def an_answer(*groups: Group) -> TrustedAnswer:
    return TrustedAnswer(
        question=QUESTION, window=Window(start=START, end=START), groups=tuple(groups)
    )


def test_versions_stand_beside_each_other_inside_one_benchmark_and_stratum() -> None:
    parts = answer_parts(
        an_answer(
            a_group("v1", grounded=2), a_group("v2", grounded=4), a_group("v1", benchmark=B2)
        )
    )
    assert [[one.of["retrieval_version"] for one in part.groups] for part in parts] == [
        ["v1", "v2"],
        ["v1"],
    ]
    assert parts[0].bars["grounded_rate"] == ("50.0%", "100.0%")


@pytest.mark.parametrize(("benchmark", "stratum"), [(None, S1), (B1, None), (None, None)])
def test_where_one_is_unknown_nothing_is_drawn(benchmark: str | None, stratum: str | None) -> None:
    [part] = answer_parts(an_answer(a_group("v1", benchmark=benchmark, stratum=stratum)))
    assert not part.is_known
    assert part.bars == {}


def test_what_is_unknown_has_no_bar() -> None:
    [part] = answer_parts(an_answer(a_group("v1")))
    assert part.bars["accepted_rate"] == ("",)


def test_shares_and_numbers_have_bars_and_counts_have_none() -> None:
    assert drawn_series(an_answer()) == (
        "grounded_rate",
        "accepted_rate",
        "mean_retrieval_score",
    )

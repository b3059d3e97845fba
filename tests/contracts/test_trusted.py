"""Only a reviewed text is asked, over a half-open window, and groups are never added up."""

import shutil
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from evenhand.adapters.queries.memory import over_events
from evenhand.contracts.contract import FOLDER
from evenhand.contracts.decoding import decode_event
from evenhand.contracts.lint import case_paths, case_window, load_case
from evenhand.contracts.trusted import (
    Window,
    answer_document,
    ask,
    load_question,
    question_names,
)
from evenhand.core.errors import InvalidFile, InvalidValue
from evenhand.core.errors.event import QuestionNotFound, UntrustedQuery

MAIN = "relevant_grounded_accepted"
DAY = Window(start=datetime(2026, 7, 29, tzinfo=UTC), end=datetime(2026, 7, 30, tzinfo=UTC))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FOLDER, tmp_path / "v1"))


@pytest.mark.proves("E-03", "E-14")
def test_the_question_of_the_source_has_a_reviewed_query() -> None:
    question = load_question(MAIN)
    assert question.stated.asks == (
        "Which retrieval and prompt versions give relevant context and grounded,"
        " acceptable answers?"
    )
    assert question.stated.reviewed_by
    assert question_names() == ("duration", MAIN)


@pytest.mark.proves("E-03")
def test_an_edited_text_is_not_asked(folder: Path) -> None:
    with (folder / "questions" / MAIN / "query.sql").open("a") as text:
        text.write("-- a harmless remark\n")
    with pytest.raises(UntrustedQuery) as caught:
        load_question(MAIN, folder)
    assert caught.value.code == "query_edited"


@pytest.mark.proves("E-03")
def test_a_text_that_nobody_reviewed_is_not_asked(folder: Path) -> None:
    file = folder / "questions" / MAIN / "question.toml"
    file.write_text(file.read_text().replace("Evenhand maintainers", " "))
    with pytest.raises(UntrustedQuery) as caught:
        load_question(MAIN, folder)
    assert caught.value.code == "query_unreviewed"


@pytest.mark.parametrize("name", ["", "none", "../questions/duration", "duration/"])
def test_a_question_is_one_of_the_contract(name: str) -> None:
    with pytest.raises(QuestionNotFound) as caught:
        load_question(name)
    assert caught.value.known == question_names()


def test_a_question_without_its_text_or_with_another_shape_is_refused(folder: Path) -> None:
    place = folder / "questions" / MAIN
    (place / "query.sql").unlink()
    with pytest.raises(InvalidFile, match=r"query\.sql"):
        load_question(MAIN, folder)
    (place / "question.toml").write_text("asks = 1\n")
    with pytest.raises(InvalidFile, match=r"question\.toml"):
        load_question(MAIN, folder)


@pytest.mark.proves("G-70")
def test_groups_come_first_by_benchmark_and_stratum_and_there_is_no_total() -> None:
    question = load_question(MAIN)
    assert question.stated.groups[:2] == ("benchmark", "review_stratum")
    case = load_case(case_paths(FOLDER, MAIN)[1])
    events = [decode_event(one) for one in case.events]
    answer = ask(question, case_window(case), over_events(events))
    document = answer_document(answer)
    assert len(document["groups"]) == len({tuple(one.of.values()) for one in answer.groups}) == 5
    assert {
        "question",
        "asks",
        "sql_sha256",
        "window_start",
        "window_end",
        "groups",
        "series",
    } == (set(document))


@pytest.mark.proves("G-65", "G-66", "G-70")
def test_an_ineligible_row_is_counted_apart_and_enters_no_rate() -> None:
    case = load_case(FOLDER / "questions" / MAIN / "cases" / "known.json")
    events = [decode_event(one) for one in case.events]
    first, *_, unknown = ask(load_question(MAIN), DAY, over_events(events)).groups
    assert first.measures["ineligible"] == 1
    assert first.rates == {"grounded_rate": 2 / 3, "accepted_rate": 0.5}
    assert unknown.of["benchmark"] is None
    assert unknown.of["prompt_version"] is None


def test_a_rate_over_nothing_is_unknown_and_a_chart_has_one_point_a_group() -> None:
    case = load_case(FOLDER / "questions" / MAIN / "cases" / "only_ineligible.json")
    events = [decode_event(one) for one in case.events]
    document = answer_document(ask(load_question(MAIN), DAY, over_events(events)))
    (group,) = document["groups"]
    assert (
        group["grounded_rate"] is group["accepted_rate"] is group["mean_retrieval_score"] is None
    )
    series = {one["name"]: one for one in document["series"]}
    assert series["grounded_rate"]["unit"] == "share"
    assert series["ineligible"]["points"] == [{"group": group["group"], "value": 1}]


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (datetime(2026, 7, 29), datetime(2026, 7, 30)),  # noqa: DTZ001 -- the point of it
        (DAY.start, DAY.start - timedelta(microseconds=1)),
        (datetime(2026, 7, 29, tzinfo=timezone(timedelta(hours=1))), DAY.end),
    ],
)
def test_a_window_is_in_utc_and_ends_behind_its_start(start: datetime, end: datetime) -> None:
    with pytest.raises(InvalidValue):
        Window(start=start, end=end)

"""A drawing of an answer says the numbers of the answer, block by block."""

import re

import pytest

from evenhand.adapters.queries.memory import over_events
from evenhand.contracts.contract import FOLDER
from evenhand.contracts.decoding import decode_event
from evenhand.contracts.lint import case_window, load_case
from evenhand.contracts.trusted import TrustedAnswer, ask, load_question
from evenhand.reports.event_chart import build_answer_view
from evenhand.reports.events import UNKNOWN, answer_lines
from evenhand.reports.html import render_answer_html

MAIN = "relevant_grounded_accepted"


def an_answer(case: str = "known", question: str = MAIN) -> TrustedAnswer:
    found = load_case(FOLDER / "questions" / question / "cases" / f"{case}.json")
    events = [decode_event(one) for one in found.events]
    return ask(load_question(question), case_window(found), over_events(events))


@pytest.mark.proves("E-14", "G-70")
def test_the_chart_says_the_numbers_of_terminal_and_answer() -> None:
    answer = an_answer()
    view = build_answer_view(answer)
    bars = [
        (series.name, bar.text, bar.share)
        for block in view.blocks
        for series in block.series
        for bar in series.bars
    ]
    said = {name for name, *_ in bars}
    assert said == {"grounded_rate", "accepted_rate", "mean_retrieval_score"}
    rates = [one.rates["grounded_rate"] for one in answer.groups]
    assert [share for name, _, share in bars if name == "grounded_rate"] == rates
    page = render_answer_html(view)
    for line in answer_lines(answer)[2:]:
        for text in re.findall(r"  ([a-z_]+)  (\S+)$", line):
            assert text[1] in page
    assert page.count("<svg") == len(bars)


@pytest.mark.proves("G-70")
def test_groups_of_another_benchmark_or_stratum_stand_in_a_block_of_their_own() -> None:
    answer = an_answer()
    view = build_answer_view(answer)
    identities = [
        (one.of["benchmark"] or UNKNOWN, one.of["review_stratum"] or UNKNOWN)
        for one in answer.groups
    ]
    assert [tuple(value for _, value in block.of) for block in view.blocks] == list(
        dict.fromkeys(identities)
    )
    assert sum(len(block.rows) for block in view.blocks) == len(answer.groups)


@pytest.mark.proves("G-65")
def test_what_is_unknown_is_an_empty_bar_and_no_zero() -> None:
    (block,) = build_answer_view(an_answer("only_ineligible")).blocks
    assert {bar.share for series in block.series for bar in series.bars} == {None}
    assert {series.full for series in block.series} == {""}
    page = render_answer_html(build_answer_view(an_answer("only_ineligible")))
    assert 'class="nothing"' in page
    assert 'class="fill"' not in page


def test_an_empty_window_is_said_in_words() -> None:
    view = build_answer_view(an_answer("empty_window"))
    assert view.blocks == ()
    assert "No event is in the window." in render_answer_html(view)


def test_a_number_without_a_range_is_drawn_up_to_the_largest_of_its_block() -> None:
    answer = an_answer(question="duration")
    for block in build_answer_view(answer).blocks:
        for series in block.series:
            shares = [bar.share for bar in series.bars if bar.share is not None]
            assert max(shares) == 1.0
            assert series.full in {bar.text for bar in series.bars}

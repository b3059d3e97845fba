import io
import re
from dataclasses import replace

import pytest

from evenhand.core.verdict import VerdictState
from evenhand.reports.charts import Scale, difference_scale, percent
from evenhand.reports.collection import (
    CollectionReport,
    Command,
    CorpusFacts,
    Entry,
    build_collection_view,
)
from evenhand.reports.html import render_collection_html
from evenhand.reports.terminal import make_console
from evenhand.reports.terminal_collection import print_collection
from tests.builders import a_provenance, a_record, an_evaluation
from tests.reports.rendering import one_line, read_page

DECLARED = {"corpus": "corpus-one", "chunking": "not-applicable"}
PARTS = {
    "first": an_evaluation(given={}, provenance=a_provenance(**DECLARED, pipeline="p1")),
    "second": an_evaluation(provenance=a_provenance(**DECLARED, pipeline="p2")),
    "edited": an_evaluation(provenance=a_provenance(corpus="corpus-two")),
    "silent": an_evaluation(),
    "mute": an_evaluation(),
}
#: A note that is longer than what is shown of a question.
LONG = " and more" * 40 + " to its end"
REPORT = CollectionReport(
    title="Five results",
    intro=("What was done.",),
    corpora=(CorpusFacts(name="docs", documents=1700, digest="ab" * 32),),
    entries=tuple(
        Entry(
            name=name,
            evaluation=evaluation,
            record=a_record(evaluation, number=number),
            note=f"note on {name}" + LONG,
            operand=name,
        )
        for number, (name, evaluation) in enumerate(PARTS.items(), 1)
    ),
    commands=(Command(text="evenhand init here", says="Begin with your own data:"),),
    golden_set="tiny",
    pair_options=("--corpus", "docs"),
    typed_in="tiny-folder",
)


def terminal() -> str:
    file = io.StringIO()
    print_collection(REPORT, make_console(file, width=120))
    return one_line(file.getvalue())


def page() -> str:
    return read_page(render_collection_html(REPORT)).text


SURFACES = {"terminal": terminal, "page": page}


def test_rates_stand_together_only_within_one_benchmark_and_unknown_ones_alone() -> None:
    view = build_collection_view(REPORT)

    groups = [[entry.name for entry in group.entries] for group in view.groups]
    assert groups == [["first", "second"], ["edited"], ["silent"], ["mute"]]
    assert [group.benchmark for group in view.groups][2:] == ["unknown", "unknown"]


def test_the_matrix_says_of_every_pair_what_the_verdict_is_and_what_moved() -> None:
    view = build_collection_view(REPORT)

    states = [[cell.state for cell in row.cells] for row in view.matrix]
    comparable, mismatch, unknown = (
        VerdictState.COMPARABLE,
        VerdictState.MISMATCH,
        VerdictState.UNKNOWN,
    )
    assert states == [
        [None, comparable, mismatch, unknown, unknown],
        [comparable, None, mismatch, unknown, unknown],
        [mismatch, mismatch, None, unknown, unknown],
        [unknown, unknown, unknown, None, unknown],
        [unknown, unknown, unknown, unknown, None],
    ]
    assert view.matrix[0].cells[2].dimensions == "corpus"
    assert view.matrix[0].cells[3].dimensions == "provenance"


def test_each_pair_is_either_compared_or_refused() -> None:
    view = build_collection_view(REPORT)

    assert [(pair.later, pair.earlier) for pair in view.comparable] == [("second", "first")]
    assert len(view.refused) == 9


def test_a_refused_pair_has_reasons_and_no_number() -> None:
    for pair in build_collection_view(REPORT).refused:
        assert pair.reasons
        assert (pair.differences, pair.flips) == ((), "")
        assert pair.advice is not None


def test_one_command_gives_a_fair_answer_about_a_refused_pair() -> None:
    refused = {(p.earlier, p.later): p.advice for p in build_collection_view(REPORT).refused}

    mismatch, unknown = refused["second", "edited"], refused["edited", "silent"]
    assert mismatch is not None
    assert mismatch.commands == ("evenhand ab tiny second edited --corpus docs",)
    assert unknown is not None
    assert unknown.commands == ("evenhand ab tiny edited silent --corpus docs",)
    assert "let both sides declare what they run" in unknown.sentence


def test_nothing_is_advised_where_no_command_can_be_named() -> None:
    view = build_collection_view(replace(REPORT, golden_set=""))

    assert {pair.advice for pair in view.refused} == {None}


def test_a_comparable_pair_has_the_later_minus_the_earlier() -> None:
    [pair] = build_collection_view(REPORT).comparable

    assert [(row.measure, row.delta) for row in pair.differences] == [
        ("Success@1", "+1.000 (+3)"),
        ("Success@3", "+1.000 (+3)"),
        ("Abstention", "0.000 (0)"),
        ("False abstention", "-1.000 (-3)"),
    ]
    assert pair.flips == "3 questions won and 0 lost at top 1 by second"


@pytest.mark.parametrize("surface", SURFACES)
def test_every_surface_shows_facts_rates_verdicts_reasons_and_what_comes_next(
    surface: str,
) -> None:
    text = SURFACES[surface]()

    for part in (
        "Five results",
        "What was done.",
        "1700 documents",
        "1.000 (3 of 3)",
        "attempted",
        "Comparable",
        "+1.000 (+3)",
        "Mismatch",
        "The two results state different corpora.",
        "corpus-two",
        "silent does not say what was run",
        "evenhand ab tiny first edited --corpus docs",
        "typed in the folder tiny-folder",
        "Begin with your own data:",
        "evenhand init here",
    ):
        assert part in text


@pytest.mark.parametrize("surface", SURFACES)
def test_a_difference_is_written_only_for_the_comparable_pair(surface: str) -> None:
    # Those of the one comparable pair; each stands in a table once and, on the page, in the
    # words of its drawing, which are no text.
    assert re.findall(r"[+-]\d\.\d{3}", SURFACES[surface]()) == ["+1.000", "+1.000", "-1.000"]


def test_the_page_holds_each_result_in_full() -> None:
    text = page()

    for name in PARTS:
        assert f"{name} note on {name}{LONG} Success@1" in text


def test_positions_in_drawings_are_percentages_of_a_symmetric_scale() -> None:
    scale = Scale(reach=0.2)

    assert percent(0.521) == "52.1%"
    assert (scale.at(-0.2), scale.at(0.0), scale.at(0.1)) == ("0.0%", "50.0%", "75.0%")
    assert scale.span(-0.1, 0.1) == "50.0%"
    assert scale.end == "0.20"


def test_the_scale_holds_every_difference_of_a_table_and_is_never_empty() -> None:
    [pair] = build_collection_view(REPORT).comparable

    assert difference_scale(pair.differences).reach == 1.0
    assert difference_scale(()).reach == 0.05


def test_all_tables_of_differences_on_a_page_have_one_axis() -> None:
    third = an_evaluation(given={"q1": ["d1"]}, provenance=a_provenance(**DECLARED, pipeline="p3"))
    entry = replace(
        REPORT.entries[0], name="third", evaluation=third, record=a_record(third, number=9)
    )
    report = replace(REPORT, entries=(*REPORT.entries[:2], entry))
    pairs = build_collection_view(report).comparable
    assert {difference_scale(pair.differences).end for pair in pairs} != {"1.00"}

    ends = re.findall(
        r'<span class="ends"><span>-([0-9.]+)</span>', render_collection_html(report)
    )
    assert ends == ["1.00"] * len(pairs)

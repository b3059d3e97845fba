"""A comparison as people read it: the verdict first, no number without it, never "equal"."""

import re
from dataclasses import replace

import pytest

from evenhand.core.comparison.checks import CheckCode, SelfCheck, Which
from evenhand.core.comparison.comparison import as_candidates, compare_sides
from evenhand.core.comparison.paired import Conclusion
from evenhand.core.comparison.pairing import graded_difference
from evenhand.core.comparison.set_use import SetUseCounts, SetUseKind
from evenhand.core.scoring.evaluation import Basis
from evenhand.core.scoring.measure_names import parse_measure
from evenhand.reports.comparison_parts import page_scales
from evenhand.reports.comparison_view import ComparisonHints, build_comparison_view
from evenhand.reports.comparison_wording import check_sentence, significance_text
from evenhand.reports.html import render_comparisons_html
from tests.builders import Given, a_question, a_set
from tests.core.comparison.pairs import FORTY, REFUSED, a_result, a_side, answers, compared
from tests.reports.comparing import SURFACES, as_json, markdown, page, terminal
from tests.reports.rendering import one_line

#: A signed number, but for the depth in a pipeline label.
SIGNED = re.compile(r"(?<![\w.])[+-]\d")
BETTER = compared(a_result(answers(range(12))), a_result(answers(range(2))))
UNDECIDED = compared(a_result(answers(range(3))), a_result(answers([7])))
READ = ("terminal", "page", "markdown")


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("case", REFUSED)
def test_nothing_that_compares_has_a_number_unless_comparable(case: str, surface: str) -> None:
    text = SURFACES[surface](compared(*REFUSED[case]), golden_set=FORTY)
    assert not SIGNED.search(text)
    # The current side misses half of its questions; neither rate stands beside the other.
    for word in ("0.500", "1.000", "0.5,", "Success@1:", "Won", "Lost", "interval ", "p 0"):
        assert word not in text, word


@pytest.mark.parametrize("case", REFUSED)
def test_in_json_everything_from_the_conclusion_on_is_null_unless_comparable(case: str) -> None:
    document = as_json(compared(*REFUSED[case]), golden_set=FORTY)
    assert document["verdict"]["reasons"]
    names = list(document)
    for name in names[names.index("conclusion") : names.index("fair_answer")]:
        assert document[name] is None, name
    assert document["current"]["counts"] is None
    assert document["fair_answer"].startswith("evenhand ab forty ")


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("case", REFUSED)
def test_a_refusal_names_the_command_that_gives_a_fair_answer(case: str, surface: str) -> None:
    hints = ComparisonHints(golden_set="set.jsonl", current="old", candidate="new")
    text = SURFACES[surface](compared(*REFUSED[case]), hints=hints)
    assert "evenhand ab set.jsonl old new" in text


def test_two_versions_behind_one_name_are_told_apart_in_the_command() -> None:
    text = terminal(compared(*REFUSED["another corpus"]))
    assert text.rstrip().endswith("evenhand ab forty BEFORE fake")
    assert "BEFORE stands for the earlier version" in " ".join(text.split())


@pytest.mark.parametrize("surface", READ)
def test_the_verdict_comes_first_then_the_answer_then_the_questions(surface: str) -> None:
    text = SURFACES[surface](BETTER, golden_set=FORTY)
    places = [text.index(part) for part in ("Comparable", "Better", "+0.250 (+10)", "q02")]
    assert places == sorted(places)


@pytest.mark.parametrize("surface", READ)
def test_a_difference_stands_with_interval_test_and_counts(surface: str) -> None:
    text = SURFACES[surface](BETTER, golden_set=FORTY)
    for part in ("+0.250 (+10)", "95 % interval", "exact McNemar test", "0.700 (28 of 40)"):
        assert part in text, part


@pytest.mark.parametrize("surface", READ)
def test_inconclusive_stands_with_what_could_be_found_and_claims_no_equality(
    surface: str,
) -> None:
    text = SURFACES[surface](UNDECIDED, golden_set=FORTY).replace("\\", "")
    assert "Inconclusive" in text
    assert "the smallest difference that is likely to be found is" in text
    assert "no evidence that the two sides are equal" in text


@pytest.mark.parametrize("surface", SURFACES)
def test_no_surface_says_that_there_is_no_difference(surface: str) -> None:
    same = compared(a_result(), a_result())
    for comparison in (same, UNDECIDED, BETTER, *(compared(*pair) for pair in REFUSED.values())):
        text = SURFACES[surface](comparison, golden_set=FORTY).lower()
        assert not re.search(r"\b(no difference|are (the same|equally)|is the same as)\b", text)


@pytest.mark.parametrize("surface", READ)
def test_incomplete_is_said_with_its_bounds(surface: str) -> None:
    comparison = compared(
        a_result(answers(missed=range(10, 14), failed=range(10))),
        a_result(answers(missed=range(10))),
    )
    text = SURFACES[surface](comparison).replace("\\", "")
    assert "Incomplete" in text
    assert "Failed: 10 questions of the current side." in text
    assert "-0.400 to -0.150" in text or "ounds -0.400" in text or "ounds -0.150" in text


def test_critical_questions_that_are_lost_are_named_first() -> None:
    text = terminal(compared(a_result(), a_result(answers([3, 7]))), golden_set=FORTY)
    critical, lost = text.index("Critical questions lost: 1"), text.index("Lost at top 1: 2")
    assert critical < text.index("q07") < lost


def test_without_the_golden_set_questions_are_named_by_position() -> None:
    comparison = compared(a_result(), a_result(answers([3, 7])), golden_set=None)
    text = terminal(comparison)
    assert "position 3  [rank 1, then not among 2 documents]" in text
    assert as_json(comparison)["flips"][0]["id"] is None


def test_parts_and_other_measures_are_marked_descriptive() -> None:
    text = page(BETTER, golden_set=FORTY)
    assert "Primary measure by form (descriptive: no verdict is drawn from a part)" in text
    assert "Descriptive: only the primary measure decides" in text
    assert {one["role"] for one in as_json(BETTER)["differences"][1:]} == {"descriptive"}
    assert as_json(BETTER)["differences"][0]["role"] == "primary"


@pytest.mark.parametrize("surface", READ)
def test_judged_shares_that_differ_warn(surface: str) -> None:
    text = SURFACES[surface](BETTER).replace("\\", "")
    assert "Judged@3: current 0.259 (28 of 108), candidate 0.322 (38 of 118)" in text
    assert "Judged@3" not in SURFACES[surface](compared(a_result(), a_result()))


@pytest.mark.parametrize("surface", READ)
def test_several_candidates_show_the_adjusted_p(surface: str) -> None:
    current = a_result(answers(range(6)))
    first, _ = as_candidates(
        [compared(current, a_result()), compared(current, a_result(answers([1])))]
    )
    text = SURFACES[surface](first).replace("\\", "")
    assert "p 0.031, exact McNemar test; p 0.062 after Holm over 2 candidates" in text


@pytest.mark.parametrize("surface", READ)
def test_failures_of_another_candidate_are_not_said_of_a_pair_without_any(surface: str) -> None:
    # Six losses alone are significant; after Holm only as long as the other one's failures are
    # losses, too.
    alone = compared(a_result(), a_result(answers(range(6))))
    other = compared(a_result(), a_result(answers(failed=range(8))))
    first, second = as_candidates([alone, other])
    assert first.conclusion is Conclusion.INCOMPLETE
    text = SURFACES[surface](first).replace("\\", "")
    assert "No question failed here, but some of another candidate did" in text
    assert "Questions failed" not in text
    assert "Questions failed, and" in SURFACES[surface](second)


@pytest.mark.parametrize("code", CheckCode)
@pytest.mark.parametrize("which", Which)
def test_every_self_check_has_a_sentence(code: CheckCode, which: Which) -> None:
    sentence = check_sentence(SelfCheck(code=code, which=which, count=2, total=9))
    assert sentence.endswith(".")


@pytest.mark.parametrize("surface", READ)
def test_self_checks_and_the_ledger_stand_with_the_verdict(surface: str) -> None:
    dirty = compared(a_result(execution="git:1-dirty"), a_result())
    uses = SetUseCounts(by_kind={SetUseKind.AB: 2, SetUseKind.GATE: 3})
    text = SURFACES[surface](dirty, uses=uses).replace("\\", "")
    assert "uncommitted changes" in text
    assert "5 decisions rested on these labels" in text
    text = SURFACES[surface](dirty, uses=SetUseCounts(by_kind={})).replace("\\", "")
    assert "No decision rested on these labels so far" in text
    assert "by chance" not in text


def test_markdown_reads_no_id_and_no_question_as_anything_but_text() -> None:
    hostile = "|<img src=x> [a](http://x) `b` # *c*"
    tiny = a_set(*(a_question(f"q{n}", "d", text=f"{hostile} {n}") for n in range(3)))
    texts = [f"{hostile} {n}" for n in range(3)]
    good: dict[str, Given] = {text: ["d"] for text in texts}
    comparison = compared(
        a_result({}, golden_set=tiny), a_result(good, golden_set=tiny), golden_set=tiny
    )
    lines = [line for line in markdown(comparison, golden_set=tiny).splitlines() if "img" in line]
    assert len(lines) == 3
    for line in lines:
        assert r"\<img src=x\> \[a\]\(http\:\/\/x\) \`b\` \# \*c\*" in line
        assert len(re.findall(r"(?<!\\)\|", line)) == 4


def test_a_drawn_test_states_draws_and_seed_and_an_exact_one_neither() -> None:
    values = [number / 100 for number in range(1, 31)]
    drawn = graded_difference("RR", [0.0] * 30, values)
    exact = graded_difference("RR", [0.0] * 5, values[:5])
    assert significance_text(drawn).endswith(", randomisation test of 10000 draws, seed 1")
    assert significance_text(exact).endswith(", exact randomisation test")


def test_a_baseline_file_is_called_one_and_no_run_file() -> None:
    candidate = replace(a_side(a_result(), 2), basis=Basis.IMPORTED)
    current = replace(candidate, is_baseline=True, evaluation_id=None)
    sides = build_comparison_view(compare_sides(current, candidate)).sides
    assert [one.basis for one in sides] == [
        "imported: the result comes from a baseline file",
        "imported: the rankings come from a run file or an imported evaluation",
    ]


@pytest.mark.parametrize("surface", READ)
def test_a_graded_verdict_speaks_of_its_own_benchmark(surface: str) -> None:
    one, other = a_side(a_result(answers(range(12)))), a_side(a_result())
    other = replace(other, protocol="another-protocol-v1")
    measure = parse_measure("nDCG@10")
    same = SURFACES[surface](compare_sides(one, one, primary=measure)).replace("\\", "")
    assert "labels, judgements and depth are equal: they may be compared on nDCG@10" in same
    text = SURFACES[surface](compare_sides(one, other, primary=measure)).replace("\\", "")
    assert "under different protocols, so no rate of hits is compared" in text
    assert "scoring protocol are equal" not in text + same


def test_one_question_is_spoken_of_as_one() -> None:
    alone = a_set(a_question("q1", "d1"), identifier="alone")
    right, wrong = (a_result({"q1": [found]}, golden_set=alone) for found in ("d1", "x"))
    undecided = one_line(terminal(compared(right, wrong, golden_set=alone)))
    assert "1 question does not decide it" in undecided
    assert "1 of 1 question was ranked otherwise" in check_sentence(
        SelfCheck(
            code=CheckCode.SAME_FINGERPRINTS_OTHER_RANKINGS, which=Which.BOTH, count=1, total=1
        )
    )
    same = one_line(terminal(compared(right, right, golden_set=alone)))
    assert "the one question came out alike" in same


def ends_of(html: str) -> set[str]:
    """The right end of every axis that a page draws."""
    return set(re.findall(r"<span>\+(\d\.\d\d)</span></span>|<span>\+(\d\.\d\d)</span></p>", html))


def test_all_intervals_of_one_kind_lie_on_one_axis() -> None:
    small = compared(a_result(answers(range(12))), a_result(answers(range(2))))
    large = compared(a_result(answers(range(30))), a_result(answers(noisy=range(4))))
    views = [build_comparison_view(one, golden_set=FORTY) for one in (small, large)]
    scales = page_scales(views)
    assert len(ends_of(render_comparisons_html(views))) == 2  # in the table, and below it
    assert {end for pair in ends_of(render_comparisons_html(views)) for end in pair if end} == {
        scales.rates.end
    }
    widest = max(abs(end) for view in views for row in view.drawn for end in row.drawn)
    assert widest <= scales.rates.reach


def test_graded_measures_have_an_axis_of_their_own() -> None:
    comparison = compared(
        a_result(answers(second=range(30))), a_result(), primary=parse_measure("nDCG@10")
    )
    view = build_comparison_view(comparison, golden_set=FORTY)
    scales = page_scales([view])
    assert [row.is_graded for row in view.drawn][:2] == [True, False]
    assert view.primary is not None
    assert scales.of([view.primary]) is scales.graded
    assert scales.of(view.descriptive) is scales.rates

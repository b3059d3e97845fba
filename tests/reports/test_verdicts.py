import re
from fractions import Fraction

import msgspec
import pytest

from evenhand.core.comparison.previous import Tolerance
from evenhand.core.scoring.evaluation import Evaluation
from evenhand.core.verdict import Dimension, Reason, ReasonCode, Verdict, VerdictState
from evenhand.reports import wording
from evenhand.reports.subject import fresh_subject
from evenhand.reports.verdict_view import Hints
from tests.builders import a_comparison, a_provenance, a_question, a_record, a_set, an_evaluation
from tests.reports.rendering import SURFACES, against, json_text, printed

TEN = a_set(*(a_question(f"q{number}", f"d{number}") for number in range(10)))
DECLARED = a_provenance(corpus="corpus-now")
#: A difference as it would be written: a sign and three decimals.
SIGNED = re.compile(r"[+-]\d\.\d{3}")


def hits(*numbers: int) -> dict[str, list[str] | Exception]:
    """Top-1 hits for these of the ten questions, and something else for the rest."""
    return {f"q{n}": [f"d{n}" if n in numbers else "other"] for n in range(10)}


def current(**changes: object) -> Evaluation:
    return an_evaluation(TEN, hits(0, 1, 2), provenance=DECLARED, **changes)  # type: ignore[arg-type]


BETTER_BEFORE = hits(*range(9))
REFUSED: dict[str, tuple[Evaluation, Evaluation]] = {
    "current unknown": (
        an_evaluation(TEN, hits(0)),
        an_evaluation(TEN, BETTER_BEFORE, provenance=DECLARED),
    ),
    "previous unknown": (current(), an_evaluation(TEN, BETTER_BEFORE)),
    "both unknown": (an_evaluation(TEN, hits(0)), an_evaluation(TEN, BETTER_BEFORE)),
    "another corpus": (
        current(),
        an_evaluation(TEN, BETTER_BEFORE, provenance=a_provenance(corpus="corpus-then")),
    ),
    "other labels": (
        current(),
        an_evaluation(
            a_set(a_question("q0", "d5"), *TEN.questions[1:]), BETTER_BEFORE, provenance=DECLARED
        ),
    ),
}


@pytest.mark.proves("BP-23")
@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_compared_shows_a_warning_and_no_difference(
    case: str, surface: str
) -> None:
    text = SURFACES[surface](*against(*REFUSED[case]), hints=Hints(tolerance=Tolerance()))

    assert "Comparison skipped" in text
    assert not SIGNED.search(text)
    for word in ("tolerance", "Regression", "regress", "Won at", "Lost at", "Treatment", "minus"):
        assert word not in text
    assert "0.900" not in text  # the previous rate is not put beside it either


@pytest.mark.proves("BP-23")
@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_compared_has_no_number_in_json(case: str) -> None:
    document = msgspec.json.decode(json_text(*against(*REFUSED[case])))

    assert document["verdict"]["state"] in ("unknown", "mismatch")
    assert document["verdict"]["reasons"]
    for name in ("differences", "regression", "flips"):
        assert document[name] is None


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize(
    ("case", "sides"),
    [
        ("another corpus", ("corpus-now", "corpus-then")),
        ("other labels", ("v1:", "v1:")),
    ],
)
def test_a_mismatch_names_what_moved_and_both_values(
    case: str, sides: tuple[str, str], surface: str
) -> None:
    text = SURFACES[surface](*against(*REFUSED[case]))

    assert "Mismatch" in text
    assert text.index(sides[0]) < text.index(sides[1], text.index(sides[0]) + 1)


@pytest.mark.parametrize("case", REFUSED)
def test_a_refusal_ends_with_the_command_that_gives_a_fair_answer(case: str) -> None:
    subject, comparison = against(*REFUSED[case])
    lines = printed(subject, comparison, hints=Hints(command="evenhand run set.jsonl mine"))

    after = lines[lines.index("Comparison skipped") :].splitlines()
    block = after[: after.index("")]

    assert "For a fair answer" in " ".join(block)
    assert block[-1].strip() == "evenhand run set.jsonl mine"


def test_the_command_is_made_of_both_names_and_quoted_where_nobody_gives_one() -> None:
    assert wording.run_command("my set", "mod:attribute") == "evenhand run 'my set' mod:attribute"
    assert "    evenhand run tiny fake\n" in printed(*against(current()))


PASTE = '[tool.evenhand.retrievers.mine]\nuse = "module:attribute"\n\ncorpus = "corpus.jsonl"'


@pytest.mark.parametrize("case", ["current unknown", "both unknown", "previous unknown"])
def test_unknown_prints_the_lines_to_paste_one_below_the_other(case: str) -> None:
    text = printed(*against(*REFUSED[case]), hints=Hints(declaration=PASTE))

    assert wording.PASTE in text
    for line in PASTE.splitlines():
        assert f"    {line}".rstrip() in text.splitlines()


@pytest.mark.proves("BP-25")
@pytest.mark.parametrize("surface", SURFACES)
def test_a_legacy_row_is_unknown_once_and_the_next_run_is_comparable(surface: str) -> None:
    legacy, declared = an_evaluation(TEN, hits(0), identifier="bm25-corpus-now"), current()

    first = SURFACES[surface](*against(declared, legacy))
    second = SURFACES[surface](*against(current(), declared))

    assert "nothing is inferred from its name" in first
    assert "run again after the next change" in first
    assert "Unknown" in first
    assert "Comparable" in second


@pytest.mark.parametrize("surface", SURFACES)
def test_a_first_result_is_a_baseline_and_says_what_comes_next(surface: str) -> None:
    text = SURFACES[surface](*against(current()))

    assert "Baseline" in text
    assert "the next result is compared with this one" in text
    assert "evenhand run tiny fake" in text
    assert not SIGNED.search(text)


@pytest.mark.parametrize("surface", SURFACES)
def test_comparable_results_show_the_difference_with_both_rates(surface: str) -> None:
    before = an_evaluation(TEN, hits(2, 3), provenance=DECLARED)

    text = SURFACES[surface](*against(current(), before))

    assert "0.200 (2 of 10)" in text
    assert "0.300 (3 of 10)" in text
    assert "+0.100 (+1)" in text
    assert "Won at top 1 since the previous result" in text
    assert "Bounds" not in text
    assert "bounds" not in text


@pytest.mark.proves("BP-24")
@pytest.mark.parametrize("surface", SURFACES)
def test_another_variant_prints_a_treatment_line_and_compares_as_usual(surface: str) -> None:
    before = an_evaluation(
        TEN, hits(0), provenance=a_provenance(corpus="corpus-now", pipeline="pipeline-0")
    )

    text = SURFACES[surface](*against(current(), before))

    assert "Treatment changed, as declared: pipeline from pipeline-0 to pipeline-1." in text
    assert "+0.200 (+2)" in text


@pytest.mark.parametrize("surface", SURFACES)
def test_failed_questions_give_bounds_and_may_make_the_answer_incomplete(surface: str) -> None:
    before = an_evaluation(TEN, hits(0, 1), provenance=DECLARED)
    failing = {**hits(0, 1, 2), "q8": TimeoutError("late"), "q9": hits()["q9"]}
    now = an_evaluation(TEN, {**failing, "q2": ["other"], "q1": ["x"]}, provenance=DECLARED)

    text = SURFACES[surface](*against(now, before))

    assert "-0.100 (-1) incomplete" in text
    assert "-0.100 to 0.000" in text
    assert "Incomplete: the sign of the difference in Success@1" in text


@pytest.mark.parametrize("surface", SURFACES)
def test_a_fall_beyond_the_tolerance_is_a_flag_that_names_it(surface: str) -> None:
    before = an_evaluation(TEN, hits(*range(6)), provenance=DECLARED)
    tolerance = Tolerance(max_top1_drop=Fraction(1, 4), max_top3_drop=Fraction(1, 2))
    now = current()

    text = SURFACES[surface](
        fresh_subject(now),
        a_comparison(now, before, tolerance=tolerance),
        hints=Hints(tolerance=tolerance),
    )

    assert (
        "Regression flag on pooled rates: top1 from 0.600 (6 of 10) to 0.300 (3 of 10), "
        "a drop beyond the tolerance of 0.250; top3 from 0.600 (6 of 10) to 0.300 (3 of 10)."
    ) in text


@pytest.mark.parametrize("surface", SURFACES)
def test_a_fall_within_the_tolerance_is_only_a_note(surface: str) -> None:
    before = an_evaluation(TEN, hits(*range(4)), provenance=DECLARED)

    text = SURFACES[surface](*against(current(), before))

    assert "Pooled rates within the tolerance: top1 from 0.400 (4 of 10)" in text
    assert "Regression flag" not in text


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("provenance", [DECLARED, a_provenance(corpus="other")])
def test_another_depth_is_said_whatever_the_verdict(surface: str, provenance: object) -> None:
    before = an_evaluation(TEN, hits(0), provenance=provenance, depth=50)  # type: ignore[arg-type]

    text = SURFACES[surface](*against(current(), before))

    assert "Depth changed: 50 results were asked for before, 12 now." in text


def test_flips_that_are_not_known_are_said_not_to_be() -> None:
    before = an_evaluation(TEN, hits(0), provenance=DECLARED)
    now = current()

    text = printed(
        fresh_subject(now, a_record(now)), a_comparison(now, before, previous_keeps_outcomes=False)
    )

    assert "Which questions flipped is not known" in text
    assert "Won at" not in text


def test_every_state_and_every_reason_has_a_sentence_of_its_own() -> None:
    states = {wording.state_sentence(state) for state in VerdictState}
    reasons = {wording.reason_sentence(code) for code in ReasonCode}
    words = {wording.state_word(state) for state in VerdictState}

    assert (len(states), len(reasons), len(words)) == (4, len(ReasonCode), 4)


@pytest.mark.parametrize("state", [state for state in VerdictState if state != "comparable"])
def test_every_refusal_has_advice_with_a_command(state: VerdictState) -> None:
    verdict = Verdict(
        state=state,
        reasons=(Reason(code=ReasonCode.CURRENT_UNKNOWN, dimension=Dimension.PROVENANCE),),
    )

    advice = wording.fair_answer(verdict, "evenhand run a b", "")

    assert advice is not None
    assert set(advice.commands) == {"evenhand run a b"}


def test_a_comparable_verdict_needs_no_advice() -> None:
    assert wording.fair_answer(Verdict(state=VerdictState.COMPARABLE), "x", "") is None

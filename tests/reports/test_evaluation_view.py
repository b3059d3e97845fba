from dataclasses import replace
from functools import cache

import pytest

from evenhand.core.identity.provenance import RetrievalProvenance
from evenhand.core.privacy import PrivacyLevel
from evenhand.core.scoring.evaluation import Basis
from evenhand.reports import wording
from evenhand.reports.evaluation_view import build_evaluation_view, nearest_rank
from evenhand.reports.subject import fresh_subject, stored_subject
from evenhand.reports.view import EvaluationView
from tests.builders import (
    FakeClock,
    Given,
    a_provenance,
    a_question,
    a_record,
    a_set,
    an_evaluation,
)
from tests.reports.rendering import SURFACES

ANSWERABLE, NO_ANSWER = 2910, 3168


@cache
def empty_on_squad() -> EvaluationView:
    """As many questions of each kind as in squad2-dev-half, and a retriever that is empty."""
    questions = [a_question(f"a{number}", "d") for number in range(ANSWERABLE)]
    questions += [a_question(f"n{number}") for number in range(NO_ANSWER)]
    return build_evaluation_view(fresh_subject(an_evaluation(a_set(*questions), {})))


def test_the_headline_has_four_rates_and_never_a_pooled_one() -> None:
    view = empty_on_squad()

    assert [(rate.name, rate.text) for rate in view.headline] == [
        ("Success@1", "0.000 (0 of 2910)"),
        ("Success@3", "0.000 (0 of 2910)"),
        ("Abstention", "1.000 (3168 of 3168)"),
        ("False abstention", "1.000 (2910 of 2910)"),
    ]


def test_a_retriever_that_returned_nothing_is_flagged_with_its_pooled_rate_explained() -> None:
    view = empty_on_squad()

    [flag] = [notice for notice in view.notices if notice.kind.value == "flag"]
    assert "returned nothing for any question" in flag.text
    assert "pooled top-1 of 0.521 (3168 of 6078)" in flag.text
    assert "Success@1 is 0 of 2910" in flag.text


def test_one_document_for_one_unjudged_question_is_not_nothing() -> None:
    golden_set = a_set(a_question("q1", "d1"), a_question("q2", unjudged=True))

    view = build_evaluation_view(fresh_subject(an_evaluation(golden_set, {"q2": ["d3"]})))

    assert not any("returned nothing" in notice.text for notice in view.notices)


@pytest.mark.parametrize(
    ("given", "never"),
    [
        ({"n1": ["d1"], "n2": ["d2"]}, True),
        ({"n1": ["d1"], "n2": TimeoutError("late")}, True),
        ({"n1": ["d1"], "n2": []}, False),
        ({"n1": TimeoutError("late"), "n2": TimeoutError("late")}, False),
    ],
)
def test_never_abstains_is_said_only_of_a_retriever_that_answered(
    given: dict[str, list[str] | Exception], never: bool
) -> None:
    golden_set = a_set(a_question("a", "d1"), a_question("n1"), a_question("n2"))

    view = build_evaluation_view(fresh_subject(an_evaluation(golden_set, {"a": ["d1"], **given})))

    assert any("Never abstains" in notice.text for notice in view.notices) is never


def test_every_count_stands_beside_the_rates() -> None:
    golden_set = a_set(
        a_question("q1", "d1"),
        a_question("q2", "d2"),
        a_question("q3"),
        a_question("q4", unjudged=True),
    )
    evaluation = an_evaluation(golden_set, {"q1": ["d1"], "q2": TimeoutError("late")})

    view = build_evaluation_view(fresh_subject(evaluation))

    assert [(count.name, count.number) for count in view.counts] == [
        ("attempted", 4),
        ("scored", 2),
        ("failed", 1),
        ("unjudged", 1),
        ("no-answer", 1),
    ]


def test_short_lists_are_counted_over_the_questions_that_did_not_fail() -> None:
    golden_set = a_set(*(a_question(f"q{number}", "d1") for number in range(4)))
    given: dict[str, Given] = {
        "q0": ["d1", "d2", "d3"],
        "q1": ["d1", "d1", "d2"],
        "q3": OSError("gone"),
    }

    view = build_evaluation_view(fresh_subject(an_evaluation(golden_set, given)))

    [short] = [notice.text for notice in view.notices if notice.text.startswith("Short lists")]
    assert "for 2 of 3 questions that did not fail" in short
    assert "for 1 of them, none" in short


@pytest.mark.proves("BP-11")
@pytest.mark.parametrize("surface", SURFACES)
def test_each_group_that_occurs_has_its_questions_and_its_pooled_rates(surface: str) -> None:
    golden_set = a_set(
        a_question("q1", "d1", hard_class="prose-free"),
        a_question("q2", "d2", hard_class="prose-free"),
        a_question("q3", "d3"),
    )
    given = {"q1": ["d1"], "q2": ["x", "d2"], "q3": []}
    subject = fresh_subject(an_evaluation(golden_set, given))

    view = build_evaluation_view(subject)
    text = SURFACES[surface](subject)

    assert [(row.name, row.questions, row.top1.text, row.top3.text) for row in view.pooled] == [
        ("all", 3, "0.333 (1 of 3)", "0.667 (2 of 3)"),
        ("match", 3, "0.333 (1 of 3)", "0.667 (2 of 3)"),
        ("prose-free", 2, "0.500 (1 of 2)", "1.000 (2 of 2)"),
    ]
    for row in view.pooled:
        assert f"{row.name} {row.questions} {row.top1.text} {row.top3.text}" in text
    assert "descriptive" in text
    assert "gap" not in text


@pytest.mark.proves("BP-10")
@pytest.mark.parametrize("surface", SURFACES)
def test_latency_is_in_whole_milliseconds_over_questions_that_did_not_fail(surface: str) -> None:
    golden_set = a_set(*(a_question(f"q{number}", "d1") for number in range(3)))
    given: dict[str, Given] = {"q0": ["d1"], "q1": TimeoutError("late"), "q2": ["d1"]}
    subject = fresh_subject(an_evaluation(golden_set, given, clock=FakeClock(step_ms=7)))

    latency = build_evaluation_view(subject).latency

    assert latency is not None
    assert (latency.median, latency.p90, latency.questions) == ("7 ms", "7 ms", 2)
    assert "on test-machine, 1 call at a time" in SURFACES[surface](subject)


@pytest.mark.parametrize(
    ("values", "percent", "value"),
    [([4], 50, 4), ([1, 2, 3, 4], 50, 2), ([1, 2, 3, 4], 90, 4), (list(range(1, 101)), 90, 90)],
)
def test_a_percentile_is_a_value_that_was_measured(
    values: list[int], percent: int, value: int
) -> None:
    assert nearest_rank(values, percent) == value


@pytest.mark.proves("G-03", "BP-24")
@pytest.mark.parametrize("surface", SURFACES)
def test_null_reads_unknown_and_only_the_sentinel_reads_not_applicable(surface: str) -> None:
    sentinel = RetrievalProvenance.NOT_APPLICABLE
    unrecorded = a_provenance(model=sentinel)
    recorded = a_provenance(model="m", execution=sentinel)
    expected = {
        "unrecorded": ("not applicable", "unknown"),
        "recorded": ("m", "not applicable"),
    }
    for name, provenance in {"unrecorded": unrecorded, "recorded": recorded}.items():
        subject = fresh_subject(an_evaluation(provenance=provenance))
        facts = {f.name: f.value for f in build_evaluation_view(subject).identities}
        text = SURFACES[surface](subject)

        assert (facts["Model revision"], facts["Execution revision"]) == expected[name]
        for label in ("Corpus revision", "Model revision", "Execution revision"):
            assert f"{label} {facts[label]}" in text


@pytest.mark.parametrize("surface", SURFACES)
def test_an_undeclared_retriever_shows_every_identity_as_unknown(surface: str) -> None:
    text = SURFACES[surface](fresh_subject(an_evaluation()))

    for name in ("Corpus", "Model", "Execution"):
        assert f"{name} revision unknown" in text
    assert "Benchmark fingerprint unknown" in text
    assert wording.NOTHING_DECLARED in text


@pytest.mark.proves("P-27")
@pytest.mark.parametrize("surface", SURFACES)
def test_labels_are_shown_as_what_the_consumer_stated(surface: str) -> None:
    text = SURFACES[surface](fresh_subject(an_evaluation(provenance=a_provenance())))

    assert "Declared by the retriever, not checked by Evenhand." in text
    assert "Labels state what the consumer says it ran; they prove nothing about it." in text


@pytest.mark.parametrize("surface", SURFACES)
def test_labels_that_evenhand_derived_are_not_called_declared(surface: str) -> None:
    evaluation = replace(an_evaluation(provenance=a_provenance()), labels_derived=True)
    text = SURFACES[surface](fresh_subject(evaluation))

    assert wording.DERIVED in text
    assert wording.DECLARED not in text
    assert "declared" not in text.lower()


@pytest.mark.parametrize("surface", SURFACES)
def test_a_corpus_that_was_digested_here_is_told_from_labels_that_are_declared(
    surface: str,
) -> None:
    evaluation = replace(an_evaluation(provenance=a_provenance()), corpus_digested=True)
    subject = fresh_subject(evaluation)

    text = SURFACES[surface](subject)

    assert wording.CORPUS_DIGESTED in text
    assert wording.DECLARED not in text
    assert "digested here" in text.lower()
    assert [fact.note for fact in build_evaluation_view(subject).identities[:5]] == [
        "digested here",
        *["declared"] * 4,
    ]


@pytest.mark.parametrize("surface", SURFACES)
def test_of_a_stored_result_nobody_claims_to_know_who_made_its_labels(surface: str) -> None:
    subject = stored_subject(a_record(an_evaluation(provenance=a_provenance())))

    text = SURFACES[surface](subject)

    assert wording.DECLARED_OR_DERIVED in text
    assert {fact.note for fact in build_evaluation_view(subject).identities} == {
        "stated",
        "derived",
    }


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("level", PrivacyLevel)
@pytest.mark.parametrize("basis", Basis)
def test_privacy_and_basis_stand_under_the_headline(
    basis: Basis, level: PrivacyLevel, surface: str
) -> None:
    evaluation = an_evaluation(basis=basis)

    text = SURFACES[surface](fresh_subject(evaluation, a_record(evaluation, privacy=level)))

    assert wording.basis_sentence(basis) in text
    assert wording.privacy_sentence(level) in text
    assert wording.basis_sentence(basis).startswith(f"{basis.value}: ")
    assert wording.privacy_sentence(level).startswith(f"{level.value}: ")


def test_a_result_that_was_not_stored_says_so() -> None:
    view = build_evaluation_view(fresh_subject(an_evaluation()))

    assert (view.stored_as, view.privacy, view.verdict) == ("", "not stored", None)


def test_a_stored_result_without_outcomes_has_counts_but_no_lists_and_no_latency() -> None:
    view = build_evaluation_view(stored_subject(a_record(an_evaluation())))

    assert view.headline[0].text == "1.000 (3 of 3)"
    assert (view.lists, view.splits, view.latency) == ((), (), None)


@pytest.mark.parametrize("surface", SURFACES)
def test_an_unjudged_question_that_failed_is_told_from_the_failed_ones(surface: str) -> None:
    golden_set = a_set(
        a_question("q1", "d1"), a_question("q2", "d2"), a_question("u1", unjudged=True)
    )
    given: dict[str, Given] = {"q1": LookupError(), "q2": ["d2"], "u1": ValueError()}
    subject = fresh_subject(an_evaluation(golden_set, given))

    text = SURFACES[surface](subject)

    assert "1 question of 2 failed" in text
    assert "1 question is unjudged: asked and counted as attempted, in no rate" in text
    assert "in no rate; for 1 of them retrieval failed." in text
    [failed] = [one for one in build_evaluation_view(subject).lists if one.key == "failed"]
    assert [one.detail for one in failed.shown] == ["LookupError", "ValueError, unjudged"]

"""Lint: what is legal and probably not meant."""

import pytest

from evenhand.core.retrieval.golden import Form, GoldenQuestion
from evenhand.core.retrieval.lint import Finding, Rule, lint, normalised_text
from evenhand.core.retrieval.profile import build_profile
from tests.builders import a_question, a_set

CANARY = "lint-canary"


def good_questions() -> list[GoldenQuestion]:
    """Ten questions without a fault: both forms, one class, a tenth without an answer."""
    return [
        a_question(
            f"q{n}",
            *([] if n == 9 else [f"d{n}"]),
            form=Form.MATCH if n % 2 else Form.GAP,
            hard_class="normal",
            reviewed=True,
        )
        for n in range(10)
    ]


def found(rule: Rule, *more: GoldenQuestion, documents: set[bytes] | None = None) -> list[Finding]:
    golden_set = a_set(*good_questions(), *more)
    return [one for one in lint(golden_set, documents=documents) if one.rule is rule]


def test_a_good_set_has_no_finding() -> None:
    documents = {f"d{n}".encode() for n in range(9)}
    assert lint(a_set(*good_questions()), documents=documents) == ()


@pytest.mark.parametrize(
    ("text", "equal"),
    [("  Q0 ", True), ("q0\n", True), ("\uff310", True), ("q0?", False), ("q 0", False)],
)
def test_texts_that_people_take_for_one_are_found(text: str, equal: bool) -> None:
    extra = a_question("x", "d0", text=text, hard_class="normal", reviewed=True)
    assert [one.questions for one in found(Rule.DUPLICATE_TEXT, extra)] == (
        [(b"q0", b"x")] if equal else []
    )


def test_a_duplicate_text_says_whether_the_labels_agree() -> None:
    (same,) = found(Rule.DUPLICATE_TEXT, a_question("x", "d0", text="q0"))
    (other,) = found(Rule.DUPLICATE_TEXT, a_question("x", "d1", text="q0"))
    (unjudged,) = found(Rule.DUPLICATE_TEXT, a_question("x", text="q9", unjudged=True))
    assert same.message == "2 questions have one text, with equal labels"
    assert other.message == unjudged.message == "2 questions have one text, with different labels"


@pytest.mark.parametrize("twin", ["Q0", " q0", "\uff510"])
def test_ids_that_people_take_for_one_are_found(twin: str) -> None:
    (one,) = found(Rule.SIMILAR_ID, a_question(twin, "d0", text="other"))
    assert one.questions == (b"q0", twin.encode())


def test_accents_composed_and_decomposed_are_one_text_to_people() -> None:
    assert normalised_text("café".encode()) == normalised_text("cafe\u0301".encode())
    assert normalised_text(b"caf\xe9") != normalised_text(b"caf\xe8")


def test_targets_that_the_corpus_lacks_are_named() -> None:
    documents = {f"d{n}".encode() for n in range(9)}
    extra = a_question("x", "d0", "z2", "z1", text="other")
    (one,) = found(Rule.MISSING_TARGET, extra, documents=documents)
    assert (one.questions, one.documents) == ((b"x",), (b"z1", b"z2"))
    assert one.message == "2 of 3 targets are not in the corpus"
    assert found(Rule.MISSING_TARGET, extra) == []


def test_a_form_that_hardly_occurs_is_found() -> None:
    questions = [a_question(f"q{n}", "d") for n in range(11)]
    only = [one for one in lint(a_set(*questions)) if one.rule is Rule.FORM_BALANCE]
    assert [one.message for one in only] == ["0 of 11 judged questions have the form gap"]
    questions[0] = a_question("q0", "d", form=Form.GAP)
    assert Rule.FORM_BALANCE in {one.rule for one in lint(a_set(*questions))}
    questions[1] = a_question("q1", "d", form=Form.GAP)
    assert Rule.FORM_BALANCE not in {one.rule for one in lint(a_set(*questions))}


def test_a_class_of_fewer_than_five_is_found() -> None:
    extra = [a_question(f"x{n}", "d0", text=f"x{n}", hard_class=b"caf\xe9") for n in range(5)]
    (one,) = found(Rule.CLASS_BALANCE, *extra[:4])
    assert one.message == r"the hard class 'caf\udce9' has 4 judged question(s), fewer than 5"
    assert found(Rule.CLASS_BALANCE, *extra) == []


def test_no_answer_questions_are_missed_and_are_too_many() -> None:
    none = [one for one in lint(a_set(a_question("q", "d"))) if one.rule is Rule.NO_ANSWER_SHARE]
    assert [one.message for one in none] == [
        "0 of 1 judged questions have no answer: abstention cannot be measured"
    ]
    half = a_set(a_question("q1", "d"), a_question("q2"))
    assert Rule.NO_ANSWER_SHARE not in {one.rule for one in lint(half)}
    more = a_set(a_question("q1", "d"), a_question("q2"), a_question("q3"))
    (one,) = (one for one in lint(more) if one.rule is Rule.NO_ANSWER_SHARE)
    assert one.message.startswith("2 of 3 judged questions have no answer: a retriever that")


def test_unreviewed_and_unjudged_questions_are_counted_apart() -> None:
    extra = [a_question("x", "d0", text="other"), a_question("y", unjudged=True)]
    (unreviewed,) = found(Rule.UNREVIEWED, *extra)
    (unjudged,) = found(Rule.UNJUDGED, *extra)
    assert (unreviewed.questions, unjudged.questions) == ((b"x",), (b"y",))
    assert unreviewed.message == "1 of 11 judged questions is not reviewed"
    assert unjudged.message == "1 of 12 questions is unjudged and in no rate"


def test_a_set_that_nobody_judged_is_linted_too() -> None:
    findings = lint(a_set(a_question("q", unjudged=True)))
    assert [one.rule for one in findings] == [Rule.UNJUDGED]


def test_no_message_holds_the_text_of_a_question() -> None:
    golden_set = a_set(
        a_question("q1", "d", text=CANARY), a_question("q2", "d", text=CANARY.upper())
    )
    messages = " ".join(one.message for one in lint(golden_set, documents=set()))
    assert CANARY not in messages.casefold()


@pytest.mark.proves("BP-03")
def test_the_profile_counts_judged_questions_and_leaves_those_without_a_class_out() -> None:
    profile = build_profile(
        a_set(
            a_question("q1", "d1", "d2", hard_class="normal", critical=True, reviewed=True),
            a_question("q2", "d1", form=Form.GAP),
            a_question("q3", hard_class="normal"),
            a_question("q4", unjudged=True, form=Form.GAP, hard_class="boilerplate"),
        )
    )
    assert (profile.questions, profile.judged) == (4, 3)
    assert (profile.answerable, profile.no_answer, profile.unjudged) == (2, 1, 1)
    assert profile.forms == ((Form.MATCH, 2), (Form.GAP, 1))
    assert profile.hard_classes == ((b"normal", 2),)
    assert (profile.targets, profile.documents) == (3, 2)
    assert (profile.reviewed, profile.critical, profile.labelled) == (1, 1, 0)

"""What is said about a golden set, beyond what the command's own tests look at."""

import io

import pytest

from evenhand.core.retrieval.lint import lint
from evenhand.reports.golden_sets import (
    build_facts,
    facts_document,
    facts_lines,
    findings_document,
    findings_lines,
    findings_total,
    question_lines,
)
from evenhand.reports.numbers import count
from evenhand.reports.terminal_lines import print_lines
from evenhand.reports.terminal_page import make_console
from tests.builders import a_question, a_set

TAG = {"encoding": "base64", "version": "retrieval-bytes-v1", "value": "Y2Fm6Q=="}


def test_bytes_that_are_not_text_are_tagged_in_json_and_spelt_out_in_text() -> None:
    golden_set = a_set(
        a_question(b"caf\xe9", b"caf\xe9", text="x", hard_class=b"caf\xe9"),
        a_question("q2", "d", text="X"),
    )
    facts = build_facts(golden_set, origin="file")
    assert facts_document(facts)["hard_classes"] == [{"hard_class": TAG, "questions": 1}]
    assert "  hard classes  caf<0xE9> 1" in list(facts_lines(facts))
    findings = lint(golden_set, documents=set())
    (duplicate, missing, *_) = findings_document(findings)
    assert (duplicate["questions"], missing["documents"]) == ([TAG, "q2"], [TAG])
    assert "  questions caf<0xE9>, q2" in list(findings_lines(findings))


def test_queries_with_only_nonrelevant_documents_are_said_apart() -> None:
    golden_set = a_set(a_question("q1", "d"), a_question("q2", unjudged=True))
    facts = build_facts(golden_set, origin="folder", split="dev", only_nonrelevant=1)
    lines = list(facts_lines(facts))
    assert "  origin        folder, judgements of the split dev" in lines
    assert any("1 of the unjudged have only judgements" in line for line in lines)


def test_the_table_covers_the_answerable_questions_and_shows_none_where_nothing_can_be_shown() -> (
    None
):
    answerable = [a_question(f"q{n}", "d") for n in range(120)]
    facts = build_facts(a_set(*answerable, a_question("none")), origin="file")
    text = "\n".join(facts_lines(facts))
    assert "difference of Success@1 that 120 answerable questions can be expected to show" in text
    assert "where the two disagree on 20%: 0.118" in text
    assert "where the two disagree on 30%: 0.144" in text
    document = facts_document(facts)["detectable_differences"]
    assert isinstance(document, dict)
    assert (document["questions"], document["alpha"], document["power"]) == (120, 0.05, 0.8)


@pytest.mark.parametrize("answerable", [0, 1, 8])
def test_no_finding_does_not_read_as_if_a_set_that_can_show_nothing_could_decide(
    answerable: int,
) -> None:
    questions = [a_question(f"q{n}", "d") for n in range(answerable)]
    facts = build_facts(a_set(*questions, a_question("none")), origin="file")

    total, note = findings_total((), facts)

    assert total == "findings: 0"
    assert f"With {count(answerable, 'answerable question')}, a retriever that does better" in note
    assert "not about what it can decide" in note


def test_a_set_that_can_show_a_difference_has_its_findings_counted_alone() -> None:
    golden_set = a_set(*(a_question(f"q{n}", "d") for n in range(120)))

    assert list(findings_total((), build_facts(golden_set, origin="file"))) == ["findings: 0"]


def test_no_line_about_a_set_is_wider_than_the_terminal() -> None:
    classes = [f"a-hard-class-with-a-long-name-{n}" for n in range(9)]
    golden_set = a_set(
        *(a_question(f"q{n}", "d", hard_class=name) for n, name in enumerate(classes)),
        name="A name of a set " * 9,
    )
    facts = build_facts(golden_set, origin="folder", split="dev", only_nonrelevant=1)
    findings = lint(golden_set)
    file = io.StringIO()

    print_lines(
        [
            *facts_lines(facts),
            *(line for one in golden_set.questions for line in question_lines(one)),
            *findings_lines(findings),
            *findings_total(findings, facts),
        ],
        make_console(file, width=80),
    )

    lines = file.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert "                a-hard-class-with-a-long-name-2 1," in "\n".join(lines)


def test_a_long_list_of_ids_is_cut_and_counted_in_text_and_whole_in_json() -> None:
    findings = lint(a_set(*(a_question(f"q{n}", "d") for n in range(9))))
    unreviewed = [one for one in findings if one.rule.value == "unreviewed"]
    assert "  questions q0, q1, q2, q3, q4 and 4 more" in list(findings_lines(unreviewed))
    assert len(findings_document(unreviewed)[0]["questions"]) == 9  # type: ignore[arg-type]


def test_a_question_says_what_its_labels_are() -> None:
    lines = {
        question.id: list(question_lines(question))[-1]
        for question in (
            a_question("a", "d1", "d2"),
            a_question("b"),
            a_question("c", unjudged=True),
        )
    }
    assert lines == {b"a": "  d1, d2", b"b": "  no answer in the corpus", b"c": "  unjudged"}

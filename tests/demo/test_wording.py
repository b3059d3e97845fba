"""Gap questions share no vocabulary with their targets, and no opening is worn out."""

import pytest

from evenhand.core.retrieval.golden import Form, GoldenSet
from evenhand.demo.harvest import Harvest
from tests.demo.wording import first_sentence, overused_patterns, shared_words


def test_no_gap_question_shares_a_word_with_a_target(
    scored: GoldenSet, fitting: GoldenSet, harvested: Harvest
) -> None:
    shared = {
        (question.id, target.decode()): words
        for question in (*scored.questions, *fitting.questions)
        if question.form is Form.GAP
        for target in question.expected_document_ids
        if (text := harvested.texts.get(target.decode())) is not None
        and (words := shared_words(question.question.decode(), target.decode(), text))
    }
    assert shared == {}


@pytest.mark.parametrize(
    ("question", "shared"),
    [
        ("Remove the indentation that all lines have in common", {"remove", "common", "lines"}),
        ("My textual blob is pushed to the right; shift it", {"textual"}),  # the module's name
        ("DEDENTED string", {"dedented"}),
        ("Any way with every word that is a stop word", set()),
        ("Triple quotes leave my help screen pushed rightwards; undo it", set()),
    ],
)
def test_a_shared_beginning_is_found(question: str, shared: set[str]) -> None:
    text = "Remove any common leading whitespace from every line in `text`.\n\nTriple quotes."
    assert shared_words(question, "textwrap.dedent", text) == shared


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("One\n\nTwo. Three", "One"),
        ("One line\nand another. Two", "One line\nand another"),
        ("See os.walk for more.\nTwo", "See os.walk for more"),
        ("Only one", "Only one"),
    ],
)
def test_first_sentence_ends_at_a_blank_line_or_a_full_stop(text: str, first: str) -> None:
    assert first_sentence(text) == first


def test_no_opening_of_three_words_is_used_more_than_five_times(
    scored: GoldenSet, fitting: GoldenSet
) -> None:
    texts = [one.question.decode() for one in (*scored.questions, *fitting.questions)]
    assert overused_patterns(texts, 5) == {}


def test_an_opening_used_six_times_is_found() -> None:
    questions = [f"How do I {verb} it?" for verb in ("sort", "cut", "join", "zip", "map", "send")]
    assert overused_patterns(questions, 5) == {"how do i": 6}
    assert overused_patterns(questions[:5], 5) == {}

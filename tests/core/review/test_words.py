"""How a text is taken apart: sentences, stems, numbers, names, negations and clauses."""

from decimal import Decimal

import pytest

from evenhand.core.review.words import is_about_conversation, sentences, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        ("One. Two! Three? Four", ("One.", "Two!", "Three?", "Four")),
        ("It is 4.50 euros.", ("It is 4.50 euros.",)),
        ("Dr. Keller met J. Doe. They left.", ("Dr. Keller met J. Doe.", "They left.")),
        ("1. First\n2. Second", ("First", "Second")),
        ("- First\n* Second\n\n(3) Third", ("First", "Second", "Third")),
        ('He said "no." Then he left.', ('He said "no.', "Then he left.")),
        ("\u5854\u9ad8\u3002\u95e8\u5927\u3002", ("\u5854\u9ad8\u3002", "\u95e8\u5927\u3002")),
    ],
)
def test_sentences(text: str, expected: tuple[str, ...]) -> None:
    assert sentences(text) == expected


def test_numbers_are_what_they_are_worth() -> None:
    said = words("1,234 and 1234.0, two, 4,5 and 4.5, but One and 1.2.3")
    assert [word.number for word in said if word.number is not None] == [
        *(Decimal(1234), Decimal(1234), Decimal(2), Decimal("4.5"), Decimal("4.5")),
    ]
    assert "1.2.3" in {word.stem for word in said}


def test_names_negations_and_clauses() -> None:
    said = words("Towers aren't for Maria, never in NASA hands: nobody's")
    assert [word.stem for word in said if word.is_name] == ["maria", "nasa"]
    assert [word.stem for word in said if word.is_negator] == ["aren", "never"]
    assert [word.clause for word in said] == [0, 0, 0, 0, 1, 1, 1, 1, 2]


def test_words_that_differ_in_their_ending_are_found_again() -> None:
    assert len({word.stem for word in words("tower towers")}) == 1
    assert len({word.stem for word in words("design designs designed designing")}) == 1


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("However I do not have information about that.", True),
        ("I am sorry.", True),
        ("I know that it is open.", False),
        ("I do not think that it is 3 m long.", False),
        ("It is not open.", False),
    ],
)
def test_what_a_speaker_does_not_know_is_no_claim(sentence: str, *, expected: bool) -> None:
    assert is_about_conversation(words(sentence)) is expected

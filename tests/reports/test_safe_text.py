import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.reports.safe_text import encodable, shown_id, shown_lines, shown_text

ESCAPE = "\x1b"


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ("doc-1", "doc-1"),
        ("Größe 中文 مرحبا", "Größe 中文 مرحبا"),
        (f"{ESCAPE}[31mred", "<U+001B>[31mred"),
        ("a\nb\tc\rd", r"a\nb\tc\rd"),
        ("\x00\x07\x7f\x9b", "<U+0000><U+0007><U+007F><U+009B>"),
        ("user\u202egpj.exe", "user<U+202E>gpj.exe"),
        ("zero\u200bwidth\ufeff", "zero<U+200B>width<U+FEFF>"),
        ("line\u2028paragraph\u2029", "line<U+2028>paragraph<U+2029>"),
        ("tag\U000e0041", "tag<U+E0041>"),
        (b"caf\xe9", "caf<0xE9>"),
        (b"\xff\xfe", "<0xFF><0xFE>"),
        ("\ud800", "<U+D800>"),
    ],
)
def test_what_has_no_shape_is_spelt_out(content: str | bytes, shown: str) -> None:
    assert shown_id(content) == shown


@given(st.one_of(st.binary(max_size=60), st.text(max_size=60)))
def test_nothing_invisible_is_left_of_any_id(content: str | bytes) -> None:
    kinds = {unicodedata.category(character) for character in shown_id(content)}

    assert kinds.isdisjoint({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def test_joiners_stay_in_a_question_and_are_spelt_out_in_an_id() -> None:
    persian = "\u0645\u06cc\u200c\u062e"

    assert shown_text(persian) == persian
    assert shown_id(persian) == "\u0645\u06cc<U+200C>\u062e"


def test_a_long_text_is_cut_and_says_how_long_it_is() -> None:
    assert shown_text("x" * 1000, limit=10) == "xxxxxxxxxx… (1000 characters)"
    assert shown_id("x" * 10, limit=10) == "xxxxxxxxxx"


def test_lines_to_copy_keep_their_lines_and_are_never_cut() -> None:
    assert shown_lines(f"a = 1\n{'b' * 1000}\n\x1b") == f"a = 1\n{'b' * 1000}\n<U+001B>"


@given(st.text(), st.sampled_from(["ascii", "latin-1", "cp437", "utf-8"]))
def test_any_encoding_can_take_what_was_made_for_it(text: str, encoding: str) -> None:
    encodable(text, encoding).encode(encoding)

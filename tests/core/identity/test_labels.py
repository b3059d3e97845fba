import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.errors.identity import InvalidLabel
from evenhand.core.identity.labels import (
    MAX_IDENTITY_BYTES,
    NOT_APPLICABLE,
    require_label,
    require_revision,
)

ALNUM = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
FURTHER = ALNUM + "._:+/-"


def refuses(value: object) -> bool:
    try:
        require_label(value, "field")
    except InvalidLabel as error:
        return error.code == "invalid_label"
    return False


@pytest.mark.proves("P-12")
def test_a_label_has_1_to_190_bytes() -> None:
    assert MAX_IDENTITY_BYTES == 190
    assert require_label("x" * 190, "field") == "x" * 190
    assert require_label("x", "field") == "x"
    assert refuses("x" * 191)
    assert refuses("")


@pytest.mark.proves("P-13")
@pytest.mark.parametrize("first", [chr(code) for code in range(128)])
def test_the_first_character_is_an_ascii_letter_or_digit(first: str) -> None:
    assert refuses(first + "a") is (first not in ALNUM)


@pytest.mark.proves("P-14")
@pytest.mark.parametrize("further", [chr(code) for code in range(128)])
def test_further_characters_are_those_listed_and_no_others(further: str) -> None:
    assert refuses(f"a{further}b") is (further not in FURTHER)
    assert refuses(f"a{further}") is (further not in FURTHER)


@pytest.mark.proves("P-15", "G-04")
@pytest.mark.parametrize(
    ("value", "refused"),
    [
        ("https://user:password@example.test/model", True),
        ("http://host/v1", True),
        ("HTTP://HOST", True),
        ("model:v1://x", True),
        ("https:", False),
        ("org/model:v1", False),
        ("a//b", False),
        ("a:/b/", False),
    ],
)
def test_only_colon_slash_slash_makes_a_url_scheme(value: str, refused: bool) -> None:
    assert refuses(value) is refused


@pytest.mark.proves("P-16")
@pytest.mark.parametrize("blank", [" ", "\u00a0", "\u2003", "\u3000"])
def test_whitespace_is_refused_anywhere(blank: str) -> None:
    assert all(refuses(value) for value in (f"a{blank}b", f"a{blank}", f"{blank}a", blank))


@pytest.mark.proves("P-17")
@pytest.mark.parametrize("code", [*range(32), 127, *range(128, 160)])
def test_control_characters_are_refused_anywhere(code: int) -> None:
    assert all(refuses(value) for value in (f"a{chr(code)}b", f"a{chr(code)}", f"{chr(code)}a"))


@pytest.mark.proves("BP-15")
def test_a_newline_at_the_end_is_refused() -> None:
    assert refuses("corpus-v1\n")


@pytest.mark.proves("G-05")
@pytest.mark.parametrize(
    "value", ["\uff11", "\u00fcber", "a\u0663", "a\u0131", "\u212a", "é" * 95]
)
def test_letters_and_digits_beyond_ascii_are_refused(value: str) -> None:
    assert refuses(value)


class Smuggler(str):
    __slots__ = ("state",)


@pytest.mark.proves("G-05")
@pytest.mark.parametrize("value", [None, True, 12, b"corpus-v1", 1.0, Smuggler("smuggled"), ["a"]])
def test_only_an_exact_str_can_be_a_label(value: object) -> None:
    assert refuses(value)


@pytest.mark.proves("P-18", "G-05")
@pytest.mark.parametrize("value", ["hunter2 secret", "hunter2://", "hunter2\n", "hunter2" * 40])
def test_the_error_is_a_value_error_that_names_the_field_and_not_the_value(value: str) -> None:
    with pytest.raises(ValueError, match="corpus_revision") as caught:
        require_label(value, "corpus_revision")
    assert isinstance(caught.value, InvalidLabel)
    assert caught.value.code == "invalid_label"
    assert "hunter2" not in f"{caught.value} {caught.value!r} {vars(caught.value)}"


@pytest.mark.proves("P-24", "BP-15")
def test_the_sentinel_is_refused_where_something_always_exists_with_a_code_of_its_own() -> None:
    assert NOT_APPLICABLE == "not-applicable"
    with pytest.raises(InvalidLabel) as caught:
        require_revision("not-applicable", "corpus_revision")
    assert caught.value.code == "sentinel_not_allowed"


@pytest.mark.proves("G-04")
@pytest.mark.parametrize("value", ["Not-Applicable", "NOT-APPLICABLE", "not-applicable2", "n-a"])
def test_another_spelling_of_the_sentinel_is_an_ordinary_label(value: str) -> None:
    assert require_revision(value, "corpus_revision") == value


@given(st.text(max_size=200))
def test_any_text_is_refused_or_comes_back_unchanged(value: str) -> None:
    legal = (
        1 <= len(value) <= 190
        and value[0] in ALNUM
        and all(character in FURTHER for character in value)
        and "://" not in value
    )
    assert refuses(value) is not legal
    if legal:
        assert require_label(value, "field") == value


@given(st.text(alphabet=FURTHER, min_size=1, max_size=195))
def test_any_text_of_legal_characters_obeys_length_first_and_scheme(value: str) -> None:
    legal = len(value) <= 190 and value[0] in ALNUM and "://" not in value
    assert refuses(value) is not legal

"""A key belongs to one input; a failure has a code that any hub takes."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.errors import Invalid
from evenhand.core.errors.publication import IdempotencyConflict
from evenhand.core.scoring.publication import ERROR_CODE_PATTERN, Publication, error_code_of
from tests.builders import START, row_id

SENT = Publication(
    evaluation_id=row_id(1),
    project_id=row_id(2),
    suite_revision_id=None,
    client_id=None,
    credential_id=row_id(3),
    idempotency_key="a.B_9:-",
    body_digest="0" * 64,
    created_at=START,
)


def test_the_same_input_passes_and_another_conflicts() -> None:
    SENT.require_same("0" * 64)
    with pytest.raises(IdempotencyConflict):
        SENT.require_same("1" * 64)


@pytest.mark.parametrize("key", ["", "a b", "a\n", "\u00e9", "a/b", "x" * 129])
def test_a_key_is_1_to_128_characters_of_a_few(key: str) -> None:
    assert replace(SENT, idempotency_key="x" * 128).idempotency_key == "x" * 128
    with pytest.raises(Invalid):
        replace(SENT, idempotency_key=key)


def test_a_digest_has_64_hex_digits() -> None:
    with pytest.raises(Invalid):
        replace(SENT, body_digest="v1:")


@pytest.mark.parametrize(
    ("error_class", "code"),
    [
        ("ConnectionError", "CONNECTION_ERROR"),
        ("http_503", "HTTP_503"),
        ("TIMEOUT", "TIMEOUT"),
        ("my.pkg.Error2Big", "MY_PKG_ERROR2_BIG"),
        ("_Private", "PRIVATE"),
        ("503", "ERROR_503"),
        ("_", "ERROR"),
        ("x" * 80, "X" * 64),
    ],
)
def test_names_of_errors_become_codes(error_class: str, code: str) -> None:
    assert error_code_of(error_class) == code


@given(st.text(max_size=99))
def test_whatever_an_error_is_called_its_code_is_one(error_class: str) -> None:
    assert re.fullmatch(ERROR_CODE_PATTERN, error_code_of(error_class), re.ASCII)

"""The shape of tokens and names, and what a credential is."""

import hashlib
from dataclasses import replace
from datetime import timedelta

import pytest

from evenhand.core.access.credential import (
    Credential,
    CredentialState,
    build_token,
    is_token,
    is_token_of,
    require_name,
    token_digest,
)
from evenhand.core.access.roles import Role
from evenhand.core.errors import Invalid, InvalidName
from evenhand.core.errors.access import CredentialEnded
from tests.builders import START, row_id

DIGEST = "0123456789abcdef" * 4
ONE = Credential(id=row_id(1), name="ci", role=Role.VIEWER, digest=DIGEST, created_at=START)


@pytest.mark.parametrize(
    ("role", "secret", "token"),
    [
        (Role.OPERATOR, bytes(32), "evh_op_" + "A" * 43),
        (Role.VIEWER, b"\xff" * 32, "evh_vw_" + "_" * 42 + "8"),
        (Role.SERVICE_CLIENT, b"\xfb\xef\xbe" * 10 + bytes(2), "evh_sc_" + "-" * 40 + "AAA"),
    ],
)
def test_a_token_is_a_prefix_and_url_safe_base64_without_padding(
    role: Role, secret: bytes, token: str
) -> None:
    assert build_token(role, secret) == token
    assert is_token(token)


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_token_needs_32_random_bytes(length: int) -> None:
    with pytest.raises(Invalid):
        build_token(Role.VIEWER, bytes(length))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "evh_op_" + "A" * 42,
        "evh_op_" + "A" * 44,
        "evh_xx_" + "A" * 43,
        "evh_op_" + "A" * 42 + "=",
        "evh_op_" + "A" * 42 + "é",
        "evh_op_" + "A" * 43 + "\n",
        " evh_op_" + "A" * 43,
    ],
)
def test_a_text_of_another_shape_is_no_token(text: str) -> None:
    assert not is_token(text)


def test_what_is_stored_of_a_token_is_its_sha256() -> None:
    token = build_token(Role.OPERATOR, bytes(32))
    expected = hashlib.sha256(token.encode("ascii")).hexdigest()
    assert token_digest(token) == expected
    assert is_token_of(token, expected)
    assert not is_token_of(token, expected[:-1] + ("0" if expected[-1] != "0" else "1"))


@pytest.mark.parametrize("name", ["a", "0", "ci-2", "a" * 63, "a-", "a--b"])
def test_a_name_of_lowercase_letters_digits_and_hyphens_is_taken(name: str) -> None:
    assert require_name(name, "name") == name


@pytest.mark.parametrize(
    "name", ["", "-a", "A", "a_b", "a b", "a" * 64, "é", "a\n", "evh_op_" + "A" * 43]
)
def test_another_name_is_refused_and_not_repeated(name: str) -> None:
    with pytest.raises(InvalidName, match="name: must be 1 to 63 lowercase") as refused:
        require_name(name, "name")
    assert refused.value.__dict__ == {
        "field": "name",
        "rule": "must be 1 to 63 lowercase letters, digits and hyphens, no hyphen first",
    }


@pytest.mark.proves("G-58")
def test_a_credential_shows_no_digest() -> None:
    assert DIGEST not in repr(ONE)


def test_a_credential_ends_once() -> None:
    at = START + timedelta(hours=1)
    ended = ONE.ended(CredentialState.REVOKED, at=at)
    assert (ended.state, ended.ended_at) == (CredentialState.REVOKED, at)
    assert replace(ended, state=ONE.state, ended_at=None) == ONE
    for state in (CredentialState.REVOKED, CredentialState.ROTATED):
        with pytest.raises(CredentialEnded):
            ended.ended(state, at=at)


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "A"},
        {"digest": DIGEST.upper()},
        {"digest": DIGEST[:-1]},
        {"ended_at": START},
        {"state": CredentialState.ROTATED},
    ],
    ids=str,
)
def test_a_credential_that_contradicts_itself_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(Invalid):
        replace(ONE, **wrong)  # type: ignore[arg-type]

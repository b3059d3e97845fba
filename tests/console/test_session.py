"""Signed sessions and their forms: nothing that this installation did not sign is one."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.console.session import (
    SESSION_SECONDS,
    Purpose,
    Session,
    SessionKey,
    form_token,
    is_form_token,
    is_sign_in_token,
    open_session,
    seal,
    sign_in_token,
    unseal,
)
from evenhand.core.access.roles import Role

NOW = datetime(2026, 9, 9, 12, 0, 0, 250_000, UTC)
KEY, OTHER = SessionKey(b"k" * 32), SessionKey(b"o" * 32)
CREDENTIAL = "01990000-0000-7000-8000-000000000001"


def a_session(credential_id: str | None = CREDENTIAL, role: Role = Role.OPERATOR) -> Session:
    return open_session(credential_id, role, secret=bytes(range(32)), now=NOW)


@pytest.mark.parametrize("credential_id", [CREDENTIAL, None])
@pytest.mark.parametrize("role", [Role.OPERATOR, Role.VIEWER])
def test_a_sealed_session_comes_back_as_it_was(credential_id: str | None, role: Role) -> None:
    session = a_session(credential_id, role)

    sealed = seal(session, KEY)

    assert unseal(sealed, KEY, now=NOW) == session
    assert (session.credential_id, session.role) == (credential_id, role)
    # It is the value of a cookie, which nothing of it needs quoting for.
    assert set(sealed) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


def test_a_session_is_over_at_its_last_instant() -> None:
    session = a_session()
    sealed = seal(session, KEY)
    last = session.expires_at

    assert last == NOW.replace(microsecond=0) + timedelta(seconds=SESSION_SECONDS)
    assert unseal(sealed, KEY, now=last - timedelta(microseconds=1)) == session
    assert unseal(sealed, KEY, now=last) is None


@given(st.integers(0, 140), st.characters(min_codepoint=33, max_codepoint=126))
def test_a_session_with_another_character_is_none(position: int, character: str) -> None:
    sealed = seal(a_session(), KEY)
    place = position % len(sealed)
    changed = sealed[:place] + character + sealed[place + 1 :]

    found = unseal(changed, KEY, now=NOW)

    assert found == (a_session() if changed == sealed else None)


@given(st.text(max_size=400))
def test_what_nobody_signed_is_no_session(text: str) -> None:
    assert unseal(text, KEY, now=NOW) is None
    assert not is_form_token(text, a_session(), KEY)
    assert not is_sign_in_token(text, "nonce", KEY)


def test_what_another_installation_signed_is_no_session() -> None:
    assert unseal(seal(a_session(), OTHER), KEY, now=NOW) is None
    assert KEY.cookie_name("session") != OTHER.cookie_name("session")


def test_a_form_belongs_to_one_session_and_to_one_purpose() -> None:
    session = a_session()
    another = open_session(CREDENTIAL, Role.OPERATOR, secret=b"x" * 32, now=NOW)
    token = form_token(session, KEY)

    assert is_form_token(token, session, KEY)
    assert not is_form_token(token, another, KEY)
    assert not is_form_token(token, session, OTHER)
    # The signature of a cookie proves no form, and that of one form not another's.
    assert not is_form_token(seal(session, KEY).rpartition(".")[2], session, KEY)
    assert not is_form_token(sign_in_token(session.signed_text, KEY), session, KEY)
    assert len({KEY.sign(purpose, "x") for purpose in Purpose}) == len(Purpose)


def test_a_sign_in_form_belongs_to_one_browser() -> None:
    token = sign_in_token("nonce", KEY)

    assert is_sign_in_token(token, "nonce", KEY)
    assert not is_sign_in_token(token, "other", KEY)


def test_a_key_shows_no_value() -> None:
    assert repr(KEY) == "SessionKey()"

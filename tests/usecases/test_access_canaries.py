"""No token reaches a database, a log, an error or a representation; its digest one column only."""

import logging
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from evenhand.core.access.roles import Role
from evenhand.core.errors import EvenhandError
from evenhand.core.errors.access import Unauthenticated
from evenhand.reports.audit import audit_document, audit_lines
from evenhand.reports.credentials import credential_document, credential_lines
from evenhand.store.uow import Database
from evenhand.usecases import access
from evenhand.usecases.access import Issued
from tests.usecases.access_parts import Parts


@pytest.fixture
def parts(database: Database) -> Parts:
    return Parts(database)


@pytest.fixture
def lived(parts: Parts) -> tuple[Issued, ...]:
    """Tokens that went through everything that can happen to one."""
    first = parts.create_first()
    assert first is not None
    made = parts.create("ci", Role.VIEWER)
    rotated = parts.rotate("ci")
    parts.revoke(access.FIRST_NAME)
    parts.database.read(lambda uow: access.authenticate(uow, rotated.token))
    for token in (first.token, made.token):
        with pytest.raises(Unauthenticated):
            parts.database.read(partial(access.authenticate, token=token))
    return first, made, rotated


def spellings(token: str) -> list[str]:
    """The token, what is random of it, and half of that."""
    secret = token[7:]
    return [token, secret, secret[-22:]]


def stored_text(engine: Engine, *, without: frozenset[tuple[str, str]] = frozenset()) -> str:
    """Every value of every column but some, as text."""
    with engine.connect() as connection:
        tables = sa.inspect(connection).get_table_names()
        return "\n".join(
            str(value)
            for table in tables
            for row in connection.execute(sa.text(f'SELECT * FROM "{table}"')).mappings()  # noqa: S608
            for column, value in row.items()
            if (table, str(column)) not in without
        )


@pytest.mark.proves("G-58", "G-60")
def test_no_token_reaches_the_database(lived: tuple[Issued, ...], engine: Engine) -> None:
    held = stored_text(engine).encode()
    if engine.dialect.name == "sqlite":
        folder = Path(str(engine.url.database)).parent
        files = [path for path in folder.iterdir() if path.is_file()]
        assert files
        # While it is open its log lies beside it.
        held += b"".join(path.read_bytes() for path in files)
    for one in lived:
        assert one.credential.id.encode() in held
        assert not [part for part in spellings(one.token) if part.encode() in held]


@pytest.mark.proves("G-60")
def test_a_digest_is_in_its_column_and_nowhere_else(
    lived: tuple[Issued, ...], engine: Engine
) -> None:
    beside = stored_text(engine, without=frozenset({("credential", "token_digest")}))
    for one in lived:
        assert one.credential.digest in stored_text(engine)
        assert one.credential.digest not in beside
        assert one.credential.digest[:16] not in beside


def test_neither_is_in_what_is_shown_of_credentials_and_the_audit(
    lived: tuple[Issued, ...], parts: Parts
) -> None:
    credentials = parts.database.read(lambda uow: access.list_credentials(uow, with_ended=True))
    entries = parts.database.read(lambda uow: uow.audit.list_latest(limit=99))
    shown = repr(
        [
            *(repr(one) for one in (*lived, *credentials, *entries)),
            *map(credential_document, credentials),
            *credential_lines(credentials),
            *map(audit_document, entries),
            *audit_lines(entries),
        ]
    )
    for one in lived:
        assert one.credential.id in shown
        assert not [
            part for part in (*spellings(one.token), one.credential.digest) if part in shown
        ]


def test_no_log_holds_one(
    database: Database, request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("sqlalchemy.engine", "sqlalchemy.pool", "evenhand"):
        caplog.set_level(logging.DEBUG, logger=name)
    lived: tuple[Issued, ...] = request.getfixturevalue("lived")
    del database
    for one in lived:
        held = (*spellings(one.token), one.credential.digest)
        assert not [part for part in held if part in caplog.text]


def test_no_error_holds_one(lived: tuple[Issued, ...], parts: Parts) -> None:
    for one in lived:
        token = one.token
        failing: list[Callable[[], object]] = [
            lambda token=token: parts.create(token),  # type: ignore[misc]
            lambda token=token: parts.rotate(token),  # type: ignore[misc]
            lambda token=token: parts.revoke(token),  # type: ignore[misc]
            lambda token=token: parts.database.read(  # type: ignore[misc]
                lambda uow: access.authenticate(uow, token[:-1])
            ),
            lambda: parts.create("ci"),
            lambda one=one: parts.database.run(  # type: ignore[misc]
                lambda uow: uow.credentials.add(one.credential)
            ),
        ]
        for work in failing:
            with pytest.raises(EvenhandError) as refused:
                work()
            said = "".join(traceback.format_exception(refused.value)) + repr(vars(refused.value))
            held = (*spellings(token), one.credential.digest)
            assert not [part for part in held if part in said]

"""Rows of credentials and of the audit: what comes back, what is refused, who is first of two."""

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from evenhand.core.access.audit import AuditEntry
from evenhand.core.access.credential import Credential, CredentialState
from evenhand.core.access.roles import Actor, ActorKind, Role
from evenhand.core.errors import EvenhandError, InvalidText
from evenhand.core.errors.access import CredentialEnded, CredentialExists
from evenhand.core.errors.database import ConstraintRefused
from evenhand.store.migrate import check
from evenhand.store.uow import Database
from evenhand.usecases.ports import UnitOfWork
from tests.builders import START, a_credential, an_entry, row_id
from tests.registry_builders import Shop, add_shop

Execute = Callable[..., None]
SHOP = Shop()


def add(database: Database, *added: Credential | AuditEntry) -> None:
    for one in added:
        database.run(partial(_add, one))


def _add(one: Credential | AuditEntry, uow: UnitOfWork) -> None:
    if isinstance(one, AuditEntry):
        uow.audit.add(one)
    else:
        uow.credentials.add(one)


def revoked(one: Credential, hours: int = 9) -> Credential:
    return one.ended(CredentialState.REVOKED, at=START + timedelta(hours=hours))


# Credentials ---------------------------------------------------------------------------------


def test_a_credential_comes_back_with_every_field(database: Database) -> None:
    former = a_credential()
    add(database, former)
    database.run(lambda uow: uow.credentials.save_end(revoked(former)))
    made = a_credential(number=2, role=Role.OPERATOR, rotated_from=former.id)
    add(database, made)
    found = database.read(lambda uow: uow.credentials.list_all(with_ended=True))
    assert found == (made, revoked(former))


def test_a_credential_is_found_by_id_digest_and_name_in_force(database: Database) -> None:
    former, made = a_credential(), a_credential(number=2)
    add(database, former)
    assert database.read(lambda uow: uow.credentials.find("ci")) == former
    database.run(lambda uow: uow.credentials.save_end(revoked(former)))
    assert database.read(lambda uow: uow.credentials.find("ci")) is None
    add(database, made)
    for reference, expected in {"ci": made, made.id: made, former.id: revoked(former)}.items():
        assert database.read(lambda uow, one=reference: uow.credentials.find(one)) == expected  # type: ignore[misc]
    by_digest = database.read(lambda uow: uow.credentials.find_by_digest(former.digest))
    assert by_digest == revoked(former)


@pytest.mark.parametrize(
    ("wrong", "constraint"),
    [
        ({"id": a_credential().id, "name": "b"}, "pk_credential"),
        ({"digest": a_credential().digest, "name": "b"}, "uq_credential_token_digest"),
        ({"role": Role.SERVICE_CLIENT, "client_id": "x", "name": "b"}, "fk_credential"),
    ],
    ids=["id", "digest", "client"],
)
def test_what_contradicts_another_row_is_refused_by_name(
    database: Database, wrong: dict[str, Any], constraint: str
) -> None:
    add(database, a_credential())
    with pytest.raises(ConstraintRefused) as refused:
        add(database, replace(a_credential(number=2), **wrong))
    # SQLite does not say which key it is.
    expected = ("foreign key",) if constraint == "fk_credential" else ()
    assert refused.value.constraint.startswith((constraint, *expected))


@pytest.mark.parametrize(
    ("change", "constraint"),
    [
        ("role = 'service_client'", "ck_credential_client_id"),
        ("role = 'x'", "ck_credential_role"),
        (f"client_id = '{SHOP.client.id}'", "ck_credential_client_id"),
    ],
)
def test_a_client_and_the_role_of_one_go_together(
    database: Database, engine: Engine, change: str, constraint: str
) -> None:
    database.run(add_shop)
    add(database, a_credential())
    with pytest.raises(sa.exc.IntegrityError, match=constraint), engine.begin() as connection:
        connection.execute(sa.text(f"UPDATE credential SET {change}"))  # noqa: S608


def test_a_client_s_credential_comes_back_with_its_client(database: Database) -> None:
    database.run(add_shop)
    one = a_credential(role=Role.SERVICE_CLIENT, client_id=SHOP.client.id)
    add(database, one)
    assert database.read(lambda uow: uow.credentials.find(one.id)) == one


def test_the_place_of_a_credential_is_taken_once(database: Database) -> None:
    former = a_credential()
    add(database, former, a_credential(number=2, name="b", rotated_from=former.id))
    with pytest.raises(ConstraintRefused) as refused:
        add(database, a_credential(number=3, name="c", rotated_from=former.id))
    assert refused.value.constraint == "uq_credential_rotated_from"


def test_a_name_in_force_is_refused_without_the_driver_s_error(database: Database) -> None:
    add(database, a_credential())
    with pytest.raises(CredentialExists) as refused:
        add(database, a_credential(number=2))
    # PostgreSQL's message repeats the row.
    assert refused.value.__context__ is None
    assert refused.value.name == "ci"


def test_an_end_is_written_once(database: Database) -> None:
    one = a_credential()
    add(database, one)
    database.run(lambda uow: uow.credentials.save_end(revoked(one)))
    with pytest.raises(CredentialEnded):
        database.run(lambda uow: uow.credentials.save_end(revoked(one, hours=10)))
    assert database.read(lambda uow: uow.credentials.find(one.id)) == revoked(one)


def test_of_two_who_end_it_at_once_one_is_refused(database: Database) -> None:
    one = a_credential()
    add(database, one)
    together = threading.Barrier(2)
    ended: list[str] = []

    def end(hours: int) -> None:
        together.wait(timeout=60)
        try:
            database.run(lambda uow: uow.credentials.save_end(revoked(one, hours)))
            ended.append("ended")
        except EvenhandError as error:
            ended.append(error.code)

    threads = [threading.Thread(target=end, args=(hours,)) for hours in (9, 10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert sorted(ended) == ["credential_ended", "ended"]


def test_of_two_who_take_a_name_at_once_one_is_refused(database: Database) -> None:
    together = threading.Barrier(2)
    done: list[str] = []

    def take(number: int) -> None:
        together.wait(timeout=60)
        try:
            add(database, a_credential(number=number))
            done.append("made")
        except EvenhandError as error:
            done.append(error.code)

    threads = [threading.Thread(target=take, args=(number,)) for number in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert sorted(done) == ["credential_exists", "made"]


@pytest.mark.parametrize(
    "change", ["ended_at = NULL", "state = 'active'", "state = 'lost'", "ended_at = 'x'"]
)
def test_an_end_and_its_time_go_together(database: Database, engine: Engine, change: str) -> None:
    one = a_credential()
    add(database, one)
    database.run(lambda uow: uow.credentials.save_end(revoked(one)))
    with pytest.raises(sa.exc.IntegrityError), engine.begin() as connection:
        connection.execute(sa.text(f"UPDATE credential SET {change}"))  # noqa: S608


# The audit -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", list(ActorKind))
def test_an_entry_comes_back_with_every_field(database: Database, kind: ActorKind) -> None:
    is_nameless = kind in (ActorKind.COMMAND_LINE, ActorKind.HUB)
    entry = replace(
        an_entry(
            from_state="active",
            to_state="revoked",
            code="viewer",
            action="revoke",
            version=7,
            related_id=row_id(8),
        ),
        actor=Actor(kind=kind, id=None if is_nameless else row_id(7)),
    )
    add(database, entry)
    assert database.read(lambda uow: uow.audit.list_latest(limit=9)) == (entry,)


def test_entries_are_listed_newest_first_of_all_of_a_kind_or_of_one(database: Database) -> None:
    other = a_credential(number=2, name="b")
    entries = [an_entry(number=1), an_entry(number=2, of=other), an_entry(number=3)]
    elsewhere = replace(an_entry(number=4), object_kind="project")
    add(database, *entries, elsewhere)
    one, two, three = entries

    def listed(**chosen: Any) -> tuple[AuditEntry, ...]:
        return database.read(lambda uow: uow.audit.list_latest(**chosen))

    assert listed(limit=9) == (elsewhere, three, two, one)
    assert listed(limit=2) == (elsewhere, three)
    assert listed(object_kind="credential", limit=9) == (three, two, one)
    assert listed(object_kind="credential", object_id=other.id, limit=9) == (two,)
    assert listed(object_kind="a\0", limit=9) == ()
    assert listed(limit=9, after=(three.at, three.id)) == (two, one)
    assert listed(object_kind="credential", limit=1, after=(three.at, three.id)) == (two,)


def test_entries_of_one_time_are_in_order_of_their_ids(database: Database) -> None:
    entries = [replace(an_entry(number=number), at=START) for number in range(1, 8)]
    add(database, *entries[::2], *entries[1::2])
    listed = database.read(lambda uow: uow.audit.list_latest(limit=9))
    assert listed == tuple(reversed(entries))


def test_an_id_that_is_taken_is_refused(database: Database) -> None:
    add(database, an_entry())
    with pytest.raises(ConstraintRefused) as refused:
        add(database, an_entry())
    assert refused.value.constraint == "pk_audit_entry"


def test_an_actor_that_no_database_holds_is_refused(database: Database) -> None:
    with pytest.raises(InvalidText):
        add(
            database,
            replace(an_entry(), actor=Actor(kind=ActorKind.OPERATOR, id="a\0")),
        )


# What db check says --------------------------------------------------------------------------

CREDENTIAL = f"credential {a_credential().id}"


def findings(url: str) -> list[tuple[str, str]]:
    return [(one.code, one.subject) for one in check(url)]


def test_credentials_that_the_audit_tells_of_are_clean(
    database: Database, database_url: str
) -> None:
    one = a_credential()
    add(database, one, an_entry())
    database.run(lambda uow: uow.credentials.save_end(revoked(one)))
    add(database, an_entry(number=2, action="revoke", to_state="revoked"))
    assert findings(database_url) == []


@pytest.mark.proves("G-60")
def test_a_credential_that_the_audit_does_not_tell_of_is_found(
    database: Database, database_url: str
) -> None:
    one = a_credential()
    add(database, one)
    assert findings(database_url) == [("audit_missing", CREDENTIAL)]
    add(database, an_entry())
    assert findings(database_url) == []
    database.run(lambda uow: uow.credentials.save_end(revoked(one)))
    assert findings(database_url) == [("audit_missing", CREDENTIAL)]


@pytest.mark.parametrize(
    "change",
    [f"token_digest = '{'X' * 64}'", "name = 'Not a name'", f"created_at = '{'x' * 27}'"],
)
def test_a_credential_that_does_not_read_back_is_found(
    database: Database, execute: Execute, database_url: str, change: str
) -> None:
    add(database, a_credential(), an_entry())
    execute(f"UPDATE credential SET {change}")  # noqa: S608
    assert findings(database_url) == [("credential_unreadable", CREDENTIAL)]


@pytest.mark.parametrize(
    ("column", "value"), [("at", "'" + "x" * 27 + "'"), ("action", "'Not a word'")]
)
def test_an_entry_that_does_not_read_back_is_found(
    database: Database, engine: Engine, database_url: str, column: str, value: str
) -> None:
    add(database, an_entry(action="create"))
    columns = sa.inspect(engine).get_columns("audit_entry")
    taken = ", ".join(
        {"id": f"'{row_id(99)}'", column: value}.get(one["name"], one["name"]) for one in columns
    )
    with engine.begin() as connection:
        connection.execute(sa.text(f"INSERT INTO audit_entry SELECT {taken} FROM audit_entry"))  # noqa: S608
    assert findings(database_url) == [("audit_unreadable", f"audit entry {row_id(99)}")]

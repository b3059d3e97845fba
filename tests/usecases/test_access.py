"""Tokens on both databases: made, listed, rotated, revoked, recognised; each change is told of."""

import hashlib
import threading
from dataclasses import replace
from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from evenhand.core.access.audit import AuditEntry
from evenhand.core.access.credential import CredentialState
from evenhand.core.access.roles import Actor, ActorKind, Principal, Role
from evenhand.core.errors import InvalidName, InvalidValue
from evenhand.core.errors.access import (
    CredentialEnded,
    CredentialExists,
    CredentialNotFound,
    Unauthenticated,
)
from evenhand.core.errors.database import ConstraintRefused
from evenhand.store.uow import Database
from evenhand.usecases import access
from evenhand.usecases.ports import UnitOfWork
from tests.builders import START
from tests.usecases.access_parts import SOMEBODY, Parts
from tests.usecases.conftest import SettableClock

ACTIVE, ROTATED, REVOKED = CredentialState


@pytest.fixture
def parts(database: Database) -> Parts:
    return Parts(database)


def audit(database: Database, object_id: str | None = None) -> list[AuditEntry]:
    """The audit, oldest first."""
    found = database.read(
        lambda uow: uow.audit.list_latest(
            object_kind=access.OBJECT_KIND, object_id=object_id, limit=99
        )
    )
    return list(reversed(found))


def who(database: Database, token: str | None) -> Principal:
    return database.read(lambda uow: access.authenticate(uow, token))


def is_known(database: Database, token: str) -> bool:
    try:
        who(database, token)
    except Unauthenticated:
        return False
    return True


@pytest.mark.parametrize("role", access.ROLES_OF_PEOPLE)
def test_a_token_leads_to_its_principal(parts: Parts, role: Role) -> None:
    issued = parts.create(role=role)
    expected = Principal(credential_id=issued.credential.id, role=role)
    assert who(parts.database, issued.token) == expected


@pytest.mark.proves("G-58")
def test_of_a_token_only_its_sha256_is_stored(parts: Parts, engine: Engine) -> None:
    issued = parts.create()
    with engine.connect() as connection:
        rows = connection.execute(sa.text("SELECT * FROM credential")).mappings().all()
    assert [row["token_digest"] for row in rows] == [
        hashlib.sha256(issued.token.encode("ascii")).hexdigest()
    ]
    assert not any(issued.token in str(value) for value in rows[0].values())


def test_every_token_is_another_one(parts: Parts) -> None:
    made = [parts.create(name) for name in ("a", "b")]
    assert made[0].token != made[1].token
    assert [who(parts.database, one.token).credential_id for one in made] == [
        one.credential.id for one in made
    ]


def test_without_a_token_the_code_says_that_it_is_missing(database: Database) -> None:
    with pytest.raises(Unauthenticated) as refused:
        who(database, None)
    assert refused.value.code == "missing_credential"


@pytest.mark.parametrize("token", ["", "x", "evh_op_" + "A" * 43, "evh_vw_\0", "ü"])
def test_an_unknown_token_is_refused_and_not_repeated(parts: Parts, token: str) -> None:
    parts.create()
    with pytest.raises(Unauthenticated) as refused:
        who(parts.database, token)
    assert refused.value.code == "bad_credential"
    assert str(refused.value) == "no such token is in force"


def test_a_token_with_another_prefix_is_another_token(parts: Parts) -> None:
    issued = parts.create(role=Role.VIEWER)
    assert not is_known(parts.database, issued.token.replace("evh_vw_", "evh_op_"))


def test_the_digest_of_a_token_is_no_token(parts: Parts) -> None:
    issued = parts.create()
    for shown in (issued.credential.digest, "evh_vw_" + issued.credential.digest[:43]):
        assert not is_known(parts.database, shown)


def test_a_revoked_token_is_refused_like_an_unknown_one(parts: Parts) -> None:
    issued = parts.create()
    parts.revoke("ci")
    with pytest.raises(Unauthenticated, match="no such token is in force"):
        who(parts.database, issued.token)


def test_a_rotation_ends_the_old_token_and_makes_one_of_the_same_name_and_role(
    parts: Parts, clock: SettableClock
) -> None:
    former = parts.create(role=Role.OPERATOR)
    clock.at = START + timedelta(hours=1)
    issued = parts.rotate("ci")
    assert not is_known(parts.database, former.token)
    assert who(parts.database, issued.token).role is Role.OPERATOR
    made = issued.credential
    assert (made.name, made.rotated_from) == ("ci", former.credential.id)
    ended = parts.database.read(lambda uow: access.get(uow, former.credential.id))
    assert ended.state is ROTATED
    assert ended == replace(former.credential, state=ROTATED, ended_at=ended.ended_at)


def test_those_in_force_are_listed_newest_first_and_all_on_request(
    parts: Parts, clock: SettableClock
) -> None:
    for hour, name in enumerate(("a", "b", "c")):
        clock.at = START + timedelta(hours=hour)
        parts.create(name)
    parts.revoke("b")
    listed = parts.database.read(access.list_credentials)
    assert [one.name for one in listed] == ["c", "a"]
    every = parts.database.read(lambda uow: access.list_credentials(uow, with_ended=True))
    assert [(one.name, one.state) for one in every] == [
        ("c", ACTIVE),
        ("b", REVOKED),
        ("a", ACTIVE),
    ]


def test_a_name_belongs_to_one_token_in_force(parts: Parts) -> None:
    former = parts.create()
    with pytest.raises(CredentialExists, match="'ci'"):
        parts.create(role=Role.OPERATOR)
    assert parts.database.read(access.list_credentials) == (former.credential,)
    parts.revoke("ci")
    assert parts.create().credential.name == "ci"


def test_a_name_that_breaks_the_rule_makes_nothing(parts: Parts) -> None:
    with pytest.raises(InvalidName):
        parts.create("Not-a-name")
    assert parts.database.read(access.list_credentials) == ()


def test_a_service_client_s_token_is_not_made_without_a_client(parts: Parts) -> None:
    with pytest.raises(InvalidValue, match="client_id: "):
        parts.create(role=Role.SERVICE_CLIENT)


@pytest.mark.parametrize("reference", ["other", "", "a\0", "evh_op_" + "A" * 43])
def test_a_reference_that_leads_nowhere_is_refused_and_not_repeated(
    parts: Parts, reference: str
) -> None:
    parts.create()
    for verb in (parts.rotate, parts.revoke):
        with pytest.raises(CredentialNotFound) as refused:
            verb(reference)
        assert str(refused.value) == "no credential has this id, and none in force has this name"


def test_a_token_that_has_ended_neither_rotates_nor_ends_again(parts: Parts) -> None:
    ended = parts.create().credential
    parts.revoke(ended.id)
    before = audit(parts.database)
    for verb in (parts.rotate, parts.revoke):
        with pytest.raises(CredentialEnded, match=ended.id):
            verb(ended.id)
    assert audit(parts.database) == before
    assert parts.database.read(access.list_credentials) == ()


def test_the_first_token_is_made_once(parts: Parts) -> None:
    issued = parts.create_first()
    assert issued is not None
    assert who(parts.database, issued.token).role is Role.OPERATOR
    assert [entry.actor for entry in audit(parts.database)] == [Actor(kind=ActorKind.HUB)]
    assert parts.create_first() is None
    parts.revoke(access.FIRST_NAME)
    assert parts.create_first() is None


def test_of_processes_that_begin_at_once_one_makes_the_first_token(parts: Parts) -> None:
    together = threading.Barrier(3)
    made: list[bool] = []

    def begin() -> None:
        together.wait(timeout=60)
        try:
            made.append(parts.create_first() is not None)
        except CredentialExists:
            made.append(False)

    threads = [threading.Thread(target=begin) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert sorted(made) == [False, False, True]
    assert len(parts.database.read(access.list_credentials)) == 1


def test_no_first_token_is_made_where_somebody_has_made_one(parts: Parts) -> None:
    parts.create("mine")
    assert parts.create_first() is None


@pytest.mark.proves("G-60")
def test_every_change_is_told_of_with_time_actor_object_states_and_code(
    parts: Parts, clock: SettableClock, engine: Engine
) -> None:
    operator = Actor(kind=ActorKind.OPERATOR, id="an-operator")
    first = parts.create(role=Role.OPERATOR).credential
    clock.at = START + timedelta(hours=1)
    second = parts.rotate("ci", operator).credential
    clock.at = START + timedelta(hours=2)
    parts.revoke("ci", operator)

    told = [
        (one.actor, one.action, one.object_id, one.from_state, one.to_state, one.code)
        for one in audit(parts.database)
    ]
    assert told == [
        (SOMEBODY, "create", first.id, None, "active", "operator"),
        (operator, "rotate", first.id, "active", "rotated", "operator"),
        (operator, "create", second.id, None, "active", "operator"),
        (operator, "revoke", second.id, "active", "revoked", "operator"),
    ]
    if engine.dialect.name == "sqlite":
        # The time is the transaction's, which on PostgreSQL is the server's.
        hours = [(one.at - START) / timedelta(hours=1) for one in audit(parts.database)]
        assert hours == [0, 1, 1, 2]


@pytest.mark.proves("G-60")
def test_a_change_that_cannot_be_told_of_is_not_made(parts: Parts) -> None:
    issued = parts.create()
    taken = audit(parts.database)[0].id

    class OneId:
        def __init__(self, *given: str) -> None:
            self._given = list(given)

        def new(self) -> str:
            return self._given.pop(0)

    def revoke(uow: UnitOfWork) -> object:
        return access.revoke(uow, "ci", actor=SOMEBODY, ids=OneId(taken))

    def create(uow: UnitOfWork) -> object:
        ids = OneId(parts.ids.new(), taken)
        return access.create(
            uow, name="b", role=Role.VIEWER, actor=SOMEBODY, ids=ids, secrets=parts.secrets
        )

    for work in (revoke, create):
        with pytest.raises(ConstraintRefused) as refused:
            parts.database.run(work)
        assert refused.value.constraint == "pk_audit_entry"
    assert is_known(parts.database, issued.token)
    assert parts.database.read(access.list_credentials) == (issued.credential,)


def test_whom_a_token_belongs_to_is_asked_without_writing(parts: Parts) -> None:
    issued = parts.create()
    before = audit(parts.database)
    who(parts.database, issued.token)
    assert not is_known(parts.database, "evh_op_" + "A" * 43)
    assert audit(parts.database) == before


def test_a_session_is_resumed_while_its_credential_is_in_force(parts: Parts) -> None:
    made = parts.create("ci", Role.OPERATOR).credential

    def resumed(credential_id: str) -> Principal:
        return parts.database.read(lambda uow: access.resume(uow, credential_id))

    assert resumed(made.id) == Principal(credential_id=made.id, role=Role.OPERATOR)
    # By its name nobody is known: it was the id that somebody signed.
    for unknown in ("ci", "", "01990000-0000-7000-9000-999999999999"):
        with pytest.raises(Unauthenticated):
            resumed(unknown)
    parts.rotate("ci")
    with pytest.raises(Unauthenticated) as refusal:
        resumed(made.id)
    assert refusal.value.code == "bad_credential"

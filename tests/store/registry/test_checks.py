"""What ``db check`` finds of the registry."""
# ruff: noqa: S608 -- constants of this file

from collections.abc import Callable
from typing import Any

import pytest

from evenhand.core.access.audit import AuditEntry
from evenhand.core.access.roles import Actor, ActorKind
from evenhand.core.registry.registered import Noun, Registered
from evenhand.store.migrate import check
from evenhand.store.uow import Database
from evenhand.usecases.ports import UnitOfWork
from tests.builders import START
from tests.registry_builders import Shop, add_shop
from tests.store.conftest import only_sqlite

Execute = Callable[..., None]
SHOP = Shop()
NOUNS = dict(
    zip(
        ("project", "binding", "client", "artifact", "runtime", "deployment", "route"),
        (
            *(Noun.PROJECT, Noun.BINDING, Noun.SERVICE_CLIENT, Noun.ARTIFACT, Noun.RUNTIME),
            *(Noun.DEPLOYMENT, Noun.ROUTE),
        ),
        strict=True,
    )
)


def entry(noun: Noun, one: Registered, number: int, version: int = 1) -> AuditEntry:
    return AuditEntry(
        id=f"01990000-0000-7000-f000-{number:012d}",
        at=START,
        actor=Actor(kind=ActorKind.HUB),
        action="create",
        object_kind=noun.value,
        object_id=one.id,
        version=version,
    )


def fill(uow: UnitOfWork) -> None:
    add_shop(uow)
    for number, (name, noun) in enumerate(NOUNS.items()):
        uow.audit.add(entry(noun, getattr(SHOP, name), number))


@pytest.fixture
def shop(database: Database) -> Database:
    """One of each, which the audit tells of."""
    database.run(fill)
    return database


def findings(url: str) -> list[tuple[str, str]]:
    return [(one.code, one.subject) for one in check(url)]


def subject(name: str) -> str:
    one: Any = getattr(SHOP, name)
    return f"{NOUNS[name].value.replace('_', ' ')} {one.id}"


def test_a_registry_that_the_audit_tells_of_is_clean(shop: Database, database_url: str) -> None:
    del shop
    assert findings(database_url) == []


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("project", "UPDATE project SET name = 'Not a name'"),
        ("binding", "UPDATE binding SET capability = 'rag.other@1'"),
        ("client", "UPDATE service_client SET capabilities = 'rag.embedding@1  '"),
        ("artifact", f"UPDATE artifact SET digest = '{'X' * 64}'"),
        ("runtime", "UPDATE runtime SET base_url = 'http://user:pass@host'"),
        ("runtime", "UPDATE runtime SET secret_env = 'a secret'"),
        ("deployment", "UPDATE deployment SET embedding_identity = 'a b'"),
        ("deployment", "UPDATE deployment SET upstream_model = 'a b'"),
        ("route", f"UPDATE route SET created_at = '{'x' * 27}'"),
    ],
)
def test_an_object_that_does_not_read_back_is_found(
    shop: Database, execute: Execute, database_url: str, name: str, change: str
) -> None:
    del shop
    execute(change)
    assert findings(database_url) == [(f"{NOUNS[name].value}_unreadable", subject(name))]


@only_sqlite
def test_bytes_where_text_belongs_are_found(
    shop: Database, execute: Execute, database_url: str
) -> None:
    del shop
    execute("UPDATE service_client SET capabilities = x'72'")
    assert findings(database_url) == [("service_client_unreadable", subject("client"))]


@pytest.mark.proves("G-60")
def test_a_change_that_the_audit_does_not_tell_of_is_found(
    shop: Database, execute: Execute, database_url: str
) -> None:
    execute("UPDATE route SET version = 2, active = false")
    assert findings(database_url) == [("audit_missing", subject("route"))]
    shop.run(lambda uow: uow.audit.add(entry(Noun.ROUTE, SHOP.route, 99, 2)))
    assert findings(database_url) == []

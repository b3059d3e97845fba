"""What ``db check`` finds of publications."""

from collections.abc import Callable

import pytest

from evenhand.core.access.audit import AuditEntry
from evenhand.core.access.roles import Actor, ActorKind, Role
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.core.scoring.publication import Publication
from evenhand.store.migrate import check
from evenhand.store.uow import Database
from evenhand.usecases.ports import UnitOfWork
from tests.builders import START, a_credential, a_publication
from tests.registry_builders import Shop, a_binding, a_client, a_project, add_shop

OTHER = a_project(2)
OTHER_CLIENT = a_client(2, of=a_binding(2, of=OTHER))


def told(publication: Publication) -> AuditEntry:
    return AuditEntry(
        id="01990000-0000-7000-f000-000000000099",
        at=START,
        actor=Actor(kind=ActorKind.HUB),
        action="publish",
        object_kind="evaluation",
        object_id=publication.evaluation_id,
        related_id=publication.project_id,
    )


@pytest.fixture
def record(database: Database, add: Callable[..., EvaluationRecord]) -> EvaluationRecord:
    """An evaluation, and whatever a publication of it may name."""

    def fill(uow: UnitOfWork) -> None:
        add_shop(uow)
        uow.projects.add(OTHER)
        uow.bindings.add(a_binding(2, of=OTHER))
        uow.service_clients.add(OTHER_CLIENT)
        uow.credentials.add(a_credential(role=Role.OPERATOR))

    database.run(fill)
    return add()


def findings(url: str) -> list[tuple[str, str]]:
    found = [(one.code, one.subject) for one in check(url)]
    return [(code, subject) for code, subject in found if subject.startswith("publication ")]


def keep(database: Database, publication: Publication, *, is_told: bool = True) -> None:
    def work(uow: UnitOfWork) -> None:
        uow.publications.add(publication)
        if is_told:
            uow.audit.add(told(publication))

    database.run(work)


def test_a_publication_of_its_projects_client_is_sound(
    database: Database, database_url: str, record: EvaluationRecord
) -> None:
    keep(database, a_publication(record, client_id=Shop().client.id))

    assert findings(database_url) == []


def test_a_publication_that_the_audit_does_not_tell_of_is_found(
    database: Database, database_url: str, record: EvaluationRecord
) -> None:
    keep(database, a_publication(record), is_told=False)

    assert findings(database_url) == [("audit_missing", f"publication {record.id}")]


def test_a_publication_by_another_projects_client_is_found(
    database: Database, database_url: str, record: EvaluationRecord
) -> None:
    keep(database, a_publication(record, client_id=OTHER_CLIENT.id))

    assert findings(database_url) == [("publication_project", f"publication {record.id}")]


def test_a_publication_under_a_key_that_no_call_can_have_is_found(
    database: Database, database_url: str, record: EvaluationRecord
) -> None:
    broken = a_publication(record)
    object.__setattr__(broken, "idempotency_key", "not a key")
    keep(database, broken)

    assert findings(database_url) == [("publication_unreadable", f"publication {record.id}")]

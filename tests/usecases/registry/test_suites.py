"""Suites are made and frozen, each change with its entry of the audit, whoever else does so too."""

import threading
from datetime import timedelta

import pytest

from evenhand.core.access.audit import AuditEntry
from evenhand.core.access.roles import Actor, ActorKind
from evenhand.core.errors import EvenhandError
from evenhand.core.errors.registry import ReferenceRefused, RegisteredNotFound
from evenhand.core.registry.suite import Suite
from evenhand.core.retrieval.suite_revision import FrozenContent, freeze_content
from evenhand.store.uow import Database
from evenhand.usecases.registry import projects, suites
from evenhand.usecases.registry.suites import Frozen
from tests.builders import START, a_set, row_id
from tests.registry_builders import a_project
from tests.suite_builders import CORPUS, a_case_question
from tests.usecases.conftest import CountingIds, SettableClock

OPERATOR = Actor(kind=ActorKind.OPERATOR, id=row_id(7))


def content(*ids: str) -> FrozenContent:
    return freeze_content(
        a_set(*(a_case_question(one, critical=one == "q1") for one in ids or ("q1", "q2"))),
        corpus_sha256=CORPUS,
        retrieval_settings={"top_k": 10},
    )


class Parts:
    """The use cases of suites on one database, each in a transaction of its own."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.ids = CountingIds()

    def create(self, name: str = "release") -> Suite:
        return self.database.run(
            lambda uow: suites.create(
                uow, project_id=a_project().id, name=name, actor=OPERATOR, ids=self.ids
            )
        )

    def freeze(self, suite: Suite, frozen: FrozenContent) -> Frozen:
        return self.database.run(
            lambda uow: suites.freeze(uow, suite.id, frozen, actor=OPERATOR, ids=self.ids)
        )

    def set_active(self, suite: Suite, *, active: bool, version: int) -> Suite:
        return self.database.run(
            lambda uow: suites.change(
                uow,
                suite.id,
                active=active,
                expected_version=version,
                actor=OPERATOR,
                ids=self.ids,
            )
        )

    def audit(self) -> list[AuditEntry]:
        return list(self.database.read(lambda uow: uow.audit.list_latest(limit=99)))[::-1]


@pytest.fixture
def parts(database: Database) -> Parts:
    database.run(lambda uow: uow.projects.add(a_project()))
    return Parts(database)


@pytest.mark.proves("C-16")
def test_a_revision_holds_what_was_frozen_when_and_by_whom(
    parts: Parts, clock: SettableClock
) -> None:
    suite = parts.create()
    clock.at = START + timedelta(hours=1)
    frozen = parts.freeze(suite, content())
    revision = frozen.revision
    found = parts.database.read(lambda uow: uow.suites.find_revision(revision.id))
    assert found is not None
    assert found.revision == revision
    assert found.content == content()
    assert found.golden_set == content().golden_set
    assert (frozen.is_new, revision.number, revision.frozen_by) == (True, 1, OPERATOR)
    assert (revision.case_count, revision.critical_count) == (2, 1)
    assert (revision.suite_id, revision.project_id) == (suite.id, a_project().id)
    assert found.revision.labels_fingerprint == content().golden_set.labels_fingerprint
    if parts.database.read(lambda uow: uow.now()) == clock.at:
        assert revision.created_at == clock.at


def test_every_change_is_told_of_with_time_actor_object_and_states(parts: Parts) -> None:
    suite = parts.create()
    revision = parts.freeze(suite, content()).revision
    parts.freeze(suite, content())
    ended = parts.set_active(suite, active=False, version=1)
    parts.set_active(suite, active=False, version=2)
    parts.set_active(suite, active=True, version=2)

    entries = parts.audit()
    told = [
        (one.action, one.object_id, one.related_id, one.from_state, one.to_state, one.version)
        for one in entries
    ]
    assert told == [
        ("create", suite.id, a_project().id, None, "active", 1),
        ("freeze", revision.id, suite.id, None, "frozen", None),
        ("change", suite.id, None, "active", "inactive", 2),
        ("change", suite.id, None, "inactive", "active", 3),
    ]
    kinds = [one.object_kind for one in entries]
    assert kinds == ["suite", "suite_revision", "suite", "suite"]
    assert {one.actor for one in entries} == {OPERATOR}
    assert entries[1].at == revision.created_at
    assert (ended.active, ended.version) == (False, 2)


def test_a_suite_is_found_by_its_id_and_by_project_and_name(parts: Parts) -> None:
    suite, other = parts.create(), parts.create("other")
    for reference, expected in (
        (suite.id, suite),
        ("shop/release", suite),
        (f"{a_project().id}/other", other),
    ):
        found = parts.database.read(lambda uow, it=reference: suites.resolve(uow, it))  # type: ignore[misc]
        assert found == expected
    for reference, code in {
        "release": "suite_not_found",
        "shop/nowhere": "suite_not_found",
        "nowhere/release": "project_not_found",
        row_id(9): "suite_not_found",
        "a\0/b": "project_not_found",
    }.items():
        with pytest.raises(RegisteredNotFound) as error:
            parts.database.read(lambda uow, it=reference: suites.resolve(uow, it))  # type: ignore[misc]
        assert error.value.code == code
    with pytest.raises(RegisteredNotFound) as error:
        parts.database.read(lambda uow: suites.get_facts(uow, row_id(9)))
    assert error.value.code == "suite_revision_not_found"


def test_a_project_that_is_unknown_or_out_of_use_takes_no_suite_and_no_revision(
    parts: Parts,
) -> None:
    suite = parts.create()
    known = parts.freeze(suite, content())
    parts.database.run(
        lambda uow: projects.change(
            uow,
            a_project().id,
            expected_version=1,
            active=False,
            actor=OPERATOR,
            ids=parts.ids,
        )
    )
    for refused in (lambda: parts.create("other"), lambda: parts.freeze(suite, content("q9"))):
        with pytest.raises(ReferenceRefused) as error:
            refused()
        assert error.value.code == "inactive_project"
    # What is frozen already is found all the same.
    assert parts.freeze(suite, content()).revision == known.revision


@pytest.mark.proves("C-16")
@pytest.mark.parametrize("is_same", [True, False], ids=["equal", "different"])
def test_of_many_who_freeze_at_once_each_content_is_one_revision(
    parts: Parts, is_same: bool
) -> None:
    suite = parts.create()
    together = threading.Barrier(4)
    done: list[Frozen | str] = []

    def freeze(number: int) -> None:
        # Ids are counted beside each other, so each thread has its own.
        own = Parts(parts.database)
        own.ids._number = number * 1000
        together.wait(timeout=60)
        try:
            done.append(own.freeze(suite, content("q1" if is_same else f"q{number}")))
        except EvenhandError as error:
            done.append(error.code)

    threads = [threading.Thread(target=freeze, args=(number,)) for number in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    made = [one for one in done if isinstance(one, Frozen)]
    assert len(made) == 4, done
    expected = 1 if is_same else 4
    assert sum(one.is_new for one in made) == expected
    assert {one.revision.number for one in made} == set(range(1, expected + 1))
    assert len({one.revision.id for one in made}) == expected
    assert [one.action for one in parts.audit()].count("freeze") == expected

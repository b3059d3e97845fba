from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from evenhand.core.comparison.set_use import SetUse, SetUseKind
from evenhand.core.errors import InvalidText
from evenhand.core.errors.database import ConstraintRefused
from evenhand.store.uow import Database
from evenhand.usecases.ports import UnitOfWork
from tests.builders import a_question, a_set, a_set_use, row_id


def add(database: Database, *uses: SetUse) -> None:
    for one in uses:
        database.run(partial(_add, one))


def _add(added: SetUse, uow: UnitOfWork) -> None:
    uow.set_uses.add(added)


def test_an_entry_comes_back_with_every_field(database: Database) -> None:
    use = a_set_use(evaluation_ids=(row_id(2), row_id(1)), conclusion="inconclusive")
    add(database, use)
    found = database.read(lambda uow: uow.set_uses.list_latest(use.labels_fingerprint, 9))
    assert found == (use,)


def test_decisions_are_counted_by_labels_and_kind(database: Database) -> None:
    other = a_set(a_question("q1", "d1"), identifier="other")
    kinds = [SetUseKind.GATE, SetUseKind.GATE, SetUseKind.AB, SetUseKind.HOLDOUT]
    add(database, *(a_set_use(number=n, kind=kind) for n, kind in enumerate(kinds)))
    add(database, a_set_use(number=9, golden_set=other))
    counts = database.read(lambda uow: uow.set_uses.count(a_set().labels_fingerprint))
    assert counts.by_kind == {SetUseKind.AB: 1, SetUseKind.GATE: 2, SetUseKind.HOLDOUT: 1}
    assert counts.total == 4
    assert counts.of(SetUseKind.COMPARE) == 0


def test_a_set_with_another_name_and_the_same_labels_has_the_same_page(
    database: Database,
) -> None:
    renamed = a_set(identifier="renamed")
    add(database, a_set_use(number=1), a_set_use(number=2, golden_set=renamed))
    counts = database.read(lambda uow: uow.set_uses.count(renamed.labels_fingerprint))
    assert counts.total == 2


@pytest.mark.parametrize("labels", ["v1:x", "a\0"])
def test_labels_that_were_never_used_have_no_entries(database: Database, labels: str) -> None:
    add(database, a_set_use())
    assert database.read(lambda uow: uow.set_uses.count(labels)).total == 0
    assert database.read(lambda uow: uow.set_uses.list_latest(labels, 9)) == ()


def test_entries_are_listed_newest_first_up_to_a_limit(database: Database) -> None:
    uses = [a_set_use(number=number) for number in (1, 2, 3)]
    add(database, *uses)
    labels = uses[0].labels_fingerprint
    assert database.read(lambda uow: uow.set_uses.list_latest(labels, 2)) == (uses[2], uses[1])


def test_an_id_that_is_taken_is_refused(database: Database) -> None:
    add(database, a_set_use())
    with pytest.raises(ConstraintRefused) as error:
        add(database, a_set_use())
    assert error.value.constraint == "pk_set_use"


@pytest.mark.parametrize("field", ["set_identifier", "evaluation_ids"])
def test_a_text_that_no_database_holds_is_refused(database: Database, field: str) -> None:
    wrong: Any = {"set_identifier": "a\0", "evaluation_ids": ("a\0",)}[field]
    with pytest.raises(InvalidText):
        add(database, replace(a_set_use(), **{field: wrong}))

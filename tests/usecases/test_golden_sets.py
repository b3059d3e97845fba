"""Golden sets are kept under their identifiers, as a whole."""

import pytest

from evenhand.core.errors.retrieval import GoldenSetNotFound
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.store.uow import Database
from evenhand.usecases.golden_sets import (
    Imported,
    SetSummary,
    delete_set,
    find_set,
    import_set,
    list_sets,
)
from tests.builders import a_question, a_set


def keep(database: Database, golden_set: GoldenSet) -> Imported:
    return database.run(lambda uow: import_set(uow, golden_set))


def test_an_imported_set_is_found_as_it_was(database: Database) -> None:
    golden_set = a_set(
        a_question(b"q\xff", b"doc\xff", b"doc\xfe", text=b"gr\xf6\xdfe", hard_class=b"\xe9"),
        a_question("q2", unjudged=True),
        a_question("q1", reviewed=True, critical=True),
    )
    done = keep(database, golden_set)
    assert (done.identifier, done.questions, done.replaced) == ("tiny", 3, False)
    found = database.read(lambda uow: find_set(uow, "tiny"))
    assert found == golden_set
    assert found is not None
    assert found.labels_fingerprint == golden_set.labels_fingerprint


def test_a_second_import_replaces_the_set_and_says_whether_labels_changed(
    database: Database,
) -> None:
    first = a_set(a_question("q1", "d1"))
    renamed = a_set(a_question("q1", "d1", reviewed=True), name="Another name")
    relabelled = a_set(a_question("q1", "d2"))
    keep(database, first)
    again = keep(database, renamed)
    assert (again.replaced, again.labels_changed) == (True, False)
    changed = keep(database, relabelled)
    assert (changed.replaced, changed.labels_changed) == (True, True)
    assert database.read(lambda uow: find_set(uow, "tiny")) == relabelled
    assert database.read(list_sets) == (
        SetSummary(identifier="tiny", name="Tiny set", questions=1, holdout=0),
    )


def test_holding_a_question_out_changes_the_labels_of_both_parts(database: Database) -> None:
    asked, other = a_question("q1", "d1"), a_question("q2", "d2")
    keep(database, a_set(asked, other))
    done = keep(database, a_set(asked, holdout=[other]))
    assert (done.questions, done.holdout, done.labels_changed) == (1, 1, True)
    relabelled = keep(database, a_set(asked, holdout=[a_question("q2", "d3")]))
    assert relabelled.labels_changed is True


def test_sets_are_listed_by_identifier_and_deleted_by_it(database: Database) -> None:
    for identifier in ("b", "a.b", "a"):
        keep(database, a_set(a_question("q1", "d1"), identifier=identifier))
    listed = database.read(list_sets)
    assert [summary.identifier for summary in listed] == ["a", "a.b", "b"]
    database.run(lambda uow: delete_set(uow, "a"))
    assert database.read(lambda uow: find_set(uow, "a")) is None
    with pytest.raises(GoldenSetNotFound, match=r"'a' \(known: a.b, b\)"):
        database.run(lambda uow: delete_set(uow, "a"))

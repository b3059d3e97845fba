from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evenhand.core.retrieval.golden import Form, GoldenQuestion, GoldenSet, LabelProvenance
from evenhand.store.uow import Database
from tests.builders import START, a_question, a_set

Rows = Callable[..., list[tuple[Any, ...]]]


def save(database: Database, golden_set: GoldenSet) -> None:
    database.run(lambda uow: uow.golden_sets.save(golden_set, imported_at=START))


def find(database: Database, identifier: str) -> GoldenSet | None:
    return database.read(lambda uow: uow.golden_sets.find(identifier))


def test_a_set_comes_back_with_every_field_and_in_its_own_order(database: Database) -> None:
    golden_set = GoldenSet(
        identifier="all.fields",
        name="Every field",
        description="é",
        questions=(
            GoldenQuestion(
                id="z",
                question="what?",
                form=Form.GAP,
                expected_document_ids=["d2", "d1", "d3"],
                hard_class="normal",
                answer_gist="that",
                critical=True,
                reviewed=True,
                label_provenance=LabelProvenance(corpus_revision="c1", model_revision="m1"),
            ),
            a_question("a", unjudged=True),
            a_question("m"),
        ),
    )
    save(database, golden_set)
    assert find(database, "all.fields") == golden_set


@pytest.mark.proves("P-40", "P-41")
def test_bytes_that_are_not_utf8_come_back_as_they_were(database: Database) -> None:
    golden_set = a_set(
        GoldenQuestion(
            id=b"q\xff",
            question=b"caf\xe9",
            form=Form.MATCH,
            expected_document_ids=[b"d\xfe", b"d\xff"],
            hard_class=b"\xff",
            answer_gist=b"\xfd",
        ),
        a_question("cafe\u0301"),
        a_question("caf\u00e9"),
    )
    save(database, golden_set)
    found = find(database, "tiny")
    assert found == golden_set
    assert found.labels_fingerprint == golden_set.labels_fingerprint


ids = st.lists(
    st.binary(min_size=1, max_size=12).filter(lambda text: b"\0" not in text),
    min_size=1,
    max_size=6,
    unique=True,
)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ids, ids)
def test_any_ids_survive(database: Database, questions: list[bytes], targets: list[bytes]) -> None:
    golden_set = a_set(*(a_question(one, *targets) for one in questions))
    save(database, golden_set)
    assert find(database, "tiny") == golden_set


def test_a_set_is_replaced_as_a_whole(database: Database, rows: Rows) -> None:
    save(database, a_set(a_question("old-1", "d1", "d2"), a_question("old-2", "d1")))
    save(database, a_set(a_question("new", "d3")))
    assert find(database, "tiny") == a_set(a_question("new", "d3"))
    assert rows("SELECT count(*) FROM golden_target") == [(1,)]


def test_sets_are_listed_by_identifier_in_byte_order(database: Database) -> None:
    for identifier in ("b", "a_b", "a.c", "a1"):
        save(database, a_set(identifier=identifier, name=identifier.upper()))
    listed = database.read(lambda uow: uow.golden_sets.list_all())
    assert listed == (
        ("a.c", "A.C", 4, 0),
        ("a1", "A1", 4, 0),
        ("a_b", "A_B", 4, 0),
        ("b", "B", 4, 0),
    )


def test_what_is_held_out_comes_back_as_such_and_goes_with_its_set(
    database: Database, rows: Rows
) -> None:
    golden_set = a_set(holdout=[a_question("h1", "d1"), a_question("h2")])
    save(database, golden_set)
    save(database, a_set(identifier="other"))
    assert find(database, "tiny") == golden_set
    listed = database.read(lambda uow: uow.golden_sets.list_all())
    assert listed == (("other", "Tiny set", 4, 0), ("tiny", "Tiny set", 4, 2))
    save(database, a_set())
    assert rows("SELECT count(*) FROM golden_holdout") == [(0,)]
    assert find(database, "tiny") == a_set()


def test_a_deleted_set_is_gone_and_others_stay(database: Database, rows: Rows) -> None:
    save(database, a_set(identifier="one"))
    save(database, a_set(identifier="two"))
    assert database.run(lambda uow: uow.golden_sets.delete("one")) is True
    assert database.run(lambda uow: uow.golden_sets.delete("one")) is False
    assert find(database, "one") is None
    assert find(database, "two") == a_set(identifier="two")
    assert rows("SELECT DISTINCT set_identifier FROM golden_target") == [("two",)]


@pytest.mark.parametrize("identifier", ["never", "nul\0", "\ud800"])
def test_an_unknown_set_is_not_found(database: Database, identifier: str) -> None:
    assert find(database, identifier) is None
    assert database.run(lambda uow: uow.golden_sets.delete(identifier)) is False


def test_very_long_ids_are_stored(database: Database) -> None:
    golden_set = a_set(a_question("q" * 9000, "d" * 9000, text="t" * 200_000))
    save(database, golden_set)
    assert find(database, "tiny") == golden_set

"""Which requests to the gateway a purge takes, and which it must not."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine
from sqlalchemy.exc import IntegrityError

from evenhand.core.errors import InvalidText
from evenhand.store.tables import SORTED_TEXT, metadata
from evenhand.store.uow import Database
from tests.builders import START, a_credential
from tests.gateway_builders import a_gateway_request, an_attempt
from tests.registry_builders import add_shop

Rows = Callable[..., list[tuple[Any, ...]]]
#: They ended so many seconds after `START`, and took a quarter of one.
FIRST, SECOND = (
    a_gateway_request(1),
    a_gateway_request(2, attempts=(an_attempt(number=0), an_attempt(number=1))),
)


@pytest.fixture
def kept(database: Database) -> Database:
    database.run(add_shop)
    database.run(lambda uow: uow.credentials.add(a_credential()))
    database.run(lambda uow: uow.gateway_requests.add_all((FIRST, SECOND)))
    return database


@pytest.fixture
def proof(kept: Database, engine: Engine) -> Iterator[sa.Table]:
    """A table of what rests on a request, as comparisons have one."""
    table = sa.Table(
        "proof_of_a_test",
        metadata,
        sa.Column("public_id", SORTED_TEXT, primary_key=True),
        sa.ForeignKeyConstraint(["public_id"], ["gateway_request.public_id"]),
    )
    try:
        table.create(engine)
        with engine.begin() as connection:
            connection.execute(table.insert().values(public_id=FIRST.public_id))
        yield table
        table.drop(engine)
    finally:
        metadata.remove(table)
    del kept


def purge_before(database: Database, seconds: float) -> int:
    before = START + timedelta(seconds=seconds)
    return database.run(
        lambda uow: uow.gateway_requests.purge(
            before=before, category="gateway_request", actor="tester"
        )
    )


def left(rows: Rows) -> list[str]:
    return [row[0] for row in rows("SELECT public_id FROM gateway_request ORDER BY id")]


@pytest.mark.proves("BP-30")
def test_what_began_strictly_before_goes_with_its_calls_and_leaves_a_trace(
    kept: Database, rows: Rows
) -> None:
    assert purge_before(kept, 0.75) == 0
    assert purge_before(kept, 1.75) == 1

    assert left(rows) == [SECOND.public_id]
    assert len(rows("SELECT request_id FROM gateway_attempt")) == 2
    assert rows("SELECT actor, rule, rows, open_marker FROM retention_action ORDER BY id") == [
        ("tester", "purge:gateway_request", 0, None),
        ("tester", "purge:gateway_request", 1, None),
    ]


@pytest.mark.proves("G-53", "BP-30")
@pytest.mark.usefixtures("proof")
def test_what_something_rests_on_stays_with_its_calls(kept: Database, rows: Rows) -> None:
    assert purge_before(kept, 99) == 1

    assert left(rows) == [FIRST.public_id]
    assert rows("SELECT request_id FROM gateway_attempt") == [(FIRST.id,)]
    assert kept.read(lambda uow: uow.gateway_requests.find_by_public_id(FIRST.public_id)) == FIRST


def test_nothing_goes_without_a_trace(kept: Database, engine: Engine, rows: Rows) -> None:
    for statement in ("DELETE FROM gateway_attempt", "DELETE FROM gateway_request"):
        with pytest.raises(IntegrityError), engine.begin() as connection:
            connection.execute(sa.text(statement))
    with pytest.raises(InvalidText):
        kept.run(lambda uow: uow.gateway_requests.purge(before=START, category="x", actor="a\0"))
    assert len(left(rows)) == 2

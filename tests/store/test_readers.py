"""Connections of those who only read."""

import sqlalchemy as sa
from sqlalchemy.engine import Engine
from sqlalchemy.pool import StaticPool

from evenhand.store.engine import ONLY_READS, reading, writing
from evenhand.store.readers import readers_of


def test_they_are_others_on_sqlite_and_told_once_and_the_same_on_a_server(engine: Engine) -> None:
    readers = readers_of(engine)
    is_file = engine.dialect.name == "sqlite"
    try:
        with reading(readers) as connection:
            assert (ONLY_READS in connection.info) is is_file
        # A writer never gets one of them.
        with writing(engine) as connection:
            assert ONLY_READS not in connection.info
        assert (readers is engine) is not is_file
    finally:
        readers.dispose()


def test_what_is_in_memory_has_no_others() -> None:
    engine = sa.create_engine("sqlite://", poolclass=StaticPool)

    assert readers_of(engine) is engine
    engine.dispose()

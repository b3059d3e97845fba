"""Connections to PostgreSQL: what is waited for, and how long."""

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import make_url

from evenhand.adapters.system import UuidV7Ids
from evenhand.core.errors.database import DatabaseUnavailable
from evenhand.store.engine import STATEMENT_SECONDS, create_engine
from evenhand.store.uow import SqlUnitOfWork, open_database
from evenhand.usecases.ports import UnitOfWork
from tests.builders import FakeClock
from tests.store.conftest import only_postgresql


@only_postgresql
class TestWaits:
    """A server that hangs is not waited for without end."""

    def test_a_statement_ends_unless_somebody_else_says_when(self, database_url: str) -> None:
        told = make_url(database_url).update_query_dict({"options": "-c statement_timeout=7s"})
        engines = {
            "5min": create_engine(database_url, statement_seconds=STATEMENT_SECONDS),
            "7s": create_engine(told.render_as_string(False), statement_seconds=1),
            "0": create_engine(database_url),
        }
        for expected, engine in engines.items():
            with engine.connect() as connection:
                assert connection.scalar(sa.text("SHOW statement_timeout")) == expected
            engine.dispose()

    def test_one_that_took_too_long_is_told_so(self, database_url: str) -> None:
        told = make_url(database_url).update_query_dict({"options": "-c statement_timeout=1ms"})
        database = open_database(told.render_as_string(False), clock=FakeClock(), ids=UuidV7Ids())

        def sleep(uow: UnitOfWork) -> None:
            assert isinstance(uow, SqlUnitOfWork)
            uow._connection.execute(sa.text("SELECT pg_sleep(60)"))

        with pytest.raises(DatabaseUnavailable, match="statement_timeout"):
            database.read(sleep)
        database.close()

    @pytest.mark.parametrize("name", ["tcp_user_timeout", "keepalives_idle"])
    def test_a_silent_host_is_given_up_unless_the_url_says_when(
        self, database_url: str, name: str
    ) -> None:
        told = make_url(database_url).update_query_dict({name: "7"})
        for url, expected in ((database_url, None), (told.render_as_string(False), "7")):
            engine = create_engine(url)
            with engine.connect() as connection:
                driver = connection.connection.driver_connection
                assert driver is not None
                stated = driver.info.get_parameters()[name]
            engine.dispose()
            assert stated == expected if expected else int(stated) > 7

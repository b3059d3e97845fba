"""For how many days requests to the gateway are kept."""

import pytest

from evenhand.core.errors import InvalidSetting
from evenhand.store.uow import Database
from evenhand.usecases.gateway.keeping import purge
from tests.builders import START, a_credential
from tests.gateway_builders import a_gateway_request
from tests.registry_builders import add_shop
from tests.usecases.conftest import SettableClock


@pytest.fixture
def kept(database: Database) -> Database:
    database.run(add_shop)
    database.run(lambda uow: uow.credentials.add(a_credential()))
    requests = (a_gateway_request(1), a_gateway_request(2))
    database.run(lambda uow: uow.gateway_requests.add_all(requests))
    return database


@pytest.mark.proves("BP-30")
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_purge_takes_what_began_more_than_its_days_ago(
    kept: Database, clock: SettableClock
) -> None:
    clock.at = START.replace(day=START.day + 1, second=2)
    assert kept.run(lambda uow: purge(uow, days=2, actor="t")) == 0
    # They began 0.75 and 1.75 seconds after the start.
    clock.at = START.replace(day=START.day + 1, second=1)
    assert kept.run(lambda uow: purge(uow, days=1, actor="t")) == 1
    assert kept.run(lambda uow: purge(uow, days=999_999_999, actor="t")) == 0


def test_no_number_of_days_means_delete_now(kept: Database) -> None:
    for days in (0, -1):
        with pytest.raises(InvalidSetting, match="at least 1"):
            kept.run(lambda uow, days=days: purge(uow, days=days, actor="t"))  # type: ignore[misc]

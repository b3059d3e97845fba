"""What the kill tests kill: make the database if need be, and store one evaluation in it."""

from collections.abc import Sequence

from evenhand.core.privacy import LevelPolicy, PrivacyLevel
from evenhand.store.migrate import ensure_ready
from evenhand.store.uow import open_database
from evenhand.usecases.evaluations import record
from tests.builders import RELEASE, FakeClock, a_provenance, an_evaluation, row_id
from tests.store.conftest import CountingIds


def main(arguments: Sequence[str]) -> None:
    """URL and the number of the row to store."""
    url, number = arguments
    ensure_ready(url)
    database = open_database(url, clock=FakeClock(), ids=CountingIds())
    database.run(
        lambda uow: record(
            uow,
            an_evaluation(provenance=a_provenance()),
            id=row_id(int(number)),
            policy=LevelPolicy(level=PrivacyLevel.FULL),
            release=RELEASE,
        )
    )
    database.close()

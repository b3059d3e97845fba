"""What ``db check`` finds of comparisons that went through the hub, and of rows that were bent."""

from collections.abc import Callable

import pytest
import sqlalchemy as sa

from evenhand.store.engine import create_engine
from evenhand.store.migrate import check
from tests.hub.comparing import Comparing, comparing
from tests.hub.conftest import only_sqlite

__all__ = ["comparing"]


def findings(comparing: Comparing) -> set[str]:
    found = check(comparing.hub.parts.database_url)
    return {one.code for one in found if one.subject.startswith("comparison ")}


def published(comparing: Comparing) -> None:
    for key in ("K1", "K2"):
        claimed = comparing.claimed(key)
        comparing.progress(claimed, 1, 1)
        comparing.progress(claimed | {"claim_token": "x"})
        if key == "K1":
            assert comparing.publish(claimed, comparing.result(claimed)).status_code == 200
    comparing.cancel(claimed["comparison"])
    comparing.finish(claimed, "cancelled")


@only_sqlite
def test_what_the_hub_wrote_is_sound(comparing: Comparing) -> None:
    published(comparing)
    late = comparing.claimed("K3")
    comparing.at(121)
    comparing.get(f"/{late['comparison']['id']}")

    assert findings(comparing) == set()


BENT: list[tuple[str, str]] = [
    ("UPDATE comparison_intent SET pins_digest = body_digest", "comparison_unreadable"),
    ("UPDATE comparison_intent SET current_score_cutoff = 0.5", "comparison_unreadable"),
    ("UPDATE comparison_intent SET version = version + 1", "audit_missing"),
    ("DELETE FROM comparison_summary", "comparison_summary"),
    ("UPDATE comparison_summary SET document = '{}'", "comparison_summary"),
    ("UPDATE gateway_request SET client_id = NULL", "comparison_requests"),
    (
        "UPDATE gateway_request SET created_at = '2026-01-01T00:00:00.000000Z'",
        "comparison_requests",
    ),
    ("UPDATE comparison_intent SET state = 'failed', result_digest = NULL", "comparison_sides"),
]


@only_sqlite
@pytest.mark.parametrize(("statement", "code"), BENT, ids=lambda one: one[:40])
def test_a_row_that_was_bent_is_found(comparing: Comparing, statement: str, code: str) -> None:
    published(comparing)
    bend(comparing, lambda connection: connection.execute(sa.text(statement)))

    assert code in findings(comparing)


def bend(comparing: Comparing, work: Callable[[sa.engine.Connection], object]) -> None:
    """Write past the guards, as another program could; they are there again afterwards."""
    engine = create_engine(comparing.hub.parts.database_url)
    with engine.begin() as connection:
        query = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
        guards = connection.execute(sa.text(query)).all()
        for name, _ in guards:
            connection.execute(sa.text(f"DROP TRIGGER {name}"))
        connection.exec_driver_sql("PRAGMA ignore_check_constraints = ON")
        work(connection)
        for _, text in guards:
            connection.exec_driver_sql(text)
    engine.dispose()

"""A publication that breaks off anywhere stores nothing; one that is let through stores all."""

from collections.abc import Iterator

import pytest
import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine import Connection, Engine

from evenhand.core.access.credential import token_digest
from evenhand.core.access.roles import Capability, Principal, Role
from evenhand.core.comparison.intent import claim
from evenhand.core.comparison.pins import LegName
from evenhand.core.comparison.report import CaseReport, LegReport, RankedEntry, ResultReport
from evenhand.core.privacy import LevelPolicy, PrivacyLevel
from evenhand.store.uow import Database
from evenhand.usecases.intents import claiming, publishing
from evenhand.usecases.ports import Refused, UnitOfWork
from tests.builders import RELEASE, a_credential
from tests.comparison_builders import REVISION, TOKEN, World, add_requests, add_world, an_intent
from tests.event_builders import an_emitter
from tests.usecases.conftest import CountingIds

TABLES = (
    "evaluation",
    "evaluation_outcome",
    "comparison_leg",
    "comparison_request",
    "comparison_summary",
    "audit_entry",
)


class CrashError(Exception):
    """The process is gone; nothing of ours expects it."""


class Crash:
    """Breaks a transaction off before its *n*-th statement or its commit; 0 lets all through."""

    def __init__(self) -> None:
        self.before = 0
        self.seen = 0

    def before_statement(
        self, _connection: Connection, _cursor: object, text: str, *_: object
    ) -> None:
        # What begins a transaction changes nothing yet.
        if not text.startswith(("PRAGMA", "BEGIN")) and self._is_due():
            raise CrashError

    def before_commit(self, connection: Connection) -> None:
        if self._is_due():
            # With the process the connection goes.
            connection.invalidate()
            raise CrashError

    def _is_due(self) -> bool:
        self.seen += 1
        return self.before != 0 and self.seen >= self.before


@pytest.fixture
def crash(engine: Engine) -> Iterator[Crash]:
    made = Crash()
    event.listen(engine, "before_cursor_execute", made.before_statement)
    event.listen(engine, "commit", made.before_commit)
    yield made
    event.remove(engine, "before_cursor_execute", made.before_statement)
    event.remove(engine, "commit", made.before_commit)


def rows(engine: Engine) -> dict[str, object]:
    """How many rows each table has, and the intent's state."""
    with engine.connect() as connection:
        found: dict[str, object] = {
            table: connection.scalar(sa.text(f"SELECT count(*) FROM {table}"))  # noqa: S608 -- ours
            for table in TABLES
        }
        query = "SELECT state, version, result_digest FROM comparison_intent"
        found["intent"] = tuple(connection.execute(sa.text(query)).one())
    return found


def a_report(world: World, requests: dict[LegName, dict[str, str]]) -> ResultReport:
    results = tuple(
        CaseReport(
            case_id=case.case_id,
            entries=(RankedEntry(chunk_id="d1", document_id=None, score=0.5),),
            latency_ms=1.0,
            error_code=None,
        )
        for case in world.cases
    )
    legs = {leg: LegReport(results=results, requests=requests[leg]) for leg in LegName}
    return ResultReport(
        pins_digest=world.pins.digest,
        consumer_revision_sha256=REVISION,
        current=legs[LegName.CURRENT],
        candidate=legs[LegName.CANDIDATE],
    )


@pytest.mark.proves("C-39", "C-85")
def test_a_publication_that_breaks_off_before_any_statement_stores_nothing(
    database: Database, engine: Engine, crash: Crash
) -> None:
    world = database.run(add_world)
    intent = an_intent(world)

    def begin(uow: UnitOfWork) -> dict[LegName, dict[str, str]]:
        now = uow.now()
        uow.intents.add(intent)
        uow.intents.save(intent, claim(intent, token_digest=token_digest(TOKEN), now=now))
        return {leg: add_requests(uow, world, leg, at=now) for leg in LegName}

    report = a_report(world, database.run(begin))
    principal = Principal(
        credential_id=a_credential().id,
        role=Role.SERVICE_CLIENT,
        client_id=world.client.id,
        project_id=world.client.project_id,
        capabilities=frozenset({Capability.EMBEDDING}),
    )
    ids = CountingIds()

    def publish(uow: UnitOfWork) -> object:
        held = claiming.hold(uow, intent.id, token=TOKEN, principal=principal, ids=ids)
        assert not isinstance(held, Refused)
        return publishing.publish_result(
            uow,
            held,
            report,
            principal=principal,
            ids=ids,
            policy=LevelPolicy(level=PrivacyLevel.FULL),
            release=RELEASE,
            emitter=an_emitter(ids),
        )

    before = rows(engine)
    assert before["intent"] == ("running", 2, None)
    crash.seen, statements = 0, 0
    while True:
        statements += 1
        crash.before, crash.seen = statements, 0
        try:
            database.run(publish)
        except CrashError:
            crash.before = 0
            assert rows(engine) == before, f"before statement {statements}"
            continue
        break
    crash.before = 0

    # Locks, looks, two evaluations with their parts, sides, requests, summary, state, audit, commit.
    assert statements > 20
    assert rows(engine) == {
        "evaluation": 2,
        "evaluation_outcome": 6,
        "comparison_leg": 2,
        "comparison_request": 6,
        "comparison_summary": 1,
        "audit_entry": before["audit_entry"] + 1,  # type: ignore[operator]
        "intent": ("completed", 3, report.digest),
    }

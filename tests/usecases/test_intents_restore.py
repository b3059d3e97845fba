"""Comparisons in every state through a backup and a restore (B-134), and into no other direction."""

import io
from pathlib import Path

import pytest
import sqlalchemy as sa

from evenhand.bootstrap import App
from evenhand.core.access.roles import Capability, Principal, Role
from evenhand.core.comparison import holder
from evenhand.core.comparison.intent import Intent, IntentState, cancel, observe
from evenhand.core.comparison.report import LegReport, ResultReport
from evenhand.core.errors import Fenced
from evenhand.core.privacy import LevelPolicy, PrivacyLevel
from evenhand.settings import load_settings
from evenhand.store.archive.restore import Restoring, restore
from evenhand.store.archive.write import backup
from evenhand.store.engine import create_engine
from evenhand.store.uow import Database, open_database
from evenhand.usecases.intents import claiming, publishing
from evenhand.usecases.ports import Refused, UnitOfWork
from tests.altered_cases import require_failure
from tests.builders import RELEASE, START, FakeClock, a_credential
from tests.cases_runner import load
from tests.comparison_builders import REVISION, TOKEN, World, a_claim_of, add_world, an_intent
from tests.event_builders import an_emitter
from tests.registry_builders import a_binding, a_client, a_deployment, a_route
from tests.usecases.conftest import CountingIds

STATES = tuple(IntentState)
only_sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


class Silent:
    """Progress that nobody sees."""

    def advance(self, done: int) -> None:
        pass


def in_state(intent: Intent, state: IntentState) -> list[Intent]:
    """The intent and each of its next states, up to this one."""
    running = a_claim_of(intent, f"{TOKEN[1:]}{STATES.index(state)}")
    asked = cancel(running, expected_version=2, now=START)
    ways = {
        IntentState.PENDING: [],
        IntentState.RUNNING: [running],
        IntentState.CANCEL_REQUESTED: [running, asked],
        IntentState.COMPLETED: [
            running,
            holder.complete(running, result_digest="d" * 64, now=START),
        ],
        IntentState.FAILED: [
            running,
            holder.finish(running, outcome=IntentState.FAILED, error_code="X", now=START),
        ],
        IntentState.CANCELLED: [cancel(intent, expected_version=1, now=START)],
        IntentState.INTERRUPTED: [running, observe(running, running.deadline_at or START)],
    }
    return [intent, *ways[state]]


def add_one_of_each(uow: UnitOfWork) -> None:
    """A comparison in each state; each that has not ended belongs to a binding of its own."""
    world = add_world(uow)
    for number, state in enumerate(STATES, start=1):
        pinned = world
        if number > 1:
            binding = a_binding(number + 1)
            client = a_client(number + 1, of=binding)
            route = a_route(number + 10, of=binding, name=f"live-{number}")
            trial = a_route(
                number + 20,
                of=binding,
                name=f"trial-{number}",
                kind=world.trial.kind,
                deployment_id=a_deployment(2).id,
            )
            uow.bindings.add(binding)
            uow.service_clients.add(client)
            uow.routes.add(route)
            uow.routes.add(trial)
            shop = type(world.shop)(
                binding=binding, client=client, route=route, deployment=world.shop.deployment
            )
            pinned = World(shop=shop, trial=trial)
        first, *rest = in_state(an_intent(pinned, number), state)
        uow.intents.add(first)
        for former, made in zip([first, *rest], rest, strict=False):
            uow.intents.save(former, made)


def restored_into(path: Path, archive: bytes) -> tuple[str, App]:
    url = f"sqlite:///{path / 'restored.db'}"
    app = App(load_settings({"database_url": url}, start=path, environment={}))
    by = Restoring(
        clock=FakeClock(),
        ids=CountingIds(),
        actor="a",
        steps=app.after_restore,
        progress=Silent(),
    )
    restore(url, io.BytesIO(archive), file="x", by=by)
    return url, app


@pytest.mark.proves("C-112", "C-113", "C-114", "G-61")
def test_a_restore_ends_what_had_not_ended_and_keeps_all_else(
    database_url: str, tmp_path: Path
) -> None:
    database = open_database(database_url, clock=FakeClock(), ids=CountingIds())
    database.run(add_one_of_each)
    before = {one.id: one for one in database.read(every)}
    stream = io.BytesIO()
    backup(database_url, stream, release=RELEASE, clock=FakeClock(), progress=Silent())
    database.close()

    url, app = restored_into(tmp_path, stream.getvalue())

    again = open_database(url, clock=FakeClock(), ids=CountingIds())
    after = {one.id: one for one in again.read(every)}
    open_states = {IntentState.PENDING, IntentState.RUNNING, IntentState.CANCEL_REQUESTED}
    for identifier, former in before.items():
        found = after[identifier]
        if former.state not in open_states:
            assert found == former
            continue
        assert found.state is IntentState.INTERRUPTED
        assert found.error_code == "COMPARISON_RESTORE_INTERRUPTED"
        assert (found.token_digest, found.claim_expires_at) == (None, None)
        assert (found.pins, found.version) == (former.pins, former.version + 1)
    told = [
        (one.action, one.code, one.to_state)
        for one in again.read(lambda uow: uow.audit.list_latest(limit=50))
    ]
    assert told == [("interrupt", "comparison_restore_interrupted", "interrupted")] * 3
    [_, running, *_] = [one for one in before.values() if one.state is IntentState.RUNNING] * 2
    principal = Principal(
        credential_id=a_credential().id,
        role=Role.SERVICE_CLIENT,
        client_id=running.pins.client_id,
        project_id=running.pins.project_id,
        capabilities=frozenset({Capability.EMBEDDING}),
    )
    with pytest.raises(Fenced, match="interrupted"):
        again.run(
            lambda uow: claiming.hold(
                uow, running.id, token=TOKEN, principal=principal, ids=CountingIds()
            )
        )
    for step in app.after_restore:
        again.run(step.run)
    assert {one.id: one for one in again.read(every)} == after
    again.close()


def test_live_work_inside_a_backup_b_134(database_url: str, tmp_path: Path) -> None:
    case = load("B-134")
    states, expected = [IntentState(one) for one in case["given"]["states"]], case["expected"]
    database = open_database(database_url, clock=FakeClock(), ids=CountingIds())
    database.run(add_one_of_each)
    before = {one.state: one for one in database.read(every)}
    stream = io.BytesIO()
    backup(database_url, stream, release=RELEASE, clock=FakeClock(), progress=Silent())
    database.close()

    url, _ = restored_into(tmp_path, stream.getvalue())

    again = open_database(url, clock=FakeClock(), ids=CountingIds())
    after = {one.id: one for one in again.read(every)}
    assert [after[before[state].id].state.value for state in states] == expected["states_after"]
    live = (IntentState.RUNNING, IntentState.CANCEL_REQUESTED)
    assert {
        "refused" if is_refused(again, before[state], verb) else "accepted"
        for state in live
        for verb in case["given"]["then"]
    } == {expected["old_token"]}
    now = {one.id: one for one in again.read(every)}
    assert now == after
    started = len(now) - len(before) + sum(one.state in live for one in now.values())
    assert started == expected["work_started"]
    again.close()


def is_refused(database: Database, intent: Intent, verb: str) -> bool:
    """Whether the token of before gives no right to a verb of its holder."""
    principal = Principal(
        credential_id=a_credential().id,
        role=Role.SERVICE_CLIENT,
        client_id=intent.pins.client_id,
        project_id=intent.pins.project_id,
        capabilities=frozenset({Capability.EMBEDDING}),
    )
    token = f"{TOKEN[1:]}{STATES.index(intent.state)}"

    def work(uow: UnitOfWork) -> object:
        ids = CountingIds()
        held = claiming.hold(uow, intent.id, token=token, principal=principal, ids=ids)
        if isinstance(held, Refused):
            return held
        if verb == "progress(old token)":
            return claiming.report_progress(uow, held, current=0, candidate=0)
        return publishing.publish_result(
            uow,
            held,
            an_empty_report(intent),
            principal=principal,
            ids=ids,
            policy=LevelPolicy(level=PrivacyLevel.FULL),
            release=RELEASE,
            emitter=an_emitter(ids),
        )

    try:
        return isinstance(database.run(work), Refused)
    except Fenced:
        return True


def an_empty_report(intent: Intent) -> ResultReport:
    """A result of no case."""
    nothing = LegReport(results=(), requests={})
    return ResultReport(
        pins_digest=intent.pins.digest,
        consumer_revision_sha256=REVISION,
        current=nothing,
        candidate=nothing,
    )


@only_sqlite
@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("states_after", 0), "pending"),
        (("states_after", 3), "interrupted"),
        (("old_token",), "accepted"),
        (("work_started",), 9),
    ],
)
def test_an_altered_case_fails(
    path: tuple[str | int, ...], value: object, database_url: str, request: pytest.FixtureRequest
) -> None:
    del database_url
    require_failure(test_live_work_inside_a_backup_b_134, path, value, request)


def every(uow: UnitOfWork) -> tuple[Intent, ...]:
    return uow.intents.list_latest(binding_id=None, limit=100, offset=0)


@pytest.mark.proves("C-29", "C-90", "G-45")
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE comparison_intent SET production_promotion_performed = true",
        "UPDATE comparison_intent SET state = 'pending', version = 9",
        "UPDATE comparison_intent SET candidate_index_ref = current_index_ref",
        "UPDATE comparison_intent SET current_completed = 4",
        "UPDATE comparison_intent SET finished_at = created_at",
    ],
)
def test_the_database_itself_keeps_what_no_row_may_say(database_url: str, statement: str) -> None:
    database = open_database(database_url, clock=FakeClock(), ids=CountingIds())
    world = database.run(add_world)
    intent = an_intent(world)
    database.run(lambda uow: uow.intents.add(intent))
    database.run(lambda uow: uow.intents.save(intent, a_claim_of(intent)))
    database.close()
    engine = create_engine(database_url)

    with pytest.raises(sa.exc.IntegrityError), engine.begin() as connection:
        connection.execute(sa.text(statement))

    engine.dispose()

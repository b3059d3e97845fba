"""An archive goes into an empty database as a whole, or nothing changes at all."""

import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from evenhand.core.access.credential import Credential, CredentialState
from evenhand.core.access.roles import Actor, ActorKind
from evenhand.core.errors import EvenhandError
from evenhand.core.errors.database import (
    ArchiveRefused,
    DatabaseNotReady,
    DatabaseUnavailable,
    InvalidArchive,
)
from evenhand.store.archive.layout import layout_of
from evenhand.store.archive.manifest import FORMAT, Manifest
from evenhand.store.archive.restore import Outcome, Restored
from evenhand.store.archive.rows import archived_tables, digest_tables, table_lines
from evenhand.store.archive.steps import RestoreStep
from evenhand.store.archive.write import MANIFEST, read_digests
from evenhand.store.engine import create_engine
from evenhand.store.lineage import Status, load_lineage
from evenhand.store.migrate import check, ensure_ready, status, upgrade
from evenhand.store.schema import table_names
from evenhand.store.sessions import change, remove_empty
from evenhand.store.uow import open_database
from evenhand.usecases import access
from evenhand.usecases.ports import UnitOfWork
from tests.builders import RELEASE, START, FakeClock, a_credential, a_set, an_entry
from tests.store.archive.conftest import Altered, backup, fill, packed, restore
from tests.store.conftest import CountingIds

REVISIONS = [step.revision for step in load_lineage()]
SOMEBODY = Actor(kind=ActorKind.COMMAND_LINE)


def query(url: str, statement: str) -> list[tuple[Any, ...]]:
    engine = create_engine(url)
    with engine.connect() as connection:
        found = [tuple(row) for row in connection.execute(sa.text(statement))]
    engine.dispose()
    return found


def execute(url: str, *statements: str) -> None:
    engine = create_engine(url)
    try:
        with engine.begin() as connection:
            for statement in statements:
                connection.execute(sa.text(statement))
    finally:
        engine.dispose()


def markers(url: str) -> list[tuple[Any, ...]]:
    return query(url, "SELECT state, steps, actor, archive_digest FROM restore_marker")


def archive_at(url: str, revision: str) -> bytes:
    """The archive that a release of this revision would have written."""
    upgrade(url, revision)
    fill(url, upto=revision)
    (step,) = (one for one in load_lineage() if one.revision == revision)
    engine = create_engine(url)
    found = sa.MetaData()
    with engine.connect() as connection:
        found.reflect(connection)
        wanted = {table.name for table in archived_tables()} & table_names(connection)
        layouts = tuple(layout_of(found.tables[name]) for name in sorted(wanted))
        entries = digest_tables(connection, layouts)
        content = {
            entry.member: b"".join(table_lines(connection, entry.layout)) for entry in entries
        }
    engine.dispose()
    manifest = Manifest(
        format=FORMAT,
        release=RELEASE,
        revision=revision,
        chain_digest=step.chain,
        created_at="2026-09-09T12:00:00.000000Z",
        tables=entries,
    )
    return packed({**content, MANIFEST: manifest.encode()})


# Where an archive goes.


def test_it_goes_into_a_database_that_is_absent(
    filled_archive: bytes, empty_database_url: str
) -> None:
    done = restore(empty_database_url, filled_archive)
    assert (done.outcome, done.is_as_restored) == (Outcome.RESTORED, True)
    ensure_ready(empty_database_url)
    assert read_digests(empty_database_url) == done.manifest.tables
    if empty_database_url.startswith("sqlite"):
        file = Path(empty_database_url.removeprefix("sqlite:///"))
        assert file.stat().st_mode & 0o077 == 0


def test_it_goes_into_a_database_that_is_empty(filled_archive: bytes, database_url: str) -> None:
    restore(database_url, filled_archive)
    assert query(database_url, "SELECT identifier FROM golden_set") == [("tiny",)]
    assert status(database_url) is Status.CURRENT


def test_a_database_that_holds_anything_is_refused_and_keeps_it(
    filled_archive: bytes, database_url: str
) -> None:
    execute(
        database_url,
        "INSERT INTO golden_set VALUES ('mine', 'Mine', '', '2026-09-09T12:00:00.000000Z', 'f')",
    )
    before = read_digests(database_url)
    with pytest.raises(ArchiveRefused) as refused:
        restore(database_url, filled_archive)
    assert refused.value.code == "database_not_empty"
    assert "rows in golden_set;" in str(refused.value)
    assert read_digests(database_url) == before
    assert markers(database_url) == []


def test_the_database_that_was_backed_up_is_not_empty_either(database_url: str) -> None:
    fill(database_url)
    with pytest.raises(ArchiveRefused, match=r"and [0-9]+ more; an archive goes into an empty"):
        restore(database_url, backup(database_url)[0])


@pytest.mark.proves("G-61")
def test_the_same_archive_again_changes_nothing(filled_archive: bytes, database_url: str) -> None:
    ran = []
    step = RestoreStep(name="counts", run=lambda _: ran.append(1))
    first = restore(database_url, filled_archive, step)
    before = (read_digests(database_url), markers(database_url))
    again = restore(database_url, filled_archive, step)
    assert (again.outcome, again.at) == (Outcome.UNCHANGED, first.at)
    assert again.is_as_restored
    assert (read_digests(database_url), markers(database_url)) == before
    assert ran == [1]


def test_a_later_backup_of_the_same_content_is_the_same_archive(
    filled_archive: bytes, database_url: str
) -> None:
    restore(database_url, filled_archive)
    later = backup(database_url)[0]
    assert restore(database_url, later).outcome is Outcome.UNCHANGED


def test_it_is_said_when_the_database_has_gone_on(
    filled_archive: bytes, database_url: str
) -> None:
    restore(database_url, filled_archive)
    execute(
        database_url,
        "INSERT INTO golden_set VALUES ('more', 'More', '', '2026-09-09T12:00:00.000000Z', 'f')",
    )
    before = read_digests(database_url)
    again = restore(database_url, filled_archive)
    assert (again.outcome, again.is_as_restored) == (Outcome.UNCHANGED, False)
    assert read_digests(database_url) == before


def test_another_archive_is_refused(filled_archive: bytes, database_url: str) -> None:
    restore(database_url, filled_archive)
    altered = Altered.of(filled_archive)
    altered.set_rows("set_use", [])
    with pytest.raises(ArchiveRefused, match="restored from another archive"):
        restore(database_url, altered.pack())
    assert len(query(database_url, "SELECT id FROM set_use")) == 1


def test_one_archive_after_an_empty_one_is_another(
    filled_archive: bytes, database_url: str, tmp_path: Path
) -> None:
    source = f"sqlite:///{tmp_path / 'source.db'}"
    upgrade(source)
    restore(database_url, backup(source)[0])
    with pytest.raises(ArchiveRefused, match="restored from another archive"):
        restore(database_url, filled_archive)


@pytest.mark.parametrize("archives", ["same", "different"])
def test_of_two_at_once_one_loads(
    filled_archive: bytes, empty_database_url: str, archives: str
) -> None:
    altered = Altered.of(filled_archive)
    altered.set_rows("set_use", [])
    given = [filled_archive, filled_archive if archives == "same" else altered.pack()]
    barrier = threading.Barrier(2)
    ended: list[Restored | EvenhandError] = []

    def work(archive: bytes) -> None:
        barrier.wait(timeout=60)
        try:
            ended.append(restore(empty_database_url, archive))
        except EvenhandError as error:
            ended.append(error)

    threads = [threading.Thread(target=work, args=(archive,)) for archive in given]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    outcomes = sorted(
        one.outcome.value if isinstance(one, Restored) else one.code for one in ended
    )
    assert outcomes == (
        ["restored", "unchanged"] if archives == "same" else ["database_not_empty", "restored"]
    )
    assert len(markers(empty_database_url)) == 1


# Which schema it has.


@pytest.mark.parametrize("before", ["absent", "empty"])
def test_an_archive_of_an_earlier_release_is_loaded_and_upgraded(
    empty_database_url: str, tmp_path: Path, before: str
) -> None:
    older = REVISIONS[-2]
    source = f"sqlite:///{tmp_path / 'older.db'}"
    archive = archive_at(source, older)
    there = empty_database_url
    if before == "empty":
        upgrade(there)
    done = restore(there, archive)
    assert (done.outcome, done.manifest.revision) == (Outcome.RESTORED, older)
    assert status(there) is Status.CURRENT
    upgrade(source)
    assert read_digests(there) == read_digests(source)
    assert restore(there, archive).outcome is Outcome.UNCHANGED


@pytest.mark.proves("C-120")
@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"revision": "29990101_9999"}, "archive_ahead"),
        ({"chain_digest": "0" * 64}, "archive_of_other_lineage"),
        ({"revision": "20260901_0009"}, "archive_of_other_lineage"),
    ],
    ids=["newer", "other chain", "unknown revision"],
)
def test_an_archive_of_another_schema_is_refused_not_bent(
    filled_archive: bytes, database_url: str, values: dict[str, str], code: str
) -> None:
    altered = Altered.of(filled_archive)
    altered.manifest.update(values)
    lineage = query(database_url, "SELECT * FROM schema_lineage ORDER BY 1")
    with pytest.raises(ArchiveRefused) as refused:
        restore(database_url, altered.pack())
    assert refused.value.code == code
    assert read_digests(database_url)[0].rows == 0
    assert query(database_url, "SELECT * FROM schema_lineage ORDER BY 1") == lineage


def test_a_database_of_another_lineage_is_refused(
    filled_archive: bytes, database_url: str
) -> None:
    execute(database_url, f"UPDATE schema_lineage SET chain_digest = '{'0' * 64}'")  # noqa: S608 -- a constant
    with pytest.raises(DatabaseNotReady) as refused:
        restore(database_url, filled_archive)
    assert refused.value.code == "foreign_lineage"


# What it holds must fit.


def parent_gone(altered: Altered) -> None:
    altered.set_rows("golden_question", [])


def check_broken(altered: Altered) -> None:
    row = altered.rows("credential")[0]
    altered.set_rows("credential", [["short", *row[1:]]])


def unique_broken(altered: Altered) -> None:
    row = altered.rows("credential")[0]
    altered.set_rows("credential", [row, [row[0][:-1] + "9", *row[1:]]])


def null_where_none_may_be(altered: Altered) -> None:
    row = altered.rows("golden_set")[0]
    altered.set_rows("golden_set", [[row[0], None, *row[2:]]])


def table_gone(altered: Altered) -> None:
    altered.manifest["tables"].remove(altered.entry("set_use"))
    del altered.parts["tables/set_use.jsonl"]


def marker_brought(altered: Altered) -> None:
    rows = [
        ["01990000-0000-7000-f000-000000000001", "20260902_0010"],
    ]
    altered.manifest["tables"].append(
        {"name": "restore_marker", "columns": [["id", "text"], ["at", "text"]], "key": ["id"]}
    )
    altered.manifest["tables"].sort(key=lambda one: str(one["name"]))
    altered.set_rows("restore_marker", rows)


def column_gone(altered: Altered) -> None:
    altered.entry("golden_set")["columns"].pop()
    altered.set_rows("golden_set", [row[:-1] for row in altered.rows("golden_set")])


def column_of_another_kind(altered: Altered) -> None:
    entry = altered.entry("golden_set")
    entry["columns"][1] = ["name", "integer"]
    altered.set_rows("golden_set", [[row[0], 1, *row[2:]] for row in altered.rows("golden_set")])


def key_of_other_columns(altered: Altered) -> None:
    altered.entry("golden_set")["key"] = ["name"]


@pytest.mark.parametrize(
    ("alter", "says"),
    [
        (parent_gone, "golden_"),
        (check_broken, "credential.jsonl: the database refuses a row of it: ck_credential_id"),
        (unique_broken, "credential.jsonl: the database refuses a row of it: "),
        (null_where_none_may_be, "golden_set.jsonl: the database refuses a row of it: not null"),
        (table_gone, "manifest.json: does not name the tables of its revision: set_use"),
        (marker_brought, "does not name the tables of its revision: restore_marker"),
        (column_gone, "golden_set.jsonl: is not a table as the revision"),
        (column_of_another_kind, "golden_set.jsonl: is not a table as the revision"),
        (key_of_other_columns, "golden_set.jsonl: is not a table as the revision"),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_rows_that_break_a_rule_of_the_database_are_refused_as_a_whole(
    filled_archive: bytes,
    database_url: str,
    alter: Callable[[Altered], None],
    says: str,
) -> None:
    altered = Altered.of(filled_archive)
    alter(altered)
    with pytest.raises(InvalidArchive) as refused:
        restore(database_url, altered.pack())
    assert says in str(refused.value)
    assert not any(entry.rows for entry in read_digests(database_url))
    assert markers(database_url) == []


def broken(filled_archive: bytes, alter: Callable[[Altered], None]) -> bytes:
    altered = Altered.of(filled_archive)
    alter(altered)
    return altered.pack()


@pytest.mark.parametrize("alter", [parent_gone, check_broken], ids=["orphan", "check"])
def test_a_restore_that_fails_takes_away_the_file_that_it_made(
    filled_archive: bytes, tmp_path: Path, alter: Callable[[Altered], None]
) -> None:
    with pytest.raises(InvalidArchive):
        restore(f"sqlite:///{tmp_path / 'file.db'}", broken(filled_archive, alter))
    assert list(tmp_path.iterdir()) == []


def test_a_restore_that_fails_leaves_a_file_that_was_there(
    filled_archive: bytes, tmp_path: Path
) -> None:
    file = tmp_path / "file.db"
    file.touch()
    with pytest.raises(InvalidArchive):
        restore(f"sqlite:///{file}", broken(filled_archive, parent_gone))
    assert [path.name for path in tmp_path.iterdir()] == ["file.db"]
    assert status(f"sqlite:///{file}") is Status.ABSENT


def test_a_file_that_others_use_is_not_taken_away(tmp_path: Path) -> None:
    file, filled = tmp_path / "open.db", tmp_path / "filled.db"
    upgrade(f"sqlite:///{filled}")
    remove_empty(filled)
    file.touch()
    engine = create_engine(f"sqlite:///{file}")
    with engine.begin():
        remove_empty(file)
    with engine.connect() as connection:
        # It waits for nothing yet, and has looked at the file.
        connection.execute(sa.text("SELECT 1 FROM sqlite_master"))
        remove_empty(file)
    assert file.exists()
    assert filled.exists()
    engine.dispose()
    remove_empty(file)
    assert not file.exists()


def test_who_waited_for_a_file_that_was_taken_away_puts_nothing_into_it(tmp_path: Path) -> None:
    file = tmp_path / "file.db"

    def work(connection: sa.Connection) -> None:
        raise AssertionError

    @sa.event.listens_for(sa.engine.Engine, "after_cursor_execute")
    def take_away(*arguments: Any) -> None:
        if "BEGIN IMMEDIATE" in arguments:
            file.unlink()

    file.touch()
    try:
        with pytest.raises(DatabaseUnavailable, match="was taken away meanwhile"):
            change(f"sqlite:///{file}", work)
    finally:
        sa.event.remove(sa.engine.Engine, "after_cursor_execute", take_away)
    assert list(tmp_path.glob("*.db")) == []


def test_tokens_that_took_each_others_place_may_stand_in_any_order(
    database_url: str, tmp_path: Path
) -> None:
    later, earlier = a_credential(number=1), a_credential(number=2)
    source = f"sqlite:///{tmp_path / 'source.db'}"
    upgrade(source)
    database = open_database(source, clock=FakeClock(), ids=CountingIds())

    def work(uow: UnitOfWork) -> None:
        uow.credentials.add(earlier)
        ended = earlier.ended(CredentialState.ROTATED, at=START)
        uow.credentials.save_end(ended)
        # The row that refers to another one is before it by its id.
        uow.credentials.add(
            Credential(
                id=later.id,
                name=later.name,
                role=later.role,
                digest=later.digest,
                created_at=later.created_at,
                rotated_from=earlier.id,
            )
        )
        uow.audit.add(an_entry(number=1, of=earlier))
        uow.audit.add(an_entry(number=2, of=earlier, to_state="rotated"))
        uow.audit.add(an_entry(number=3, of=later))

    database.run(work)
    database.close()
    restore(database_url, backup(source)[0])
    assert check(database_url) == []


def test_what_guards_the_tables_guards_what_was_restored(
    filled_archive: bytes, database_url: str
) -> None:
    restore(database_url, filled_archive)
    for table in ("evaluation", "baseline", "audit_entry", "set_use"):
        with pytest.raises(IntegrityError, match=f"append_only_{table}"):
            execute(database_url, f"DELETE FROM {table}")  # noqa: S608 -- a constant
    with pytest.raises(IntegrityError):
        execute(database_url, "INSERT INTO golden_target VALUES ('none', 0, 0, 'd')")


# What follows the loading.


@pytest.mark.proves("G-61")
def test_steps_are_done_in_the_transaction_that_loads(
    filled_archive: bytes, database_url: str
) -> None:
    """As the comparisons will: find what looks alive, end it, and tell the audit."""
    seen: list[tuple[str, ...]] = []

    def end(uow: UnitOfWork) -> None:
        seen.append(tuple(one.id for one in uow.credentials.list_all(with_ended=False)))
        for identifier in seen[-1]:
            access.revoke(uow, identifier, actor=SOMEBODY, ids=CountingIds())

    done = restore(
        database_url,
        filled_archive,
        RestoreStep(name="tokens", run=end),
        RestoreStep(name="second", run=lambda uow: uow.golden_sets.delete("tiny")),
    )
    assert done.outcome is Outcome.RESTORED
    assert seen == [("01990000-0000-7000-c000-000000000001",)]
    assert query(database_url, "SELECT state FROM credential") == [("revoked",)]
    assert query(database_url, "SELECT count(*) FROM golden_set") == [(0,)]
    assert len(query(database_url, "SELECT id FROM audit_entry")) == 2
    assert markers(database_url) == [
        ("finished", '["tokens","second"]', "tester", done.manifest.digest)
    ]
    # What they changed is what the restore left.
    assert restore(database_url, filled_archive).is_as_restored


@pytest.mark.parametrize("fault", [ValueError, KeyboardInterrupt])
def test_a_step_that_fails_leaves_no_database(
    filled_archive: bytes, empty_database_url: str, fault: type[BaseException]
) -> None:
    def fail(uow: UnitOfWork) -> None:
        uow.golden_sets.save(a_set(identifier="new"), imported_at=START)
        raise fault

    with pytest.raises(fault):
        restore(empty_database_url, filled_archive, RestoreStep(name="fails", run=fail))
    assert status(empty_database_url) is Status.ABSENT
    assert restore(empty_database_url, filled_archive).outcome is Outcome.RESTORED


def test_nothing_is_added_by_the_restore_itself(filled_archive: bytes, database_url: str) -> None:
    done = restore(database_url, filled_archive)
    assert read_digests(database_url) == done.manifest.tables


@pytest.mark.proves("C-116")
def test_a_restore_starts_nothing(
    filled_archive: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[object] = []
    monkeypatch.setattr(threading.Thread, "start", started.append)
    monkeypatch.setattr(subprocess.Popen, "__init__", lambda *given, **_: started.append(given))
    restore(f"sqlite:///{tmp_path / 'file.db'}", filled_archive)
    assert started == []


# The guard.


@pytest.fixture
def unfinished_url(filled_archive: bytes, database_url: str) -> str:
    """A database that somebody loaded and left there."""
    restore(database_url, filled_archive)
    execute(
        database_url,
        "UPDATE restore_marker SET state = 'loaded', content_digest = NULL, steps = '[]'",
    )
    return database_url


def test_a_restore_that_was_left_is_finished_by_the_same_archive(
    unfinished_url: str, filled_archive: bytes
) -> None:
    ran = []
    step = RestoreStep(name="late", run=lambda _: ran.append(1))
    done = restore(unfinished_url, filled_archive, step)
    assert (done.outcome, ran) == (Outcome.FINISHED, [1])
    assert markers(unfinished_url)[0][:2] == ("finished", '["late"]')
    ensure_ready(unfinished_url)


def test_a_restore_that_was_left_is_not_finished_by_another_archive(
    unfinished_url: str, filled_archive: bytes
) -> None:
    altered = Altered.of(filled_archive)
    altered.set_rows("set_use", [])
    with pytest.raises(ArchiveRefused):
        restore(unfinished_url, altered.pack())
    assert markers(unfinished_url)[0][0] == "loaded"


def test_what_is_in_the_way_on_a_full_disk_is_told(filled_archive: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(DatabaseUnavailable):
        restore(f"sqlite:///{tmp_path / 'file' / 'file.db'}", filled_archive)

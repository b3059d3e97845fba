"""``evenhand db``: bring the database to this release's schema, check it, back it up, restore it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from evenhand.cli.exits import Exit
from evenhand.cli.options import app_of, json_option, print_json, quiet_option

if TYPE_CHECKING:
    from evenhand.store.archive.manifest import Manifest, TableEntry
    from evenhand.store.archive.restore import Restored
    from evenhand.store.checks import Finding


@click.group()
def db() -> None:
    """Upgrade, check, back up and restore the database."""


@db.command()
@json_option
@click.pass_context
def upgrade(ctx: click.Context, *, as_json: bool) -> None:
    """Bring the database to this release's schema; make one that is absent.

    All migrations run in one transaction under a lock. A database of another lineage, or whose
    schema is not what its revision makes, is refused and left as it is.
    """
    from evenhand.store import migrate  # 200 ms, so on use

    applied = migrate.upgrade(_database_url(ctx))
    if as_json:
        print_json({"applied": applied})
    elif applied:
        click.echo(f"upgraded to {applied[-1]}: {_migrations(len(applied))} applied")
    else:
        click.echo("nothing to do")


@db.command()
@click.argument("revision")
@json_option
@click.pass_context
def downgrade(ctx: click.Context, revision: str, *, as_json: bool) -> None:
    """Take the database back to REVISION, or to "base": before the first migration.

    Refused while rows would be lost.
    """
    from evenhand.store import migrate  # 200 ms, so on use

    undone = migrate.downgrade(_database_url(ctx), revision)
    if as_json:
        print_json({"undone": undone})
    elif undone:
        click.echo(f"downgraded to {revision}: {_migrations(len(undone))} undone")
    else:
        click.echo("nothing to do")


@db.command()
@click.option("--digests", is_flag=True, help="Show number and digest of the rows of each table.")
@json_option
@click.pass_context
def check(ctx: click.Context, *, digests: bool, as_json: bool) -> None:
    """Look for damage, for drift of the schema, and for results that do not hold together.

    Exits 1 when something is found. Changes nothing. Equal digests mean equal rows, on SQLite and
    PostgreSQL alike; they are those of an archive, and are left out where a row cannot be read.
    """
    from evenhand.store import migrate  # 200 ms, so on use

    url = _database_url(ctx)
    findings = migrate.check(url)
    entries = _digests(url) if digests and not {one.code for one in findings} & _BLIND else ()
    if as_json:
        told = {"digests": [_entry_document(one) for one in entries]} if digests else {}
        print_json({"findings": [_document(finding) for finding in findings], **told})
    else:
        for entry in entries:
            click.echo(f"{entry.sha256}  {entry.rows:>9}  {entry.name}")
        for finding in findings:
            click.echo(f"{finding.subject}: {finding.message} [{finding.code}]")
        click.echo("1 finding" if len(findings) == 1 else f"{len(findings)} findings")
    if findings:
        ctx.exit(Exit.FINDING)


@db.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@json_option
@quiet_option
@click.pass_context
def backup(ctx: click.Context, *, file: Path, force: bool, as_json: bool, quiet: bool) -> None:
    """Write all that the database holds to FILE, one archive for SQLite and PostgreSQL.

    It is the state of one moment, while others may write. FILE is for its owner only, and there
    as a whole or not at all. It holds what the database holds, digests of tokens included: keep
    it as you keep the database.
    """
    from evenhand import __version__
    from evenhand.adapters.formats.whole_file import writing
    from evenhand.cli.progress import progress_bar
    from evenhand.store.archive.write import backup as write_archive

    app = app_of(ctx)
    if file.exists() and not force:
        raise click.UsageError("the file is there; --force replaces it", ctx)
    _require_no_database(ctx, file, app.database_url)
    with (
        writing(file, mode=0o600, durably=True) as stream,
        progress_bar("backup", None, quiet=quiet) as progress,
    ):
        manifest = write_archive(
            app.database_url, stream, release=__version__, clock=app.clock, progress=progress
        )
    if as_json:
        print_json(_archive_document(manifest))
        return
    click.echo(f"wrote {_shown(file)}: {_size(manifest)}")
    click.echo(f"archive: {manifest.digest}")


@db.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@json_option
@quiet_option
@click.pass_context
def restore(ctx: click.Context, *, file: Path, as_json: bool, quiet: bool) -> None:
    """Load an archive that db backup wrote into a database that is absent or empty.

    The whole archive is verified before the database is touched, and loaded in one transaction.
    An archive of an earlier release is loaded as it was and brought to this release's schema.
    The archive that filled the database before changes nothing; any other is refused.
    """
    from evenhand.cli.progress import progress_bar
    from evenhand.store.archive.restore import Restoring
    from evenhand.store.archive.restore import restore as load_archive

    app = app_of(ctx)
    if not file.is_file():
        # A pipe would be waited for, and an archive is read from its end.
        raise click.UsageError("the archive is no regular file", ctx)
    with file.open("rb") as stream, progress_bar("restore", None, quiet=quiet) as progress:
        by = Restoring(
            clock=app.clock,
            ids=app.ids,
            actor="command line",
            steps=app.after_restore,
            progress=progress,
        )
        done = load_archive(app.database_url, stream, file=str(file), by=by)
    if as_json:
        print_json({**_archive_document(done.manifest), **_outcome_document(done)})
        return
    click.echo(_outcome(done, _shown(file)))
    click.echo(f"archive: {done.manifest.digest}")


#: Findings after which rows cannot be read by the names and types that should be there.
_BLIND = frozenset({"schema_drift", "integrity", "restore_unfinished"})


def _digests(url: str) -> tuple[TableEntry, ...]:
    from evenhand.store.archive.write import read_digests

    return read_digests(url)


def _require_no_database(ctx: click.Context, file: Path, url: str) -> None:
    from evenhand.store.engine import database_file

    database = database_file(url)
    if database is not None and file.exists() and database.exists() and file.samefile(database):
        raise click.UsageError("the file is the database itself", ctx)


def _database_url(ctx: click.Context) -> str:
    return app_of(ctx).database_url


def _shown(file: Path) -> str:
    from evenhand.reports.safe_text import shown_text

    return shown_text(str(file), limit=None)


def _size(manifest: Manifest) -> str:
    return "1 row" if manifest.rows == 1 else f"{manifest.rows} rows"


def _outcome(done: Restored, file: str) -> str:
    if done.outcome == "unchanged":
        since = "; it has changed since" if not done.is_as_restored else ""
        return f"nothing to do: this archive filled the database at {done.at}{since}"
    verb = "restored" if done.outcome == "restored" else "finished the restore of"
    return f"{verb} {file}: {_size(done.manifest)}"


def _archive_document(manifest: Manifest) -> dict[str, object]:
    return {
        "archive": manifest.digest,
        "release": manifest.release,
        "revision": manifest.revision,
        "created_at": manifest.created_at,
        "tables": [_entry_document(entry) for entry in manifest.tables],
    }


def _entry_document(entry: TableEntry) -> dict[str, object]:
    return {"table": entry.name, "rows": entry.rows, "sha256": entry.sha256}


def _outcome_document(done: Restored) -> dict[str, object]:
    return {
        "outcome": done.outcome.value,
        "restored_at": done.at,
        "is_as_restored": done.is_as_restored,
    }


def _document(finding: Finding) -> dict[str, str]:
    return {"code": finding.code, "subject": finding.subject, "message": finding.message}


def _migrations(number: int) -> str:
    return "1 migration" if number == 1 else f"{number} migrations"

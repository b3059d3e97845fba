"""``evenhand db``: bring the database to this release's schema, take it back, check it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from evenhand.cli.exits import Exit
from evenhand.cli.options import app_of, json_option, print_json

if TYPE_CHECKING:
    from evenhand.store.checks import Finding


@click.group()
def db() -> None:
    """Upgrade, downgrade and check the database."""


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
@json_option
@click.pass_context
def check(ctx: click.Context, *, as_json: bool) -> None:
    """Look for damage, for drift of the schema, and for results that do not hold together.

    Exits 1 when something is found. Changes nothing.
    """
    from evenhand.store import migrate  # 200 ms, so on use

    findings = migrate.check(_database_url(ctx))
    if as_json:
        print_json({"findings": [_document(finding) for finding in findings]})
    else:
        for finding in findings:
            click.echo(f"{finding.subject}: {finding.message} [{finding.code}]")
        click.echo("1 finding" if len(findings) == 1 else f"{len(findings)} findings")
    if findings:
        ctx.exit(Exit.FINDING)


def _database_url(ctx: click.Context) -> str:
    return app_of(ctx).database_url


def _document(finding: Finding) -> dict[str, str]:
    return {"code": finding.code, "subject": finding.subject, "message": finding.message}


def _migrations(number: int) -> str:
    return "1 migration" if number == 1 else f"{number} migrations"

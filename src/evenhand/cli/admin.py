"""``evenhand admin``: who may call, straight in the configured database."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from evenhand.cli.admin_artifacts import artifact
from evenhand.cli.admin_bindings import binding
from evenhand.cli.admin_clients import client
from evenhand.cli.admin_deployments import deployment
from evenhand.cli.admin_gateway import gateway
from evenhand.cli.admin_practices import practice
from evenhand.cli.admin_projects import project
from evenhand.cli.admin_routes import route
from evenhand.cli.admin_runtimes import runtime
from evenhand.cli.admin_suites import suite
from evenhand.cli.options import app_of, json_option, print_json, quiet_option, remark
from evenhand.cli.registering import ACTOR, find
from evenhand.core.access.roles import Role
from evenhand.core.registry.registered import Noun
from evenhand.usecases import access

if TYPE_CHECKING:
    from evenhand.usecases.access import Issued
    from evenhand.usecases.ports import UnitOfWork


@click.group()
def admin() -> None:
    """Keep tokens, registry, suites and requests; show what was changed.

    Whoever can write the database can do this; no token is asked for.
    """


@admin.group()
def token() -> None:
    """Create, list, rotate and revoke tokens.

    REFERENCE is the id of a token, or the name of one that is in force. A token is printed once,
    when it is made; what is stored is its SHA-256.
    """


@token.command()
@click.argument("name")
@click.option(
    "--role",
    type=click.Choice([role.value for role in access.ROLES_OF_PEOPLE]),
    help="What its holder may do.",
)
@click.option("--client", metavar="CLIENT", help="The service client that it belongs to.")
@json_option
@quiet_option
@click.pass_context
def create(
    ctx: click.Context,
    *,
    name: str,
    role: str | None,
    client: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Make a token and print it, this once.

    NAME tells it from others: lowercase letters, digits and hyphens. It is for a person with a
    --role, or for a service client: --client is PROJECT/NAME, or an id. The token goes to
    standard output by itself, everything else to standard error.
    """
    if (role is None) is (client is None):
        raise click.UsageError("give one of --role and --client", ctx)
    app = app_of(ctx)
    if client is not None:
        # Looked for first, so that a look where nothing is makes no store.
        app.stored.read(lambda uow: find(uow, Noun.SERVICE_CLIENT, client))

    def work(uow: UnitOfWork) -> Issued:
        owner = None if client is None else find(uow, Noun.SERVICE_CLIENT, client).id
        return access.create(
            uow,
            name=name,
            role=Role.SERVICE_CLIENT if role is None else Role(role),
            client_id=owner,
            actor=ACTOR,
            ids=app.ids,
            secrets=app.secrets,
        )

    _show(app.database.run(work), as_json=as_json, quiet=quiet)


@token.command("list")
@click.option("--all", "with_ended", is_flag=True, help="Also those rotated or revoked.")
@json_option
@click.pass_context
def list_command(ctx: click.Context, *, with_ended: bool, as_json: bool) -> None:
    """List the tokens that are in force, newest first; never the tokens themselves."""
    from evenhand.reports.credentials import credential_document, credential_lines

    found = app_of(ctx).stored.read(
        lambda uow: access.list_credentials(uow, with_ended=with_ended)
    )
    if as_json:
        print_json([credential_document(one) for one in found])
        return
    for line in credential_lines(found):
        click.echo(line)
    if not found:
        remark("there is no token; evenhand admin token create NAME --role ROLE makes one")


@token.command()
@click.argument("reference")
@json_option
@quiet_option
@click.pass_context
def rotate(ctx: click.Context, *, reference: str, as_json: bool, quiet: bool) -> None:
    """Replace a token by a new one of the same name and role; print that, this once.

    The old one ends in the same transaction.
    """
    app = app_of(ctx)
    # Looked for first, so that a look where nothing is makes no store.
    app.stored.read(lambda uow: access.get(uow, reference))
    issued = app.database.run(
        lambda uow: access.rotate(uow, reference, actor=ACTOR, ids=app.ids, secrets=app.secrets)
    )
    _show(issued, as_json=as_json, quiet=quiet)


@token.command()
@click.argument("reference")
@json_option
@click.pass_context
def revoke(ctx: click.Context, *, reference: str, as_json: bool) -> None:
    """End a token for good. Its row stays, so that the audit leads somewhere."""
    from evenhand.reports.credentials import credential_document, credential_lines

    app = app_of(ctx)
    # Looked for first, so that a look where nothing is makes no store.
    app.stored.read(lambda uow: access.get(uow, reference))
    ended = app.database.run(lambda uow: access.revoke(uow, reference, actor=ACTOR, ids=app.ids))
    if as_json:
        print_json(credential_document(ended))
        return
    for line in credential_lines((ended,)):
        click.echo(line)


@admin.command()
@click.option(
    "--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="At most so many."
)
@json_option
@click.pass_context
def audit(ctx: click.Context, *, limit: int, as_json: bool) -> None:
    """List what was changed, when and by whom, newest first."""
    from evenhand.reports.audit import audit_document, audit_lines

    found = app_of(ctx).stored.read(lambda uow: uow.audit.list_latest(limit=limit))
    if as_json:
        print_json([audit_document(one) for one in found])
        return
    for line in audit_lines(found):
        click.echo(line)
    if not found:
        remark("the audit is empty")


def _show(issued: Issued, *, as_json: bool, quiet: bool) -> None:
    from evenhand.reports.credentials import credential_document, credential_lines

    if as_json:
        print_json({**credential_document(issued.credential), "token": issued.token})
    else:
        click.echo(issued.token)
    for line in credential_lines((issued.credential,)):
        remark(line, quiet=quiet)
    remark("the token is shown this once; only its digest is kept", quiet=quiet)


for group in (
    project,
    binding,
    client,
    artifact,
    runtime,
    deployment,
    route,
    suite,
    practice,
    gateway,
):
    admin.add_command(group)

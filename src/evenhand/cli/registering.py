"""What the commands of all nouns of the registry share: references, lists, and how one is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from evenhand.cli.options import app_of, json_option, print_json, remark
from evenhand.core.access.roles import Actor, ActorKind
from evenhand.core.registry.registered import UNSET, Noun, Registered

if TYPE_CHECKING:
    from evenhand.bootstrap import App
    from evenhand.usecases.ports import RegisteredRepository, UnitOfWork

Command = TypeVar("Command", bound=Callable[..., object])

#: Who changes something here: whoever can write the database.
ACTOR: Final = Actor(kind=ActorKind.COMMAND_LINE)
_MOST: Final = 1000
#: Where each noun is kept, and what the command line calls it.
_KEPT: Final = {
    Noun.PROJECT: ("projects", "project"),
    Noun.BINDING: ("bindings", "binding"),
    Noun.SERVICE_CLIENT: ("service_clients", "client"),
    Noun.ARTIFACT: ("artifacts", "artifact"),
    Noun.RUNTIME: ("runtimes", "runtime"),
    Noun.DEPLOYMENT: ("deployments", "deployment"),
    Noun.ROUTE: ("routes", "route"),
    Noun.SUITE: ("suites", "suite"),
    Noun.PRACTICE: ("practices", "practice"),
}
_SHARED: Final = (Noun.PROJECT, Noun.ARTIFACT, Noun.RUNTIME)


def active_option(command: Command) -> Command:
    """``--active/--inactive``: whether it is in use from now on."""
    return click.option(
        "--active/--inactive",
        "active",
        default=None,
        help="Take it back into use, or out of use; without either it stays as it is.",
    )(command)


def version_option(command: Command) -> Command:
    """``--expected-version``: refuse where somebody changed it since."""
    return click.option(
        "--expected-version",
        type=click.IntRange(min=1),
        metavar="N",
        help="Refuse where it has another version; without it the one that is there is changed.",
    )(command)


def change_options(command: Command) -> Command:
    """What every command that changes an object takes; see :func:`change`."""
    return active_option(version_option(json_option(command)))


def stated(value: object) -> Any:
    """What an option says; `UNSET` where it was not given."""
    return UNSET if value is None else value


def find(uow: UnitOfWork, noun: Noun, reference: str) -> Any:
    """The object that a reference means.

    It is PROJECT/NAME, or NAME where the kind belongs to no project, or an id.

    Raises:
        RegisteredNotFound: there is none; the reference is not repeated.
    """
    from evenhand.usecases.registry.finding import find_of_project, find_shared

    within: RegisteredRepository[Any] = getattr(uow, _KEPT[noun][0])
    if noun in _SHARED:
        return find_shared(within, reference)
    return find_of_project(uow, noun, within, reference)


def make(
    ctx: click.Context, work: Callable[[App, UnitOfWork], Registered], *, as_json: bool
) -> None:
    """Do what makes an object, in one transaction, and show the object."""
    app = app_of(ctx)
    show_one(app.database.run(lambda uow: work(app, uow)), as_json=as_json)


def change(
    ctx: click.Context,
    noun: Noun,
    reference: str,
    verb: Callable[..., Registered],
    given: Mapping[str, Any],
    show: Callable[..., None] | None = None,
    **values: object,
) -> None:
    """Change an object, in one transaction, and show it.

    Args:
        ctx: of the command.
        noun: which kind.
        reference: which one.
        verb: the use case that changes it.
        given: what `change_options` say.
        show: how it is shown, by default as :func:`show_one` does.
        values: what else is stated, by the verb's names; a function is asked for its value in
            the transaction.
    """
    app = app_of(ctx)
    # Looked for first, so that a look where nothing is makes no store.
    app.stored.read(lambda uow: find(uow, noun, reference))

    def work(uow: UnitOfWork) -> Registered:
        seen = find(uow, noun, reference)
        return verb(
            uow,
            seen.id,
            expected_version=given["expected_version"] or seen.version,
            active=stated(given["active"]),
            actor=ACTOR,
            ids=app.ids,
            **{name: value(uow) if callable(value) else value for name, value in values.items()},
        )

    (show or show_one)(app.database.run(work), as_json=given["as_json"])


def show_one(one: Registered, *, as_json: bool) -> None:
    """Print one object: as JSON, or what there is to know line by line."""
    from evenhand.reports.registry import registered_document, registered_facts

    if as_json:
        print_json(registered_document(one))
        return
    for line in registered_facts(one):
        click.echo(line)


def add_reads(group: click.Group, noun: Noun) -> None:
    """Give a group its commands ``list`` and ``show``."""
    group.add_command(_list_command(noun))
    group.add_command(_show_command(noun))


def _list_command(noun: Noun) -> click.Command:
    kept, word = _KEPT[noun]

    @click.command("list", help=f"List {word}s, newest first.")
    @click.option(
        "--limit",
        type=click.IntRange(1, _MOST),
        default=20,
        show_default=True,
        help="At most so many.",
    )
    @json_option
    @click.pass_context
    def command(
        ctx: click.Context, *, limit: int, as_json: bool, project: str | None = None
    ) -> None:
        from evenhand.reports.registry import registered_document, registered_lines

        def work(uow: UnitOfWork) -> tuple[Registered, ...]:
            chosen = None if project is None else find(uow, Noun.PROJECT, project).id
            found: tuple[Registered, ...] = getattr(uow, kept).list_latest(
                project_id=chosen, limit=limit
            )
            return found

        found = app_of(ctx).stored.read(work)
        if as_json:
            print_json([registered_document(one) for one in found])
            return
        for line in registered_lines(found):
            click.echo(line)
        if not found:
            remark(f"there is no {word}; evenhand admin {word} create makes one")

    if noun not in _SHARED:
        option = click.option("--project", metavar="PROJECT", help="Only of this project.")
        command = option(command)
    return command


def _show_command(noun: Noun) -> click.Command:
    word = _KEPT[noun][1]

    @click.command("show", help=f"Show one {word}.")
    @click.argument("reference", metavar=word.upper())
    @json_option
    @click.pass_context
    def command(ctx: click.Context, *, reference: str, as_json: bool) -> None:
        found = app_of(ctx).stored.read(lambda uow: find(uow, noun, reference))
        show_one(found, as_json=as_json)

    return command

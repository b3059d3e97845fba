"""``evenhand contract``: what an event is, whether the contract holds, and what may change of it."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from evenhand.cli.exits import Exit
from evenhand.cli.options import json_option, print_json, print_lines, remark

_FORMS = ("fields", "json-schema", "odcs")
_ANY = click.Path(exists=True, path_type=Path)


@click.group()
def contract() -> None:
    """Show, lint and compare contracts of events.

    A contract is a folder with contract.toml, its schema, fixtures and reviewed queries. Without
    a folder it is the one that this release checks events against.
    """


@contract.command()
@click.argument("folder", type=_ANY, required=False)
@click.option(
    "--as",
    "form",
    type=click.Choice(_FORMS),
    default="fields",
    show_default=True,
    help="In which form.",
)
@json_option
def show(*, folder: Path | None, form: str, as_json: bool) -> None:
    """Show a contract: its fields, JSON Schema 2020-12, or the Open Data Contract Standard."""
    from evenhand.contracts.contract import FOLDER, read_contract
    from evenhand.contracts.schema import json_schema, odcs

    found = read_contract(folder or FOLDER)
    if form == "json-schema":
        print_json(json_schema(found))
    elif form == "odcs" and as_json:
        print_json(odcs(found))
    elif form == "odcs":
        import yaml

        sys.stdout.write(yaml.safe_dump(odcs(found), sort_keys=False, width=98))
    elif as_json:
        print_json(found)
    else:
        from evenhand.reports.contract import contract_lines

        print_lines(contract_lines(found))


@contract.command()
@click.argument("folder", type=_ANY, required=False)
@json_option
def lint(*, folder: Path | None, as_json: bool) -> int:
    """Check fields, schema, fixtures and queries of a contract against each other.

    Each query is carried out over its cases, in memory; a text that is not the reviewed one is
    found. Exit code 1 where something is wrong.
    """
    from evenhand.adapters.queries.memory import over_events
    from evenhand.contracts.contract import FOLDER
    from evenhand.contracts.lint import lint_contract

    problems = lint_contract(folder or FOLDER, over_events)
    if as_json:
        print_json([{"place": one.place, "rule": one.rule} for one in problems])
    else:
        print_lines(tuple(f"{one.place}: {one.rule}" for one in problems))
        remark("nothing is wrong" if not problems else f"{len(problems)} wrong")
    return Exit.FINDING if problems else Exit.PASS


@contract.command()
@click.argument("old", type=_ANY)
@click.argument("new", type=_ANY)
@json_option
def diff(*, old: Path, new: Path, as_json: bool) -> int:
    """Say whether NEW may stand in the place of OLD, and what differs.

    What only adds an optional field passes. To rename, to retype, to require or to remove needs
    another version: exit code 1.
    """
    from evenhand.contracts.contract import read_contract
    from evenhand.contracts.evolution import compare_contracts, is_allowed

    changes = compare_contracts(read_contract(old), read_contract(new))
    if as_json:
        print_json(
            [
                {
                    "kind": one.kind.value,
                    "field": one.field,
                    "is_allowed": one.is_allowed,
                    "says": one.says,
                }
                for one in changes
            ]
        )
    else:
        from evenhand.reports.contract import change_lines

        print_lines(change_lines(changes))
        remark("it may stand in its place" if is_allowed(changes) else "it needs another version")
    return Exit.PASS if is_allowed(changes) else Exit.FINDING

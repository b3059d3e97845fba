"""``evenhand admin suite``: suites and their revisions, straight in the configured database."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from evenhand.cli.options import app_of, json_option, print_json, print_lines, quiet_option, remark
from evenhand.cli.registering import ACTOR, change, change_options, find
from evenhand.core.registry.registered import Noun

if TYPE_CHECKING:
    from evenhand.core.registry.suite import Suite
    from evenhand.core.retrieval.golden import GoldenSet
    from evenhand.usecases.ports import UnitOfWork
    from evenhand.usecases.registry.suites import Frozen

_MOST: Final = 1000
_existing = click.Path(exists=True, path_type=Path)
_limit_option = click.option(
    "--limit",
    type=click.IntRange(1, _MOST),
    default=20,
    show_default=True,
    help="At most so many.",
)


@click.group()
def suite() -> None:
    """Create and list suites, and freeze golden sets as their revisions.

    SUITE is PROJECT/NAME, or the id of a suite. A revision never changes; to freeze what is
    frozen already gives the same revision.
    """


@suite.command()
@click.argument("name")
@click.option("--project", required=True, metavar="PROJECT", help="Whose it is, for good.")
@json_option
@click.pass_context
def create(ctx: click.Context, *, name: str, project: str, as_json: bool) -> None:
    """Make a suite of a project.

    NAME is 1 to 63 lowercase letters, digits and hyphens. No other suite of the project has it.
    """
    from evenhand.usecases.registry import suites

    app = app_of(ctx)
    made = app.database.run(
        lambda uow: suites.create(
            uow,
            project_id=find(uow, Noun.PROJECT, project).id,
            name=name,
            actor=ACTOR,
            ids=app.ids,
        )
    )
    _show_suite(made, as_json=as_json)


@suite.command("list")
@click.option("--project", metavar="PROJECT", help="Only this project's.")
@_limit_option
@json_option
@click.pass_context
def list_command(ctx: click.Context, *, project: str | None, limit: int, as_json: bool) -> None:
    """List suites, newest first."""
    from evenhand.reports.suites import suite_document, suite_lines

    found = app_of(ctx).stored.read(
        lambda uow: uow.suites.list_latest(
            project_id=None if project is None else find(uow, Noun.PROJECT, project).id,
            limit=limit,
        )
    )
    if as_json:
        print_json(list(map(suite_document, found)))
        return
    print_lines(suite_lines(found))
    if not found:
        remark("there is no suite; evenhand admin suite create NAME --project PROJECT makes one")


@suite.command()
@click.argument("reference", metavar="SUITE")
@_limit_option
@json_option
@click.pass_context
def show(ctx: click.Context, *, reference: str, limit: int, as_json: bool) -> None:
    """Show a suite and its revisions, newest first."""
    from evenhand.reports.suites import (
        revision_document,
        revision_lines,
        suite_document,
        suite_lines,
    )
    from evenhand.usecases.registry import suites

    def read(uow: UnitOfWork) -> tuple[Suite, tuple[Any, ...]]:
        found = suites.resolve(uow, reference)
        return found, uow.suites.list_revisions(found.id, limit=limit)

    found, revisions = app_of(ctx).stored.read(read)
    if as_json:
        listed = [revision_document(one) for one in revisions]
        print_json({**suite_document(found), "revisions": listed})
        return
    print_lines((*suite_lines((found,)), *revision_lines(revisions)))


@suite.command()
@click.argument("revision_id", metavar="REVISION")
@click.option("--questions", "with_questions", is_flag=True, help="Also print every case.")
@json_option
@click.pass_context
def revision(ctx: click.Context, *, revision_id: str, with_questions: bool, as_json: bool) -> None:
    """Show one revision by its id. Texts only with --questions."""
    from evenhand.core.errors.registry import RegisteredNotFound
    from evenhand.reports.suites import (
        case_document,
        case_lines,
        revision_document,
        revision_facts,
    )
    from evenhand.usecases.registry.suites import REVISION_KIND

    found = app_of(ctx).stored.read(lambda uow: uow.suites.find_revision(revision_id))
    if found is None:
        raise RegisteredNotFound(REVISION_KIND)
    if as_json:
        items = {"cases": [case_document(one) for one in found.cases]} if with_questions else {}
        print_json({**revision_document(found.revision), **items})
        return
    print_lines(revision_facts(found.revision))
    if with_questions:
        print_lines(case_lines(found.cases))


@suite.command()
@click.argument("reference", metavar="SUITE")
@click.argument("golden_set", metavar="SET")
@click.option("--corpus", type=_existing, metavar="PATH", help="The corpus or its manifest.")
@click.option("--corpus-sha256", metavar="DIGEST", help="Its digest, where it is elsewhere.")
@click.option(
    "--retrieval-settings",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    required=True,
    metavar="FILE",
    help="A JSON object that is frozen with the cases.",
)
@click.option(
    "--retrieval-config-sha256",
    metavar="DIGEST",
    help="Refuse settings that have another digest.",
)
@click.option("--split", metavar="NAME", help="Judgements of a BEIR folder.")
@json_option
@quiet_option
@click.pass_context
def freeze(ctx: click.Context, /, reference: str, golden_set: str, **given: Any) -> None:
    """Freeze a golden set as a revision of a suite.

    SET is what "evenhand sets show" takes: a file, a BEIR folder, module:attribute or an
    identifier. It has 1 to 100 questions, all reviewed, each labelled against the corpus
    (label_provenance.corpus_revision). What it holds out is not frozen.
    """
    from evenhand.adapters.golden_sets import resolve_golden_set
    from evenhand.core.retrieval.suite_revision import freeze_content
    from evenhand.reports.suites import revision_document, revision_facts
    from evenhand.usecases.registry import suites

    corpus_sha256 = _corpus(ctx, given["corpus"], given["corpus_sha256"])
    app = app_of(ctx)
    resolved = resolve_golden_set(golden_set, app.golden_set_context(), split=given["split"])
    content = freeze_content(
        resolved.golden_set,
        corpus_sha256=corpus_sha256,
        retrieval_settings=_settings(given["retrieval_settings"]),
        retrieval_config_sha256=given["retrieval_config_sha256"],
    )
    # Looked for first, so that a look where nothing is makes no store.
    app.stored.read(lambda uow: suites.resolve(uow, reference))

    def work(uow: UnitOfWork) -> Frozen:
        found = suites.resolve(uow, reference)
        return suites.freeze(uow, found.id, content, actor=ACTOR, ids=app.ids)

    frozen = app.database.run(work)
    if given["as_json"]:
        print_json({**revision_document(frozen.revision), "is_new": frozen.is_new})
    else:
        print_lines(revision_facts(frozen.revision))
    _tell(frozen, resolved.golden_set, quiet=given["quiet"])


@suite.command("set")
@click.argument("reference", metavar="SUITE")
@change_options
@click.pass_context
def set_command(ctx: click.Context, /, reference: str, **given: Any) -> None:
    """Take a suite out of use, or back. Nothing is frozen in one that is out of use."""
    from evenhand.usecases.registry import suites

    change(ctx, Noun.SUITE, reference, suites.change, given, show=_show_suite)


def _corpus(ctx: click.Context, corpus: Path | None, digest: str | None) -> str:
    from evenhand.adapters.formats.corpus_manifest import corpus_digest_of

    if (corpus is None) is (digest is None):
        raise click.UsageError("give one of --corpus and --corpus-sha256", ctx)
    return corpus_digest_of(corpus) if corpus is not None else str(digest)


def _settings(path: Path) -> dict[str, object]:
    from evenhand.adapters.formats.strict_json import decode_object

    return decode_object(path.read_bytes(), path.name, None)


def _tell(frozen: Frozen, golden_set: GoldenSet, *, quiet: bool) -> None:
    held_out = len(golden_set.holdout)
    if held_out:
        remark(f"held out, not frozen: {held_out}", quiet=quiet)
    if not frozen.is_new:
        remark("the suite had this content before; nothing was changed", quiet=quiet)


def _show_suite(one: Suite, *, as_json: bool) -> None:
    from evenhand.reports.suites import suite_document, suite_lines

    if as_json:
        print_json(suite_document(one))
        return
    print_lines(suite_lines((one,)))

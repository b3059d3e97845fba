"""``evenhand sets``: golden sets looked at; in and out in `sets_exchange`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.exits import Exit
from evenhand.cli.options import app_of, json_option, print_json, print_lines, remark
from evenhand.cli.sets_delete import delete
from evenhand.cli.sets_exchange import export, import_command
from evenhand.core.errors import InvalidFile
from evenhand.core.retrieval.lint import Finding, Rule, lint

if TYPE_CHECKING:
    from evenhand.adapters.golden_sets import ResolvedSet
    from evenhand.core.comparison.set_use import SetUseCounts
    from evenhand.core.retrieval.golden import GoldenSet
    from evenhand.reports.golden_sets import SetFacts

_split_option = click.option("--split", metavar="NAME", help="Judgements of a BEIR folder.")
_existing = click.Path(exists=True, path_type=Path)


@click.group()
def sets() -> None:
    """List, show, lint, import, export and delete golden sets.

    SET is a file (evenhand.golden/1 as JSONL or YAML), a BEIR folder, module:attribute, or the
    identifier of an imported set or of one that an installed package gives.
    """


@sets.command("list")
@json_option
@click.pass_context
def list_command(ctx: click.Context, *, as_json: bool) -> None:
    """List imported sets and those of installed packages."""
    from evenhand.adapters.golden_sets import Origin, load_registry
    from evenhand.reports.safe_text import shown_id
    from evenhand.usecases.golden_sets import list_sets

    rows = [
        (one.identifier, one.name, one.questions, one.holdout, Origin.IMPORTED.value)
        for one in app_of(ctx).stored.read(list_sets)
    ]
    rows += [
        (
            one.identifier,
            one.name,
            len(one.questions),
            len(one.holdout),
            Origin.ENTRY_POINT.value,
        )
        for one in load_registry()
    ]
    if as_json:
        names = ("identifier", "name", "questions", "holdout", "origin")
        print_json([dict(zip(names, row, strict=True)) for row in rows])
        return
    from evenhand.reports.numbers import count

    print_lines(
        f"{identifier}  {count(questions, 'question')}{_held_out(holdout)}  {origin}  {shown_id(name)}"
        for identifier, name, questions, holdout, origin in rows
    )
    if not rows:
        remark("no golden sets; evenhand sets import PATH takes one in")


@sets.command()
@click.argument("golden_set", metavar="SET")
@_split_option
@click.option("--questions", "with_questions", is_flag=True, help="Also print every question.")
@json_option
@click.pass_context
def show(
    ctx: click.Context,
    golden_set: str,
    *,
    split: str | None,
    with_questions: bool,
    as_json: bool,
) -> None:
    """Show what a set is made of and what it can show. Texts only with --questions.

    It also says how many decisions (compare, ab, gate, holdout) rest on the set's labels in this
    project's database: the more there are, the likelier one was won by chance. What the set
    holds out is counted apart, with how often "evenhand gate --holdout" read it, and not shown.
    """
    from evenhand.adapters.formats.golden_records import question_record
    from evenhand.reports.golden_sets import facts_document, facts_lines, question_lines

    resolved = _resolve(ctx, golden_set, split)
    part = resolved.golden_set.holdout_part
    facts = _facts(
        resolved,
        uses=_uses(ctx, resolved.golden_set),
        holdout_uses=None if part is None else _uses(ctx, part),
    )
    questions = resolved.golden_set.questions
    if as_json:
        items = {"items": [question_record(one) for one in questions]} if with_questions else {}
        print_json({**facts_document(facts), **items})
        return
    print_lines(facts_lines(facts))
    if with_questions:
        print_lines(line for question in questions for line in question_lines(question))


@sets.command("lint")
@click.argument("golden_set", metavar="SET")
@_split_option
@click.option("--corpus", type=_existing, metavar="PATH", help="Look for the targets in here.")
@click.option("--suite", is_flag=True, help="Ask whether it may be a suite over the corpus, too.")
@click.option(
    "--ignore",
    type=click.Choice([rule.value for rule in Rule]),
    multiple=True,
    metavar="RULE",
    help="Leave out a rule, by the name its findings have; may be given again.",
)
@json_option
@click.pass_context
def lint_command(ctx: click.Context, /, golden_set: str, **given: Any) -> None:
    """Look for what makes a set's numbers hard to trust.

    Exits with 0 when nothing is found, with 1 when something is, and that includes a file that
    breaks a rule of its format. How small a difference the set can show is said, and is no
    finding. --corpus takes a corpus or a manifest.
    """
    from evenhand.reports.golden_sets import (
        facts_document,
        facts_lines,
        findings_document,
        findings_lines,
        findings_total,
    )

    if given["suite"] and given["corpus"] is None:
        raise click.UsageError("--suite needs --corpus", ctx)
    as_json = given["as_json"]
    try:
        resolved = _resolve(ctx, golden_set, given["split"])
    except InvalidFile as error:
        _refused(error, as_json=as_json)
        ctx.exit(Exit.FINDING)
    facts = _facts(resolved)
    found = _lint(resolved, given["corpus"], is_suite=given["suite"])
    findings = [one for one in found if one.rule.value not in given["ignore"]]
    if as_json:
        print_json({**facts_document(facts), "findings": findings_document(findings)})
    else:
        print_lines(facts_lines(facts))
        print_lines(findings_lines(findings))
        print_lines(findings_total(findings, facts))
    if findings:
        ctx.exit(Exit.FINDING)


sets.add_command(import_command)
sets.add_command(export)
sets.add_command(delete)


def _resolve(ctx: click.Context, reference: str, split: str | None) -> ResolvedSet:
    from evenhand.adapters.golden_sets import resolve_golden_set

    return resolve_golden_set(reference, app_of(ctx).golden_set_context(), split=split)


def _uses(ctx: click.Context, golden_set: GoldenSet) -> SetUseCounts:
    """The decisions that rest on a set; looking for them makes no database."""
    return app_of(ctx).stored.read(lambda uow: uow.set_uses.count(golden_set.labels_fingerprint))


def _held_out(number: int) -> str:
    return f" and {number} held out" if number else ""


def _facts(
    resolved: ResolvedSet,
    *,
    uses: SetUseCounts | None = None,
    holdout_uses: SetUseCounts | None = None,
) -> SetFacts:
    from evenhand.reports.golden_sets import build_facts

    beir = resolved.beir
    return build_facts(
        resolved.golden_set,
        origin=resolved.origin.value,
        split=None if beir is None else beir.split,
        only_nonrelevant=0 if beir is None else beir.only_nonrelevant,
        uses=uses,
        holdout_uses=holdout_uses,
    )


def _lint(resolved: ResolvedSet, corpus: Path | None, *, is_suite: bool) -> Iterator[Finding]:
    from evenhand.adapters.formats.corpus_compare import present_documents
    from evenhand.adapters.formats.corpus_manifest import corpus_digest_of
    from evenhand.core.retrieval.suite import suite_findings

    golden_set = resolved.golden_set
    if corpus is None:
        yield from lint(golden_set)
        return
    wanted = {target for one in golden_set.with_holdout for target in one.expected_document_ids}
    yield from lint(golden_set, documents=present_documents(corpus, wanted))
    if is_suite:
        yield from suite_findings(golden_set, corpus_digest_of(corpus))


def _refused(error: InvalidFile, *, as_json: bool) -> None:
    """A file that cannot be read as a set is what a check of it finds."""
    if as_json:
        finding = {
            "rule": error.code,
            "message": str(error),
            "file": error.file,
            "line": error.line,
        }
        print_json({"findings": [finding]})
        return
    print_lines((f"{error.code}: {error}", "findings: 1 (the set was not looked at further)"))

"""What do report files say where a command ended without a result? Never what an earlier run said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from evenhand.cli.options import remark
from evenhand.cli.report_files import reports_of

if TYPE_CHECKING:
    from pathlib import Path

    from evenhand.reports.no_result import NoResult


@contextmanager
def told_in_reports(
    what: str, title: str, given: Mapping[str, object], *, with_summary: bool = True
) -> Iterator[None]:
    """Write the reports that were asked for also where the block raises; then they say why.

    So they do after Ctrl-C. Only a mistake in the command line itself changes no file.

    Args:
        what: what was asked for, such as ``Gate``.
        title: of what, as it was typed.
        given: the options; those that name report files are looked at.
        with_summary: whether the summary of a GitHub step is one of the reports.
    """
    try:
        yield
    except (click.ClickException, click.Abort):
        raise
    except (Exception, KeyboardInterrupt, SystemExit) as error:
        from evenhand.reports.no_result import build_no_result

        found = build_no_result(what, title, error)
        _write(found, reports_of(given), with_summary=with_summary)
        raise


def _write(found: NoResult, files: Mapping[str, Path], *, with_summary: bool) -> None:
    from evenhand.adapters.formats.whole_file import add_to, writing
    from evenhand.core.errors import InvalidFile
    from evenhand.reports.no_result import no_result_junit, no_result_markdown
    from evenhand.settings import SUMMARY, step_summary

    text = no_result_markdown(found).encode()
    try:
        for name, path in files.items():
            page = text
            if name == "junit":
                page = no_result_junit(found)
            elif name == "report":
                from evenhand.reports.html import render_no_result_html

                page = render_no_result_html(found).encode()
            with writing(path) as stream:
                stream.write(page)
        summary = step_summary() if with_summary else None
        if summary is not None:
            add_to(summary, text, named_by=SUMMARY)
    except InvalidFile as lost:
        # What ended the command is said after it, and is the reason for the exit code.
        remark(f"warning: {lost}")

"""May a report be written where somebody asked for it? Looked at before any work.

A report replaces the file that it names. It must not replace what the command reads, nor another
report of the same command.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from evenhand.bootstrap import App

#: Options that name a file which a report is written to.
REPORTS: Final = ("report", "junit", "markdown")
#: Parameters that may name a file which is read.
_READ: Final = (
    "golden_set",
    "retriever",
    "current",
    "candidate",
    "candidates",
    "qrels",
    "corpus",
    "policy",
    "baseline",
    "parquet",
)
#: What is read from the project root without being named.
_UNNAMED: Final = ("evenhand.toml", "pyproject.toml", "gate.toml")
#: What is read of a folder in BEIR's layout, or of a folder that holds a corpus.
_IN_FOLDER: Final = ("*.jsonl*", "*.tsv*", "qrels/*.tsv*")


def reports_of(given: Mapping[str, object]) -> dict[str, Path]:
    """The report files that were asked for, by the name of the option.

    Args:
        given: the options of the command.
    """
    return {name: path for name in REPORTS if isinstance(path := given.get(name), Path)}


def require_report_files(ctx: click.Context) -> None:
    """Refuse reports that could not be written, or that would replace what must stay.

    Raises:
        UsageError: the folder of a report does not exist, two reports are one file, or a report
            is a file that the command reads.
    """
    from evenhand.cli.options import RootFlags
    from evenhand.settings import find_project_root

    reports = reports_of(ctx.params)
    for name, path in reports.items():
        if not path.parent.is_dir():
            message = f"--{name}: the folder of the file does not exist"
            raise click.UsageError(message, ctx)
    for one, other in combinations(reports, 2):
        if _is_same(reports[one], reports[other]):
            message = f"--{one} and --{other} name the same file"
            raise click.UsageError(message, ctx)
    flags = ctx.obj if isinstance(ctx.obj, RootFlags) else RootFlags()
    root = find_project_root(flags.start or Path.cwd())
    for told, path in _inputs(ctx, root):
        _require_other(ctx, reports, told, path)


def require_no_configured_file(ctx: click.Context, app: App) -> None:
    """Refuse a report that is a file which the configuration of a retriever names.

    Raises:
        UsageError: a report is such a file.
    """
    reports = reports_of(ctx.params)
    for name, table in app.settings.retrievers.items():
        for typed in _texts(table):
            for path in _named(typed, app.project_root):
                _require_other(ctx, reports, f"the configuration of {name}", path)


def _require_other(ctx: click.Context, reports: Mapping[str, Path], told: str, path: Path) -> None:
    for name, report in reports.items():
        if _is_same(report, path):
            message = f"--{name}: a report would replace what the command reads ({told})"
            raise click.UsageError(message, ctx)


def _inputs(ctx: click.Context, root: Path) -> Iterator[tuple[str, Path]]:
    """Each file that may be read, and what names it."""
    for parameter in ctx.command.params:
        if parameter.name not in _READ:
            continue
        value = ctx.params.get(parameter.name)
        is_option = isinstance(parameter, click.Option)
        told = parameter.opts[0] if is_option else parameter.human_readable_name.rstrip(".")
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, Path):
                yield told, one
            elif isinstance(one, str):
                yield from ((told, path) for path in _named(one, root))
    yield from ((name, root / name) for name in _UNNAMED)


def _named(typed: str, root: Path) -> Iterator[Path]:
    """The files that are there and that a text may mean: a path, a folder, or a module."""
    module, colon, _ = typed.partition(":")
    texts = (typed, f"{module.replace('.', '/')}.py") if colon else (typed,)
    for text in texts:
        for path in (Path(text), root / text):
            try:
                if text and path.is_dir():
                    for pattern in _IN_FOLDER:
                        yield from path.glob(pattern)
                elif text and path.is_file():
                    yield path
            except (OSError, ValueError):
                # No path: longer than a name can be, or with a NUL.
                continue


def _texts(value: object) -> Iterator[str]:
    """Every text in a table of the configuration."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one)


def _is_same(one: Path, other: Path) -> bool:
    """Whether two paths are one file, there or not; a pipe or ``/dev/null`` is nobody's file."""
    if one.exists() and other.exists():
        return one.is_file() and one.samefile(other)
    return os.path.realpath(one) == os.path.realpath(other)

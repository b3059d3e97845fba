"""Which operands of ``compare`` are files? Baseline files and TREC run files become sides here."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from evenhand.core.errors import Invalid, InvalidSetting

if TYPE_CHECKING:
    from evenhand.bootstrap import App
    from evenhand.core.comparison.side import Side
    from evenhand.core.retrieval.golden import GoldenSet

_WORDS: Final = frozenset({"latest", "previous", "baseline"})


@dataclass(slots=True, kw_only=True)
class FileOperands:
    """What files need to become sides.

    Attributes:
        app: the wired parts.
        qrels: the golden set by which run files are scored, as typed; None when not given.
        corpus: path or label of the corpus on which they were made, None when not given.
        split: judgements of a BEIR folder, None for the customary one.
        depth: results of a run file that are read, None for the configured number.
        golden_set: the set of ``qrels`` once a run file was scored by it.
    """

    app: App
    qrels: str | None
    corpus: str | None
    split: str | None
    depth: int | None = None
    golden_set: GoldenSet | None = field(default=None)


def require_two_files(current: str, candidate: str, project_root: Path) -> None:
    """Refuse one file as both operands: it would be compared with itself.

    Raises:
        Invalid: both name one file.
    """
    from evenhand.adapters.retrievers.labels import find_path

    if {current, candidate} & _WORDS:
        return
    paths = [find_path(typed, project_root) for typed in (current, candidate)]
    files = [path for path in paths if path is not None and path.is_file()]
    if len(files) == len(paths) and files[0].samefile(files[1]):
        raise Invalid("operands: both name the same file")


def read_file_operand(typed: str, files: FileOperands) -> Side | None:
    """The side that a file makes; None where the operand names no file.

    Args:
        typed: what the user typed. The three words are words, whatever files are there.
        files: what files need; takes the golden set.

    Raises:
        InvalidFile: it is neither a baseline file nor a TREC run file.
        InvalidSetting: a run file without ``--qrels``.
    """
    from evenhand.adapters.retrievers.labels import find_path

    path = None if typed in _WORDS else find_path(typed, files.app.project_root)
    if path is None or not path.is_file():
        return None
    if _is_json(path):
        from evenhand.adapters.formats.baseline_file import read_baseline
        from evenhand.core.comparison.side import pinned_side

        return pinned_side(read_baseline(path))
    if files.qrels is None:
        raise InvalidSetting("--qrels", "a TREC run file is scored by a golden set; name it")
    return _run_side(typed, files)


def _is_json(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(64).lstrip().startswith(b"{")


def _run_side(typed: str, files: FileOperands) -> Side:
    """A run file, scored as `evenhand run` would score it."""
    from evenhand.adapters.golden_sets import resolve_golden_set
    from evenhand.adapters.retrievers.context import Declaration
    from evenhand.adapters.retrievers.labels import find_path
    from evenhand.adapters.retrievers.registry import basis_of, resolve
    from evenhand.core.comparison.side import fresh_side
    from evenhand.usecases.evaluate import EvaluateOptions, evaluate

    app = files.app
    if files.golden_set is None:
        files.golden_set = resolve_golden_set(
            files.qrels or "", app.golden_set_context(), split=files.split
        ).golden_set
    depth = files.depth or app.settings.depth
    context = app.retriever_context(
        depth=depth,
        corpus=None if files.corpus is None else find_path(files.corpus, app.project_root),
        declared=None if files.corpus is None else Declaration(corpus=files.corpus),
    )
    retriever = resolve(typed, context)
    evaluation = evaluate(
        files.golden_set,
        retriever,
        clock=app.clock,
        machine=app.machine,
        basis=basis_of(retriever),
        options=EvaluateOptions(depth=depth),
    )
    return fresh_side(evaluation)

"""How do the operands of a command become one evaluation? Shared by every command that runs.

Operands are what a user types (a set, a retriever, labels); what comes out is a value that
nobody has stored yet.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.options import remark
from evenhand.cli.progress import progress_bar, tracker

if TYPE_CHECKING:
    from pathlib import Path

    from evenhand.adapters.golden_sets import ResolvedSet
    from evenhand.adapters.retrievers.context import Declaration
    from evenhand.bootstrap import App
    from evenhand.core.retrieval.golden import GoldenSet
    from evenhand.core.scoring.evaluation import Evaluation
    from evenhand.usecases.evaluate import EvaluateOptions
    from evenhand.usecases.ports import Retriever


#: Options that state what is run, in the order of a declaration.
_LABELS = ("corpus", "model", "chunking", "pipeline", "execution")


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """What a user asked to be run.

    Attributes:
        golden_set: as typed.
        retriever: as typed.
        declared: labels given by flags, None when there were none.
        corpus: the corpus that ``--corpus`` names as a path, None otherwise.
        split: judgements of a BEIR folder, None for the customary one.
        options: how the retriever is called.
        quiet: no progress.
        is_holdout: ask the questions that are held out, and no others; else none of them.
    """

    golden_set: str
    retriever: str
    declared: Declaration | None
    corpus: Path | None
    split: str | None
    options: EvaluateOptions
    quiet: bool
    is_holdout: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """What came of retrievers that ran in one go.

    Attributes:
        evaluations: one for each retriever, in the order given.
        corpora: the corpus at hand of each of them, None where there is none.
    """

    evaluations: tuple[Evaluation, ...]
    corpora: tuple[Path | None, ...]


def experiment_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say what is run and how; `build_experiment` reads them."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


_OPTIONS = (
    click.option("--corpus", metavar="PATH|LABEL", help="The corpus that is searched."),
    click.option("--model", metavar="LABEL", help="Embedding model, or not-applicable."),
    click.option("--chunking", metavar="LABEL", help="Chunker, or not-applicable."),
    click.option("--pipeline", metavar="LABEL", help="All settings that can alter a ranking."),
    click.option("--execution", metavar="LABEL", help='Code that runs; "git" takes the commit.'),
    click.option("--depth", metavar="N", help="Results asked for each question (default 12)."),
    click.option("--jobs", metavar="N", help="Retrieval calls at a time (default 1)."),
    click.option(
        "--batch",
        type=click.IntRange(min=1),
        default=1,
        metavar="N",
        help="Questions per call, for retrievers with retrieve_many.",
    ),
    click.option(
        "--warmup",
        type=click.IntRange(min=0),
        default=0,
        metavar="N",
        help="Unmeasured calls before the first question.",
    ),
    click.option("--split", metavar="NAME", help="Judgements of a BEIR folder (default test)."),
    click.option("--strict", is_flag=True, help="The first failed question ends the run."),
)


def build_experiment(
    app: App, golden_set: str, retriever: str, given: dict[str, Any], *, quiet: bool
) -> Experiment:
    """What was asked for; takes the options of `experiment_options` out of ``given``.

    Raises:
        InvalidSetting: an option is out of its range.
    """
    from evenhand.adapters.retrievers.context import Declaration
    from evenhand.adapters.retrievers.labels import find_path
    from evenhand.usecases.evaluate import EvaluateOptions

    labels = {name: given.pop(name) for name in _LABELS}
    del given["depth"], given["jobs"]  # already in the settings
    corpus = labels["corpus"]
    return Experiment(
        golden_set=golden_set,
        retriever=retriever,
        # An empty label is a mistake that the label rule names, not a label left out.
        declared=Declaration(**labels) if set(labels.values()) != {None} else None,
        corpus=None if corpus is None else find_path(corpus, app.project_root),
        split=given.pop("split"),
        options=EvaluateOptions(
            depth=app.settings.depth,
            jobs=app.settings.jobs,
            batch=given.pop("batch"),
            warmup=given.pop("warmup"),
            strict=given.pop("strict"),
        ),
        quiet=quiet,
    )


def typed_again(experiment: Experiment) -> tuple[str, ...]:
    """Operands and options that ask for the same experiment once more.

    A command without the labels that were given by flags would ask for another, unknown one.
    """
    return (
        experiment.golden_set,
        experiment.retriever,
        *_labels_again(experiment, _LABELS),
        *shared_options(experiment),
    )


def shared_options(experiment: Experiment) -> tuple[str, ...]:
    """Options that two retrievers of one comparison share: depth and split."""
    from evenhand.core.scoring.protocols import WINDOW

    depth = experiment.options.depth
    options = [] if depth == WINDOW else ["--depth", str(depth)]
    if experiment.split is not None:
        options += ["--split", experiment.split]
    return tuple(options)


def pair_options(experiment: Experiment) -> tuple[str, ...]:
    """Options of `evenhand ab` for this experiment: the corpus that both search, and the rest."""
    return (*_labels_again(experiment, ("corpus",)), *shared_options(experiment))


def _labels_again(experiment: Experiment, names: Sequence[str]) -> tuple[str, ...]:
    stated = ((name, getattr(experiment.declared, name, None)) for name in names)
    return tuple(
        text for name, label in stated if label is not None for text in (f"--{name}", label)
    )


def run_experiment(
    app: App, experiment: Experiment, *, ready: Callable[[], object] | None = None
) -> Evaluation:
    """Resolve both operands, evaluate, and close what was opened.

    Args:
        app: the wired parts.
        experiment: what was asked for.
        ready: called when both operands are known to be right and before the first question.

    Raises:
        GoldenSetNotFound, RetrieverNotFound: an operand names nothing.
        InvalidFile: the set breaks a rule; names file and line.
        EvaluationFailed: there is no result.
    """
    together = run_together(app, experiment, (experiment.retriever,), ready=ready)
    return together.evaluations[0]


def run_together(
    app: App,
    experiment: Experiment,
    retrievers: Sequence[str],
    *,
    ready: Callable[[], object] | None = None,
) -> Together:
    """Resolve the operands, evaluate each retriever, interleaved, and close what was opened.

    Args:
        app: the wired parts.
        experiment: what was asked for; of its retriever only ``retrievers`` counts.
        retrievers: as typed, at least one.
        ready: called when all operands are known to be right and before the first question.

    Raises:
        GoldenSetNotFound, RetrieverNotFound, InvalidFile, EvaluationFailed: as `run_experiment`.
    """
    from evenhand.adapters.golden_sets import resolve_golden_set
    from evenhand.adapters.retrievers.names import corpus_at_hand
    from evenhand.adapters.retrievers.registry import basis_of, resolve
    from evenhand.usecases.evaluate import evaluate_together

    resolved = resolve_golden_set(
        experiment.golden_set, app.golden_set_context(), split=experiment.split
    )
    corpus = experiment.corpus or resolved.corpus
    context = app.retriever_context(
        depth=experiment.options.depth,
        corpus=corpus,
        declared=experiment.declared,
        tell=lambda text: remark(text, quiet=experiment.quiet),
        track=tracker(quiet=experiment.quiet),
    )
    golden_set = _part(resolved.golden_set, experiment)
    with ExitStack() as stack:
        # What somebody's retriever prints is talk; standard output is for the result alone.
        stack.enter_context(redirect_stdout(sys.stderr))
        opened = [stack.enter_context(_opened(resolve(one, context))) for one in retrievers]
        if ready is not None:
            ready()
            _remember(app, resolved, experiment.golden_set)
        title = " and ".join(retriever.identifier for retriever in opened)
        total = len(golden_set.questions) * len(opened)
        with progress_bar(title, total, quiet=experiment.quiet) as progress:
            evaluations = evaluate_together(
                golden_set,
                [(retriever, basis_of(retriever)) for retriever in opened],
                clock=app.clock,
                machine=app.machine,
                options=experiment.options,
                progress=progress,
            )
        _tell_faults(evaluations, quiet=experiment.quiet)
    corpora = tuple(
        corpus_at_hand(one, context, is_declared=evaluation.identity is not None)
        for one, evaluation in zip(retrievers, evaluations, strict=True)
    )
    return Together(evaluations=evaluations, corpora=corpora)


def _remember(app: App, resolved: ResolvedSet, typed: str) -> None:
    """Note what the set was asked for by, where its identifier alone does not find it."""
    from evenhand.adapters.golden_sets import Origin
    from evenhand.adapters.seen_sets import remember_set

    if resolved.origin in (Origin.FILE, Origin.FOLDER, Origin.MODULE):
        remember_set(app.settings.state_folder, resolved.golden_set.identifier, typed)


def _part(golden_set: GoldenSet, experiment: Experiment) -> GoldenSet:
    """What of a set is asked; says what is not.

    Raises:
        InvalidSetting: nothing of the set is held out.
    """
    from evenhand.core.errors import InvalidSetting
    from evenhand.reports.numbers import count

    if experiment.is_holdout:
        part = golden_set.holdout_part
        if part is None:
            raise InvalidSetting("holdout", "no question of this golden set is held out")
        return part
    held = len(golden_set.holdout)
    if held:
        remark(
            f"{count(held, 'question')} held out and not asked; only evenhand gate --holdout "
            "reads them",
            quiet=experiment.quiet,
        )
    return golden_set


@contextmanager
def _opened(retriever: Retriever) -> Iterator[Retriever]:
    """The retriever; a child process or a connection of its own is closed at the end."""
    from evenhand.adapters.retrievers.closing import close_quietly

    try:
        yield retriever
    finally:
        close_quietly(retriever, lambda text: remark(f"warning: {text}"))


def _tell_faults(evaluations: Sequence[Evaluation], *, quiet: bool) -> None:
    """Say once for each retriever what was wrong with what it returned, where that is known."""
    from evenhand.usecases.evaluate import first_fault

    for one in evaluations:
        fault = first_fault(one.golden_set, one.answers)
        if fault is not None:
            remark(f"warning: {one.retriever}: {fault}", quiet=quiet)

"""What does the demo do? It evaluates pipelines over real text, and lets one result be refused.

Everything goes through a user's doors: files in a project folder, ``evenhand.toml``, the
resolution of sets and retrievers, the use cases, the store.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from evenhand import __version__
from evenhand.adapters.formats.whole_file import writing
from evenhand.adapters.golden_sets import resolve_golden_set
from evenhand.adapters.retrievers.registry import basis_of, resolve
from evenhand.bootstrap import App, build_app
from evenhand.core.comparison.previous import PreviousComparison
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.demo.corpus import DemoCorpus, copy_with_edit, write_corpus
from evenhand.demo.models import ModelComparison, compare_models
from evenhand.demo.pipelines import (
    BM25,
    DENSE,
    Pipeline,
    build_pipelines,
    choose_embedder,
    configuration,
    edited_pipeline,
    fit_on,
    fitted_note,
)
from evenhand.demo.previous import against_previous
from evenhand.demo.project import (
    CORPUS_FOLDER,
    DemoProject,
    open_project,
    write_configuration,
)
from evenhand.demo.questions import SCORED_FILE, load_fitting, missing_targets, write_questions
from evenhand.demo.talk import Talk
from evenhand.demo.threshold import Threshold
from evenhand.reports.collection import CollectionReport, Command, CorpusFacts, Entry
from evenhand.settings import load_settings
from evenhand.usecases import evaluations
from evenhand.usecases.evaluate import EvaluateOptions, evaluate
from evenhand.usecases.ports import Retriever, ScoredRetriever

#: The document that the demo edits in a copy of the corpus; a target of one of the questions.
EDITED_DOCUMENT: Final = "shutil.which"

COMMANDS: Final = (
    Command(
        text="evenhand init my-retrieval",
        says="A configuration, example questions and an example retriever, to be made your own:",
    ),
    Command(
        text="evenhand sets lint my-questions.jsonl --corpus my-documents.jsonl",
        says="Say what is wrong with your questions before they are believed:",
    ),
    Command(
        text=(
            "evenhand run my-questions.jsonl my_module:search --corpus my-documents.jsonl "
            "--model not-applicable --chunking not-applicable --pipeline v1"
        ),
        says=(
            "Evaluate your function, which takes a question and a limit and returns ids; after a "
            "change, once more with labels that say so:"
        ),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated:
    """One pipeline of the demo, evaluated and stored.

    Attributes:
        entry: for the report.
        comparison: against the last run of the demo in this folder.
    """

    entry: Entry
    comparison: PreviousComparison


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoResult:
    """What the demo found.

    Attributes:
        report: everything that is shown.
        evaluated: the pipelines, the one on the edited copy last.
        page: where the report lies as HTML.
        models: two models compared through a hub; None where that is left out.
    """

    report: CollectionReport
    evaluated: tuple[Evaluated, ...]
    page: Path
    models: ModelComparison | None = None


def run_demo(
    folder: Path, talk: Talk, *, model: str | None, flags: Mapping[str, str | None]
) -> DemoResult:
    """Write the project's files, evaluate every pipeline, store the results, write the report.

    Args:
        folder: where everything goes; see `open_project`.
        talk: hears how it goes.
        model: the only embedder that is used, None for the best that is installed; then two
            are compared through a hub, too.
        flags: settings given on the command line, over those of the demo.

    Raises:
        MissingExtra: a part that the demo cannot do without is not installed; nothing is written.
        InvalidSetting: the folder is somebody else's, or there is no such embedder.
        EvaluationFailed: a pipeline gave no result.
    """
    choice = choose_embedder(model)
    project = open_project(folder)
    corpus = _write_inputs(project, talk)
    talk.tell(choice.says)
    threshold = None
    if choice.embedder is not None:
        threshold = _fit(_app(project, flags), choice.embedder, talk)
    pipelines = build_pipelines(choice.embedder, threshold)
    write_configuration(project, configuration((*pipelines, edited_pipeline())))
    with closing(_app(project, flags)) as app:
        result = _compare(app, project, corpus, pipelines, talk)
    if model is not None or choice.embedder is None:
        return result
    return replace(result, models=compare_models(project, corpus, talk))


def _compare(
    app: App,
    project: DemoProject,
    corpus: DemoCorpus,
    pipelines: tuple[Pipeline, ...],
    talk: Talk,
) -> DemoResult:
    resolved = resolve_golden_set(str(project.folder / SCORED_FILE), app.golden_set_context())
    questions = resolved.golden_set
    for name in missing_targets(questions, corpus.names):
        talk.tell(f"not documented in this Python, yet the target of a question: {name}")
    done = [_evaluate(app, questions, pipeline, talk) for pipeline in pipelines]
    edited = EDITED_DOCUMENT if EDITED_DOCUMENT in corpus.names else corpus.names[0]
    edited_digest = copy_with_edit(corpus, project.edited, edited)
    talk.tell(f"one sentence was added to {edited} in a copy of the corpus")
    done.append(_evaluate(app, questions, edited_pipeline(), talk))
    digests = {
        f"standard library of Python {corpus.python}": corpus.digest,
        f"a copy, {edited} edited": edited_digest,
    }
    report = CollectionReport(
        title="Evenhand demo: the Python standard library's documentation",
        intro=_intro(project, corpus, questions, edited),
        corpora=tuple(
            CorpusFacts(name=name, documents=len(corpus.names), digest=digest)
            for name, digest in digests.items()
        ),
        entries=tuple(one.entry for one in done),
        commands=COMMANDS,
        golden_set=SCORED_FILE,
        pair_options=("--corpus", CORPUS_FOLDER),
        typed_in=project.folder.name,
    )
    page = _write_page(project.report, report)
    return DemoResult(report=report, evaluated=tuple(done), page=page)


def _write_inputs(project: DemoProject, talk: Talk) -> DemoCorpus:
    write_questions(project.folder)
    corpus = write_corpus(project.corpus)
    talk.tell(
        f"corpus: {len(corpus.names)} documents from Python {corpus.python}'s standard library"
    )
    if corpus.left_out:
        talk.tell(
            f"this build of Python lacks {', '.join(corpus.left_out)}; "
            "with them it would be another corpus"
        )
    return corpus


def _app(project: DemoProject, flags: Mapping[str, str | None]) -> App:
    given = {name: text for name, text in flags.items() if text is not None}
    # The demo keeps to its folder, even where the environment names a database for real work.
    return build_app(
        load_settings({"database_url": project.database_url, **given}, start=project.folder)
    )


def _fit(app: App, embedder: str, talk: Talk) -> Threshold:
    table = {"use": "dense", "corpus": CORPUS_FOLDER, "embedder": embedder}
    unfitted = build_app(replace(app.settings, retrievers={DENSE: table}))
    started = app.clock.monotonic()
    talk.tell(
        "embedding the documents for dense: minutes the first time on a small machine, then they "
        "come from the cache in the folder"
    )
    with _opened(unfitted, DENSE, talk) as retriever:
        assert isinstance(retriever, ScoredRetriever)  # noqa: S101 -- the built-in is one
        threshold = fit_on(load_fitting(), retriever)
    talk.tell(f"embedded and fitted in {app.clock.monotonic() - started:.1f} s")
    talk.tell(fitted_note(threshold))
    return threshold


def _evaluate(app: App, questions: GoldenSet, pipeline: Pipeline, talk: Talk) -> Evaluated:
    started = app.clock.monotonic()
    with (
        _opened(app, pipeline.name, talk) as retriever,
        talk.track(pipeline.name, len(questions.questions)) as progress,
    ):
        evaluation = evaluate(
            questions,
            retriever,
            clock=app.clock,
            machine=app.machine,
            basis=basis_of(retriever),
            options=EvaluateOptions(depth=app.settings.depth),
            progress=progress,
        )
    talk.tell(f"{pipeline.name}: evaluated in {app.clock.monotonic() - started:.1f} s")
    recorded = app.database.run(
        lambda uow: evaluations.record(
            uow, evaluation, id=app.ids.new(), policy=app.policy, release=__version__
        )
    )
    entry = Entry(
        name=pipeline.name,
        evaluation=evaluation,
        record=recorded.record,
        note=f"{pipeline.note} {against_previous(recorded.comparison)}",
        operand=pipeline.name,
    )
    return Evaluated(entry=entry, comparison=recorded.comparison)


@contextmanager
def _opened(app: App, name: str, talk: Talk) -> Iterator[Retriever]:
    retriever = resolve(name, app.retriever_context(tell=talk.tell, track=talk.track))
    try:
        yield retriever
    finally:
        close = getattr(retriever, "close", None)
        if callable(close):
            close()


def _intro(
    project: DemoProject, corpus: DemoCorpus, questions: GoldenSet, edited: str
) -> tuple[str, ...]:
    total = len(questions.questions)
    empty = sum(not one.expected_document_ids for one in questions.questions)
    what = (
        f"{total} questions written by hand, {empty} of them without an answer in the corpus, are "
        f"asked of retrievers over the documentation strings of Python {corpus.python}'s standard "
        "library."
    )
    forms = (
        "A match question was written with words of its target. A gap question was reworded: none "
        "of its content words begins with the same four letters as one in a target's name or "
        "first sentence; with the rest of the text it may share words."
    )
    edit = (
        f"The last result ran on a copy of the corpus in which {edited} says one sentence more. "
        "That is another corpus, so it is compared with none of the others."
    )
    where = (
        f"The folder {project.folder.name} is a project like any other: its evenhand.toml names "
        f"the retrievers, and there evenhand run {SCORED_FILE} {BM25} runs one of them again."
    )
    return what, forms, edit, where


def _write_page(path: Path, report: CollectionReport) -> Path:
    from evenhand.reports.html import render_collection_html  # brings Jinja2, so on use

    with writing(path) as stream:
        stream.write(render_collection_html(report).encode())
    return path

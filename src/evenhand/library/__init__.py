"""What does a Python program call? The functions behind ``evenhand.evaluate`` and ``evenhand.save``.

They take what the command line takes and go through the same parts. ``import evenhand`` loads
this module only when one of its names is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import fields
from pathlib import Path

from evenhand import __version__
from evenhand.adapters.golden_sets import require_asked, resolve_golden_set
from evenhand.adapters.retrievers.closing import close_quietly
from evenhand.adapters.retrievers.context import Declaration
from evenhand.adapters.retrievers.labels import find_path
from evenhand.adapters.retrievers.registry import adapt, basis_of
from evenhand.bootstrap import App, build_app
from evenhand.core.errors import InvalidSetting
from evenhand.core.errors.evaluation import EvaluationExists, EvaluationNotFound
from evenhand.core.privacy import LevelPolicy, PrivacyLevel, PrivacyPolicy
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.core.scoring import evaluation as core
from evenhand.library.evaluation import Evaluation
from evenhand.usecases import evaluate as use_case
from evenhand.usecases import evaluations
from evenhand.usecases.evaluations import Recorded
from evenhand.usecases.ports import Retriever, UnitOfWork

__all__ = ["Evaluation", "RetrieveFunction", "evaluate", "save"]

#: A plain function: question and limit in, document ids out, best first.
RetrieveFunction = Callable[[str, int], Sequence[str | bytes]]


def evaluate(  # noqa: PLR0913 -- the parts of one experiment, all by keyword
    golden_set: GoldenSet | str | Path,
    retriever: Retriever | RetrieveFunction | str,
    *,
    corpus: str | Path | None = None,
    model: str | None = None,
    chunking: str | None = None,
    pipeline: str | None = None,
    execution: str | None = None,
    depth: int | None = None,
    jobs: int | None = None,
    batch: int = 1,
    warmup: int = 0,
    strict: bool = False,
    app: App | None = None,
) -> Evaluation:
    """Evaluate a retriever on a golden set. Nothing is stored.

    Args:
        golden_set: a set, or what ``evenhand run`` takes: a file, a folder, an identifier.
        retriever: a function ``question, limit -> ids``, an object with ``identifier`` and
            ``retrieve``, or what ``evenhand run`` takes.
        corpus: label of the corpus, or a path whose content is digested.
        model: label of the embedding model, or ``"not-applicable"``.
        chunking: label of the chunker, or ``"not-applicable"``.
        pipeline: label that covers every setting that can alter a ranking.
        execution: label of the code; ``"git"`` takes the commit.
        depth: results asked for each question, at least 1, by default the configured number; the
            hits protocol reads the first 12 of them.
        jobs: retrieval calls at a time, at least 1, by default the configured number.
        batch: questions per call, at least 1, for retrievers with ``retrieve_many``.
        warmup: unmeasured calls before the first question, at least 0.
        strict: the first failed question ends the evaluation.
        app: wired parts, by default those of the working directory.

    Returns:
        The scored run. A question whose call raises, or whose answer is no ranking, is a failed
        one in it and counts as a miss; the answers are in the set's order. What was wrong with
        the first answer that is no ranking is logged as a warning: position, rule and type.

    Raises:
        GoldenSetNotFound, RetrieverNotFound: an operand names nothing.
        InvalidFile, InvalidGoldenSet, InvalidCorpus: a file that is read breaks a rule.
        InvalidLabel: a label breaks the label rule.
        InvalidSetting: an argument or a setting is out of its range, a label contradicts what
            the retriever declares of itself, or the set is what another one holds out.
        InvalidText: the retriever's identifier is no text that can be stored.
        DuplicateIdentifier: two retrievers, or two sets, claim one name.
        MissingExtra: an operand needs an optional part.
        ProvenanceFailed: the retriever's declaration raised, or is none.
        NothingScored: no judged question could be scored.
        EvaluationFailed: ``strict`` and a question failed; its cause is the retriever's error.

    Source: statements BP-07 to BP-13, G-02, G-17.
    """
    labels = {
        "corpus": None if corpus is None else str(corpus),
        "model": model,
        "chunking": chunking,
        "pipeline": pipeline,
        "execution": execution,
    }
    with _wired(app) as parts, ExitStack() as opened:
        if isinstance(golden_set, GoldenSet):
            require_asked(golden_set)
            questions, at_hand = golden_set, None
        else:
            resolved = resolve_golden_set(str(golden_set), parts.golden_set_context())
            questions, at_hand = resolved.golden_set, resolved.corpus
        options = use_case.EvaluateOptions(
            depth=parts.settings.depth if depth is None else depth,
            jobs=parts.settings.jobs if jobs is None else jobs,
            batch=batch,
            warmup=warmup,
            strict=strict,
        )
        named = None if corpus is None else find_path(str(corpus), parts.project_root)
        context = parts.retriever_context(
            depth=options.depth,
            corpus=named or at_hand,
            declared=Declaration(**labels) if set(labels.values()) != {None} else None,
        )
        adapted = adapt(retriever, context)
        if isinstance(retriever, str | Path):
            # Opened here: a child process, a connection, an index.
            opened.callback(close_quietly, adapted, context.tell)
        result = use_case.evaluate(
            questions,
            adapted,
            clock=parts.clock,
            machine=parts.machine,
            basis=basis_of(adapted),
            options=options,
        )
        fault = use_case.first_fault(questions, result.answers)
        if fault is not None:
            context.tell(f"{result.retriever}: {fault}")
    return Evaluation(**{one.name: getattr(result, one.name) for one in fields(result)})


def save(
    evaluation: core.Evaluation,
    *,
    privacy: PrivacyLevel | str | PrivacyPolicy | None = None,
    app: App | None = None,
) -> Recorded:
    """Store an evaluation and compare it with the previous one of its series.

    One evaluation is stored once: a second row would be compared with itself.

    Args:
        evaluation: what `evaluate` gave.
        privacy: a level or a policy of your own, by default the configured level.
        app: wired parts, by default those of the working directory.

    Returns:
        The stored record and the comparison. Only where its verdict is ``comparable`` are there
        differences, which are exact fractions, current minus previous.

    Raises:
        InvalidSetting: ``privacy`` is neither a level nor a policy, or a setting is malformed.
        EvaluationExists: this object was stored there before, and the row still is; names its id.
        DatabaseNotReady: the database is behind; the message names the command that helps.
        DatabaseUnavailable: it cannot be reached or made, is locked for too long, or is damaged.
        Exception: whatever a policy of your own raises; then nothing is stored.

    Source: statements BP-20 to BP-25, BP-28, G-10, G-14.
    """
    with _wired(app) as parts:
        policy = _policy(privacy, parts)
        stored_as = evaluation.stored_as if isinstance(evaluation, Evaluation) else {}
        # A number that means nothing elsewhere: the address may hold a password.
        place = hash(parts.database_url)

        def work(uow: UnitOfWork) -> Recorded:
            _require_new(uow, stored_as.get(place))
            return evaluations.record(
                uow, evaluation, id=parts.ids.new(), policy=policy, release=__version__
            )

        recorded = parts.database.run(work)
        stored_as[place] = recorded.record.id
        return recorded


@contextmanager
def _wired(app: App | None) -> Iterator[App]:
    """The caller's parts, or those of the working directory, which are closed at the end."""
    if app is not None:
        yield app
        return
    with closing(build_app()) as own:
        yield own


def _require_new(uow: UnitOfWork, stored_as: str | None) -> None:
    if stored_as is None:
        return
    try:
        uow.evaluations.get(stored_as)
    except EvaluationNotFound:
        # Purged since.
        return
    raise EvaluationExists(stored_as)


def _policy(privacy: PrivacyLevel | str | PrivacyPolicy | None, parts: App) -> PrivacyPolicy:
    if privacy is None:
        return parts.policy
    if not isinstance(privacy, str):
        _require_policy(privacy)
        return privacy
    try:
        return LevelPolicy(level=PrivacyLevel(privacy))
    except ValueError:
        raise InvalidSetting("privacy", _no_level()) from None


def _require_policy(given: object) -> None:
    is_level = getattr(given, "level", None) in tuple(PrivacyLevel)
    if not is_level or not callable(getattr(given, "filter_content", None)):
        raise InvalidSetting("privacy", _no_policy())


def _no_policy() -> str:
    return f"{_no_level()}, or a policy with a level and filter_content"


def _no_level() -> str:
    return f"must be one of {', '.join(PrivacyLevel)}"

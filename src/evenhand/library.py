"""What does a Python program call? The functions behind ``evenhand.evaluate`` and ``evenhand.save``.

They take what the command line takes and go through the same parts. ``import evenhand`` loads
this module only when one of its names is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from evenhand import __version__
from evenhand.adapters.golden_sets import resolve_golden_set
from evenhand.adapters.retrievers.closing import close_quietly
from evenhand.adapters.retrievers.context import Declaration
from evenhand.adapters.retrievers.labels import find_path
from evenhand.adapters.retrievers.registry import adapt, basis_of
from evenhand.bootstrap import App, build_app
from evenhand.core.errors import InvalidSetting, MissingExtra
from evenhand.core.identity.canonical import to_text
from evenhand.core.privacy import LevelPolicy, PrivacyLevel, PrivacyPolicy
from evenhand.core.retrieval.golden import GoldenQuestion, GoldenSet
from evenhand.core.retrieval.ranking import Answer, Retrieved, distinct_documents
from evenhand.core.scoring import evaluation as core
from evenhand.core.scoring.outcome import Outcome
from evenhand.core.scoring.protocols import TOP_K
from evenhand.reports.safe_text import encodable
from evenhand.usecases import evaluate as use_case
from evenhand.usecases import evaluations
from evenhand.usecases.evaluations import Recorded
from evenhand.usecases.ports import Retriever

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

_COLUMNS: Final = (
    "query_id",
    "form",
    "hard_class",
    "answerability",
    "state",
    "top1_hit",
    "top3_hit",
    "first_target_rank",
    "retrieved",
    "latency_ms",
    "error_class",
    "documents",
)

#: A plain function: question and limit in, document ids out, best first.
RetrieveFunction = Callable[[str, int], Sequence[str | bytes]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation(core.Evaluation):
    """A run scored under the hits protocol, with ways to look at it. Not stored yet."""

    def rows(self) -> list[dict[str, Any]]:
        """One row per question, in the set's order.

        Returns:
            Dictionaries with ``query_id``, ``form``, ``hard_class``, ``answerability``, ``state``,
            ``top1_hit`` and ``top3_hit`` (None where nobody has judged), ``first_target_rank``
            (from 1, None without one), ``retrieved`` (distinct documents), ``latency_ms``,
            ``error_class`` and ``documents`` (distinct ids, best first). What a failed question
            has no value of is None. Bytes that are not UTF-8 are surrogates.
        """
        position = {q.id: index for index, q in enumerate(self.golden_set.by_position)}
        return [
            _row(question, answer, self.outcomes[position[question.id]])
            for question, answer in zip(self.golden_set.questions, self.answers, strict=True)
        ]

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a pandas data frame, whose texts spell out bytes that are not UTF-8.

        Raises:
            MissingExtra: pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtra("to_pandas", "frames") from error
        return pd.DataFrame(self._utf8_rows(), columns=list(_COLUMNS))

    def to_arrow(self) -> pa.Table:
        """The rows as an Arrow table, whose texts spell out bytes that are not UTF-8.

        Raises:
            MissingExtra: pyarrow is not installed.
        """
        try:
            import pyarrow as pa
        except ImportError as error:
            raise MissingExtra("to_arrow", "frames") from error
        text, number = pa.string(), pa.int64()
        kinds = {
            "top1_hit": pa.bool_(),
            "top3_hit": pa.bool_(),
            "first_target_rank": number,
            "retrieved": number,
            "latency_ms": number,
            "documents": pa.list_(text),
        }
        # Stated, since a column without any value would have no type at all.
        schema = pa.schema([(name, kinds.get(name, text)) for name in _COLUMNS])
        return pa.Table.from_pylist(self._utf8_rows(), schema=schema)

    def _utf8_rows(self) -> list[dict[str, Any]]:
        # Both libraries hold text as UTF-8 and have no place for a surrogate.
        return [{name: _utf8(value) for name, value in row.items()} for row in self.rows()]

    def _repr_html_(self) -> str:
        """A short table for notebooks."""
        from evenhand.reports.notebook import render_notebook

        return render_notebook(self)


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
        depth: results asked for each question, by default the configured number.
        jobs: retrieval calls at a time, by default the configured number.
        batch: questions per call, for retrievers with ``retrieve_many``.
        warmup: unmeasured calls before the first question.
        strict: the first failed question ends the evaluation.
        app: wired parts, by default those of the working directory.

    Raises:
        GoldenSetNotFound, RetrieverNotFound: an operand names nothing.
        InvalidLabel: a label breaks the label rule.
        ProvenanceFailed, NothingScored, EvaluationFailed: there is no result.
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
    return Evaluation(**{one.name: getattr(result, one.name) for one in fields(result)})


def save(
    evaluation: core.Evaluation,
    *,
    privacy: PrivacyLevel | str | PrivacyPolicy | None = None,
    app: App | None = None,
) -> Recorded:
    """Store an evaluation and compare it with the previous one of its series.

    Args:
        evaluation: what `evaluate` gave.
        privacy: a level or a policy of your own, by default the configured level.
        app: wired parts, by default those of the working directory.

    Returns:
        The stored record and the comparison; its verdict says whether there is a difference.

    Raises:
        DatabaseNotReady: the database is behind; the message names the command that helps.
    """
    with _wired(app) as parts:
        policy = _policy(privacy, parts)
        return parts.database.run(
            lambda uow: evaluations.record(
                uow, evaluation, id=parts.ids.new(), policy=policy, release=__version__
            )
        )


@contextmanager
def _wired(app: App | None) -> Iterator[App]:
    """The caller's parts, or those of the working directory, which are closed at the end."""
    if app is not None:
        yield app
        return
    with closing(build_app()) as own:
        yield own


def _policy(privacy: PrivacyLevel | str | PrivacyPolicy | None, parts: App) -> PrivacyPolicy:
    if privacy is None:
        return parts.policy
    if not isinstance(privacy, str):
        return privacy
    try:
        return LevelPolicy(level=PrivacyLevel(privacy))
    except ValueError:
        raise InvalidSetting("privacy", _no_level()) from None


def _no_level() -> str:
    return f"must be one of {', '.join(PrivacyLevel)}"


def _row(question: GoldenQuestion, answer: Answer, outcome: Outcome) -> dict[str, Any]:
    is_judged = not question.unjudged
    ranks = [hit.rank for hit in outcome.judged_hits if hit.grade >= 1]
    values = (
        to_text(question.id),
        question.form.value,
        None if question.hard_class is None else to_text(question.hard_class),
        question.answerability.value,
        outcome.state.value,
        outcome.is_hit(1) if is_judged else None,
        outcome.is_hit(TOP_K) if is_judged else None,
        min(ranks, default=None),
        outcome.retrieved,
        outcome.latency_ms,
        outcome.error_class,
        [to_text(one) for one in distinct_documents(answer.documents)]
        if isinstance(answer, Retrieved)
        else None,
    )
    return dict(zip(_COLUMNS, values, strict=True))


def _utf8(value: object) -> object:
    if isinstance(value, list):
        return [_utf8(one) for one in value]
    return encodable(value, "utf-8") if isinstance(value, str) else value

"""What does a Python program call? The functions behind ``evenhand.evaluate`` and ``evenhand.save``.

They take what the command line takes and go through the same parts. ``import evenhand`` loads
this module only when one of its names is used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand import __version__
from evenhand.adapters.golden_sets import resolve_golden_set
from evenhand.adapters.retrievers.context import Declaration
from evenhand.adapters.retrievers.registry import adapt, basis_of
from evenhand.bootstrap import App, build_app
from evenhand.core.errors import MissingExtra
from evenhand.core.identity.canonical import to_text
from evenhand.core.privacy import LevelPolicy, PrivacyLevel, PrivacyPolicy
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.core.retrieval.ranking import Retrieved, distinct_documents
from evenhand.core.scoring import evaluation as core
from evenhand.core.scoring.protocols import TOP_K
from evenhand.usecases import evaluate as use_case
from evenhand.usecases import evaluations
from evenhand.usecases.evaluations import Recorded
from evenhand.usecases.ports import Retriever

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

#: A plain function: question and limit in, document ids out, best first.
RetrieveFunction = Callable[[str, int], Sequence[str | bytes]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation(core.Evaluation):
    """A run scored under the hits protocol, with ways to look at it. Not stored yet."""

    def rows(self) -> list[dict[str, Any]]:
        """One row per question, in the set's order.

        Returns:
            Dictionaries with ``query_id``, ``form``, ``hard_class``, ``answerability``,
            ``state``, ``top1_hit``, ``top3_hit``, ``first_target_rank`` (from 1, None without
            one), ``retrieved`` (distinct documents), ``latency_ms``, ``error_class`` and
            ``documents`` (distinct ids, best first). Bytes that are not UTF-8 are surrogates.
        """
        position = {q.id: index for index, q in enumerate(self.golden_set.by_position)}
        rows = []
        for question, answer in zip(self.golden_set.questions, self.answers, strict=True):
            outcome = self.outcomes[position[question.id]]
            found = answer.documents if isinstance(answer, Retrieved) else ()
            ranks = [hit.rank for hit in outcome.judged_hits if hit.grade >= 1]
            rows.append(
                {
                    "query_id": to_text(question.id),
                    "form": question.form.value,
                    "hard_class": None
                    if question.hard_class is None
                    else to_text(question.hard_class),
                    "answerability": question.answerability.value,
                    "state": outcome.state.value,
                    "top1_hit": outcome.is_hit(1),
                    "top3_hit": outcome.is_hit(TOP_K),
                    "first_target_rank": min(ranks, default=None),
                    "retrieved": outcome.retrieved,
                    "latency_ms": outcome.latency_ms,
                    "error_class": outcome.error_class,
                    "documents": [to_text(document) for document in distinct_documents(found)],
                }
            )
        return rows

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a pandas data frame.

        Raises:
            MissingExtra: pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtra("to_pandas", "frames") from error
        return pd.DataFrame(self.rows())

    def to_arrow(self) -> pa.Table:
        """The rows as an Arrow table.

        Raises:
            MissingExtra: pyarrow is not installed.
        """
        try:
            import pyarrow as pa
        except ImportError as error:
            raise MissingExtra("to_arrow", "frames") from error
        return pa.Table.from_pylist(self.rows())

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
    parts = app or build_app()
    if isinstance(golden_set, GoldenSet):
        questions, at_hand = golden_set, None
    else:
        resolved = resolve_golden_set(str(golden_set), parts.golden_set_context())
        questions, at_hand = resolved.golden_set, resolved.corpus
    labels = {
        "corpus": None if corpus is None else str(corpus),
        "model": model,
        "chunking": chunking,
        "pipeline": pipeline,
        "execution": execution,
    }
    context = parts.retriever_context(
        depth=depth,
        corpus=Path(corpus) if corpus is not None and Path(corpus).exists() else at_hand,
        declared=Declaration(**labels) if any(labels.values()) else None,
    )
    adapted = adapt(retriever, context)
    result = use_case.evaluate(
        questions,
        adapted,
        clock=parts.clock,
        machine=parts.machine,
        basis=basis_of(adapted),
        options=use_case.EvaluateOptions(
            depth=parts.settings.depth if depth is None else depth,
            jobs=parts.settings.jobs if jobs is None else jobs,
            batch=batch,
            warmup=warmup,
            strict=strict,
        ),
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
    parts = app or build_app()
    if privacy is None:
        policy = parts.policy
    elif isinstance(privacy, str):
        policy = LevelPolicy(level=PrivacyLevel(privacy))
    else:
        policy = privacy
    return parts.database.run(
        lambda uow: evaluations.record(
            uow, evaluation, id=parts.ids.new(), policy=policy, release=__version__
        )
    )

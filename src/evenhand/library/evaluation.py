"""What does a Python program look at? An evaluation as rows, as a frame, as a table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from evenhand.core.errors import MissingExtra
from evenhand.core.identity.canonical import to_text
from evenhand.core.retrieval.golden import GoldenQuestion
from evenhand.core.retrieval.ranking import Answer, Retrieved, distinct_documents
from evenhand.core.scoring import evaluation as core
from evenhand.core.scoring.outcome import Outcome
from evenhand.core.scoring.protocols import TOP_K
from evenhand.reports.safe_text import encodable

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

#: Columns of numbers and of truth values, in the words of pandas, which know a missing value.
_NULLABLE: Final = {
    "top1_hit": "boolean",
    "top3_hit": "boolean",
    "first_target_rank": "Int64",
    "retrieved": "Int64",
    "latency_ms": "Int64",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation(core.Evaluation):
    """A run scored under the hits protocol, with ways to look at it. Not stored yet.

    Its attributes are those of `core.scoring.evaluation.Evaluation`: ``counts`` holds whole
    numbers, each rate being a quotient of two of them; ``identity`` is None where the retriever
    declared nothing; times are aware UTC.

    ``stored_as`` is for `evenhand.save`: under which id this object was stored, by a number that
    stands for the store in this process.

    Source: statements BP-07 to BP-13.
    """

    stored_as: dict[int, str] = field(default_factory=dict, init=False, repr=False, compare=False)

    def rows(self) -> list[dict[str, Any]]:
        """One row per question, in the set's order.

        Returns:
            Dictionaries with these keys, in this order:

            - ``query_id``: text; bytes that are not UTF-8 are surrogates.
            - ``form``: ``match`` or ``gap``; ``hard_class``: text or None.
            - ``answerability``: ``answerable``, ``no_answer`` or ``unjudged``.
            - ``state``: ``scored``, ``failed`` or ``unjudged``.
            - ``top1_hit`` and ``top3_hit``: as the hits protocol counts; False for a failed
              question, None where nobody has judged.
            - ``first_target_rank``: among the distinct results, from 1; None where no target
              came back, and of a failed question.
            - ``retrieved``: distinct documents that came back, 0 or more; None when failed.
            - ``latency_ms``: whole milliseconds around the call; None when failed or when a call
              covered several questions.
            - ``error_class``: name of what failed, None otherwise.
            - ``documents``: distinct ids, best first; None when failed.
        """
        position = {q.id: index for index, q in enumerate(self.golden_set.by_position)}
        return [
            _row(question, answer, self.outcomes[position[question.id]])
            for question, answer in zip(self.golden_set.questions, self.answers, strict=True)
        ]

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a pandas data frame, whose texts spell out bytes that are not UTF-8.

        Returns:
            One row per question, in the set's order; the columns are the keys of `rows`, in
            their order. Numbers are ``Int64`` and truth values ``boolean``, whether or not one
            is missing; what is None in `rows` is missing there.

        Raises:
            MissingExtra: pandas is not installed (extra ``frames``).
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtra("to_pandas", "frames") from error
        return pd.DataFrame(self._utf8_rows(), columns=list(_COLUMNS)).astype(_NULLABLE)

    def to_arrow(self) -> pa.Table:
        """The rows as an Arrow table, whose texts spell out bytes that are not UTF-8.

        Returns:
            One row per question, in the set's order; the columns are the keys of `rows`, in
            their order. Numbers are int64, truth values bool, ``documents`` a list of strings,
            all else strings, whatever the values are; what is None in `rows` is null.

        Raises:
            MissingExtra: pyarrow is not installed (extra ``frames``).
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
        """A short table for notebooks: the headline rates with what they cover, and the counts.

        An HTML fragment without style or script of its own; no question, no id of a question or
        of a document is in it, and every text in it is escaped.
        """
        from evenhand.reports.notebook import render_notebook

        return render_notebook(self)


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

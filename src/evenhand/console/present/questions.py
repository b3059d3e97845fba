"""How does a question read, by itself and with what became of it?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from evenhand.console.addresses import (
    evaluation_address,
    questions_address,
    questions_csv_address,
    with_query,
)
from evenhand.core.comparison.cases import Placing
from evenhand.core.retrieval.golden import GoldenQuestion, QueryId
from evenhand.core.retrieval.ranking import StoredRanking, distinct_documents
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.core.scoring.outcome import Outcome, OutcomeState
from evenhand.core.scoring.protocols import TOP_K
from evenhand.reports.comparison_questions import placing_text
from evenhand.reports.safe_text import shown_id, shown_text

#: How many ids of documents are shown beside a question.
_DOCUMENTS: Final = 6
_ALL: Final = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionRow:
    """One question with its labels.

    Attributes:
        id, text: shown.
        group: form and hard class.
        marks: such as critical and reviewed.
        targets: ids of documents that answer it.
        more: how many more there are.
        labels: what the labels say where there is no target; empty otherwise.
    """

    id: str
    text: str
    group: str
    marks: str
    targets: tuple[str, ...]
    more: int
    labels: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeRow:
    """What became of one question.

    Attributes:
        position: in byte order of the ids.
        question: the question; None where the set is not at hand, or is another one now.
        id: of the question; empty where no id was kept.
        fate: in a word.
        is_bad: a miss, a failure, or something where nothing answers.
        placing: where the first target stands, or why nowhere.
        retrieved: first distinct documents that came back; empty where they were not kept.
        latency: of the retrieval call, as text.
    """

    position: int
    question: QuestionRow | None
    id: str
    fate: str
    is_bad: bool
    placing: str
    retrieved: tuple[str, ...]
    latency: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionsView:
    """A page of questions of an evaluation.

    Attributes:
        retriever, golden_set: shown.
        address: of the evaluation's page.
        rows: in order of position.
        shows: name, address and whether it is the present choice.
        looked_at: how far the page looked where that is not to the end; empty otherwise.
        on: address of what follows; None at the end.
        first: address of the first page; None where it is this one.
        not_joined: why questions are not named; empty where they are.
        csv: address of all questions as CSV.
    """

    retriever: str
    golden_set: str
    address: str
    rows: tuple[OutcomeRow, ...]
    shows: tuple[tuple[str, str, bool], ...]
    looked_at: str
    on: str | None
    first: str | None
    not_joined: str
    csv: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """What is known of the questions at some positions.

    Attributes:
        ids: by position.
        questions: by id.
        rankings: by position.
        not_joined: why questions are not named; empty where they are.
    """

    ids: Mapping[int, QueryId]
    questions: Mapping[QueryId, GoldenQuestion]
    rankings: Mapping[int, StoredRanking]
    not_joined: str


def _is_missed(outcome: Outcome) -> bool:
    return outcome.state is OutcomeState.SCORED and not outcome.is_hit(TOP_K)


def _has_failed(outcome: Outcome) -> bool:
    return outcome.error_class is not None


def _is_unjudged(outcome: Outcome) -> bool:
    return outcome.state is OutcomeState.UNJUDGED


#: Which questions a page shows, the customary choice first.
SHOWS: Final[Mapping[str, Callable[[Outcome], bool]]] = {
    _ALL: lambda _: True,
    "missed": _is_missed,
    "failed": _has_failed,
    "unjudged": _is_unjudged,
}


def question_row(question: GoldenQuestion) -> QuestionRow:
    """One question, with every id and text made harmless."""
    targets = question.expected_document_ids
    parts = [question.form.value]
    if question.hard_class is not None:
        parts.append(shown_text(question.hard_class))
    labels = "unjudged" if question.unjudged else "no answer in the corpus"
    return QuestionRow(
        id=shown_id(question.id),
        text=shown_text(question.question),
        group=", ".join(parts),
        marks=", ".join(name for name in ("critical", "reviewed") if getattr(question, name)),
        targets=tuple(map(shown_id, targets[:_DOCUMENTS])),
        more=max(0, len(targets) - _DOCUMENTS),
        labels="" if targets else labels,
    )


def build_questions(
    record: EvaluationRecord,
    outcomes: Sequence[Outcome],
    joined: Joined,
    *,
    show: str,
    after: int,
    reached: int | None,
) -> QuestionsView:
    """A page of questions of an evaluation.

    Args:
        record: the evaluation.
        outcomes: those that the page shows.
        joined: what is known of their questions.
        show: which are shown; of `SHOWS`.
        after: the position before the page's first; -1 for the first page.
        reached: the last position that was looked at; None where that was the end.
    """
    path = questions_address(record.id)
    is_full = bool(outcomes) and reached == outcomes[-1].position
    return QuestionsView(
        retriever=shown_id(record.retriever),
        golden_set=shown_id(record.set_identifier),
        address=evaluation_address(record.id),
        rows=tuple(_row(one, joined) for one in outcomes),
        shows=tuple(
            (name, with_query(path, show=None if name == _ALL else name), name == show)
            for name in SHOWS
        ),
        looked_at=""
        if reached is None or is_full
        else f"Looked at positions {after + 1} to {reached}.",
        on=None if reached is None else with_query(path, **_asked(show), after=reached),
        first=None if after < 0 else with_query(path, **_asked(show)),
        not_joined=joined.not_joined,
        csv=questions_csv_address(record.id),
    )


def _asked(show: str) -> dict[str, str | None]:
    return {"show": None if show == _ALL else show}


def _row(outcome: Outcome, joined: Joined) -> OutcomeRow:
    query_id = joined.ids.get(outcome.position)
    question = None if query_id is None else joined.questions.get(query_id)
    ranking = joined.rankings.get(outcome.position)
    documents = () if ranking is None else distinct_documents(ranking.documents)
    fate, is_bad = _fate(outcome)
    placing = Placing(
        rank=outcome.first_target(outcome.window or 1),
        retrieved=outcome.retrieved,
        error_class=outcome.error_class,
    )
    return OutcomeRow(
        position=outcome.position,
        question=None if question is None else question_row(question),
        id="" if query_id is None else shown_id(query_id),
        fate=fate,
        is_bad=is_bad,
        placing=placing_text(placing, is_no_answer=not outcome.is_answerable),
        retrieved=tuple(map(shown_id, documents[:_DOCUMENTS])),
        latency="not measured" if outcome.latency_ms is None else f"{outcome.latency_ms} ms",
    )


def _fate(outcome: Outcome) -> tuple[str, bool]:
    """What became of a question in a word, and whether that is bad."""
    if outcome.error_class is not None:
        return "failed", True
    if outcome.state is OutcomeState.UNJUDGED:
        return "unjudged", False
    if outcome.is_no_answer:
        return ("abstained", False) if outcome.is_hit(1) else ("not abstained", True)
    if outcome.is_hit(1):
        return "hit at 1", False
    return ("hit at 3", False) if outcome.is_hit(TOP_K) else ("missed", True)

"""Which questions are behind the numbers? By id and text where the golden set is at hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from evenhand.core.comparison.previous import PreviousComparison
from evenhand.core.retrieval.golden import GoldenQuestion
from evenhand.core.retrieval.ranking import Failed, distinct_documents
from evenhand.core.scoring.outcome import Outcome, OutcomeState
from evenhand.core.scoring.protocols import TOP_K, WINDOW
from evenhand.reports import numbers
from evenhand.reports.safe_text import shown_id, shown_text
from evenhand.reports.subject import Subject
from evenhand.reports.view import QuestionList, QuestionView

#: Questions that one list shows; a list of thousands is no list any more.
LISTED: Final = 500
_TARGETS_SHOWN: Final = 6
#: Key of a list → its title, and the heading of what stands beside each question.
_HEADINGS: Final = {
    "failed": ("Failed", "Error class"),
    "won": ("Won at top 1 since the previous result", "First target now"),
    "lost": ("Lost at top 1 since the previous result", "First target now"),
    "missed": ("Missed at top 3", "First target"),
    "unabstained": ("Something came back though nothing answers", "Came back"),
}
_ALWAYS_NAMED: Final = frozenset({"failed", "won", "lost"})


def question_lists(
    subject: Subject, comparison: PreviousComparison | None
) -> tuple[QuestionList, ...]:
    """Failed, won, lost, missed, and answered though nothing answers; only lists that occur.

    None of a holdout part, not even by position: its questions are counted and not shown.
    """
    outcomes = subject.outcomes
    if outcomes is None or subject.is_holdout:
        return ()
    flips = (comparison.flips if comparison is not None else None) or ()
    won = [outcomes[flip.position] for flip in flips if flip.won]
    lost = [outcomes[flip.position] for flip in flips if not flip.won]
    lists = (
        _list(subject, "failed", filter(_has_failed, outcomes), _error_class),
        _list(subject, "won", won, _target_rank),
        _list(subject, "lost", lost, _target_rank),
        _list(subject, "missed", filter(_missed, outcomes), _target_rank),
        _list(subject, "unabstained", filter(_not_abstained, outcomes), _target_rank),
    )
    return tuple(listed for listed in lists if listed.total)


def _list(
    subject: Subject,
    key: str,
    outcomes: Iterable[Outcome],
    detail_of: Callable[[Outcome], str],
) -> QuestionList:
    chosen = list(outcomes)
    title, detail = _HEADINGS[key]
    return QuestionList(
        key=key,
        title=title,
        total=len(chosen),
        shown=tuple(_question(subject, one, detail_of(one)) for one in chosen[:LISTED]),
        is_named=key in _ALWAYS_NAMED,
        detail=detail,
    )


def _question(subject: Subject, outcome: Outcome, detail: str) -> QuestionView:
    if subject.questions is None:
        return QuestionView(id=f"position {outcome.position}", text="", group="", detail=detail)
    question = subject.questions[outcome.position]
    return QuestionView(
        id=shown_id(question.id),
        text=shown_text(question.question),
        group=_group(question),
        detail=detail,
        expected=_ids(question.expected_document_ids),
        retrieved=_retrieved(subject, outcome.position),
    )


def _retrieved(subject: Subject, position: int) -> tuple[str, ...]:
    # Ranked ids are content of the level ``full``; a page must not hold more than the store.
    kept = subject.record is None or subject.record.privacy.keeps_run
    if subject.answers is None or not kept:
        return ()
    answer = subject.answers[position]
    if isinstance(answer, Failed):
        return ()
    return _ids(distinct_documents(answer.documents[:WINDOW])[:TOP_K])


def _has_failed(outcome: Outcome) -> bool:
    return outcome.error_class is not None


def _missed(outcome: Outcome) -> bool:
    scored = outcome.state is OutcomeState.SCORED and outcome.is_answerable
    return scored and not outcome.is_hit(TOP_K)


def _not_abstained(outcome: Outcome) -> bool:
    return outcome.is_no_answer and bool(outcome.window)


def _error_class(outcome: Outcome) -> str:
    # The list has it, and the count of failed questions, which are judged ones, does not.
    apart = ", unjudged" if outcome.state is OutcomeState.UNJUDGED else ""
    return shown_id(outcome.error_class or "") + apart


def _target_rank(outcome: Outcome) -> str:
    if outcome.error_class is not None:
        return f"failed ({shown_id(outcome.error_class)})"
    if outcome.is_no_answer:
        if not outcome.window:
            return "nothing came back"
        return numbers.count(outcome.window, "document")
    ranks = [hit.rank for hit in outcome.judged_hits if hit.grade >= 1]
    if ranks:
        return f"rank {min(ranks)}"
    if not outcome.retrieved:
        return "nothing came back"
    return f"not among {numbers.count(outcome.retrieved, 'document')}"


def _group(question: GoldenQuestion) -> str:
    held = question.hard_class
    return question.form.value if held is None else f"{question.form.value}, {shown_text(held)}"


def _ids(documents: tuple[bytes, ...]) -> tuple[str, ...]:
    listed = tuple(shown_id(document) for document in documents[:_TARGETS_SHOWN])
    left_out = len(documents) - len(listed)
    return (*listed, f"and {left_out} more") if left_out else listed

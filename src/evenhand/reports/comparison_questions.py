"""Which questions are behind a difference? Won and lost ones, critical ones first."""

from __future__ import annotations

from typing import Final

from evenhand.core.comparison.cases import Flip, Placing, judged_questions
from evenhand.core.comparison.comparison import Comparison
from evenhand.core.retrieval.golden import GoldenQuestion, GoldenSet
from evenhand.reports import numbers
from evenhand.reports.safe_text import shown_id, shown_text
from evenhand.reports.view import QuestionList, QuestionView

#: Questions that one list shows.
LISTED: Final = 500


def flip_lists(comparison: Comparison, golden_set: GoldenSet | None) -> tuple[QuestionList, ...]:
    """Critical questions lost, then lost and won at top 1, then those that nothing answers.

    Only lists that occur.

    Args:
        comparison: the value; without ``comparable`` it has no flip.
        golden_set: names and texts, joined only where its labels are those of both sides.
    """
    questions = _questions(comparison, golden_set)
    won = [flip for flip in comparison.won if not flip.is_no_answer]
    lost = [flip for flip in comparison.lost if not flip.is_no_answer]
    # Of the questions that nothing answers: what came back empty, or no longer does.
    empty = [flip for flip in comparison.won if flip.is_no_answer]
    filled = [flip for flip in comparison.lost if flip.is_no_answer]
    critical = [flip for flip in comparison.lost if questions and questions[flip.index].critical]
    lists = (
        _list("critical", "Critical questions lost", critical, questions),
        _list("lost", "Lost at top 1", lost, questions),
        _list("won", "Won at top 1", won, questions),
        _list("filled", "Nothing answers them, and something comes back now", filled, questions),
        _list("empty", "Nothing answers them, and nothing comes back now", empty, questions),
    )
    return tuple(one for one in lists if one.total)


def placing_text(placing: Placing, *, is_no_answer: bool) -> str:
    """``rank 4``, ``not among 12 documents``, ``nothing came back`` or ``failed (TimeoutError)``."""
    if placing.error_class is not None:
        return f"failed ({shown_id(placing.error_class)})"
    if not placing.retrieved:
        return "nothing came back"
    if is_no_answer:
        return numbers.count(placing.retrieved, "document")
    if placing.rank is None:
        return f"not among {numbers.count(placing.retrieved, 'document')}"
    return f"rank {placing.rank}"


def _questions(comparison: Comparison, golden_set: GoldenSet | None) -> tuple[GoldenQuestion, ...]:
    if golden_set is None or golden_set.labels_fingerprint != comparison.current.labels:
        return ()
    return judged_questions(golden_set)


def _list(
    key: str,
    title: str,
    flips: list[Flip],
    questions: tuple[GoldenQuestion, ...],
) -> QuestionList:
    return QuestionList(
        key=key,
        title=title,
        total=len(flips),
        shown=tuple(_view(flip, questions) for flip in flips[:LISTED]),
        is_named=True,
        detail="First target, current then candidate",
    )


def _view(flip: Flip, questions: tuple[GoldenQuestion, ...]) -> QuestionView:
    before = placing_text(flip.current, is_no_answer=flip.is_no_answer)
    after = placing_text(flip.candidate, is_no_answer=flip.is_no_answer)
    detail = f"{before}, then {after}"
    if not questions:
        return QuestionView(id=f"position {flip.position}", text="", group="", detail=detail)
    question = questions[flip.index]
    held = question.hard_class
    form = question.form.value
    return QuestionView(
        id=shown_id(question.id),
        text=shown_text(question.question),
        group=form if held is None else f"{form}, {shown_text(held)}",
        detail=detail,
        expected=tuple(map(shown_id, question.expected_document_ids)),
    )

"""Which documents are relevant to which query, and how much?"""

from __future__ import annotations

from collections.abc import Mapping

from evenhand.core.retrieval.golden import DocId, GoldenQuestion, GoldenSet, QueryId
from evenhand.core.retrieval.grades import MIN_RELEVANCE

__all__ = ["MIN_RELEVANCE", "Qrels", "golden_qrels", "question_relevance"]

#: query → document → grade; grades are ints, 0 and below judged as not relevant.
Qrels = Mapping[QueryId, Mapping[DocId, int]]


def question_relevance(question: GoldenQuestion) -> dict[DocId, int]:
    """Grade per judged document of one golden question.

    Each target has grade 1 where nobody graded. Documents that were judged and found not relevant
    have a grade of 0 or below.
    """
    return {DocId(document): grade for document, grade in question.judgements}


def golden_qrels(golden_set: GoldenSet) -> Qrels:
    """Qrels of the judged questions of a set; a no-answer question has an empty mapping."""
    return {question.id: question_relevance(question) for question in golden_set.judged}

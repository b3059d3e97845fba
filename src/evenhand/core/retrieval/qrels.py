"""Which documents are relevant to which query, and how much?"""

from __future__ import annotations

from collections.abc import Mapping

from evenhand.core.retrieval.golden import DocId, GoldenQuestion, GoldenSet, QueryId

#: query → document → grade; grades are ints, 0 and below judged as not relevant.
Qrels = Mapping[QueryId, Mapping[DocId, int]]

#: From this grade on a document is a target (BEIR, binary measures).
MIN_RELEVANCE = 1


def question_relevance(question: GoldenQuestion) -> dict[DocId, int]:
    """Grade per target of one golden question; each target has grade 1, a no-answer none."""
    return dict.fromkeys(question.expected_document_ids, MIN_RELEVANCE)


def golden_qrels(golden_set: GoldenSet) -> Qrels:
    """Qrels of the judged questions of a set; a no-answer question has an empty mapping."""
    return {question.id: question_relevance(question) for question in golden_set.judged}

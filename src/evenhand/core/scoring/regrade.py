"""How do outcomes get the grades that were not kept with them, once the golden set is at hand?

Evaluations of earlier releases kept of a judged document only that it was a target. Where the set
that they ran on has no other grades either, nothing is missing; where it has, the rankings say
which document it was, if they were kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from evenhand.core.errors.retrieval import GradesUnknown
from evenhand.core.retrieval.golden import GoldenQuestion, GoldenSet
from evenhand.core.retrieval.qrels import question_relevance
from evenhand.core.retrieval.ranking import StoredRanking, distinct_documents
from evenhand.core.scoring.outcome import JudgedHit, Outcome

_OTHER_QUESTIONS = "the golden set at hand has other questions than the result"
_NO_RANKINGS = (
    "the grades of its judgements were not kept, nor its rankings, so which of the graded "
    "documents came back is not known; run it again"
)
_OTHER_RANKING = "a ranking that was kept is not the one that was scored"


def regrade(
    outcomes: Sequence[Outcome],
    golden_set: GoldenSet,
    rankings: Sequence[StoredRanking] | None,
) -> tuple[Outcome, ...]:
    """The outcomes with the grades of a golden set.

    Args:
        outcomes: by position, scored by targets alone.
        golden_set: with the labels that they were scored with; the caller has compared them.
        rankings: by position, None where they were not kept.

    Raises:
        GradesUnknown: the set has other questions, or grades beyond its targets and there are no
            rankings to tell which of the graded documents came back.
    """
    questions = golden_set.by_position
    expected = [None if one.unjudged else len(one.expected_document_ids) for one in questions]
    if [one.targets for one in outcomes] != expected:
        raise GradesUnknown(_OTHER_QUESTIONS)
    if rankings is None and any(one.grades for one in questions):
        raise GradesUnknown(_NO_RANKINGS)
    ranked = {one.position: one for one in rankings or ()}
    return tuple(
        _regraded(outcome, question, ranked)
        for outcome, question in zip(outcomes, questions, strict=True)
    )


def _regraded(
    outcome: Outcome, question: GoldenQuestion, ranked: Mapping[int, StoredRanking]
) -> Outcome:
    grades = question_relevance(question)
    judged = tuple(sorted(grades.values(), reverse=True))
    ranking = ranked.get(outcome.position)
    if not question.grades or outcome.error_class is not None:
        return replace(outcome, judged_grades=judged)
    documents = () if ranking is None else distinct_documents(ranking.documents)
    if ranking is None or len(documents) != outcome.retrieved:
        raise GradesUnknown(_OTHER_RANKING)
    hits = tuple(
        JudgedHit(rank, grades[document])
        for rank, document in enumerate(documents, 1)
        if document in grades
    )
    return replace(outcome, judged_hits=hits, judged_grades=judged)

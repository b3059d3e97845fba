"""Which queries do rankings that came as a file cover, held against the questions asked?

A run file says nothing of a query for which nothing was found, and nothing of one that was never
asked; both are absent. What that means is for the reader to judge, so it is counted and shown.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from evenhand.core.retrieval.golden import Answerability, GoldenSet, QueryId


class ListsQueries:
    """Rankings that were there before anything was asked.

    No protocol: nobody has this by chance of a name.

    Attributes:
        query_ids: queries that there is a ranking of; None where that is not known.
    """

    query_ids: Collection[bytes] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Queries of a file and questions of a set, as far as they do not meet.

    Attributes:
        absent: questions asked that the file does not have, in byte order.
        foreign: queries of the file that are none of the questions asked, in byte order.
        absent_no_answer: how many of the absent ones are questions that nothing answers.
    """

    absent: tuple[QueryId, ...]
    foreign: tuple[QueryId, ...]
    absent_no_answer: int


def coverage_of(golden_set: GoldenSet, query_ids: Collection[bytes]) -> Coverage:
    """What a file and a set do not have in common.

    Args:
        golden_set: the questions asked.
        query_ids: the queries that the file has rankings of.
    """
    held = frozenset(query_ids)
    asked = {question.id for question in golden_set.questions}
    absent = [question for question in golden_set.by_position if question.id not in held]
    return Coverage(
        absent=tuple(question.id for question in absent),
        foreign=tuple(QueryId(one) for one in sorted(held - asked)),
        absent_no_answer=sum(
            question.answerability is Answerability.NO_ANSWER for question in absent
        ),
    )

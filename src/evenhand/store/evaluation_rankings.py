"""Which documents came back for each question of an evaluation? Its kept rankings, read."""

from __future__ import annotations

from collections.abc import Collection

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from evenhand.core.retrieval.ranking import StoredRanking
from evenhand.store.evaluation_rows import rows_to_ranking
from evenhand.store.tables import evaluation_ranked_document, evaluation_ranking


def read_rankings(
    connection: Connection, evaluation_id: str, positions: Collection[int] | None = None
) -> tuple[StoredRanking, ...]:
    """The rankings that were kept of an evaluation, in order of position.

    Args:
        connection: in a transaction.
        evaluation_id: a text that a database can hold.
        positions: of which questions; None for all.
    """
    ranked, ranking = evaluation_ranked_document.c, evaluation_ranking.c
    of_documents = (
        sa.select(ranked.position, ranked.document_id, ranked.score)
        .where(ranked.evaluation_id == evaluation_id)
        .order_by(ranked.position, ranked.rank)
    )
    of_rankings = (
        sa.select(ranking.position, ranking.query_id, ranking.is_scored)
        .where(ranking.evaluation_id == evaluation_id)
        .order_by(ranking.position)
    )
    if positions is not None:
        of_documents = of_documents.where(ranked.position.in_(positions))
        of_rankings = of_rankings.where(ranking.position.in_(positions))
    documents: dict[int, list[tuple[bytes, float | None]]] = {}
    for position, document, score in connection.execute(of_documents):
        documents.setdefault(position, []).append((document, score))
    return tuple(
        rows_to_ranking(position, query_id, documents.get(position, ()), is_scored=is_scored)
        for position, query_id, is_scored in connection.execute(of_rankings)
    )

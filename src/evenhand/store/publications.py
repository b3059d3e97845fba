"""How evaluations came over the network: written with them, taken away with them."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from sqlalchemy import RowMapping
from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from evenhand.core.errors import EvenhandError
from evenhand.core.errors.publication import IdempotencyRace
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.core.scoring.protocols import HitCounts
from evenhand.core.scoring.publication import Publication
from evenhand.store.errors import translate
from evenhand.store.tables import evaluation, evaluation_publication
from evenhand.store.text import is_storable
from evenhand.store.times import text_to_time, time_to_text

_KEY_TAKEN: Final = "uq_evaluation_publication_project_id_idempotency_key"


class SqlPublications:
    """The publications of one open transaction; implements `ports.PublicationRepository`.

    Args:
        connection: in a transaction.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, publication: Publication) -> None:
        """Note one.

        Raises:
            IdempotencyRace: another one of its project has its key, were it of a transaction that
                ran beside this one.
            ConstraintRefused: the evaluation, or whatever else it names, is not there.
        """
        try:
            self._connection.execute(evaluation_publication.insert(), _to_row(publication))
        except IntegrityError as error:
            failure = _refusal(error)
        else:
            return
        # Outside the clause: an error of ours must not carry the driver's as its context.
        raise failure

    def find_by_key(self, project_id: str, key: str) -> Publication | None:
        """The one of a project that was sent under this key."""
        if not (is_storable(project_id) and is_storable(key)):
            return None
        return self._first(
            sa.and_(
                evaluation_publication.c.project_id == project_id,
                evaluation_publication.c.idempotency_key == key,
            )
        )

    def find_by_evaluation(self, evaluation_id: str) -> Publication | None:
        """The one of an evaluation; None where it did not come over the network."""
        if not is_storable(evaluation_id):
            return None
        return self._first(evaluation_publication.c.evaluation_id == evaluation_id)

    def find_previous(self, publication: Publication, record: EvaluationRecord) -> str | None:
        """Id of the evaluation before this one, of its series, project and writer.

        All people are one writer; a service client is one by itself.
        """
        sent, stored = evaluation_publication.c, evaluation.c
        place = sa.tuple_(stored.created_at, stored.id)
        found: str | None = self._connection.scalar(
            sa.select(stored.id)
            .join(evaluation_publication, sent.evaluation_id == stored.id)
            .where(
                sent.project_id == publication.project_id,
                sent.client_id.is_not_distinct_from(publication.client_id),
                stored.set_identifier == record.set_identifier,
                stored.retriever == record.retriever,
                stored.grader == record.grader,
                place < sa.tuple_(time_to_text(record.created_at), record.id),
            )
            .order_by(stored.created_at.desc(), stored.id.desc())
            .limit(1)
        )
        return found

    def has_other_size(
        self,
        *,
        project_id: str,
        client_id: str | None,
        set_identifier: str,
        benchmark: str | None,
        counts: HitCounts,
    ) -> bool:
        """Whether the writer has a result of this benchmark with other numbers of questions."""
        sent, stored = evaluation_publication.c, evaluation.c
        found = self._connection.scalar(
            sa.select(stored.id)
            .join(evaluation_publication, sent.evaluation_id == stored.id)
            .where(
                sent.project_id == project_id,
                sent.client_id.is_not_distinct_from(client_id),
                stored.set_identifier == set_identifier,
                stored.benchmark_fingerprint == benchmark,
                sa.or_(
                    stored.questions != counts.questions,
                    stored.answerable != counts.answerable,
                ),
            )
            .limit(1)
        )
        return found is not None

    def _first(self, chosen: sa.ColumnElement[bool]) -> Publication | None:
        query = sa.select(evaluation_publication).where(chosen)
        row = self._connection.execute(query).mappings().first()
        return None if row is None else row_to_publication(row)


def row_to_publication(row: RowMapping) -> Publication:
    """The publication of a row.

    Raises:
        Invalid, ValueError: it is not what was written.
    """
    return Publication(
        evaluation_id=row["evaluation_id"],
        project_id=row["project_id"],
        suite_revision_id=row["suite_revision_id"],
        client_id=row["client_id"],
        credential_id=row["credential_id"],
        idempotency_key=row["idempotency_key"],
        body_digest=row["body_digest"],
        created_at=text_to_time(row["created_at"]),
    )


def _to_row(publication: Publication) -> dict[str, str | None]:
    return {
        "evaluation_id": publication.evaluation_id,
        "project_id": publication.project_id,
        "suite_revision_id": publication.suite_revision_id,
        "client_id": publication.client_id,
        "credential_id": publication.credential_id,
        "idempotency_key": publication.idempotency_key,
        "body_digest": publication.body_digest,
        "created_at": time_to_text(publication.created_at),
    }


def _refusal(error: IntegrityError) -> EvenhandError:
    refused = translate(error)
    is_taken = getattr(refused, "constraint", None) == _KEY_TAKEN
    return IdempotencyRace() if is_taken else refused

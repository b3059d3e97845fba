"""Do publications hold together with what they name and with the audit? See ``store.checks``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import sqlalchemy as sa
from sqlalchemy import RowMapping
from sqlalchemy.engine import Connection

from evenhand.core.errors import Invalid
from evenhand.store.publications import row_to_publication
from evenhand.store.tables import (
    audit_entry,
    evaluation_publication,
    service_client,
    suite,
    suite_revision,
)

_OBJECT_KIND: Final = "evaluation"
_ACTION: Final = "publish"


def publication_problems(connection: Connection) -> Iterator[tuple[str, str, str]]:
    """Code, subject and message of what is wrong with publications."""
    for row in connection.execute(_publications()).mappings():
        subject = f"publication {row['evaluation_id']}"
        try:
            row_to_publication(row)
        except (Invalid, ValueError, TypeError):
            message = "it does not read back as what was written"
            yield "publication_unreadable", subject, message
            continue
        for message in _foreign_parts(row):
            yield "publication_project", subject, message
        if not row["times_told"]:
            yield "audit_missing", subject, "no entry of the audit tells of it"


def _publications() -> sa.Select[tuple[object, ...]]:
    """Each publication, whose parts it names are, and how often the audit tells of it."""
    sent = evaluation_publication.c
    told = (
        sa.select(sa.func.count())
        .where(
            audit_entry.c.object_kind == _OBJECT_KIND,
            audit_entry.c.object_id == sent.evaluation_id,
            audit_entry.c.action == _ACTION,
        )
        .scalar_subquery()
    )
    return (
        sa.select(
            evaluation_publication,
            service_client.c.project_id.label("client_project"),
            suite.c.project_id.label("suite_project"),
            told.label("times_told"),
        )
        .outerjoin(service_client, service_client.c.id == sent.client_id)
        .outerjoin(suite_revision, suite_revision.c.id == sent.suite_revision_id)
        .outerjoin(suite, suite.c.id == suite_revision.c.suite_id)
        .order_by(sent.evaluation_id)
    )


def _foreign_parts(row: RowMapping) -> Iterator[str]:
    for part, owner in (("client", row["client_project"]), ("suite", row["suite_project"])):
        if owner is not None and owner != row["project_id"]:
            yield f"its {part} belongs to another project"

"""Do suites and their revisions hold together? See ``store.checks``."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from evenhand.core.errors import EvenhandError
from evenhand.core.retrieval.suite import SuiteContent
from evenhand.core.retrieval.suite_revision import FrozenSuite
from evenhand.store.registry.suite_rows import row_to_suite
from evenhand.store.registry.suites import SqlSuites
from evenhand.store.tables import audit_entry, suite, suite_revision

#: What reading back rows that somebody else wrote can raise.
_UNREADABLE = (EvenhandError, msgspec.DecodeError, ValueError, TypeError)
_NOT_AS_WRITTEN = "it does not read back as what was written"


def suite_problems(connection: Connection) -> Iterator[tuple[str, str, str]]:
    """Code, subject and message of what is wrong with suites."""
    told = _told(connection, "suite")
    for row in connection.execute(sa.select(suite).order_by(suite.c.id)).mappings():
        subject = f"suite {row['id']}"
        try:
            found = row_to_suite(row)
        except _UNREADABLE:
            yield "suite_unreadable", subject, _NOT_AS_WRITTEN
            continue
        # One entry for its making and one for each version since.
        entries = told.get(found.id, 0)
        if entries != found.version:
            message = f"the audit tells of {entries} changes, its version is {found.version}"
            yield "audit_missing", subject, message


def suite_revision_problems(connection: Connection) -> Iterator[tuple[str, str, str]]:
    """Code, subject and message of what is wrong with revisions and their cases."""
    repository = SqlSuites(connection)
    told = _told(connection, "suite_revision")
    identities = sa.select(suite_revision.c.id, suite_revision.c.retrieval_config_sha256)
    stored = connection.execute(identities.order_by(suite_revision.c.id)).all()
    for revision_id, config in stored:
        subject = f"suite revision {revision_id}"
        try:
            found = repository.find_revision(revision_id)
        except _UNREADABLE:
            yield "suite_revision_unreadable", subject, _NOT_AS_WRITTEN
            continue
        if found is not None:
            yield from ((code, subject, said) for code, said in _problems(found, config))
        if not told.get(revision_id):
            yield "audit_missing", subject, "no entry of the audit tells of its being frozen"
    yield from _gaps(connection)


def _problems(found: FrozenSuite, config: str) -> Iterator[tuple[str, str]]:
    """What is wrong with one revision that reads back."""
    revision, content = found.revision, found.content
    if config != content.settings.sha256:
        yield "retrieval_config", "its settings have another digest than the one stored"
    if revision.content_digest != content.digest:
        yield "content_digest", "its content has another digest than the one stored"
    if revision.labels_fingerprint != content.golden_set.labels_fingerprint:
        yield "labels_fingerprint", "its labels fingerprint is not the one that was stored"
    if revision.critical_count != content.critical_count:
        yield "count", "another number of its cases is critical than the one stored"
    try:
        SuiteContent(golden_set=content.golden_set, corpus_sha256=content.corpus_sha256)
    except EvenhandError as error:
        yield error.code, "its cases break a rule of suites"


def _gaps(connection: Connection) -> Iterator[tuple[str, str, str]]:
    """Suites whose revisions are not numbered from 1 without a gap."""
    number = suite_revision.c.number
    query = (
        sa.select(suite_revision.c.suite_id)
        .group_by(suite_revision.c.suite_id)
        .having(sa.func.max(number) != sa.func.count())
        .order_by(suite_revision.c.suite_id)
    )
    for suite_id in connection.scalars(query):
        message = "numbers of its revisions do not run from 1 without a gap"
        yield "revision_number", f"suite {suite_id}", message


def _told(connection: Connection, kind: str) -> dict[str, int]:
    """How many entries of the audit there are for each object of a kind."""
    query = (
        sa.select(audit_entry.c.object_id, sa.func.count())
        .where(audit_entry.c.object_kind == kind)
        .group_by(audit_entry.c.object_id)
    )
    return dict(map(tuple, connection.execute(query)))

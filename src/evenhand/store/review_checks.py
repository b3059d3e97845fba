"""Do reviews hold together with what stays of them? See ``store.checks``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import sqlalchemy as sa
from sqlalchemy import RowMapping
from sqlalchemy.engine import Connection

from evenhand.core.errors import Invalid
from evenhand.core.review.evidence import read_evidence
from evenhand.core.review.grounds import RecordedAgreement
from evenhand.core.review.job import AgentJob
from evenhand.store.registry.practices import revisions, row_to_revision
from evenhand.store.reviews.grounding_rows import (
    row_to_agreement,
    row_to_label,
    row_to_waiver,
)
from evenhand.store.reviews.job_rows import row_to_job
from evenhand.store.reviews.jobs import SqlReviewJobs
from evenhand.store.reviews.observations import SqlObservations
from evenhand.store.streams import streamed
from evenhand.store.tables import (
    agent_job,
    human_label,
    practice_revision,
    review_agreement,
    review_waiver,
)

_GROUNDING: Final = (
    ("human label", human_label, row_to_label),
    ("review agreement", review_agreement, row_to_agreement),
    ("review waiver", review_waiver, row_to_waiver),
)


def practice_problems(connection: Connection) -> Iterator[tuple[str, str, str]]:
    """Code, subject and message of what is wrong with revisions of practices."""
    query = revisions().order_by(practice_revision.c.id)
    for row in connection.execute(query).mappings():
        subject = f"practice revision {row['id']}"
        try:
            found = row_to_revision(row)
        except (Invalid, ValueError, TypeError):
            yield (
                "practice_revision_unreadable",
                subject,
                "it does not read back as it was written",
            )
            continue
        if found.criteria.digest != row["content_digest"]:
            message = "its digest is not the one that was stored"
            yield "practice_revision_digest", subject, message


def review_problems(connection: Connection) -> Iterator[tuple[str, str, str]]:
    """Code, subject and message of what is wrong with review jobs."""
    for row in connection.execute(sa.select(agent_job).order_by(agent_job.c.id)).mappings():
        subject = f"agent job {row['id']}"
        try:
            job = row_to_job(row)
            if job.prepared is not None:
                read_evidence(job.prepared.evidence, job.prepared.readiness)
        except (Invalid, ValueError, TypeError):
            yield "agent_job_unreadable", subject, "it does not read back as it was written"
            continue
        for code, message in _contradictions(connection, job, row):
            yield code, subject, message


def grounding_problems(connection: Connection) -> Iterator[tuple[str, str, str]]:
    """Code, subject and message of what is wrong with labels, agreements and waivers."""
    for noun, table, to_value in _GROUNDING:
        with streamed(connection, sa.select(table).order_by(table.c.id)) as rows:
            for row in rows.mappings():
                subject = f"{noun} {row['id']}"
                try:
                    found = to_value(row)
                except (Invalid, ValueError, TypeError):
                    message = "it does not read back as it was written"
                    yield f"{table.name}_unreadable", subject, message
                    continue
                if isinstance(found, RecordedAgreement) and (
                    found.identities.stratum != row["stratum"]
                ):
                    message = "its stratum is not that of its identities"
                    yield "review_agreement_stratum", subject, message


def _contradictions(
    connection: Connection, job: AgentJob, row: RowMapping
) -> Iterator[tuple[str, str]]:
    jobs, observations = SqlReviewJobs(connection), SqlObservations(connection)
    digests = (job.submission.snapshot.sha256, job.snapshot and job.snapshot.sha256)
    if digests != (row["submitted_digest"], row["config_digest"]):
        yield "agent_job_digest", "the digest of its configuration is not the one that was stored"
    told = [one.to_state for one in jobs.list_transitions(job.id)]
    if told[-1:] != [job.state]:
        yield "agent_job_transitions", "its last transition does not lead to its state"
    ended = [one.attempt for one in jobs.list_attempts(job.id)]
    expected = job.attempt if job.state.is_terminal else job.attempt - 1
    if ended != list(range(1, expected + 1)):
        message = f"{len(ended)} ended attempts are stored, {expected} belong to it"
        yield "agent_job_attempts", message
    admission = observations.find_admission(job.id)
    kept, refused = observations.list_of(job.id), observations.list_rejections(job.id)
    if admission is None:
        if kept or refused:
            yield "agent_job_output", "it has output, and none was handed in"
        return
    counts = admission.counts
    stored = len(kept), len(refused) - counts.unreadable
    if stored != (counts.persisted, counts.rejected):
        message = "its observations and refusals are not as many as were handed in"
        yield "agent_job_output", message

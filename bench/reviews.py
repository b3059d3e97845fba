"""What do the rates of a large project of reviews take, beside a plain aggregate of the same rows?

A project of 100,000 ended attempts in 16 strata, 6,250 cases each, in SQLite. Ours is what
``GET /reviews/strata`` gathers; the plain aggregate counts the same rows by the same four
identities in SQL, and knows nothing of newest reviews, of reasons or of pairs. Both are CPU
seconds of one process, in turns. The memory is the most that Python's objects held in one look.
"""

# ruff: noqa: S608 -- constants of this file

import statistics
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from evenhand.adapters.system import SystemClock, UuidV7Ids
from evenhand.core.review.gathering import Gathered
from evenhand.store.migrate import upgrade
from evenhand.store.uow import Database, open_database

ATTEMPTS = 100_000
STRATA = 16
LIMIT_MIB = 64
PROJECT = "01990000-0000-7000-e001-000000000001"
_AT = "2026-09-01T00:00:00.000000Z"
_NUMBERS = f"""
    WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers
    WHERE n + 1 < {ATTEMPTS})
"""
_JOB = "'01990000-0000-7000-b000-' || printf('%012d', n)"
_DIGEST = "printf('%064d', {})"
_REVISION = "'01990000-0000-7000-a000-' || printf('%012d', 1 + n % 2)"
_FILL = (
    f"""
    INSERT INTO project (id, created_at, name, active, version)
    VALUES ('{PROJECT}', '{_AT}', 'shop', true, 1)
    """,
    f"""
    INSERT INTO practice (id, created_at, name, active, version, project_id)
    VALUES ('{PROJECT}', '{_AT}', 'grounded', true, 1, '{PROJECT}')
    """,
    f"""
    INSERT INTO practice_revision
    SELECT '01990000-0000-7000-a000-' || printf('%012d', n), '{PROJECT}', n, '{_AT}',
      'command_line', NULL, 'rag.answer', 'T', 'g', 'c', printf('%064d', n)
    FROM (SELECT 1 AS n UNION ALL SELECT 2)
    """,
    f"""
    INSERT INTO agent_job (id, created_at, project_id, idempotency_key, body_digest,
      artifact_kind, artifact_id, subject_id, cohort_kind, cohort, case_id, origin,
      submitted_snapshot, submitted_digest, config_snapshot, config_digest, state, attempt,
      available_at, worker, token_digest, claimed_at, deadline_at, finished_at, outcome)
    {_NUMBERS} SELECT {_JOB}, '{_AT}', '{PROJECT}', 'k' || n, {_DIGEST.format(0)}, 'rag.answer',
      'a' || n, 's', 'cases', 'c' || (n / 2 % 2), 'case-' || (n / {STRATA}), 'live', '{{}}',
      {_DIGEST.format(0)}, '{{}}', {_DIGEST.format("n / 4 % 2")}, 'completed', 1, '{_AT}', 'w',
      {_DIGEST.format(0)}, '{_AT}', '{_AT}', '{_AT}', 'reviewed' FROM numbers
    """,
    f"INSERT INTO agent_job_practice {_NUMBERS} SELECT {_JOB}, 1, {_REVISION}, true FROM numbers",
    f"""
    INSERT INTO review_attempt (job_id, attempt, ended_at, outcome, config_digest, prompt_digest,
      inputs_digest, candidates_seen, candidates_persisted, candidates_rejected, unreadable,
      worker, claimed_at, prepared_at)
    {_NUMBERS} SELECT {_JOB}, 1, '{_AT}', 'reviewed', {_DIGEST.format("n / 4 % 2")},
      {_DIGEST.format("n / 8 % 2")}, {_DIGEST.format(0)}, 1, 1, 0, false, 'w', '{_AT}', '{_AT}'
      FROM numbers
    """,
    f"""
    INSERT INTO llm_usage_event (id, source_type, source_id, attempt, model, calls, input_tokens,
      cached_input_tokens, output_tokens, usage_source, pricing, input_rate, cached_input_rate,
      output_rate, cost_micros, occurred_at)
    {_NUMBERS} SELECT {_JOB}, 'agent_job', {_JOB}, 1, 'm', 1, 1000, 0, 100, 'runner', 'priced',
      '1', '1', '1', 1100, '{_AT}' FROM numbers
    """,
    f"""
    INSERT INTO observation (id, agent_job_id, attempt, practice_revision_id, position,
      occurrence_key, recurrence_key, presence, assessment, created_at)
    {_NUMBERS} SELECT {_JOB}, {_JOB}, 1, {_REVISION}, 0, {_DIGEST.format("n")},
      {_DIGEST.format("n")}, 'present', 'good', '{_AT}' FROM numbers
    """,
)
_PLAIN = f"""
    SELECT e.config_digest, e.prompt_digest, j.cohort_kind, j.cohort, p.practice_revision_id,
           count(*), sum(u.input_tokens), sum(u.output_tokens), sum(u.cost_micros),
           sum(o.assessment = 'good')
    FROM review_attempt AS e
    JOIN agent_job AS j ON j.id = e.job_id
    LEFT JOIN agent_job_practice AS p ON p.job_id = e.job_id AND p.attempt = e.attempt
    LEFT JOIN llm_usage_event AS u ON u.source_type = 'agent_job' AND u.source_id = e.job_id
         AND u.attempt = e.attempt
    LEFT JOIN observation AS o ON o.agent_job_id = e.job_id AND o.attempt = e.attempt
    WHERE j.project_id = '{PROJECT}'
    GROUP BY 1, 2, 3, 4, 5
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Medians of CPU seconds, their ratio, and the memory of one look."""

    name: str
    attempts: int
    ours_seconds: float
    plain_seconds: float
    ratio: float
    peak_mib: float
    limit_mib: float

    @property
    def missed(self) -> bool:
        """Whether the memory is above the limit; the ratio has no goal."""
        return self.peak_mib > self.limit_mib

    def __str__(self) -> str:
        verdict = "missed" if self.missed else "met"
        return (
            f"  {self.name:20} {self.attempts} attempts: {self.ours_seconds:.2f} s of CPU, a plain"
            f" aggregate {self.plain_seconds:.2f} s, {self.ratio:.1f} times;"
            f" {self.peak_mib:.1f} MiB of objects  goal {self.limit_mib:.0f} MiB: {verdict}"
        )


def compare(rounds: int) -> list[Row]:
    """Both in turns, `rounds` of each, in one process."""
    with tempfile.TemporaryDirectory(prefix="evenhand-bench-") as folder:
        url = f"sqlite:///{Path(folder) / 'reviews.db'}"
        upgrade(url)
        database = open_database(url, clock=SystemClock(), ids=UuidV7Ids())
        try:
            with database.engine.begin() as connection:
                for statement in _FILL:
                    connection.exec_driver_sql(statement)
            pairs = [(_cpu(_ours, database), _cpu(_plain, database)) for _ in range(rounds)]
            tracemalloc.start()
            _ours(database)
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
        finally:
            database.close()
    return [
        Row(
            name="review rates",
            attempts=ATTEMPTS,
            ours_seconds=statistics.median(ours for ours, _ in pairs),
            plain_seconds=statistics.median(plain for _, plain in pairs),
            ratio=statistics.median(ours / plain for ours, plain in pairs),
            peak_mib=peak / 2**20,
            limit_mib=LIMIT_MIB,
        )
    ]


def _ours(database: Database) -> None:
    found = database.read(lambda uow: Gathered(uow.review_rates.iterate_rows(PROJECT)))
    counted = sum(sum(one.rates.attempts.values()) for one in found.strata.values())
    _require(strata=len(found.strata), attempts=counted)


def _plain(database: Database) -> None:
    with database.engine.connect() as connection:
        rows = connection.execute(sa.text(_PLAIN)).all()
    _require(strata=len(rows), attempts=sum(row[5] for row in rows))


def _require(*, strata: int, attempts: int) -> None:
    if (strata, attempts) != (STRATA, ATTEMPTS):
        counted = f"{attempts} attempts in {strata} strata were counted"
        raise RuntimeError(counted)


def _cpu(work: Callable[[Database], None], database: Database) -> float:
    began = time.process_time()
    work(database)
    return time.process_time() - began

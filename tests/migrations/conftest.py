"""An empty database of either kind, and what the migrations' tests do with it."""
# ruff: noqa: S608 -- constants of this file

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from evenhand.store.engine import create_engine


@pytest.fixture
def engine(empty_database_url: str) -> Iterator[Engine]:
    made = create_engine(empty_database_url)
    yield made
    made.dispose()


@pytest.fixture
def execute(engine: Engine) -> Callable[..., None]:
    """Execute statements in one transaction of their own."""

    def _execute(*statements: str) -> None:
        with engine.begin() as connection:
            for statement in statements:
                connection.execute(sa.text(statement))

    return _execute


@pytest.fixture
def rows(engine: Engine) -> Callable[[str], list[tuple[Any, ...]]]:
    """The rows that a query gives, as tuples."""

    def _rows(query: str) -> list[tuple[Any, ...]]:
        with engine.connect() as connection:
            return [tuple(row) for row in connection.execute(sa.text(query))]

    return _rows


@pytest.fixture
def names(engine: Engine) -> Callable[[], set[str]]:
    """The tables that are there now."""

    def _names() -> set[str]:
        return set(sa.inspect(engine).get_table_names())

    return _names


NOW = "2026-09-01T00:00:00.000000Z"
BASELINE_ID = "01990000-0000-7000-a000-000000000001"
SUITE_ID = "01990000-0000-7000-d000-000000000001"
REVISION_ID = "01990000-0000-7000-d000-000000000002"
EVALUATION_ID = "01990000-0000-7000-8000-000000000001"
REQUEST_ID = "01990000-0000-7000-f000-000000000001"
PRACTICE_ID, PRACTICE_REVISION_ID, JOB_ID, OBSERVATION_ID, FEEDBACK_ID = (
    f"01990000-0000-7000-a100-{number:012d}" for number in (1, 2, 3, 6, 7)
)
PUBLIC_ID = f"req_{'0' * 32}"
ROUTE_ID, CANDIDATE_ID, TRIAL_ID, INTENT_ID = (
    f"01990000-0000-7000-e000-{number:012d}" for number in range(7, 11)
)
PROJECT_ID, BINDING_ID, CLIENT_ID, ARTIFACT_ID, RUNTIME_ID, DEPLOYMENT_ID = (
    f"01990000-0000-7000-e000-{number:012d}" for number in range(1, 7)
)


def _statements(text: str) -> tuple[str, ...]:
    return tuple(" ".join(statement.split()) for statement in text.split(";") if statement.strip())


#: Statements that give each table a row, by the revision that makes the table; parents first.
ROWS = {
    "20260901_0001": _statements(f"""
        INSERT INTO evaluation VALUES (
          '{EVALUATION_ID}', '{NOW}', '{NOW}', '{NOW}', 'tiny', 'Tiny', 'fake', 'grader',
          'protocol', 'local', 12, 'machine', 1, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 0, 0, 'full',
          NULL, NULL, NULL, '0', NULL);
        INSERT INTO evaluation_outcome VALUES (
          '{EVALUATION_ID}', 0, 'scored', 1, 1, 1, '[[1,1]]', 3, NULL);
        INSERT INTO evaluation_ranking VALUES ('{EVALUATION_ID}', 0, 'q1', false);
        INSERT INTO evaluation_ranked_document VALUES ('{EVALUATION_ID}', 0, 1, 'd1', NULL)
    """),
    "20260901_0002": _statements(f"""
        INSERT INTO retention_action VALUES (
          '01990000-0000-7000-9000-000000000001', '{NOW}', 'a', 'r', 0, NULL)
    """),
    "20260901_0003": _statements(f"""
        INSERT INTO golden_set VALUES ('tiny', 'Tiny', '', '{NOW}', 'v1:x');
        INSERT INTO golden_question VALUES
          ('tiny', 0, 'q1', 'text', 'match', NULL, NULL, false, false, false, NULL);
        INSERT INTO golden_target VALUES ('tiny', 0, 0, 'd1')
    """),
    "20260901_0004": _statements(f"""
        INSERT INTO baseline VALUES (
          '{BASELINE_ID}', '{NOW}', 'a', '', 'tiny', 'fake', NULL, 'local', 12, 'machine', 1, 0, 1,
          1, 1, 0, 0, 0, 1, 1, 1, 1, 0, 0, '{{}}', 'v1:x', 'v1:x');
        INSERT INTO baseline_outcome VALUES (
          '{BASELINE_ID}', 0, 'scored', 1, 1, 1, '[[1,1]]', 3, NULL);
        INSERT INTO set_use VALUES (
          '01990000-0000-7000-b000-000000000001', '{NOW}', 'v1:{"0" * 64}', 'tiny', 'gate', '[]',
          'pass')
    """),
    "20260901_0005": _statements("INSERT INTO golden_holdout VALUES ('tiny', 0)"),
    "20260901_0006": _statements(f"""
        INSERT INTO golden_grade VALUES ('tiny', 0, 0, 'd1', 2);
        INSERT INTO evaluation_relevance VALUES ('{EVALUATION_ID}', 'v1:{"0" * 64}');
        INSERT INTO evaluation_grade VALUES ('{EVALUATION_ID}', 0, '[2]');
        INSERT INTO baseline_relevance VALUES ('{BASELINE_ID}', 'v1:{"0" * 64}');
        INSERT INTO baseline_grade VALUES ('{BASELINE_ID}', 0, '[2]');
        INSERT INTO evaluation_score VALUES (
          '{EVALUATION_ID}', 'trec-eval-v1', 'v1:{"0" * 64}', 'nDCG@10', 12, 0.5, 1, 0, NULL,
          '{NOW}')
    """),
    "20260902_0010": _statements(f"""
        INSERT INTO credential
          (id, name, role, token_digest, created_at, rotated_from, state, ended_at) VALUES (
          '01990000-0000-7000-c000-000000000001', 'ci', 'viewer', '{"0" * 64}', '{NOW}', NULL,
          'active', NULL);
        INSERT INTO audit_entry
          (id, at, actor_kind, actor_id, action, object_kind, object_id, from_state, to_state,
          code) VALUES (
          '01990000-0000-7000-c000-000000000002', '{NOW}', 'command_line', NULL, 'create',
          'credential', '01990000-0000-7000-c000-000000000001', NULL, 'active', 'viewer')
    """),
    "20260902_0011": _statements(f"""
        INSERT INTO project (id, created_at, name, active, version) VALUES (
          '{PROJECT_ID}', '{NOW}', 'shop', true, 1);
        INSERT INTO binding
          (id, created_at, name, active, version, project_id, capability, stage) VALUES (
          '{BINDING_ID}', '{NOW}', 'search', true, 1, '{PROJECT_ID}', 'rag.embedding@1', 'stable');
        INSERT INTO service_client
          (id, created_at, name, active, version, project_id, binding_id, capabilities) VALUES (
          '{CLIENT_ID}', '{NOW}', 'worker', true, 1, '{PROJECT_ID}', '{BINDING_ID}',
          'rag.embedding@1');
        INSERT INTO artifact (id, created_at, name, digest, model) VALUES (
          '{ARTIFACT_ID}', '{NOW}', 'minilm', '{"0" * 64}', 'minilm');
        INSERT INTO runtime
          (id, created_at, name, active, version, kind, identity, base_url, secret_env, embedder)
          VALUES ('{RUNTIME_ID}', '{NOW}', 'here', true, 1, 'in_process', 'r1', NULL, NULL, 'x');
        INSERT INTO deployment
          (id, created_at, name, active, version, project_id, artifact_id, runtime_id,
          upstream_model, embedding_identity, dimension, query_prefix, document_prefix,
          score_cutoff) VALUES (
          '{DEPLOYMENT_ID}', '{NOW}', 'small', true, 1, '{PROJECT_ID}', '{ARTIFACT_ID}',
          '{RUNTIME_ID}', NULL, 'e1', 384, '', '', NULL);
        INSERT INTO route
          (id, created_at, name, active, version, project_id, binding_id, kind, deployment_id)
          VALUES ('{ROUTE_ID}', '{NOW}', 'live', true, 1,
          '{PROJECT_ID}', '{BINDING_ID}', 'stable', '{DEPLOYMENT_ID}')
    """),
    "20260902_0012": _statements(f"""
        INSERT INTO suite VALUES (
          '{SUITE_ID}', '{NOW}', 'release', true, 1, '{PROJECT_ID}');
        INSERT INTO suite_revision VALUES (
          '{REVISION_ID}', '{SUITE_ID}', 1, '{NOW}', 'command_line', NULL, 'tiny', 'Tiny', '',
          '{"a" * 64}', '{{}}', '{"0" * 64}', '{"0" * 64}', 'v1:{"0" * 64}', 1, 0);
        INSERT INTO suite_case VALUES (
          '{REVISION_ID}', 0, 1, '01990000-0000-7000-d000-000000000003', 'q1', 'text', 'match',
          NULL, NULL, false, true, '{{}}', 1, 1);
        INSERT INTO suite_case_target VALUES ('{REVISION_ID}', 0, 0, 1, 'd1');
        INSERT INTO suite_case_grade VALUES ('{REVISION_ID}', 0, 0, 1, 'd1', 2)
    """),
    "20260902_0013": _statements(f"""
        INSERT INTO restore_marker VALUES (
          '01990000-0000-7000-f000-000000000001', '{NOW}', 'a', '{"0" * 64}', '20260902_0010', '0',
          '{NOW}', 'finished', '[]', '{"0" * 64}')
    """),
    "20260902_0014": _statements(f"""
        INSERT INTO evaluation_publication (evaluation_id, project_id, suite_revision_id,
          client_id, credential_id, idempotency_key, body_digest, created_at) VALUES (
          '{EVALUATION_ID}', '{PROJECT_ID}', '{REVISION_ID}', '{CLIENT_ID}',
          '01990000-0000-7000-c000-000000000001', 'K1', '{"0" * 64}', '{NOW}')
    """),
    "20260903_0020": _statements(f"""
        INSERT INTO gateway_request VALUES (
          '{REQUEST_ID}', 'req_{"0" * 32}', 'rag.embedding@1',
          '01990000-0000-7000-c000-000000000001', '{CLIENT_ID}', '{PROJECT_ID}', '{BINDING_ID}',
          '01990000-0000-7000-e000-000000000007', '{DEPLOYMENT_ID}', 'texts', 1, 1, 'query',
          '{"0" * 64}', 'completed', 200, NULL, 1, 0, false, false, '{NOW}', '{NOW}');
        INSERT INTO gateway_attempt VALUES ('{REQUEST_ID}', 0, 0, 1, 0.5, 200, NULL)
    """),
    "20260909_0032": _statements(f"""
        INSERT INTO gateway_allowance VALUES ('{CLIENT_ID}', '{NOW}')
    """),
    "20260909_0033": _statements(f"""
        INSERT INTO deployment
          (id, created_at, name, active, version, project_id, artifact_id, runtime_id,
          upstream_model, embedding_identity, dimension, query_prefix, document_prefix,
          score_cutoff) VALUES (
          '{CANDIDATE_ID}', '{NOW}', 'large', true, 1, '{PROJECT_ID}', '{ARTIFACT_ID}',
          '{RUNTIME_ID}', NULL, 'e2', 768, '', '', NULL);
        INSERT INTO route
          (id, created_at, name, active, version, project_id, binding_id, kind, deployment_id)
          VALUES ('{TRIAL_ID}', '{NOW}', 'trial', true, 1, '{PROJECT_ID}', '{BINDING_ID}',
          'experiment', '{CANDIDATE_ID}');
        INSERT INTO comparison_intent VALUES (
          '{INTENT_ID}', '{NOW}', '{PROJECT_ID}', '{BINDING_ID}', '{CLIENT_ID}', '{REVISION_ID}',
          '{"0" * 64}', 1, '{"a" * 64}', '{"0" * 64}',
          '{DEPLOYMENT_ID}', 'r1', '{"0" * 64}', 'e1', 384, '{ROUTE_ID}', 'live', 'index-1', NULL,
          '{CANDIDATE_ID}', 'r1', '{"0" * 64}', 'e2', 768, '{TRIAL_ID}', 'trial', 'index-2', 0.5,
          '{"0" * 64}', 'K1', '{"0" * 64}', 'completed', 3, 1, 1, '{NOW}', '{NOW}', '{NOW}',
          '{NOW}', NULL, '{"0" * 64}', '{"0" * 64}', false);
        INSERT INTO comparison_leg VALUES (
          '{EVALUATION_ID}', '{INTENT_ID}', 'current', '{"0" * 64}');
        INSERT INTO comparison_request VALUES ('{PUBLIC_ID}', '{INTENT_ID}', 1, 'current', 0);
        INSERT INTO comparison_summary VALUES (
          '{INTENT_ID}', true, true, false, 1, 0, 0, '{{}}')
    """),
    "20260910_0040": _statements(f"""
        INSERT INTO practice (id, created_at, name, active, version, project_id) VALUES (
          '{PRACTICE_ID}', '{NOW}', 'grounded', true, 1, '{PROJECT_ID}');
        INSERT INTO practice_revision VALUES (
          '{PRACTICE_REVISION_ID}', '{PRACTICE_ID}', 1, '{NOW}', 'command_line', NULL,
          'rag.answer', 'Grounded', 'answers', 'criteria', '{"0" * 64}');
        INSERT INTO agent_job
          (id, created_at, project_id, idempotency_key, body_digest, artifact_kind, artifact_id,
          subject_id, cohort_kind, cohort, origin, submitted_snapshot, submitted_digest, state,
          attempt, available_at) VALUES (
          '{JOB_ID}', '{NOW}', '{PROJECT_ID}', 'k', '{"0" * 64}', 'rag.answer', 'a', 's', 'cases',
          'c', 'live', '{{}}', '{"0" * 64}', 'queued', 1, '{NOW}');
        INSERT INTO agent_job_practice VALUES ('{JOB_ID}', 1, '{PRACTICE_REVISION_ID}', true)
    """),
    "20260910_0041": _statements(f"""
        INSERT INTO review_attempt (job_id, attempt, ended_at, outcome) VALUES (
          '{JOB_ID}', 1, '{NOW}', 'cancelled');
        INSERT INTO job_transition
          (id, job_id, attempt, from_state, to_state, at, actor_kind) VALUES (
          '01990000-0000-7000-a100-000000000004', '{JOB_ID}', 1, NULL, 'queued', '{NOW}', 'hub');
        INSERT INTO llm_usage_event
          (id, source_type, source_id, attempt, model, calls, usage_source, pricing, occurred_at)
          VALUES ('01990000-0000-7000-a100-000000000005', 'agent_job', '{JOB_ID}', 1, 'm', 1,
          'none', 'unpriced', '{NOW}');
        INSERT INTO observation_admission VALUES (
          '{JOB_ID}', 1, '{"0" * 64}', 2, 1, 1, false, '{NOW}');
        INSERT INTO observation
          (id, agent_job_id, attempt, practice_revision_id, position, occurrence_key,
          recurrence_key, presence, created_at) VALUES (
          '{OBSERVATION_ID}', '{JOB_ID}', 1, '{PRACTICE_REVISION_ID}', 0, '{"0" * 64}',
          '{"0" * 64}', 'inconclusive', '{NOW}');
        INSERT INTO review_candidate_rejection VALUES ('{JOB_ID}', 1, 1, 'unknown_field')
    """),
    "20260910_0042": _statements(f"""
        INSERT INTO feedback
          (id, project_id, agent_job_id, recipient, channel, position, state, thread_key,
          created_at) VALUES (
          '{FEEDBACK_ID}', '{PROJECT_ID}', '{JOB_ID}', 'r', 'in_app', 0, 'prepared', '{"0" * 64}',
          '{NOW}');
        INSERT INTO feedback_observation VALUES ('{FEEDBACK_ID}', '{OBSERVATION_ID}', 'primary', 0);
        INSERT INTO feedback_placement (id, feedback_id, type, channel_reference, created_at)
          VALUES ('01990000-0000-7000-a100-000000000008', '{FEEDBACK_ID}', 'summary', 'c', '{NOW}');
        INSERT INTO feedback_dispatch (id, feedback_id, attempt, created_at) VALUES (
          '01990000-0000-7000-a100-000000000009', '{FEEDBACK_ID}', 1, '{NOW}');
        INSERT INTO reaction (id, feedback_id, reactor, explained, created_at) VALUES (
          '01990000-0000-7000-a100-000000000010', '{FEEDBACK_ID}', 'r', false, '{NOW}');
        INSERT INTO answer_acceptance
          (id, project_id, answer_id, accepted, by_kind, by_id, created_at) VALUES (
          '01990000-0000-7000-a100-000000000011', '{PROJECT_ID}', 'a', true, 'operator', 'o',
          '{NOW}')
    """),
    "20260910_0043": _statements(f"""
        INSERT INTO human_label VALUES (
          '01990000-0000-7000-a100-000000000012', '{PRACTICE_REVISION_ID}', 'cases', 'c', 'c1',
          'p1', 'good', '{NOW}', '{NOW}', 'command_line', NULL);
        INSERT INTO review_agreement VALUES (
          '01990000-0000-7000-a100-000000000013', '{PRACTICE_REVISION_ID}', '{"0" * 64}',
          '{"0" * 64}', '{"0" * 64}', 'cases', 'c', 1, 0, 0, 0, 0, 0, 1, 1, '{"0" * 64}',
          '{"0" * 64}', '{NOW}', 'operator', 'o');
        INSERT INTO review_waiver VALUES (
          '01990000-0000-7000-a100-000000000014', '{PRACTICE_REVISION_ID}', 'why', '{NOW}',
          'operator', 'o')
    """),
    "20260910_0044": _statements(f"""
        INSERT INTO evaluation_answer VALUES (
          '{EVALUATION_ID}', 0, '{"0" * 64}', 3, 'yes', 'p1', NULL)
    """),
    "20260912_0050": _statements(f"""
        INSERT INTO event VALUES (
          '{PROJECT_ID}', 'evt_1', '{NOW}', 'acct_1', 'r1', 'eval_1', 'v4', 'e2', 0.5, true, 10,
          NULL, NULL, NULL, NULL, NULL, 'the digest is of 32 bytes, these', NULL, '{NOW}');
        INSERT INTO event_rejection VALUES (
          '01990000-0000-7000-f000-000000000051', '{PROJECT_ID}', '{CLIENT_ID}', '{NOW}', 0,
          'invalid_event', 'grounded');
        INSERT INTO event_outbox VALUES (
          '01990000-0000-7000-f000-000000000052', '{PROJECT_ID}', 'evt_1', '1', '{NOW}');
        INSERT INTO event_delivery_batch VALUES (
          '01990000-0000-7000-f000-000000000053', 'files', '{NOW}', NULL);
        INSERT INTO event_delivery VALUES (
          'files', '01990000-0000-7000-f000-000000000052',
          '01990000-0000-7000-f000-000000000053')
    """),
    "20260912_0051": _statements(f"""
        INSERT INTO reviewed_answer VALUES (
          '{JOB_ID}', '{PROJECT_ID}', 'a', '{EVALUATION_ID}', NULL, NULL, NULL, 0, 'p1', false)
    """),
    # Indexes only.
    "20260914_0060": (),
    "20260914_0061": (),
}


def as_sql(engine: Engine, statement: str) -> str:
    """The statement with ids as bytes, which SQLite and PostgreSQL spell differently."""
    kind = "BLOB" if engine.dialect.name == "sqlite" else "BYTEA"
    return re.sub(
        r"'(q1|d1|text|the digest is of 32 bytes, these)'", rf"CAST('\1' AS {kind})", statement
    )

"""Which tables are there, and which rules does the database itself keep?

One module per noun. These are the tables of the newest schema; how a database gets there is the
business of ``migrations``, and a test compares the two. Every constraint and index has a name,
because errors of the driver are recognised by it (``store.errors``). Text that is sorted or
looked up is compared by bytes on both databases; ids and texts of questions and documents are
bytes (settled 3). No index covers such bytes: they have no upper limit, and an entry of a
PostgreSQL index has one.
"""

from __future__ import annotations

from evenhand.store.tables.access import audit_entry, credential
from evenhand.store.tables.answer import reviewed_answer
from evenhand.store.tables.base import (
    NAMING,
    SORTED_TEXT,
    metadata,
    stays_here,
    what_of,
    what_of_columns,
)
from evenhand.store.tables.bookkeeping import (
    OPEN_MARKER,
    restore_marker,
    retention_action,
    schema_lineage,
)
from evenhand.store.tables.decision import baseline, baseline_outcome, set_use
from evenhand.store.tables.evaluation import (
    evaluation,
    evaluation_outcome,
    evaluation_ranked_document,
    evaluation_ranking,
)
from evenhand.store.tables.event import (
    event,
    event_delivery,
    event_delivery_batch,
    event_outbox,
    event_rejection,
    instance_secret,
)
from evenhand.store.tables.feedback import (
    answer_acceptance,
    feedback,
    feedback_dispatch,
    feedback_observation,
    feedback_placement,
    reaction,
)
from evenhand.store.tables.gateway import gateway_allowance, gateway_attempt, gateway_request
from evenhand.store.tables.given_answer import evaluation_answer
from evenhand.store.tables.golden_set import (
    golden_holdout,
    golden_question,
    golden_set,
    golden_target,
)
from evenhand.store.tables.graded import (
    baseline_grade,
    baseline_relevance,
    evaluation_grade,
    evaluation_relevance,
    evaluation_score,
    golden_grade,
)
from evenhand.store.tables.grounding import human_label, review_agreement, review_waiver
from evenhand.store.tables.intent import (
    comparison_intent,
    comparison_leg,
    comparison_request,
    comparison_summary,
)
from evenhand.store.tables.practice import practice, practice_revision
from evenhand.store.tables.publication import evaluation_publication
from evenhand.store.tables.registry import (
    artifact,
    binding,
    deployment,
    project,
    route,
    runtime,
    service_client,
)
from evenhand.store.tables.review_attempt import (
    job_transition,
    llm_usage_event,
    review_attempt,
)
from evenhand.store.tables.review_finding import (
    observation,
    observation_admission,
    review_candidate_rejection,
)
from evenhand.store.tables.review_job import agent_job, agent_job_practice
from evenhand.store.tables.suite import (
    suite,
    suite_case,
    suite_case_grade,
    suite_case_target,
    suite_revision,
)

__all__ = [
    "NAMING",
    "OPEN_MARKER",
    "SORTED_TEXT",
    "agent_job",
    "agent_job_practice",
    "answer_acceptance",
    "artifact",
    "audit_entry",
    "baseline",
    "baseline_grade",
    "baseline_outcome",
    "baseline_relevance",
    "binding",
    "comparison_intent",
    "comparison_leg",
    "comparison_request",
    "comparison_summary",
    "credential",
    "deployment",
    "evaluation",
    "evaluation_answer",
    "evaluation_grade",
    "evaluation_outcome",
    "evaluation_publication",
    "evaluation_ranked_document",
    "evaluation_ranking",
    "evaluation_relevance",
    "evaluation_score",
    "event",
    "event_delivery",
    "event_delivery_batch",
    "event_outbox",
    "event_rejection",
    "feedback",
    "feedback_dispatch",
    "feedback_observation",
    "feedback_placement",
    "gateway_allowance",
    "gateway_attempt",
    "gateway_request",
    "golden_grade",
    "golden_holdout",
    "golden_question",
    "golden_set",
    "golden_target",
    "human_label",
    "instance_secret",
    "job_transition",
    "llm_usage_event",
    "metadata",
    "observation",
    "observation_admission",
    "practice",
    "practice_revision",
    "project",
    "reaction",
    "restore_marker",
    "retention_action",
    "review_agreement",
    "review_attempt",
    "review_candidate_rejection",
    "review_waiver",
    "reviewed_answer",
    "route",
    "runtime",
    "schema_lineage",
    "service_client",
    "set_use",
    "stays_here",
    "suite",
    "suite_case",
    "suite_case_grade",
    "suite_case_target",
    "suite_revision",
    "what_of",
    "what_of_columns",
]

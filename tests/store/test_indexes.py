"""No query of the store reads a table from end to end where an index could serve."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from evenhand.contracts.trusted import Window
from evenhand.core.gateway.listing import Wanted
from evenhand.core.gateway.request import RequestState, public_id
from evenhand.core.privacy import PrivacyLevel
from evenhand.core.retrieval.golden import QueryId
from evenhand.core.review.labels import LabelledCohort
from evenhand.core.review.states import CohortKind, JobState
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.store.uow import Database
from evenhand.usecases.ports import UnitOfWork
from evenhand.usecases.ports.browsing import EvaluationFilter
from tests.builders import START, a_set, row_id
from tests.review_builders import REVISION, identities
from tests.store.conftest import only_sqlite

Work = Callable[[UnitOfWork], object]

COHORT = LabelledCohort(practice_revision_id=REVISION, kind=CohortKind.CASES, name="release-1")

READS: dict[str, Work] = {
    "get": lambda uow: uow.evaluations.get(row_id(1)),
    "find_previous": lambda uow: uow.evaluations.find_previous("tiny", "fake", "grader"),
    "find_by_prefix": lambda uow: uow.evaluations.find_by_prefix("0199", 2),
    "list_latest": lambda uow: uow.evaluations.list_latest(
        set_identifier=None, retriever=None, limit=9
    ),
    "list_latest of a set": lambda uow: uow.evaluations.list_latest(
        set_identifier="tiny", retriever=None, limit=9
    ),
    "list_latest of a retriever": lambda uow: uow.evaluations.list_latest(
        set_identifier=None, retriever="fake", limit=9
    ),
    "get_outcomes": lambda uow: uow.evaluations.get_outcomes(row_id(1)),
    "get_rankings": lambda uow: uow.evaluations.get_rankings(row_id(1)),
    "get_details": lambda uow: uow.evaluations.get_details(row_id(1)),
    "find_active": lambda uow: uow.baselines.find_active("tiny", "fake"),
    "list_active": lambda uow: uow.baselines.list_active(),
    "history": lambda uow: uow.baselines.history(set_identifier=None, retriever=None, limit=9),
    "history of a set": lambda uow: uow.baselines.history(
        set_identifier="tiny", retriever=None, limit=9
    ),
    "count set uses": lambda uow: uow.set_uses.count("v1:x"),
    "latest set uses": lambda uow: uow.set_uses.list_latest("v1:x", 9),
    "golden set": lambda uow: uow.golden_sets.find("tiny"),
    "credential by digest": lambda uow: uow.credentials.find_by_digest("x"),
    "credential by reference": lambda uow: uow.credentials.find("ci"),
    "credentials": lambda uow: uow.credentials.list_all(with_ended=True),
    "page of credentials": lambda uow: uow.credentials.list_all(
        with_ended=True, limit=9, after=(START, row_id(1))
    ),
    "page of the audit": lambda uow: uow.audit.list_latest(limit=9, after=(START, row_id(1))),
    "project": lambda uow: uow.projects.find(row_id(1)),
    "project by name": lambda uow: uow.projects.find_named("shop"),
    "projects": lambda uow: uow.projects.list_latest(limit=9),
    "page of projects": lambda uow: uow.projects.list_latest(limit=9, after=(START, row_id(1))),
    "binding by name": lambda uow: uow.bindings.find_named("search", project_id=row_id(1)),
    "bindings of a project": lambda uow: uow.bindings.list_latest(project_id=row_id(1), limit=9),
    "service client in force": lambda uow: uow.service_clients.find_in_force(row_id(1)),
    "service clients of a binding": lambda uow: uow.service_clients.list_latest(
        binding_id=row_id(1), limit=9
    ),
    "artifacts": lambda uow: uow.artifacts.list_latest(limit=9),
    "runtimes": lambda uow: uow.runtimes.list_latest(limit=9),
    "deployments of a project": lambda uow: uow.deployments.list_latest(
        project_id=row_id(1), limit=9
    ),
    "active routes of a project": lambda uow: uow.routes.list_active(row_id(1)),
    "routes of a project": lambda uow: uow.routes.list_latest(project_id=row_id(1), limit=9),
    "latest audit": lambda uow: uow.audit.list_latest(limit=9),
    "audit of an object": lambda uow: uow.audit.list_latest(
        object_kind="credential", object_id=row_id(1), limit=9
    ),
    "suite": lambda uow: uow.suites.find(row_id(1)),
    "suites": lambda uow: uow.suites.list_latest(limit=9),
    "suite of a name": lambda uow: uow.suites.find_named("release", project_id=row_id(1)),
    "suites of a project": lambda uow: uow.suites.list_latest(project_id=row_id(1), limit=9),
    "revision": lambda uow: uow.suites.find_revision(row_id(1)),
    "revision by content": lambda uow: uow.suites.find_by_content(row_id(1), "x"),
    "revisions": lambda uow: uow.suites.list_revisions(row_id(1), limit=9),
    "number of revisions": lambda uow: uow.suites.count_revisions(row_id(1)),
    "cases": lambda uow: uow.suites.list_cases(row_id(1), after=-1, limit=9),
    "deployments by id": lambda uow: uow.deployments.find_all({row_id(1), row_id(2)}),
    "second page of routes": lambda uow: uow.routes.list_latest(
        project_id=row_id(1), binding_id=row_id(1), limit=9, offset=9
    ),
    "comparisons of a binding": lambda uow: uow.intents.list_latest(
        binding_id=row_id(1), limit=9, offset=0
    ),
    "evidence of a comparison": lambda uow: uow.intents.find_evidence(row_id(1)),
    "gateway request": lambda uow: uow.gateway_requests.find_by_public_id(public_id(bytes(16))),
    "requests": lambda uow: uow.gateway_requests.list_latest(Wanted(), limit=9),
    "page of requests": lambda uow: uow.gateway_requests.list_latest(
        Wanted(), limit=9, after=(START, row_id(1))
    ),
    "page of requests, back": lambda uow: uow.gateway_requests.list_latest(
        Wanted(), limit=9, before=(START, row_id(1))
    ),
    "requests of a client": lambda uow: uow.gateway_requests.list_latest(
        Wanted(client_id=row_id(1)), limit=9
    ),
    "requests of a deployment": lambda uow: uow.gateway_requests.list_latest(
        Wanted(deployment_id=row_id(1)), limit=9
    ),
    "failed requests": lambda uow: uow.gateway_requests.list_latest(
        Wanted(state=RequestState.FAILED, since=START), limit=9
    ),
    "completed requests": lambda uow: uow.gateway_requests.list_latest(
        Wanted(state=RequestState.COMPLETED), limit=9
    ),
    "reviews": lambda uow: uow.review_jobs.list_latest(limit=9),
    "reviews of a project": lambda uow: uow.review_jobs.list_latest(
        project_id=row_id(1), limit=9, after=(START, row_id(1))
    ),
    "rows of rates": lambda uow: list(uow.review_rates.iterate_rows(row_id(1))),
    "rows of a stratum": lambda uow: list(
        uow.review_rates.iterate_rows(row_id(1), of_stratum=identities())
    ),
    "labels of a cohort": lambda uow: uow.grounding.list_labels(COHORT),
    "agreements": lambda uow: uow.grounding.list_agreements(row_id(1)),
    "page of waivers": lambda uow: uow.grounding.list_waivers(
        row_id(1), limit=9, after=(START, row_id(1))
    ),
    "running reviews": lambda uow: uow.review_jobs.list_latest(state=JobState.RUNNING, limit=9),
    "audit of a kind": lambda uow: uow.audit.list_latest(
        object_kind="credential", limit=9, before=(START, row_id(1))
    ),
    "audit of an actor": lambda uow: uow.audit.list_latest(actor_id=row_id(1), limit=9),
    "entry of the audit": lambda uow: uow.audit.find(row_id(1)),
    "refused events": lambda uow: uow.events.count_rejections(Window(start=START, end=START)),
    "any event": lambda uow: uow.events.has_any(),
    "target of a client": lambda uow: uow.gateway_targets.list_for_client(row_id(1), "live"),
    "target of a project": lambda uow: uow.gateway_targets.list_for_all("live", of="shop"),
    "page of evaluations": lambda uow: uow.evaluation_pages.list_newest(
        EvaluationFilter(), limit=9, after=None
    ),
    "oldest evaluations": lambda uow: uow.evaluation_pages.list_oldest(
        EvaluationFilter(), limit=9, after=None
    ),
    "evaluations of a benchmark": lambda uow: uow.evaluation_pages.list_newest(
        EvaluationFilter(benchmark="v1:x"), limit=9, after=None
    ),
    "sets with evaluations": lambda uow: uow.evaluation_pages.list_set_identifiers(9),
    "retrievers with evaluations": lambda uow: uow.evaluation_pages.list_retrievers(9),
    "rankings at positions": lambda uow: uow.evaluation_pages.list_rankings_at(row_id(1), [0, 2]),
    "baseline of a series": lambda uow: uow.evaluation_pages.find_baseline("tiny", "fake"),
    "set without questions": lambda uow: uow.golden_set_pages.find_entry("tiny"),
    "page of questions": lambda uow: uow.golden_set_pages.list_questions(
        "tiny", after=-1, limit=9
    ),
    "question ids at positions": lambda uow: uow.golden_set_pages.find_ids_at("tiny", [0, 2]),
    "questions by id": lambda uow: uow.golden_set_pages.find_questions("tiny", [QueryId(b"q1")]),
    "models of a client": lambda uow: uow.gateway_targets.list_models_of_client(row_id(1)),
}
WRITES: dict[str, Work] = {
    "purge": lambda uow: uow.evaluations.purge(before=START, category="evaluation", actor="t"),
    "delete": lambda uow: uow.evaluations.delete(row_id(1), actor="t"),
    "allowance of a client": lambda uow: uow.gateway_allowances.save(row_id(1), START),
    "purge of reviews": lambda uow: uow.review_retention.delete_older(
        START, row_id=row_id(1), at=START, actor="t"
    ),
    "reviews of a project that go": lambda uow: uow.review_retention.delete_project(
        row_id(1), row_id=row_id(1), at=START, actor="t"
    ),
    "delete a set": lambda uow: uow.golden_sets.delete("tiny"),
}
#: A walk along an index in its order ends with the page, so it is no walk over the table.
IN_ORDER = (
    "USING INDEX ix_evaluation_time",
    "USING INDEX ix_baseline_time",
    "USING INDEX ix_credential_time",
    "USING INDEX ix_audit_entry_time",
    "USING COVERING INDEX ix_event_time",
    "USING INDEX ix_gateway_request_time",
    "USING INDEX ix_agent_job_time",
    "USING INDEX ix_project_time",
    "USING INDEX ix_artifact_time",
    "USING INDEX ix_runtime_time",
    "USING INDEX ix_suite_time",
)
#: What was found is small: the steps from one value of an index to the next, the ids up to a page.
OF_STEPS = ("SCAN step", "SCAN (subquery", "SCAN anon_")
#: The distinct pairs at the front of an index; it has a few rows for each retriever.
OF_PAIRS = "USING COVERING INDEX ix_baseline_series"


@contextmanager
def explained() -> Iterator[list[str]]:
    """Collects SQLite's plan of each statement that any engine executes in the block."""
    plans: list[str] = []

    def explain(
        connection: sa.Connection, cursor: Any, statement: str, parameters: Any, *_: object
    ) -> None:
        if statement.startswith(("SELECT", "WITH", "DELETE", "UPDATE")):
            plan = connection.connection.cursor()
            plan.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)
            plans.extend(str(row[3]) for row in plan.fetchall())
        del cursor

    sa.event.listen(Engine, "before_cursor_execute", explain)
    try:
        yield plans
    finally:
        sa.event.remove(Engine, "before_cursor_execute", explain)


def scans(plans: list[str]) -> list[str]:
    served = (*IN_ORDER, OF_PAIRS)
    return [
        line
        for line in plans
        if line.startswith("SCAN")
        and not line.startswith(OF_STEPS)
        and not any(index in line for index in served)
    ]


@pytest.fixture
def filled(add: Callable[..., EvaluationRecord], database: Database, engine: Engine) -> Database:
    add(privacy=PrivacyLevel.FULL, rankings=())
    database.run(lambda uow: uow.golden_sets.save(a_set(), imported_at=START))
    with engine.begin() as connection:
        connection.exec_driver_sql("ANALYZE")
    return database


@only_sqlite
@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_a_read_uses_an_index(filled: Database, read: Work) -> None:
    with explained() as plans:
        filled.read(read)
    assert plans
    assert scans(plans) == []


@only_sqlite
@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_a_deletion_uses_an_index(filled: Database, write: Work) -> None:
    with explained() as plans:
        filled.run(write)
    assert plans
    assert scans(plans) == []


@only_sqlite
def test_the_test_notices_a_scan(filled: Database, engine: Engine) -> None:
    del filled
    with explained() as plans, engine.connect() as connection:
        connection.execute(sa.text("SELECT * FROM evaluation WHERE release = 'x'"))
    assert scans(plans) == ["SCAN evaluation"]

"""What is one transaction, and how does a use case get to run in one?"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import cached_property, partial
from typing import Final, TypeVar

from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import DBAPIError

from evenhand.core.errors import EvenhandError
from evenhand.core.registry.artifact import Artifact
from evenhand.core.registry.binding import Binding
from evenhand.core.registry.deployment import Deployment
from evenhand.core.registry.project import Project
from evenhand.core.registry.runtime import Runtime
from evenhand.store.answers import SqlAnswers
from evenhand.store.audit import SqlAudit
from evenhand.store.baselines import SqlBaselines
from evenhand.store.credentials import SqlCredentials
from evenhand.store.engine import STATEMENT_SECONDS, create_engine, reading, wipe_log, writing
from evenhand.store.errors import is_transient, translate
from evenhand.store.evaluation_pages import SqlEvaluationPages
from evenhand.store.evaluations import SqlEvaluations
from evenhand.store.event_outbox import SqlEventOutbox
from evenhand.store.event_retention import SqlEventRetention
from evenhand.store.events import SqlEvents
from evenhand.store.gateway_allowances import SqlGatewayAllowances
from evenhand.store.gateway_requests import SqlGatewayRequests
from evenhand.store.gateway_targets import SqlGatewayTargets
from evenhand.store.glances import Glances
from evenhand.store.golden_pages import SqlGoldenSetPages
from evenhand.store.golden_sets import SqlGoldenSets
from evenhand.store.instance_secrets import SqlInstanceSecrets
from evenhand.store.intents import SqlIntents
from evenhand.store.publications import SqlPublications
from evenhand.store.readers import readers_of
from evenhand.store.registry.artifacts import artifacts_in
from evenhand.store.registry.bindings import bindings_in
from evenhand.store.registry.deployments import deployments_in
from evenhand.store.registry.practices import SqlPractices
from evenhand.store.registry.projects import projects_in
from evenhand.store.registry.registered import SqlRegistered
from evenhand.store.registry.routes import SqlRoutes
from evenhand.store.registry.runtimes import runtimes_in
from evenhand.store.registry.service_clients import SqlServiceClients
from evenhand.store.registry.suites import SqlSuites
from evenhand.store.review_retention import SqlReviewRetention
from evenhand.store.reviews.answers import SqlReviewedAnswers
from evenhand.store.reviews.feedback import SqlFeedback
from evenhand.store.reviews.grounding import SqlGrounding
from evenhand.store.reviews.jobs import SqlReviewJobs
from evenhand.store.reviews.observations import SqlObservations
from evenhand.store.reviews.rates import SqlReviewRates
from evenhand.store.scores import SqlScores
from evenhand.store.set_uses import SqlSetUses
from evenhand.store.times import SharedTime, time_of
from evenhand.usecases.ports import Clock, Ids, Refused, UnitOfWork

T = TypeVar("T")

#: How often work is begun before a deadlock or serialisation failure is reported.
ATTEMPTS: Final = 5


class SqlUnitOfWork:
    """One open transaction and the repositories inside it; implements `ports.UnitOfWork`.

    Args:
        connection: in a transaction.
        now: tells the time, aware UTC.
        ids: where row ids come from.
    """

    def __init__(self, connection: Connection, *, now: Callable[[], datetime], ids: Ids) -> None:
        self._connection = connection
        self._now = now
        self._evaluations = SqlEvaluations(connection, now=self.now, new_id=ids.new)
        self._publications = SqlPublications(connection)
        self._gateway_requests = SqlGatewayRequests(connection, now=self.now, new_id=ids.new)
        self._golden_sets = SqlGoldenSets(connection)
        self._baselines = SqlBaselines(connection)
        self._set_uses = SqlSetUses(connection)
        self._scores = SqlScores(connection)
        self._credentials = SqlCredentials(connection)
        self._audit = SqlAudit(connection)
        self._event_retention = SqlEventRetention(connection)
        self._review_retention = SqlReviewRetention(connection)

    @property
    def evaluations(self) -> SqlEvaluations:
        """Stored evaluations."""
        return self._evaluations

    @property
    def evaluation_pages(self) -> SqlEvaluationPages:
        """Stored evaluations, a page at a time."""
        return SqlEvaluationPages(self._connection)

    @property
    def golden_set_pages(self) -> SqlGoldenSetPages:
        """Imported golden sets, a page at a time."""
        return SqlGoldenSetPages(self._connection)

    @property
    def publications(self) -> SqlPublications:
        """How evaluations came over the network."""
        return self._publications

    @property
    def golden_sets(self) -> SqlGoldenSets:
        """Imported golden sets."""
        return self._golden_sets

    @property
    def baselines(self) -> SqlBaselines:
        """Pinned baselines."""
        return self._baselines

    @property
    def set_uses(self) -> SqlSetUses:
        """For which decisions sets were used."""
        return self._set_uses

    @property
    def answers(self) -> SqlAnswers:
        """Answers beside evaluations."""
        return SqlAnswers(self._connection)

    @property
    def scores(self) -> SqlScores:
        """Graded values of evaluations."""
        return self._scores

    @property
    def credentials(self) -> SqlCredentials:
        """Who may call."""
        return self._credentials

    @property
    def audit(self) -> SqlAudit:
        """What was changed, when and by whom."""
        return self._audit

    @property
    def projects(self) -> SqlRegistered[Project]:
        """Who owns what is registered."""
        return projects_in(self._connection)

    @property
    def bindings(self) -> SqlRegistered[Binding]:
        """What projects use."""
        return bindings_in(self._connection)

    @property
    def service_clients(self) -> SqlServiceClients:
        """Which programs may call."""
        return SqlServiceClients(self._connection)

    @property
    def artifacts(self) -> SqlRegistered[Artifact]:
        """The contents of models, as they are stated."""
        return artifacts_in(self._connection)

    @property
    def runtimes(self) -> SqlRegistered[Runtime]:
        """What carries models out."""
        return runtimes_in(self._connection)

    @property
    def deployments(self) -> SqlRegistered[Deployment]:
        """Which models serve a project."""
        return deployments_in(self._connection)

    @property
    def routes(self) -> SqlRoutes:
        """Under which names they answer."""
        return SqlRoutes(self._connection)

    @property
    def suites(self) -> SqlSuites:
        """Suites and their revisions."""
        return SqlSuites(self._connection)

    @property
    def gateway_targets(self) -> SqlGatewayTargets:
        """What can be called through the gateway."""
        return SqlGatewayTargets(self._connection)

    @property
    def gateway_allowances(self) -> SqlGatewayAllowances:
        """What clients with a limit may still ask of it."""
        return SqlGatewayAllowances(self._connection)

    @property
    def gateway_requests(self) -> SqlGatewayRequests:
        """What was called through it."""
        return self._gateway_requests

    @property
    def practices(self) -> SqlPractices:
        """Practices and their revisions."""
        return SqlPractices(self._connection)

    @property
    def review_jobs(self) -> SqlReviewJobs:
        """Reviews, and what stays of them."""
        return SqlReviewJobs(self._connection)

    @property
    def observations(self) -> SqlObservations:
        """What reviews found."""
        return SqlObservations(self._connection)

    @property
    def feedback(self) -> SqlFeedback:
        """What was composed from it, and what came back."""
        return SqlFeedback(self._connection)

    @property
    def reviewed_answers(self) -> SqlReviewedAnswers:
        """To which runs reviewed answers belong."""
        return SqlReviewedAnswers(self._connection)

    @property
    def review_rates(self) -> SqlReviewRates:
        """The rows that rates count."""
        return SqlReviewRates(self._connection)

    @property
    def review_retention(self) -> SqlReviewRetention:
        """Takes reviews away."""
        return self._review_retention

    @property
    def grounding(self) -> SqlGrounding:
        """By what findings may be told as grounded."""
        return SqlGrounding(self._connection)

    @property
    def intents(self) -> SqlIntents:
        """Selected model comparisons."""
        return SqlIntents(self._connection)

    @property
    def events(self) -> SqlEvents:
        """Events of the analytics contract."""
        return SqlEvents(self._connection)

    @property
    def event_outbox(self) -> SqlEventOutbox:
        """Emitted events on their way to sinks."""
        return SqlEventOutbox(self._connection)

    @property
    def event_retention(self) -> SqlEventRetention:
        """Takes events away."""
        return self._event_retention

    @property
    def instance_secrets(self) -> SqlInstanceSecrets:
        """Secrets of this installation."""
        return SqlInstanceSecrets(self._connection)

    @property
    def has_deleted(self) -> bool:
        """Whether rows were taken away in this transaction."""
        deleting = (
            self._evaluations,
            self._gateway_requests,
            self._golden_sets,
            self._event_retention,
            self._review_retention,
        )
        return any(one.has_deleted for one in deleting)

    def now(self) -> datetime:
        """The time now, aware UTC: the server's on PostgreSQL, else the process's.

        Several processes on one PostgreSQL must agree, so none of their clocks counts.
        """
        return self._now()


class Database:
    """Runs work in transactions of one database; implements `ports.UnitOfWorkRunner`.

    Args:
        engine: of `store.engine.create_engine`, on a database that is ready.
        clock: the process's clock.
        ids: where row ids come from.
    """

    def __init__(self, engine: Engine, *, clock: Clock, ids: Ids) -> None:
        self._engine = engine
        self._clock = clock
        self._ids = ids
        self._glances = Glances(engine, self.unit_of_work)

    @property
    def engine(self) -> Engine:
        """What connects to the database."""
        return self._engine

    def unit_of_work(
        self, connection: Connection, time: SharedTime | None = None
    ) -> SqlUnitOfWork:
        """The repositories over a connection that is in a transaction.

        Args:
            connection: in a transaction.
            time: of the transaction, where others share it; None for whoever has it alone.
        """
        now = partial(time_of, connection, self._clock) if time is None else time.now
        return SqlUnitOfWork(connection, now=now, ids=self._ids)

    def shared_time(self, connection: Connection) -> SharedTime:
        """The time for all functions of a transaction that has just begun."""
        return SharedTime(connection, self._clock)

    def run(self, work: Callable[[UnitOfWork], T | Refused]) -> T:
        """Result of ``work`` once it is committed; whatever it raises rolls everything back.

        What it refuses is committed, then raised. On PostgreSQL a deadlock or serialisation
        failure rolls back and runs ``work`` again, so it must not keep what it read in an
        earlier attempt.

        Raises:
            ConstraintRefused: a constraint or a guard refused a write.
            DatabaseUnavailable: the database is locked, gone or damaged; with the code
                ``outcome_unknown`` the connection was lost while committing.
        """
        for attempt in range(1, ATTEMPTS + 1):
            failure: EvenhandError
            try:
                with writing(self._engine) as connection:
                    uow = self.unit_of_work(connection)
                    result = work(uow)
            except DBAPIError as error:
                if is_transient(error) and attempt < ATTEMPTS:
                    continue
                failure = translate(error, self._engine.url)
            else:
                if uow.has_deleted:
                    wipe_log(self._engine)
                return answered(result)
            # Outside the block: an error of ours must not carry the driver's as its context.
            raise failure
        raise AssertionError("unreachable: the last attempt returns or raises")

    def read(self, work: Callable[[UnitOfWork], T]) -> T:
        """Result of ``work``, which sees one state of the database and can change nothing.

        Raises:
            DatabaseUnavailable: the database is locked, gone or damaged.
        """
        try:
            with reading(self._readers) as connection:
                return work(self.unit_of_work(connection))
        except DBAPIError as error:
            failure = translate(error, self._engine.url)
        raise failure

    def glance(self, work: Callable[[UnitOfWork], T]) -> T:
        """Result of ``work``, which looks up a few rows, in this thread and without a wait.

        Raises:
            NotAtHand: it would have to be waited for, or the database is on a server.
        """
        return self._glances.read(work)

    def close(self) -> None:
        """Close every connection."""
        self._glances.close()
        self._engine.dispose()
        self._readers.dispose()

    @cached_property
    def _readers(self) -> Engine:
        return readers_of(self._engine)


def answered(result: T | Refused) -> T:
    """What a use case gave, once it is committed; a refusal that left its trace is raised."""
    if isinstance(result, Refused):
        raise result.error
    return result


def open_database(url: str, *, clock: Clock, ids: Ids) -> Database:
    """The runner of a database that is ready (`store.migrate.ensure_ready` makes it so).

    Raises:
        InvalidSetting: not a URL of a database that Evenhand knows.
        MissingExtra: the driver is not installed.
    """
    engine = create_engine(url, statement_seconds=STATEMENT_SECONDS)
    return Database(engine, clock=clock, ids=ids)

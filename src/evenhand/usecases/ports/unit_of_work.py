"""What is a transaction, and who runs one?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar

from evenhand.core.errors import EvenhandError
from evenhand.core.registry.artifact import Artifact
from evenhand.core.registry.binding import Binding
from evenhand.core.registry.deployment import Deployment
from evenhand.core.registry.project import Project
from evenhand.core.registry.runtime import Runtime
from evenhand.usecases.ports.access import AuditRepository, CredentialRepository
from evenhand.usecases.ports.browsing import EvaluationPages, GoldenSetPages
from evenhand.usecases.ports.comparison import IntentRepository
from evenhand.usecases.ports.evaluation import (
    AnswerRepository,
    BaselineRepository,
    EvaluationRepository,
    GoldenSetRepository,
    PublicationRepository,
    ScoreRepository,
    SetUseRepository,
)
from evenhand.usecases.ports.event import (
    EventOutboxRepository,
    EventRepository,
    EventRetention,
    InstanceSecretRepository,
)
from evenhand.usecases.ports.registry import (
    GatewayAllowanceRepository,
    GatewayRequestRepository,
    GatewayTargetRepository,
    RegisteredRepository,
    RouteRepository,
    ServiceClientRepository,
    SuiteRepository,
)
from evenhand.usecases.ports.reviews import (
    FeedbackRepository,
    GroundingRepository,
    ObservationRepository,
    PracticeRepository,
    ReviewedAnswerRepository,
    ReviewJobRepository,
    ReviewRateRepository,
    ReviewRetention,
)

T = TypeVar("T")


class UnitOfWork(Protocol):
    """One open transaction and the repositories inside it."""

    @property
    def evaluations(self) -> EvaluationRepository:
        """Stored evaluations."""

    @property
    def evaluation_pages(self) -> EvaluationPages:
        """Stored evaluations, a page at a time."""

    @property
    def golden_set_pages(self) -> GoldenSetPages:
        """Imported golden sets, a page at a time."""

    @property
    def publications(self) -> PublicationRepository:
        """How evaluations came over the network."""

    @property
    def golden_sets(self) -> GoldenSetRepository:
        """Imported golden sets."""

    @property
    def baselines(self) -> BaselineRepository:
        """Pinned baselines."""

    @property
    def set_uses(self) -> SetUseRepository:
        """For which decisions sets were used."""

    @property
    def answers(self) -> AnswerRepository:
        """Answers beside evaluations."""

    @property
    def scores(self) -> ScoreRepository:
        """Graded values of evaluations."""

    @property
    def credentials(self) -> CredentialRepository:
        """Who may call."""

    @property
    def audit(self) -> AuditRepository:
        """What was changed, when and by whom."""

    @property
    def projects(self) -> RegisteredRepository[Project]:
        """Who owns what is registered."""

    @property
    def bindings(self) -> RegisteredRepository[Binding]:
        """What projects use."""

    @property
    def service_clients(self) -> ServiceClientRepository:
        """Which programs may call."""

    @property
    def artifacts(self) -> RegisteredRepository[Artifact]:
        """The contents of models, as they are stated."""

    @property
    def runtimes(self) -> RegisteredRepository[Runtime]:
        """What carries models out."""

    @property
    def deployments(self) -> RegisteredRepository[Deployment]:
        """Which models serve a project."""

    @property
    def routes(self) -> RouteRepository:
        """Under which names they answer."""

    @property
    def suites(self) -> SuiteRepository:
        """Suites and their revisions."""

    @property
    def gateway_targets(self) -> GatewayTargetRepository:
        """What can be called through the gateway."""

    @property
    def gateway_allowances(self) -> GatewayAllowanceRepository:
        """What clients with a limit may still ask of it."""

    @property
    def gateway_requests(self) -> GatewayRequestRepository:
        """What was called through it."""

    @property
    def practices(self) -> PracticeRepository:
        """Practices and their revisions."""

    @property
    def review_jobs(self) -> ReviewJobRepository:
        """Reviews, and what stays of them."""

    @property
    def observations(self) -> ObservationRepository:
        """What reviews found."""

    @property
    def feedback(self) -> FeedbackRepository:
        """What was composed from it, and what came back."""

    @property
    def reviewed_answers(self) -> ReviewedAnswerRepository:
        """To which runs reviewed answers belong."""

    @property
    def review_rates(self) -> ReviewRateRepository:
        """The rows that rates count."""

    @property
    def review_retention(self) -> ReviewRetention:
        """Takes reviews away."""

    @property
    def grounding(self) -> GroundingRepository:
        """By what findings may be told as grounded."""

    @property
    def intents(self) -> IntentRepository:
        """Selected model comparisons."""

    @property
    def events(self) -> EventRepository:
        """Events of the analytics contract."""

    @property
    def event_outbox(self) -> EventOutboxRepository:
        """Emitted events on their way to sinks."""

    @property
    def event_retention(self) -> EventRetention:
        """Takes events away."""

    @property
    def instance_secrets(self) -> InstanceSecretRepository:
        """Secrets of this installation."""

    def now(self) -> datetime:
        """The time that this transaction uses: the database's, aware UTC."""


@dataclass(frozen=True, slots=True)
class Refused:
    """What a use case gives instead of a result when its refusal has to leave a trace.

    What it wrote is committed; then whoever ran it gets the error raised.

    Attributes:
        error: why it is refused.

    Source: settled 10.
    """

    error: EvenhandError


class UnitOfWorkRunner(Protocol):
    """Begins, calls, commits; or rolls everything back."""

    def run(self, work: Callable[[UnitOfWork], T | Refused]) -> T:
        """Result of ``work`` once it is committed; what it refused is raised then."""

    def read(self, work: Callable[[UnitOfWork], T]) -> T:
        """Result of ``work``, which changes nothing."""

    def close(self) -> None:
        """Give up what is held open; nothing runs afterwards."""


class NotAtHand(Exception):
    """What was asked for cannot be read without a wait."""


class SharedRunner(UnitOfWorkRunner, Protocol):
    """The same where many write at once, and some of them wait in an event loop."""

    def glance(self, work: Callable[[UnitOfWork], T]) -> T:
        """Result of ``work``, which looks up a few rows, where that takes microseconds.

        Raises:
            NotAtHand: it would have to be waited for; `read` says why, or waits.
        """

    async def run_async(
        self, work: Callable[[UnitOfWork], T | Refused], *, only_adds: bool = False
    ) -> T:
        """Result of ``work`` once it is committed, as `run`; the event loop goes on meanwhile.

        Args:
            work: as of `run`.
            only_adds: whether it does nothing but add requests to the gateway.
        """

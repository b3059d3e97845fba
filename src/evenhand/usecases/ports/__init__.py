"""What do the use cases need of the outside? Protocols; store and adapters implement them."""

from __future__ import annotations

from evenhand.usecases.ports.access import (
    AuditRepository,
    CredentialRepository,
)
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
    EventSink,
    InstanceSecretRepository,
)
from evenhand.usecases.ports.network import (
    CallAbandoned,
    Ending,
    GatewayTelemetry,
    HubAnswer,
    ResultHub,
    Upstreams,
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
from evenhand.usecases.ports.results import ResultEmitter
from evenhand.usecases.ports.retriever import (
    BatchRetriever,
    DerivesLabels,
    QueryIdRetriever,
    Retriever,
    ScoredRetriever,
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
from evenhand.usecases.ports.system import (
    Clock,
    Ids,
    Progress,
    Secrets,
)
from evenhand.usecases.ports.unit_of_work import (
    NotAtHand,
    Refused,
    SharedRunner,
    UnitOfWork,
    UnitOfWorkRunner,
)

__all__ = [
    "AnswerRepository",
    "AuditRepository",
    "BaselineRepository",
    "BatchRetriever",
    "CallAbandoned",
    "Clock",
    "CredentialRepository",
    "DerivesLabels",
    "Ending",
    "EvaluationRepository",
    "EventOutboxRepository",
    "EventRepository",
    "EventRetention",
    "EventSink",
    "FeedbackRepository",
    "GatewayAllowanceRepository",
    "GatewayRequestRepository",
    "GatewayTargetRepository",
    "GatewayTelemetry",
    "GoldenSetRepository",
    "GroundingRepository",
    "HubAnswer",
    "Ids",
    "InstanceSecretRepository",
    "IntentRepository",
    "NotAtHand",
    "ObservationRepository",
    "PracticeRepository",
    "Progress",
    "PublicationRepository",
    "QueryIdRetriever",
    "Refused",
    "RegisteredRepository",
    "ResultEmitter",
    "ResultHub",
    "Retriever",
    "ReviewJobRepository",
    "ReviewRateRepository",
    "ReviewRetention",
    "ReviewedAnswerRepository",
    "RouteRepository",
    "ScoreRepository",
    "ScoredRetriever",
    "Secrets",
    "ServiceClientRepository",
    "SetUseRepository",
    "SharedRunner",
    "SuiteRepository",
    "UnitOfWork",
    "UnitOfWorkRunner",
    "Upstreams",
]

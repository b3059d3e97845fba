"""What do the use cases need of the outside? Protocols; store and adapters implement them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar, runtime_checkable

from evenhand.core.access.audit import AuditEntry
from evenhand.core.access.credential import Credential
from evenhand.core.comparison.pinned import PinnedBaseline
from evenhand.core.comparison.set_use import SetUse, SetUseCounts
from evenhand.core.errors import EvenhandError
from evenhand.core.gateway.call import Model, Reply, Target
from evenhand.core.gateway.circuit import Circuit
from evenhand.core.gateway.inputs import Purpose
from evenhand.core.gateway.request import GatewayRequest
from evenhand.core.registry.artifact import Artifact
from evenhand.core.registry.binding import Binding
from evenhand.core.registry.deployment import Deployment
from evenhand.core.registry.project import Project
from evenhand.core.registry.registered import Registered
from evenhand.core.registry.route import Route
from evenhand.core.registry.runtime import Runtime
from evenhand.core.registry.service_client import ServiceClient
from evenhand.core.registry.suite import Suite
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.core.retrieval.ranking import StoredRanking
from evenhand.core.retrieval.suite_revision import FrozenSuite, SuiteCase, SuiteRevision
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.core.scoring.graded import StoredScore
from evenhand.core.scoring.outcome import Outcome
from evenhand.core.scoring.protocols import HitCounts
from evenhand.core.scoring.publication import Publication

T = TypeVar("T")
Kept = TypeVar("Kept", bound=Registered)


@runtime_checkable
class Retriever(Protocol):
    """A retrieval step under test.

    May also have ``retrieve_scored(question, limit)`` (pairs of id and finite score, best first),
    ``retrieve_many(questions, limit)`` (one list per question, in their order) and
    ``get_retrieval_provenance()`` (what was run; see `core.identity.provenance`).

    Source: statements BP-07, BP-08, P-04.
    """

    @property
    def identifier(self) -> str:
        """Name under which results are stored: UTF-8, not empty, without NUL."""

    def retrieve(self, question: str, limit: int) -> Sequence[str | bytes]:
        """Document ids, best first.

        Args:
            question: the text that is asked; bytes that are not UTF-8 are surrogates.
            limit: how many results are read, at least 1; of a longer list the first ones.

        Returns:
            Text or bytes, in an order of its own: a list, a tuple, an array or a generator, no
            set, mapping or coroutine. One id per chunk may repeat: the first occurrence counts.
            Empty means that nothing answers.

        Raises:
            Exception: any error makes the question a failed one; its class is kept, not its text.
        """


@runtime_checkable
class ScoredRetriever(Protocol):
    """A retriever that also gives scores."""

    def retrieve_scored(self, question: str, limit: int) -> Sequence[tuple[str | bytes, float]]:
        """Pairs of document id and finite score, best first."""


@runtime_checkable
class BatchRetriever(Protocol):
    """A retriever that answers several questions in one call."""

    def retrieve_many(
        self, questions: Sequence[str], limit: int
    ) -> Sequence[Sequence[str | bytes]]:
        """One list of document ids per question, in the order of the questions."""


@runtime_checkable
class QueryIdRetriever(Protocol):
    """Rankings that are looked up by query id, such as those of a TREC run file."""

    def retrieve_for(self, query_id: bytes, question: str, limit: int) -> Sequence[str | bytes]:
        """Document ids of that query, best first, at most ``limit``."""


class DerivesLabels:
    """A retriever of Evenhand's own: the labels it declares are digests of what it runs.

    No protocol: nobody has this by chance of a name.

    Attributes:
        labels_derived: False where what it is made of declares labels of somebody else.
        corpus_digested: whether at least its corpus label is a digest that Evenhand made of a
            corpus or manifest that somebody named.
    """

    labels_derived: bool = True
    corpus_digested: bool = False


class Clock(Protocol):
    """What time it is."""

    def now(self) -> datetime:
        """Aware UTC."""

    def monotonic(self) -> float:
        """Seconds on a clock that never goes back, for durations only."""


class Ids(Protocol):
    """Where row ids come from."""

    def new(self) -> str:
        """A UUIDv7 as text."""


class Secrets(Protocol):
    """Where the random part of a token comes from."""

    def new(self) -> bytes:
        """32 bytes that nobody can guess (`core.access.credential.SECRET_BYTES`)."""


class Upstreams(Protocol):
    """What answers for deployments; the one port that is async."""

    async def post(self, target: Target, content: bytes, *, limit: int) -> Reply:
        """What a deployment's server answers to a body, in at most so many bytes."""

    async def embed(self, target: Target, texts: Sequence[str], purpose: Purpose) -> Reply:
        """What a deployment's embedder in this process gives for some texts."""

    def circuits(self) -> Mapping[str, Circuit]:
        """The circuit of each deployment that was called, by its id."""

    async def close(self) -> None:
        """Give up what is held open."""


class Progress(Protocol):
    """Who hears how far long work has come."""

    def advance(self, done: int) -> None:
        """So many more units are done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HubAnswer:
    """What a hub says of a result that was sent to it.

    Attributes:
        evaluation_id: of the hub.
        is_new: whether this call stored it; else it was there.
        state: of its verdict against the one that was sent before it.
        reasons: codes of the verdict's reasons; empty where the two are comparable.
        previous_id: the one before, None where there is none.
    """

    evaluation_id: str
    is_new: bool
    state: str
    reasons: tuple[str, ...]
    previous_id: str | None


class ResultHub(Protocol):
    """A hub that results are sent to."""

    def publish(self, body: bytes) -> HubAnswer:
        """Send one result; raises HubRefused, HubUnavailable."""

    def close(self) -> None:
        """End the connections."""


class EvaluationRepository(Protocol):
    """Stored evaluations: aggregates for all, outcomes from ``metadata`` up."""

    def add(
        self,
        record: EvaluationRecord,
        *,
        outcomes: tuple[Outcome, ...] | None,
        rankings: tuple[StoredRanking, ...] | None,
        details: str | None,
    ) -> None:
        """Insert one evaluation with what its privacy level keeps."""

    def get(self, evaluation_id: str) -> EvaluationRecord:
        """One evaluation; raises EvaluationNotFound."""

    def find_previous(
        self, set_identifier: str, retriever: str, grader: str
    ) -> EvaluationRecord | None:
        """The latest stored evaluation of a series, by time then id."""

    def find_by_prefix(self, prefix: str, limit: int) -> tuple[EvaluationRecord, ...]:
        """Evaluations whose id starts so, newest first, at most ``limit``."""

    def list_latest(
        self,
        *,
        set_identifier: str | None,
        retriever: str | None,
        limit: int,
        after: tuple[datetime, str] | None = None,
    ) -> tuple[EvaluationRecord, ...]:
        """Newest first, at most ``limit``; with ``after`` those behind that time and id."""

    def list_outcomes(
        self, evaluation_id: str, *, after: int, limit: int
    ) -> tuple[Outcome, ...] | None:
        """Those behind a position, in order, at most ``limit``; None where none were kept."""

    def get_outcomes(self, evaluation_id: str) -> tuple[Outcome, ...] | None:
        """In order of position; None where the privacy level kept none."""

    def get_rankings(self, evaluation_id: str) -> tuple[StoredRanking, ...] | None:
        """In order of position; None below ``full``."""

    def get_details(self, evaluation_id: str) -> str | None:
        """The details payload, for export at ``full`` only; None or empty text without one."""

    def purge(self, *, before: datetime, category: str, actor: str) -> int:
        """Delete evaluations created strictly before; returns how many, leaves a trace."""

    def delete(self, evaluation_id: str, *, actor: str) -> None:
        """Delete one evaluation, leaving a trace; raises EvaluationNotFound."""


class PublicationRepository(Protocol):
    """How evaluations came over the network: added with them, never changed."""

    def add(self, publication: Publication) -> None:
        """Note one; raises IdempotencyRace where another one has its key."""

    def find_by_key(self, project_id: str, key: str) -> Publication | None:
        """The one of a project that was sent under this key."""

    def find_by_evaluation(self, evaluation_id: str) -> Publication | None:
        """The one of an evaluation."""

    def find_previous(self, publication: Publication, record: EvaluationRecord) -> str | None:
        """Id of the evaluation before this one, of its series, project and writer."""

    def has_other_size(
        self,
        *,
        project_id: str,
        client_id: str | None,
        set_identifier: str,
        benchmark: str | None,
        counts: HitCounts,
    ) -> bool:
        """Whether the writer has a result of this benchmark with other numbers of questions."""


class GoldenSetRepository(Protocol):
    """Golden sets that were imported."""

    def save(self, golden_set: GoldenSet, *, imported_at: datetime) -> None:
        """Insert the set, or replace the one of the same identifier, as a whole."""

    def find(self, identifier: str) -> GoldenSet | None:
        """One set with its questions."""

    def list_all(self) -> tuple[tuple[str, str, int, int], ...]:
        """Identifier, name, number of questions and of those held out, by identifier."""

    def delete(self, identifier: str) -> bool:
        """Whether a set was there to delete."""


class BaselineRepository(Protocol):
    """Pinned baselines: added, never changed; the newest of a set and retriever is active."""

    def add(self, baseline: PinnedBaseline) -> None:
        """Pin one; it is active from now on."""

    def find(self, baseline_id: str) -> PinnedBaseline | None:
        """The one with this id."""

    def find_active(self, set_identifier: str, retriever: str) -> PinnedBaseline | None:
        """The newest of a set and retriever."""

    def list_active(self) -> tuple[PinnedBaseline, ...]:
        """The newest of each set and retriever, by these two."""

    def history(
        self, *, set_identifier: str | None, retriever: str | None, limit: int
    ) -> tuple[PinnedBaseline, ...]:
        """Newest first, at most ``limit``."""


class SetUseRepository(Protocol):
    """The ledger of decisions that rest on a set: added to, never changed."""

    def add(self, use: SetUse) -> None:
        """Note one decision."""

    def count(self, labels_fingerprint: str) -> SetUseCounts:
        """How many decisions rest on sets with these labels."""

    def list_latest(self, labels_fingerprint: str, limit: int) -> tuple[SetUse, ...]:
        """Newest first, at most ``limit``."""


class ScoreRepository(Protocol):
    """Graded values of evaluations: added, never changed."""

    def add(self, score: StoredScore) -> None:
        """Keep one value."""

    def list_of(self, evaluation_id: str) -> tuple[StoredScore, ...]:
        """The values of one evaluation, by protocol, judgements and measure."""


class CredentialRepository(Protocol):
    """Credentials: written once, ended once, never taken away."""

    def add(self, credential: Credential) -> None:
        """Insert one; raises CredentialExists where one in force has its name."""

    def save_end(self, credential: Credential) -> None:
        """Write how one ended; raises CredentialEnded where another was quicker."""

    def find(self, reference: str) -> Credential | None:
        """The one with this id, else the one in force with this name."""

    def find_by_digest(self, digest: str) -> Credential | None:
        """The one whose token has this digest, in force or not."""

    def list_all(
        self,
        *,
        with_ended: bool,
        limit: int | None = None,
        after: tuple[datetime, str] | None = None,
    ) -> tuple[Credential, ...]:
        """Newest first; those in force, or all; with ``after`` those behind that time and id."""

    def has_any(self) -> bool:
        """Whether there ever was one."""


class AuditRepository(Protocol):
    """The audit: added to, never changed."""

    def add(self, entry: AuditEntry) -> None:
        """Keep one entry."""

    def list_latest(
        self,
        *,
        object_kind: str | None = None,
        object_id: str | None = None,
        limit: int,
        after: tuple[datetime, str] | None = None,
    ) -> tuple[AuditEntry, ...]:
        """Newest first, at most ``limit``; of all objects, of a kind, or of one."""


class RegisteredRepository(Protocol[Kept]):
    """Objects of the registry of one kind: written once, changed by version, never taken away."""

    def add(self, added: Kept) -> None:
        """Insert one; raises NameTaken, and StableRouteExists for a second stable route."""

    def save(self, changed: Kept) -> None:
        """Write the next version of one; raises VersionConflict where another was quicker."""

    def find(self, object_id: str) -> Kept | None:
        """The one with this id."""

    def get(self, object_id: str) -> Kept:
        """The one with this id; raises RegisteredNotFound."""

    def find_named(self, name: str, *, project_id: str | None = None) -> Kept | None:
        """The one with this name; of what belongs to a project, the one of this project."""

    def list_latest(
        self,
        *,
        project_id: str | None = None,
        binding_id: str | None = None,
        limit: int,
        after: tuple[datetime, str] | None = None,
    ) -> tuple[Kept, ...]:
        """Newest first, at most ``limit``; with ``after`` those behind that time and id."""


class ServiceClientRepository(RegisteredRepository[ServiceClient], Protocol):
    """Service clients."""

    def find_in_force(self, client_id: str) -> ServiceClient | None:
        """The one with this id, where it, its binding and its project are active."""


class RouteRepository(RegisteredRepository[Route], Protocol):
    """Routes."""

    def list_active(self, project_id: str) -> tuple[Route, ...]:
        """Every active route of a project, by id."""


class SuiteRepository(RegisteredRepository[Suite], Protocol):
    """Suites, which change by version, and their revisions, which never change."""

    def get_locked(self, suite_id: str) -> Suite:
        """The one with this id, held until the transaction ends; raises RegisteredNotFound."""

    def add_revision(self, frozen: FrozenSuite) -> None:
        """Insert a revision with its cases."""

    def count_revisions(self, suite_id: str) -> int:
        """How many revisions a suite has."""

    def find_revision(self, revision_id: str) -> FrozenSuite | None:
        """One revision with all its cases, and so with its golden set."""

    def find_facts(self, revision_id: str) -> SuiteRevision | None:
        """Identities and numbers of one revision, without its cases."""

    def find_by_content(self, suite_id: str, content_digest: str) -> SuiteRevision | None:
        """The revision of a suite that has this content."""

    def list_revisions(
        self, suite_id: str, *, limit: int, after: tuple[datetime, str] | None = None
    ) -> tuple[SuiteRevision, ...]:
        """Newest first, at most ``limit``; with ``after`` those behind that time and id."""

    def list_cases(self, revision_id: str, *, after: int, limit: int) -> tuple[SuiteCase, ...]:
        """Those behind a position, in order, at most ``limit``."""


class GatewayTargetRepository(Protocol):
    """What can be called through the gateway: the registry, as far as it is active."""

    def list_for_client(self, client_id: str, name: str) -> tuple[Target, ...]:
        """The route of this name in a client's own binding; one or none."""

    def list_for_all(self, name: str, *, of: str | None) -> tuple[Target, ...]:
        """Routes of this name, of one project or (None) of all; two stand for more."""

    def list_models_of_client(self, client_id: str) -> tuple[Model, ...]:
        """What a client may name, by name."""

    def list_models(self) -> tuple[Model, ...]:
        """What people may name, by name."""


class GatewayRequestRepository(Protocol):
    """Requests to the gateway: added to, never changed."""

    def add(self, added: GatewayRequest) -> None:
        """Keep one request with its calls."""

    def find_by_public_id(self, public_id: str) -> GatewayRequest | None:
        """The request that a client was told this id of; the id of a row finds nothing."""


class UnitOfWork(Protocol):
    """One open transaction and the repositories inside it."""

    @property
    def evaluations(self) -> EvaluationRepository:
        """Stored evaluations."""

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
    def gateway_requests(self) -> GatewayRequestRepository:
        """What was called through it."""

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

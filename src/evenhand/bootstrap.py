"""Which parts does this run consist of? The composition root: Settings → wired parts.

Nothing here decides anything. What is expensive to import or to open (the database, a model) is
made on first use, so that ``evenhand --help`` pays for none of it.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand import __version__
from evenhand.adapters.system import SystemClock, SystemSecrets, UuidV7Ids, machine_label
from evenhand.core.errors import InvalidSetting
from evenhand.core.errors.access import CredentialExists
from evenhand.core.privacy import LevelPolicy, PrivacyPolicy
from evenhand.settings import Settings, environment_secret, load_settings

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from typing import TextIO

    from fastapi import FastAPI
    from starlette.applications import Starlette

    from evenhand.adapters.golden_sets import GoldenSetContext
    from evenhand.adapters.retrievers.context import Declaration, RetrieverContext
    from evenhand.adapters.reviewers.chat import ChatEndpoint
    from evenhand.console.session import SessionKey
    from evenhand.contracts.emission import PseudonymKey
    from evenhand.sdk import HubClient as ConsumerHub
    from evenhand.sdk import ReviewClient
    from evenhand.store.archive.steps import RestoreStep
    from evenhand.store.late import LateStore
    from evenhand.store.uow import Database
    from evenhand.store.writer import Writer
    from evenhand.usecases.access import Issued
    from evenhand.usecases.ports import (
        Clock,
        Ids,
        Progress,
        ResultEmitter,
        ResultHub,
        Secrets,
        UnitOfWork,
        UnitOfWorkRunner,
    )

    #: Opens the progress of long work, given a title and a number of units.
    Track = Callable[[str, int], AbstractContextManager[Progress]]


class App:
    """The wired parts of one run.

    Attributes:
        settings: how this run is configured.
        clock: the time.
        ids: where row ids come from.
        secrets: where the random part of a token comes from.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        clock: Clock | None = None,
        ids: Ids | None = None,
        secrets: Secrets | None = None,
    ) -> None:
        """Wire the parts that cost nothing; a test injects its own clock, ids and secrets."""
        self.settings = settings
        self.clock: Clock = clock or SystemClock()
        self.ids: Ids = ids or UuidV7Ids()
        self.secrets: Secrets = secrets or SystemSecrets()

    @property
    def project_root(self) -> Path:
        """Where the project's configuration and state lie."""
        return self.settings.project_root

    @property
    def database_url(self) -> str:
        """The store's address."""
        return self.settings.database_url

    @property
    def policy(self) -> PrivacyPolicy:
        """What may be kept, at the configured level."""
        return LevelPolicy(level=self.settings.privacy)

    @property
    def after_restore(self) -> tuple[RestoreStep, ...]:
        """What the capabilities do to a database that an archive has filled, in this order."""
        from evenhand.store.archive.steps import RestoreStep
        from evenhand.usecases.intents import restoring
        from evenhand.usecases.reviews import jobs

        return (
            RestoreStep(
                name=restoring.STEP,
                run=lambda uow: restoring.interrupt_restored(uow, ids=self.ids),
            ),
            RestoreStep(name="reviews", run=lambda uow: jobs.interrupt_running(uow, ids=self.ids)),
        )

    @cached_property
    def machine(self) -> str:
        """Label of this machine's kind; names no host."""
        return machine_label()

    @cached_property
    def database(self) -> Database:
        """The store, made when absent.

        Raises:
            DatabaseNotReady: it is behind (the message names the command) or foreign.
        """
        from evenhand.store.migrate import ensure_ready  # 200 ms, so on use
        from evenhand.store.uow import open_database

        ensure_ready(self.database_url)
        return open_database(self.database_url, clock=self.clock, ids=self.ids)

    @property
    def stored(self) -> UnitOfWorkRunner:
        """The store for whoever only reads: where there is none it holds nothing; none is made.

        Raises:
            DatabaseNotReady: as `database`.
        """
        return self.__dict__.get("database") or self._found

    @cached_property
    def _found(self) -> UnitOfWorkRunner:
        from evenhand.store.migrate import is_ready
        from evenhand.store.uow import open_database

        if is_ready(self.database_url):
            return open_database(self.database_url, clock=self.clock, ids=self.ids)
        from evenhand.store.nothing import open_nothing

        return open_nothing(clock=self.clock, ids=self.ids)

    def open_hub(self) -> Issued | None:
        """Bring the store to this release's schema; give a hub's first token.

        Several processes may do so at once: one of them upgrades, and one gets the token.

        Returns:
            An operator's token where there never was a credential, else None.

        Raises:
            DatabaseNotReady, DatabaseUnavailable: the store cannot be brought to it.
        """
        from evenhand.store.lineage import Status
        from evenhand.store.migrate import status, upgrade
        from evenhand.usecases.access import create_first

        # What migrates is slow to load; a store at this release's schema is checked below anyway.
        if status(self.database_url) is not Status.CURRENT:
            upgrade(self.database_url)
        try:
            return self.database.run(
                lambda uow: create_first(uow, ids=self.ids, secrets=self.secrets)
            )
        except CredentialExists:
            # Another process was quicker, and has told its token.
            return None

    def hub(self, log: TextIO) -> FastAPI:
        """The HTTP API over the store.

        Args:
            log: where lines of the log go.

        Raises:
            DatabaseNotReady: as `database`.
            MissingExtra: a collector is configured, and the extra ``otel`` is not installed.
        """
        from evenhand.hub.app import build_hub  # an optional part, and 1 s
        from evenhand.hub.parts import HubParts
        from evenhand.wiring.gateway import open_telemetry, open_upstreams

        parts = HubParts(
            database=self._writer,
            clock=self.clock,
            ids=self.ids,
            secrets=self.secrets,
            release=__version__,
            body_limit=self.settings.serve_body_limit,
            policy=LevelPolicy(level=self.settings.hub_privacy),
            max_failed_share=self.settings.max_failed_share,
            log=log,
            upstream_allow=self.settings.serve_upstream_allow,
            is_current=self._require_serving,
            upstreams=open_upstreams(self.settings, self.clock, log),
            upstream_batch=self.settings.serve_upstream_batch,
            emitter=self.emitter,
            telemetry=open_telemetry(self.settings, self.clock),
        )
        return build_hub(parts)

    def laptop_console(
        self, failed: Callable[[BaseException], None], hosts: frozenset[str]
    ) -> Starlette:
        """The console over this project's store, for the one person who starts it.

        Args:
            failed: hears of an error that nobody foresaw.
            hosts: names that a request may give it; empty for any.
        """
        from evenhand.adapters.seen_sets import recall_set
        from evenhand.console.app import build_console  # an optional part
        from evenhand.console.parts import ConsoleParts, Mode
        from evenhand.console.session import SessionKey
        from evenhand.console.tickets import Tickets

        # Of this process only, so that a session ends with it and nothing is written.
        key = SessionKey(self.secrets.new())
        parts = ConsoleParts(
            database=self._late_store,
            clock=self.clock,
            ids=self.ids,
            secrets=self.secrets,
            release=__version__,
            policy=self.policy,
            max_failed_share=self.settings.max_failed_share,
            mode=Mode.LAPTOP,
            title=self.project_root.name,
            recall=lambda identifier: recall_set(self.settings.state_folder, identifier),
            failed=failed,
            session_key=lambda: key,
            hosts=hosts,
            tickets=Tickets(self.secrets, self.clock),
        )
        return build_console(parts)

    def console_entrance(self, console: Starlette) -> str:
        """The path by which one browser gets into a laptop's console, once.

        Args:
            console: of `laptop_console`.
        """
        from evenhand.console.addresses import enter_address

        return enter_address(console.state.parts.tickets.issue())

    @cached_property
    def _late_store(self) -> LateStore:
        """The store for whoever looks again and again; reading makes none."""
        from evenhand.store.late import LateStore

        return LateStore(self.database_url, clock=self.clock, ids=self.ids)

    @property
    def emitter(self) -> ResultEmitter:
        """Emits results with the steps that make them final."""
        from evenhand.usecases.results import Results
        from evenhand.usecases.reviews.grounding import permission

        return Results(
            key=self.pseudonym_key,
            grounding=lambda uow, judge: permission(uow, judge).basis,
            ids=self.ids,
            release=__version__,
        )

    def pseudonym_key(self, uow: UnitOfWork) -> PseudonymKey:
        """The key of pseudonyms: of ``EVENHAND_SECRET_KEY``, else this installation's own."""
        from evenhand.wiring.keys import read_pseudonym_key

        return read_pseudonym_key(uow, self.secrets)

    def session_key(self) -> SessionKey:
        """What sessions of a hub's console are signed with, read once; of the same two sources."""
        return self._session_key

    @cached_property
    def _session_key(self) -> SessionKey:
        from evenhand.wiring.keys import read_session_key

        return self._writer.run(lambda uow: read_session_key(uow, self.secrets))

    @cached_property
    def _writer(self) -> Writer:
        """The store as a hub writes to it: many requests in one commit."""
        from evenhand.store.writer import Writer

        return Writer(self.database)

    def require_hub(self) -> tuple[str, str]:
        """Address of the hub that results are sent to, and the token for it.

        Raises:
            InvalidSetting: one of them is not set.
        """
        url, token = self.settings.hub_url, self.settings.token
        if url is None:
            raise InvalidSetting("hub_url", "is not set; EVENHAND_HUB_URL says where the hub is")
        if token is None:
            raise InvalidSetting("token", "is not set; EVENHAND_TOKEN holds the token for the hub")
        return url, token

    def open_result_hub(self) -> ResultHub:
        """The hub that results are sent to; whoever asks closes it.

        Raises:
            InvalidSetting: as `require_hub`.
        """
        from evenhand.adapters.hub_client import HubClient  # brings an HTTP client

        return HubClient(*self.require_hub())

    def open_consumer_hub(self) -> ConsumerHub:
        """The hub whose assigned comparisons are carried out; whoever asks closes it.

        Raises:
            InvalidSetting: as `require_hub`.
        """
        from evenhand.sdk import HubClient  # brings an HTTP client and pydantic

        return HubClient(*self.require_hub())

    def open_review_hub(self) -> ReviewClient:
        """The hub whose reviews are submitted and carried out; whoever asks closes it.

        Raises:
            InvalidSetting: as `require_hub`.
        """
        from evenhand.sdk import ReviewClient  # brings an HTTP client and pydantic

        return ReviewClient(*self.require_hub())

    def open_chat_endpoint(self, url: str, key_variable: str | None) -> ChatEndpoint:
        """The endpoint whose model judges; whoever asks closes it.

        Args:
            url: up to and with the version.
            key_variable: of the environment, with the key; None for an endpoint without one.

        Raises:
            InvalidSetting: address or key cannot be used, or the variable is not set.
        """
        from evenhand.adapters.reviewers.chat import ChatEndpoint  # brings an HTTP client

        secret = None if key_variable is None else environment_secret(key_variable)
        if key_variable is not None and not secret:
            raise InvalidSetting("api_key_env", "names a variable that is not set")
        return ChatEndpoint(url, secret=secret)

    def _require_serving(self) -> None:
        from evenhand.store.migrate import require_current_lineage

        self._writer.require_running()
        require_current_lineage(self.database_url)

    def close(self) -> None:
        """Close the store, if it was opened; what a hub has taken to write is written first."""
        for name in ("_writer", "database", "_found", "_late_store"):
            opened: UnitOfWorkRunner | None = self.__dict__.get(name)
            if opened is not None:
                opened.close()

    def retriever_context(
        self,
        *,
        depth: int | None = None,
        corpus: Path | None = None,
        declared: Declaration | None = None,
        tell: Callable[[str], None] | None = None,
        track: Track | None = None,
    ) -> RetrieverContext:
        """What the resolution of a retriever needs to know.

        Args:
            depth: limit handed to the retriever, by default the configured one.
            corpus: the corpus at hand, for the built-in retrievers.
            declared: labels given by flags.
            tell: hears what a user should know, such as which model was picked.
            track: opens the progress of long work such as embedding a corpus.

        Raises:
            InvalidSetting: a table under ``[retrievers.NAME]`` is malformed.
        """
        from evenhand.adapters.retrievers.context import (
            ConfigFile,
            RetrieverContext,
            read_configs,
        )

        file = ConfigFile(name=self.settings.config_file, table=self.settings.retriever_table)
        heard: dict[str, Any] = {}
        if tell is not None:
            heard["tell"] = tell
        if track is not None:
            heard["track"] = track
        return RetrieverContext(
            project_root=self.project_root,
            depth=self.settings.depth if depth is None else depth,
            corpus=corpus,
            declared=declared,
            configured=read_configs(self.settings.retrievers, file),
            config_file=file,
            secret=environment_secret,
            **heard,
        )

    def golden_set_context(self) -> GoldenSetContext:
        """What the resolution of a golden set needs; reads the store only if it must."""
        from evenhand.adapters.golden_sets import GoldenSetContext

        return GoldenSetContext(project_root=self.project_root, database=lambda: self.stored)


def build_app(settings: Settings | None = None) -> App:
    """The wired parts for these settings, by default those of the working directory."""
    return App(settings or load_settings())

"""Whom does a hub's gateway call, and who hears of its requests? As the settings say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from evenhand import __version__
from evenhand.core.errors import MissingExtra
from evenhand.settings import environment_secret

if TYPE_CHECKING:
    from typing import TextIO

    from evenhand.settings import Settings
    from evenhand.usecases.ports import Clock, GatewayTelemetry, Upstreams

#: How many calls of a deployment may wait for each that is out.
WAITING: Final = 4


def open_upstreams(settings: Settings, clock: Clock, log: TextIO) -> Upstreams:
    """What answers for deployments; a secret is read when it is needed."""
    from evenhand.adapters.embedders.registry import find_embedder
    from evenhand.adapters.upstream.upstreams import HubUpstreams, UpstreamLimits
    from evenhand.hub.observe import Log

    permitted, told = settings.serve_upstream_secrets, Log(log)

    def permitted_secret(name: str) -> str | None:
        # Who registers a runtime names the variable and the server that is sent its value;
        # which variables that may be is for the one who starts the hub to say.
        if permitted.permits(name):
            return environment_secret(name)
        told.lines.warning("secret_not_permitted", variable=name)
        return None

    return HubUpstreams(
        clock=clock,
        secret=permitted_secret,
        # Nothing is cached: texts of the gateway are kept nowhere.
        load_embedder=lambda name: find_embedder(name, None, _say_nothing),
        allow=settings.serve_upstream_allow,
        limits=UpstreamLimits(
            seconds=float(settings.serve_upstream_seconds),
            at_a_time=settings.serve_upstream_calls,
            waiting=settings.serve_upstream_calls * WAITING,
        ),
    )


def open_telemetry(settings: Settings, clock: Clock) -> GatewayTelemetry | None:
    """Who hears of requests to the gateway; nobody unless a collector is configured.

    Raises:
        MissingExtra: a collector is configured, and the extra ``otel`` is not installed.
    """
    url = settings.serve_otlp_url
    if url is None:
        return None
    try:
        from evenhand.adapters.telemetry.otel import open_otlp
    except ModuleNotFoundError as error:
        raise MissingExtra("serve_otlp_url", "otel") from error
    return open_otlp(url, clock=clock, release=__version__)


def _say_nothing(_: str) -> None:
    """A hub has a log of requests and no talk."""

"""What may each setting say? One reader of text for each, whichever place the text came from."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Final

from evenhand.core.comparison.difference import parse_share
from evenhand.core.errors import InvalidText
from evenhand.core.errors.retrieval import InvalidThreshold
from evenhand.core.privacy import PrivacyLevel, scrub
from evenhand.core.registry.upstream import UpstreamAllow, parse_upstream_allow
from evenhand.core.registry.variables import VariableAllow, parse_variable_allow

#: How the address of an embedded store begins.
EMBEDDED: Final = "sqlite:"
_MOST_DIGITS: Final = 9
_LAST_PORT: Final = 65535
_TOKEN: Final = re.compile(r"[!-~]+")
_HOST: Final = re.compile(r"[A-Za-z0-9.:%_-]{1,255}")


def _privacy(text: str) -> PrivacyLevel:
    try:
        return PrivacyLevel(text)
    except ValueError:
        levels = ", ".join(PrivacyLevel)
        message = f"must be one of {levels}"
        raise ValueError(message) from None


def _positive(text: str) -> int:
    # The length first: Python reads no number of thousands of digits.
    if len(text) > _MOST_DIGITS or not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise ValueError("must be a whole number from 1 to 999999999")
    return int(text)


def _upstreams(text: str) -> UpstreamAllow:
    try:
        return parse_upstream_allow(text)
    except InvalidText as error:
        message = f"must be networks, addresses and host names between commas ({error.field})"
        raise ValueError(message) from None


def _upstream_secrets(text: str) -> VariableAllow:
    try:
        return parse_variable_allow(text)
    except InvalidText as error:
        rule = (
            "must be names of variables, or beginnings with *, none of Evenhand's, between commas"
        )
        message = f"{rule} ({error.field})"
        raise ValueError(message) from None


def _port(text: str) -> int:
    if len(text) > _MOST_DIGITS or not (text.isascii() and text.isdigit()):
        raise ValueError(_PORTS)
    if int(text) > _LAST_PORT:
        raise ValueError(_PORTS)
    return int(text)


_PORTS: Final = f"must be a whole number from 0 to {_LAST_PORT}"


def _host(text: str) -> str:
    if not _HOST.fullmatch(text):
        raise ValueError("must be an address or the name of a host")
    return text


def _share(text: str) -> Fraction:
    try:
        return parse_share("share", text)
    except InvalidThreshold as error:
        raise ValueError(error.rule) from None


def _url(text: str) -> str:
    if not text.startswith((f"{EMBEDDED}///", "postgresql://", "postgresql+psycopg://")):
        raise ValueError("must start with sqlite:/// or postgresql://")
    return text


def _hub_url(text: str) -> str:
    return _web_url(text, "the token is a setting of its own")


def _public_url(text: str) -> str:
    from urllib.parse import urlsplit

    url = _web_url(text, "it is shown to browsers")
    if urlsplit(url).path:
        raise ValueError("must have no path: the hub's own addresses lie below it")
    return url


def _otlp_url(text: str) -> str:
    return _web_url(text, "OTEL_EXPORTER_OTLP_HEADERS is where they belong")


def _web_url(text: str, instead: str) -> str:
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(text)
        is_whole = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_whole = False
    if not is_whole or parts.query or parts.fragment or not _TOKEN.fullmatch(text):
        raise ValueError("must be http:// or https:// with a host, without query and fragment")
    if "@" in parts.netloc or scrub(text) != text:
        message = f"must hold no credentials; {instead}"
        raise ValueError(message)
    return text.rstrip("/")


def _token(text: str) -> str:
    if not _TOKEN.fullmatch(text):
        raise ValueError("must be printable ASCII without blanks")
    return text


#: Setting → what reads its text; a ValueError of it says the rule, never the value.
READERS: Final[Mapping[str, Callable[[str], object]]] = {
    "database_url": _url,
    "privacy": _privacy,
    "depth": _positive,
    "jobs": _positive,
    "max_failed_share": _share,
    "retention_days": _positive,
    "retention_evaluation_days": _positive,
    "retention_gateway_days": _positive,
    "serve_host": _host,
    "serve_port": _port,
    "serve_public_url": _public_url,
    "serve_body_limit": _positive,
    "serve_upstream_allow": _upstreams,
    "serve_upstream_secrets": _upstream_secrets,
    "serve_upstream_seconds": _positive,
    "serve_upstream_calls": _positive,
    "serve_upstream_batch": _positive,
    "serve_otlp_url": _otlp_url,
    "hub_url": _hub_url,
    "token": _token,
}

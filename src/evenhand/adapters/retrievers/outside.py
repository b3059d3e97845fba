"""How do ``http://…`` and ``cmd:…`` become retrievers, with their options?"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Final

import msgspec

from evenhand.adapters.retrievers.command import CommandRetriever, split_command
from evenhand.adapters.retrievers.context import RetrieverContext, option_name
from evenhand.adapters.retrievers.options import read_options, require_number
from evenhand.core.errors import InvalidSetting
from evenhand.core.identity.canonical import sha256_hex
from evenhand.usecases.ports import Retriever

COMMAND: Final = "cmd:"
URLS: Final = ("http://", "https://")

#: Longest time that one question may be given, in seconds.
MAX_TIMEOUT_SECONDS: Final = 3_600

_DIGITS: Final = 8


class CommandOptions(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Options of a command.

    Attributes:
        timeout_seconds: how long one question may take, above 0.
        scores: whether its answers have scores.
    """

    timeout_seconds: float = 60.0
    scores: bool = False


class HttpOptions(CommandOptions, forbid_unknown_fields=True, frozen=True):
    """Options of a URL: those of a command, and a credential.

    Attributes:
        token_env: environment variable whose value is sent as a bearer token.
    """

    token_env: str | None = None


def open_command(
    name: str | None, reference: str, options: Mapping[str, object], context: RetrieverContext
) -> Retriever:
    """The retriever behind ``cmd:`` and a command.

    Args:
        name: configured name, None where the command itself was typed.
        reference: ``cmd:`` and the command.
        options: see `CommandOptions`.
        context: whose project root the command runs in.
    """
    chosen = read_options(name or COMMAND, options, CommandOptions)
    arguments = split_command(
        reference.removeprefix(COMMAND), context.project_root, name or COMMAND
    )
    program = re.sub(r"[^a-z0-9_.]", "_", PurePath(arguments[0]).stem.lower())
    return CommandRetriever(
        # Of a digest, because an argument may be a secret.
        name or f"cmd-{program}-{_short(reference)}",
        arguments,
        folder=context.project_root,
        timeout_seconds=_timeout(name, chosen),
        scored=chosen.scores,
    )


def open_url(
    name: str | None, reference: str, options: Mapping[str, object], context: RetrieverContext
) -> Retriever:
    """The retriever behind a URL.

    Args:
        name: configured name, None where the URL itself was typed.
        reference: the URL.
        options: see `HttpOptions`.
        context: hands the credential down.

    Raises:
        InvalidSetting: the URL cannot be asked, or the credential's variable is not set.
    """
    from evenhand.adapters.retrievers.endpoint import HttpRetriever

    chosen = read_options(name or URLS[0], options, HttpOptions)
    token = None
    if chosen.token_env is not None:
        token = context.secret(chosen.token_env)
        if token is None:
            rule = "names an environment variable that is not set"
            raise InvalidSetting(option_name(name or "URL", "token_env"), rule)
    return HttpRetriever(
        # Of a digest, because results do not name the addresses of endpoints.
        name or f"http-{_short(reference)}",
        reference,
        token=token,
        timeout_seconds=_timeout(name, chosen),
        scored=chosen.scores,
    )


def _timeout(name: str | None, options: CommandOptions) -> float:
    option = option_name(name or "", "timeout_seconds") if name else "timeout_seconds"
    if options.timeout_seconds <= 0:
        raise InvalidSetting(option, "must be above 0")
    return require_number(option, options.timeout_seconds, high=MAX_TIMEOUT_SECONDS)


def _short(reference: str) -> str:
    return sha256_hex(reference.encode("utf-8", "surrogateescape"))[:_DIGITS]

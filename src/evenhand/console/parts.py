"""What is the console made of? The wired parts that bootstrap hands it, and how a page finds them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from starlette.requests import HTTPConnection

from evenhand.console.session import SessionKey
from evenhand.console.tickets import Tickets
from evenhand.core.privacy import PrivacyPolicy
from evenhand.usecases.ports import Clock, Ids, Secrets, UnitOfWorkRunner


class Mode(StrEnum):
    """Whose console it is.

    ``laptop``: of the one person who started it, over a project's store, on this machine only.
    ``hub``: of whoever has a token, with the roles of the hub.
    """

    LAPTOP = "laptop"
    HUB = "hub"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleParts:
    """The wired parts of one console.

    Attributes:
        database: runs use cases; a laptop's holds nothing where no store was made yet.
        clock: the time.
        ids: where row ids come from.
        secrets: where tokens come from.
        release: version of Evenhand.
        policy: what may be kept of what is entered.
        max_failed_share: a result of which a larger share failed is no baseline; in [0, 1].
        mode: whose console it is.
        title: of what it shows: a project's folder, or the hub.
        recall: what a user types for the golden set of an identifier; None where that is not known.
        failed: hears of an error that nobody foresaw; tells its class and place only.
        session_key: gives what sessions are signed with.
        hosts: names that a request may give this console; empty for any.
        tickets: lets the person in who started it; None on a hub, where a token does.
        public_url: where browsers reach it, without a path; None for what each request says.
    """

    database: UnitOfWorkRunner
    clock: Clock
    ids: Ids
    secrets: Secrets
    release: str
    policy: PrivacyPolicy
    max_failed_share: Fraction
    mode: Mode
    title: str
    recall: Callable[[str], str | None]
    failed: Callable[[BaseException], None]
    session_key: Callable[[], SessionKey]
    hosts: frozenset[str] = frozenset()
    tickets: Tickets | None = None
    public_url: str | None = None


def parts_of(request: HTTPConnection) -> ConsoleParts:
    """The parts of the console that a request came to."""
    parts: ConsoleParts = request.app.state.parts
    return parts

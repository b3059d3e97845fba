"""The address that lets somebody in: once, for a short time, and nobody by guessing."""

from datetime import datetime

import pytest

from evenhand.console.tickets import TICKET_SECONDS, Tickets
from tests.builders import START


class Numbered:
    """Secrets that are not random: each another one from its first byte on."""

    def __init__(self) -> None:
        self._number = 0

    def new(self) -> bytes:
        self._number += 1
        return bytes([self._number]) * 32


class Running:
    """A clock for durations that a test sets."""

    def __init__(self) -> None:
        self.at = 100.0

    def now(self) -> datetime:
        return START

    def monotonic(self) -> float:
        return self.at


@pytest.fixture
def clock() -> Running:
    return Running()


@pytest.fixture
def tickets(clock: Running) -> Tickets:
    return Tickets(Numbered(), clock)


def test_a_ticket_lets_in_once(tickets: Tickets) -> None:
    ticket = tickets.issue()

    assert [tickets.redeem(ticket), tickets.redeem(ticket)] == [True, False]


def test_a_guess_lets_nobody_in_and_takes_the_ticket_from_nobody(tickets: Tickets) -> None:
    assert not tickets.redeem("")
    ticket = tickets.issue()

    assert [tickets.redeem(guess) for guess in ("", "x", f"{ticket}x", "\udcff")] == [False] * 4
    assert tickets.redeem(ticket)


def test_a_ticket_lets_in_for_a_short_time(tickets: Tickets, clock: Running) -> None:
    late = tickets.issue()
    clock.at += TICKET_SECONDS
    assert not tickets.redeem(late)
    early = tickets.issue()
    clock.at += TICKET_SECONDS - 1
    assert tickets.redeem(early)


def test_a_new_ticket_takes_the_place_of_the_former(tickets: Tickets) -> None:
    former, ticket = tickets.issue(), tickets.issue()

    assert [tickets.redeem(former), tickets.redeem(ticket)] == [False, True]

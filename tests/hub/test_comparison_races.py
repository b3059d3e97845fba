"""Many clients at once: each comparison has one winner, and a stale token changes nothing."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from evenhand.core.access.roles import Role
from evenhand.core.comparison.pins import LegName
from tests.comparison_builders import World, a_result, add_world
from tests.database_clock import DatabaseClock
from tests.hub.comparing import CONSUMER, Comparing
from tests.hub.conftest import Hub, made_token

CLIENTS = 16


def race(comparing: Comparing, rounds: int) -> None:
    """In each round all clients claim one comparison; the losers' and older tokens do nothing."""
    stale: list[Any] = []
    with ThreadPoolExecutor(CLIENTS) as clients:
        for number in range(rounds):
            told = comparing.prepare(f"R{number}").json()
            answers = list(clients.map(lambda _, one=told: comparing.claim(one), range(CLIENTS)))

            assert sorted(one.status_code for one in answers) == [200, *[409] * (CLIENTS - 1)]
            [won] = [one.json() for one in answers if one.status_code == 200]
            if stale:
                refuse_stale(comparing, clients, won, stale[-1])
            made = comparing.finish(won, "failed", error_code=f"E{number}").json()
            assert (made["state"], made["version"]) == ("failed", 3)
            stale.append(won)
    assert len({one["claim_token"] for one in stale}) == rounds


def refuse_stale(comparing: Comparing, clients: ThreadPoolExecutor, won: Any, stale: Any) -> None:
    """Every verb with a token of before, all at once, while the winner goes on."""
    other = won | {"claim_token": stale["claim_token"]}
    body = a_result(
        comparing.world,
        stale["claim_token"],
        won["comparison"]["pins_digest"],
        {leg: {} for leg in LegName},
    )
    calls: list[Callable[[], Any]] = [
        lambda: comparing.progress(other, 3, 3),
        lambda: comparing.finish(other),
        lambda: comparing.publish(other, body),
        lambda: comparing.progress(won, 1, 1),
    ]
    statuses = [one.status_code for one in clients.map(lambda call: call(), calls * 2)]

    assert statuses == [403, 403, 403, 200] * 2
    seen = comparing.get(f"/{won['comparison']['id']}").json()
    assert (seen["state"], seen["version"]) == ("running", 2)
    assert (seen["current_completed_cases"], seen["candidate_completed_cases"]) == (1, 1)


def opened(hub: Hub, url: str) -> Comparing:
    """What a comparison names, in a hub whose clock is its database's own."""
    world: World = hub.parts.database.run(add_world)
    hub.tokens[CONSUMER] = made_token(
        hub.parts, Role.SERVICE_CLIENT, CONSUMER, client_id=world.client.id
    )
    return Comparing(hub=hub, world=world, clock=DatabaseClock(f"sqlite:///{url}"))


@pytest.mark.proves("C-45", "C-53", "G-41")
@pytest.mark.parametrize("instances", ["two"], indirect=True)
def test_of_many_clients_one_claims_and_stale_tokens_change_nothing(
    hub: Hub, database_url: str
) -> None:
    race(opened(hub, database_url), 2)


@pytest.mark.torture
@pytest.mark.parametrize("instances", ["processes"], indirect=True)
def test_sixteen_clients_race_for_two_hundred_claims_through_two_processes(
    hub: Hub, database_url: str
) -> None:
    race(opened(hub, database_url), 200)

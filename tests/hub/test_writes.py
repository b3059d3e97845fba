"""Writes of many requests at a time: one commit for those that wait, and what can go wrong."""

import threading
from typing import Any

import sqlalchemy as sa

from evenhand.hub.threads import READERS
from tests.callers import Callers, occupied, until
from tests.hub.conftest import Hub, everywhere, only_sqlite
from tests.hub.processes import PATIENCE

PATH = "/api/v1/credentials"


def named(name: str) -> dict[str, str]:
    return {"name": name, "role": "viewer"}


@everywhere
def test_what_many_make_at_a_time_is_there_once(hub: Hub) -> None:
    got: list[Any] = []

    def caller(number: int) -> None:
        for at in range(4):
            got.append(hub.call("POST", PATH, "operator", json=named(f"of-{number}-{at}")))
            # Everybody wants this one.
            got.append(hub.call("POST", PATH, "operator", json=named(f"shared-{at}")))

    threads = [threading.Thread(target=caller, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    made = [one.json()["credential"]["name"] for one in got if one.status_code == 201]
    assert len(made) == len(set(made)) == 8 * 4 + 4
    assert {one.json()["code"] for one in got if one.status_code != 201} == {"credential_exists"}
    listed = hub.call("GET", f"{PATH}?limit=100", "operator").json()["items"]
    assert set(made) < {one["name"] for one in listed}


@only_sqlite
def test_a_hub_that_can_write_no_more_lives_and_is_not_ready(hub: Hub) -> None:
    def _fail(*_: object) -> None:
        raise RuntimeError

    callers = Callers(hub.parts._writer)
    with occupied(hub.parts._writer):
        callers.call(lambda _: 1)
        callers.call(lambda _: 2)
        sa.event.listen(hub.parts.database.engine, "engine_connect", _fail, once=True)
    callers.answers()

    assert hub.call("GET", "/healthz").status_code == 200
    for answer in (
        hub.call("GET", "/readyz"),
        hub.call("POST", PATH, "operator", json=named("late")),
    ):
        assert (answer.status_code, answer.json()["code"]) == (503, "writer_stopped")
        assert answer.headers["retry-after"] == "1"
    assert hub.call("GET", "/api/v1/evaluations", "viewer").status_code == 200


@only_sqlite
def test_writes_that_wait_hold_up_no_read_and_no_readiness(hub: Hub) -> None:
    writer, number = hub.parts._writer, READERS + 5
    made: list[int] = []

    def _write(name: str) -> None:
        made.append(hub.call("POST", PATH, "operator", json=named(name)).status_code)

    threads = [threading.Thread(target=_write, args=(f"of-{at}",)) for at in range(number)]
    with occupied(writer):
        for thread in threads:
            thread.start()
        # More than there are readers: in the threads of the readers the last could not come here.
        until(lambda: len(writer._waiting) == number)
        read = hub.call("GET", "/api/v1/evaluations", "viewer").status_code
        ready = hub.call("GET", "/readyz").status_code
        assert (read, ready, made) == (200, 200, [])
    for thread in threads:
        thread.join(PATIENCE)

    assert made == [201] * number

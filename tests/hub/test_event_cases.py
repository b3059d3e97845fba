"""Public reports of what went wrong with events elsewhere, carried out from their files."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from evenhand.core.access.roles import Capability
from tests.altered_cases import require_failure
from tests.builders import START
from tests.cases_runner import load
from tests.database_clock import DatabaseClock
from tests.event_builders import event_document
from tests.hub.conftest import Hub, only_sqlite

PATH = "/api/v1/events"
ALL_TIME = {"start": "1900-01-01T00:00:00Z", "end": "9999-12-31T23:59:59Z"}
QUESTION = "/api/v1/event-questions/relevant_grounded_accepted"


class Sending:
    """A hub with a client that may ingest, and its clock."""

    def __init__(self, hub: Hub, clock: DatabaseClock) -> None:
        hub.add_client("sender", Capability.EVENT)
        self.hub = hub
        self.clock = clock

    def post(self, body: object) -> Any:
        content = body if isinstance(body, bytes) else msgspec.json.encode(body)
        given: Any = {"content": content, "headers": {"Content-Type": "application/json"}}
        return self.hub.call("POST", PATH, "sender", **given)

    def words(self, body: object) -> list[str]:
        """What became of each event of a body: its status, a conflict or a refusal."""
        answer = self.post(body)
        told = answer.json()
        if "results" in told:
            return [one["status"] for one in told["results"]]
        if answer.status_code < 300:
            return [told["status"]]
        return ["conflict" if answer.status_code == 409 else "refused"]

    def kept(self, event_id: str) -> Any:
        return self.hub.call("GET", f"{PATH}/{event_id}", "sender").json()

    @property
    def stored(self) -> list[Any]:
        return self.hub.parts.database.read(
            lambda uow: list(uow.events.walk(None, project_id=None))
        )

    def asked(self) -> int:
        """How many events the trusted query counts."""
        found = self.hub.call("GET", QUESTION, "viewer", params=ALL_TIME).json()["groups"]
        return sum(one["events"] for one in found)


@pytest.fixture
def sending(open_hub: Callable[..., Hub], database_url: str, instances: str) -> Iterator[Sending]:
    """A hub over a database of either kind, at `START`; of a server two applications share one."""
    with closing(DatabaseClock(database_url)) as clock:
        yield Sending(open_hub(database_url, instances, clock=clock), clock)


def with_own_grain(events: list[Any]) -> list[Any]:
    """The events of a case, each of a result of its own: G-63 lets a grain have one (ADR-0036)."""
    return [one | {"evaluation_id": f"eval_{one['event_id']}"} for one in events]


@pytest.mark.proves("E-12", "E-35", "E-43")
def test_the_same_event_twice_b_106(sending: Sending) -> None:
    given, expected = load("B-106")["given"], load("B-106")["expected"]
    (first,), (again,), both = given["events"]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: sending.post(first), range(given["parallel"])))
    sending.clock.set(START + timedelta(hours=given["delay_h"]))
    answers += [sending.post(again), sending.post({"events": both})]
    words = [one.json()["status"] for one in answers[:-1]]
    later = [one["status"] for one in answers[-1].json()["results"]]

    assert {one.status_code // 100 for one in answers}.isdisjoint(
        {int(word[0]) for word in expected["never"]}
    )
    one_new, then = expected["replies_first_then"]
    assert sorted(words) == sorted([one_new, *[then] * given["parallel"]])
    assert later == [then, then]
    assert {one["event_id"] for one in answers[-1].json()["results"]} == {first["event_id"]}
    assert (len(sending.stored), sending.asked()) == (expected["rows"], expected["count_query"])


@pytest.mark.proves("G-64", "G-71")
def test_same_id_other_content_b_107(sending: Sending) -> None:
    given, expected = load("B-107")["given"], load("B-107")["expected"]
    replies = [sending.words(batch[0]) for batch in given["events"]]

    assert [word for (word,) in replies] == expected["replies"]
    assert len(sending.stored) == expected["rows"]
    assert sending.kept("evt_1")["event"]["retrieval_score"] == expected["stored_score"]
    noted = sending.hub.parts.database.read(lambda uow: uow.events.list_rejections(limit=9))
    assert [(one.code, one.field) for one in noted] == [("event_conflict", "retrieval_score")]


@pytest.mark.proves("E-10", "E-17")
def test_a_time_without_a_zone_and_odd_times_b_109(sending: Sending) -> None:
    given, expected = load("B-109")["given"], load("B-109")["expected"]
    guessed = "2026-07-29T10:12:43.000000Z"
    found = []
    for number, at in enumerate(given["timestamps"]):
        (word,) = sending.words(event_document(number, timestamp_utc=at))
        found.append(word)
        if word == "stored":
            assert sending.kept(f"evt_{number}")["event"]["timestamp_utc"] != guessed

    # Documented: other offsets, second 60, hour 24 and small letters are refused.
    documented = {
        "any documented": "refused",
        "stored as 2026-07-29T18:12:43Z or refused": "refused",
    }
    assert found == [documented.get(word, word) for word in expected["results"]]
    assert sending.hub.parts.database.engine.dialect.name in expected["databases"]
    assert expected["never"] == ["stored as 2026-07-29T10:12:43Z for the first two"]
    assert found[:2] == ["refused", "refused"]


@pytest.mark.proves("E-17")
def test_clocks_of_senders_b_110(sending: Sending) -> None:
    given, expected = load("B-110")["given"], load("B-110")["expected"]
    times = [
        (START + timedelta(seconds=offset)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        for offset in given["offsets_s"]
    ] + [at.replace("Z", ".000000Z") for at in given["absolute"]]
    answers = [
        sending.post(event_document(number, timestamp_utc=at)) for number, at in enumerate(times)
    ]
    kept = [sending.kept(f"evt_{number}") for number in range(len(times))]

    assert [one.status_code for one in answers] == [201] * len(times)
    unchanged = [one["event"]["timestamp_utc"] for one in kept] == times
    assert unchanged is expected["event_time_unchanged_or_refused"]
    received = {one["received_at"] for one in kept}
    clock = "server clock" if received == {START.isoformat().replace("+00:00", "Z")} else received
    assert clock == expected["received_at"]
    assert expected["never"] == ["5xx", "event time replaced without a flag"]


@pytest.mark.proves("E-25", "E-09")
def test_booleans_as_text_b_112(sending: Sending) -> None:
    given, expected = load("B-112")["given"], load("B-112")["expected"]
    found = [sending.words(one)[0] for one in with_own_grain(given["events"])]

    assert found == expected["results"]
    assert len(sending.stored) == expected["rows"]
    filtered = [one.event_id for one in sending.stored if not one.grounded]
    assert filtered == expected["filter_grounded_false"]


@pytest.mark.proves("E-27", "E-24")
def test_integers_floats_and_numbers_as_text_b_113(sending: Sending) -> None:
    given, expected = load("B-113")["given"], load("B-113")["expected"]

    def word(number: int, **stated: Any) -> str:
        document = event_document(number) | stated
        return sending.words(document)[0]

    found = [word(number, duration_ms=one) for number, one in enumerate(given["duration_ms"])]
    # Documented: below zero, and what no double holds exactly, is refused (ADR-0037).
    documented = {"documented": "refused", "exact or refused": "refused"}
    assert found == [documented.get(one, one) for one in expected["duration_ms"]]
    kept = [sending.kept(f"evt_{number}")["event"]["duration_ms"] for number in (0, 1)]
    assert kept == given["duration_ms"][:2]
    assert sum(kept) == expected["sum_of_first_two"]
    raw = [
        sending.words(msgspec.json.encode(event_document(90)).replace(b"1280", one.encode()))
        for one in given["raw"]
    ]
    assert [one for (one,) in raw] == expected["raw"]
    scores = [
        word(20 + number, retrieval_score=one)
        for number, one in enumerate(given["retrieval_score"])
    ]
    assert scores == ["stored", "stored", "refused", "refused"]


@pytest.mark.proves("E-12", "G-64")
def test_one_bad_event_in_a_batch_b_115(sending: Sending) -> None:
    given, expected = load("B-115")["given"]["batches"], load("B-115")["expected"]
    first, again, corrected, nothing = given
    assert again == "same again"
    seen = []
    for _ in range(2):
        answer = sending.post({"events": with_own_grain(first)})
        errors = [one["index"] for one in answer.json()["results"] if one["code"] is not None]
        seen.append(
            {
                "rows": len(sending.stored),
                "status": [answer.status_code],
                "item_errors": errors,
            }
        )
    assert seen[0] in expected["after_1_any_of"]
    assert seen[0]["item_errors"] == [expected["names_item"]]
    assert ("same as after 1" if seen[1] == seen[0] else seen[1]) == expected["after_2"]
    assert sending.post({"events": with_own_grain(corrected)}).status_code == 200
    assert {"rows": len(sending.stored)} == expected["after_3"]
    assert sending.post({"events": nothing}).json() == {"results": []}
    assert len(sending.stored) == expected["after_3"]["rows"]


Path = tuple[str | int, ...]
#: Test, where in ``expected``, and what stands there instead.
ALTERED: list[tuple[Callable[..., None], Path, object]] = [
    (test_the_same_event_twice_b_106, ("rows",), 2),
    (test_the_same_event_twice_b_106, ("count_query",), 2),
    (test_the_same_event_twice_b_106, ("replies_first_then", 1), "stored"),
    (test_the_same_event_twice_b_106, ("never",), ["2xx"]),
    (test_same_id_other_content_b_107, ("rows",), 2),
    (test_same_id_other_content_b_107, ("stored_score",), 0.12),
    (test_same_id_other_content_b_107, ("replies", 1), "stored"),
    *(
        (test_a_time_without_a_zone_and_odd_times_b_109, ("results", place), "stored")
        for place in range(8)
    ),
    (test_a_time_without_a_zone_and_odd_times_b_109, ("results", 8), "refused"),
    (test_a_time_without_a_zone_and_odd_times_b_109, ("databases",), ["postgresql"]),
    (test_a_time_without_a_zone_and_odd_times_b_109, ("never",), []),
    (test_clocks_of_senders_b_110, ("event_time_unchanged_or_refused",), False),
    (test_clocks_of_senders_b_110, ("received_at",), "sender clock"),
    (test_clocks_of_senders_b_110, ("never",), ["2xx"]),
    (test_booleans_as_text_b_112, ("results", 0), "stored"),
    (test_booleans_as_text_b_112, ("results", 8), "refused"),
    (test_booleans_as_text_b_112, ("filter_grounded_false",), ["ok1"]),
    (test_booleans_as_text_b_112, ("rows",), 9),
    (test_integers_floats_and_numbers_as_text_b_113, ("duration_ms", 0), "refused"),
    (test_integers_floats_and_numbers_as_text_b_113, ("duration_ms", 2), "stored"),
    (test_integers_floats_and_numbers_as_text_b_113, ("raw", 1), "stored"),
    (test_integers_floats_and_numbers_as_text_b_113, ("sum_of_first_two",), 2560),
    (test_one_bad_event_in_a_batch_b_115, ("after_1_any_of", 1, "rows"), 4),
    (test_one_bad_event_in_a_batch_b_115, ("names_item",), 3),
    (test_one_bad_event_in_a_batch_b_115, ("after_2",), "4 rows"),
    (test_one_bad_event_in_a_batch_b_115, ("after_3", "rows"), 3),
]


def named(value: Any) -> str | None:
    return value.__name__.rpartition("_b_")[2] if callable(value) else None


@only_sqlite
@pytest.mark.parametrize("instances", ["one"], indirect=True)
@pytest.mark.parametrize(("test", "path", "value"), ALTERED, ids=named)
def test_an_altered_case_fails(
    test: Callable[..., None],
    path: Path,
    value: object,
    database_url: str,
    instances: str,
    request: pytest.FixtureRequest,
) -> None:
    del database_url, instances
    require_failure(test, path, value, request)

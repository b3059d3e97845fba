"""How a result is sent: one POST with the token, nothing followed, nothing repeated of an answer."""

import socket
import threading
import traceback
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from evenhand.adapters import hub_client
from evenhand.adapters.hub_client import HubClient
from evenhand.core.errors.publication import HubRefused, HubUnavailable
from evenhand.usecases.ports import HubAnswer, ResultHub
from tests.adapters.retrievers.test_endpoint import Server
from tests.builders import row_id

SHOWN = "evh_op_canary"
CANARY = "canary-in-an-answer"


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.released.set()
        running.shutdown()
        thread.join()


@pytest.fixture
def hub(server: Server) -> Iterator[HubClient]:
    opened = HubClient(f"{server.url}/prefix", SHOWN)
    yield opened
    opened.close()


def answer(status: int, **changed: Any) -> tuple[int, bytes, dict[str, str]]:
    document = {
        "evaluation": {"id": row_id(1), "more": 1},
        "publication": {},
        "verdict": {
            "state": "mismatch",
            "reasons": [{"code": "corpus_changed", "current": CANARY}],
            "evaluation_id": row_id(2),
        },
    }
    return status, msgspec.json.encode(document | changed), {"content-type": "application/json"}


@pytest.mark.parametrize(("status", "is_new"), [(201, True), (200, False)])
def test_a_result_goes_to_the_route_with_the_token_and_the_answer_is_read(
    hub: HubClient, server: Server, status: int, *, is_new: bool
) -> None:
    server.answer = answer(status)

    opened: ResultHub = hub
    found = opened.publish(b'{"a": 1}')

    assert found == HubAnswer(
        evaluation_id=row_id(1),
        is_new=is_new,
        state="mismatch",
        reasons=("corpus_changed",),
        previous_id=row_id(2),
    )
    [(path, headers, body)] = server.asked
    assert (path, body) == ("/prefix/api/v1/evaluations", {"a": 1})
    assert {name.lower(): text for name, text in headers.items()}["authorization"] == (
        f"Bearer {SHOWN}"
    )


@pytest.mark.parametrize(
    ("status", "code", "helps"),
    [
        (401, "bad_credential", "EVENHAND_TOKEN"),
        (403, "capability_missing", "rag.evaluation@1"),
        (404, "project_not_found", "--project"),
        (409, "idempotency_conflict", "stays"),
        (413, "body_too_large", "serve_body_limit"),
        (422, "question_missing", "--version"),
        (503, "database_busy", "evenhand evaluations publish"),
    ],
)
def test_a_refusal_is_told_by_its_code_with_what_helps(
    hub: HubClient, server: Server, status: int, code: str, helps: str
) -> None:
    server.answer = (status, msgspec.json.encode({"code": code, "detail": CANARY}), {})

    with pytest.raises(HubRefused) as refused:
        hub.publish(b"{}")

    assert (refused.value.hub_code, refused.value.status) == (code, status)
    assert code in str(refused.value)
    assert helps in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "given",
    [
        (302, b"", {"location": "http://127.0.0.1:9/other"}),
        (404, b"<html>" + CANARY.encode(), {}),
        (500, b'{"code": "' + CANARY.encode() * 9 + b'"}', {}),
        (200, b"{}", {}),
        (201, b"[" * 10_000, {}),
        answer(201, evaluation={"id": CANARY}),
        answer(201, verdict={"state": CANARY, "reasons": [], "evaluation_id": None}),
        (201, b"x" * (hub_client.MAX_ANSWER_BYTES + 1), {}),
    ],
    ids=["redirect", "page", "no code", "other", "deep", "no id", "no state", "long"],
)
def test_what_no_hub_says_is_no_answer_and_is_never_repeated_or_followed(
    hub: HubClient, server: Server, given: tuple[int, bytes, dict[str, str]]
) -> None:
    server.answer = given

    with pytest.raises(HubUnavailable) as failed:
        hub.publish(b"{}")

    said = "".join(traceback.format_exception(failed.value)) + repr(vars(failed.value))
    assert CANARY not in said
    assert SHOWN not in said
    assert len(server.asked) == 1


def test_a_hub_that_does_not_answer_in_time_is_away(server: Server) -> None:
    server.is_silent = True
    hub = HubClient(server.url, SHOWN, timeout_seconds=0.2)
    with pytest.raises(HubUnavailable, match="in time"):
        hub.publish(b"{}")
    hub.close()


def test_where_nobody_listens_the_message_names_no_address() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        hub = HubClient(f"http://127.0.0.1:{port}", SHOWN)
        with pytest.raises(HubUnavailable) as failed:
            hub.publish(b"{}")
        hub.close()
    assert str(port) not in str(failed.value)
    assert failed.value.__cause__ is None


def test_the_token_is_in_no_representation(hub: HubClient) -> None:
    assert SHOWN not in repr(hub)

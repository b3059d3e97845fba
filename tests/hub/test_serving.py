"""``evenhand serve`` as a process of its own, on a port of this machine that is free."""

import json
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from evenhand.cli.main import run_command
from evenhand.core.errors import InvalidSetting
from evenhand.hub.serving import address_of, is_loopback, listen
from tests.hub.conftest import only_sqlite
from tests.hub.processes import PATIENCE, Process


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Process]]:
    """Starts hub processes, which are ended with the test."""
    with ExitStack() as running:

        def _start(*options: str) -> Process:
            process = Process(tmp_path, *options)
            running.callback(process.close)
            return process

        yield _start


def test_an_empty_folder_serves_at_once_and_shows_one_token_once(
    start: Callable[..., Process], tmp_path: Path
) -> None:
    first = start()
    token = first.said["operator_token"]

    assert token.startswith("evh_op_")
    assert first.get("/readyz").json()["status"] == "ok"
    assert first.get("/api/v1/evaluations").status_code == 401
    assert first.get("/api/v1/evaluations", token).json() == {"items": [], "next_cursor": None}
    assert first.end() == 0
    assert token not in first.errors
    assert [json.loads(line)["status"] for line in first.errors.splitlines()] == [200, 401, 200]

    second = start()
    assert second.said["operator_token"] is None
    assert second.get("/api/v1/credentials", token).json()["items"][0]["name"] == "first-operator"
    assert second.end(signal.SIGINT) == 130
    assert "Traceback" not in second.errors
    assert {path.name for path in tmp_path.iterdir()} == {".evenhand", "errors.txt"}


def test_several_processes_on_one_database_show_one_token(
    start: Callable[..., Process], empty_database_url: str
) -> None:
    # They race: neither waits for the other to be ready.
    processes = [start("--database-url", empty_database_url) for _ in range(2)]

    [token] = [found for one in processes if (found := one.said["operator_token"]) is not None]
    for process in processes:
        assert process.get("/api/v1/evaluations", token).status_code == 200
        assert process.end() == 0


def test_a_request_in_work_ends_before_the_process_does(start: Callable[..., Process]) -> None:
    process = start()
    address = urlsplit(process.said["address"])
    body = b'{"name": "late", "role": "viewer"}'
    head = (
        f"POST /api/v1/credentials HTTP/1.1\r\nHost: {address.netloc}\r\n"
        f"Authorization: Bearer {process.said['operator_token']}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        "Expect: 100-continue\r\n\r\n"
    )
    with socket.create_connection((address.hostname, address.port), PATIENCE) as connection:
        answer = connection.makefile("rb")
        connection.sendall(head.encode())
        # The server asks for the body: the credential is known, so the request is in work.
        assert answer.readline().startswith(b"HTTP/1.1 100")
        assert answer.readline() == b"\r\n"
        process.tell(signal.SIGTERM)
        while is_open(str(address.hostname), int(address.port or 0)):
            """Nobody else is let in any more."""
        connection.sendall(body)
        assert answer.readline().startswith(b"HTTP/1.1 201")
        answer.close()

    assert process.end() == 0


def is_open(host: str, port: int) -> bool:
    """Whether somebody listens."""
    try:
        socket.create_connection((host, port), PATIENCE).close()
    except OSError:
        return False
    return True


def test_an_address_that_is_taken_is_told() -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InvalidSetting, match="serve_port: cannot be listened on"):
            listen("127.0.0.1", port).close()


def test_the_address_of_a_socket_is_a_url() -> None:
    with listen("127.0.0.1", 0) as listening:
        assert address_of(listening) == f"http://127.0.0.1:{listening.getsockname()[1]}"
        assert is_loopback(listening)
    if socket.has_ipv6:
        with listen("::1", 0) as listening:
            assert address_of(listening).startswith("http://[::1]:")
            assert is_loopback(listening)
    with listen("0.0.0.0", 0) as listening:  # noqa: S104 -- that it is told from loopback
        assert not is_loopback(listening)


@only_sqlite
@pytest.mark.parametrize(
    ("option", "value", "rule"),
    [
        ("--port", "65536", "serve_port (flag): must be a whole number from 0 to 65535"),
        ("--port", "http", "serve_port (flag): must be a whole number from 0 to 65535"),
        ("--host", "a b", "serve_host (flag): must be an address or the name of a host"),
    ],
)
def test_a_malformed_address_is_a_usage_error(
    option: str,
    value: str,
    rule: str,
    database_url: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = run_command(["--database-url", database_url, "serve", option, value])

    assert code == 2
    assert rule in capsys.readouterr().err

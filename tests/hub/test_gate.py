"""What stands before every route, and in which order."""

from collections.abc import Iterator
from typing import Any

import pytest

from evenhand.core.access.roles import Role
from tests.hub.conftest import BODY_LIMIT, Hub, everywhere, made_token, only_sqlite

PATH = "/api/v1/credentials"
JSON = {"Content-Type": "application/json"}
BROKEN = b'{"name": '
GOOD = b'{"name": "ci", "role": "viewer"}'


def refusal(answer: Any) -> tuple[int, str]:
    """Status and code of a problem, which must be one."""
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["status"] == answer.status_code
    assert problem["type"] == f"urn:evenhand:problem:{problem['code']}"
    return answer.status_code, problem["code"]


@only_sqlite
@pytest.mark.parametrize(
    ("role", "headers", "body", "expected"),
    [
        # Each row is wrong in everything that the next rows are wrong in.
        (None, {}, b"[" * (BODY_LIMIT + 1), (401, "missing_credential")),
        ("viewer", {}, b"[" * (BODY_LIMIT + 1), (403, "forbidden")),
        ("operator", {}, b"[" * (BODY_LIMIT + 1), (413, "body_too_large")),
        ("operator", {}, BROKEN, (415, "unsupported_media_type")),
        ("operator", JSON, BROKEN, (400, "invalid_json")),
        ("operator", JSON, b'{"name": "A", "role": "viewer"}', (422, "invalid_request")),
    ],
    ids=["credential", "authority", "size", "media type", "JSON", "schema"],
)
def test_the_order_of_checks(
    hub: Hub, role: str | None, headers: dict[str, str], body: bytes, expected: tuple[int, str]
) -> None:
    assert refusal(hub.call("POST", PATH, role, headers=headers, content=body)) == expected


@only_sqlite
@pytest.mark.parametrize("body", [BROKEN, b'{"a": NaN}', b'{"a": 1, "a": 2}', b"[]", b"\xff"])
def test_a_body_that_is_not_strict_is_told_only_to_who_may_send_one(hub: Hub, body: bytes) -> None:
    assert refusal(hub.call("POST", PATH, content=body, headers=JSON))[0] == 401
    assert refusal(hub.call("POST", PATH, "operator", content=body, headers=JSON)) == (
        400,
        "invalid_json",
    )


@everywhere
def test_what_is_refused_is_the_same_whoever_answers(hub: Hub) -> None:
    """The three that a client meets first, and that nothing was stored by them."""
    twice = b'{"name": "ci", "name": "cd", "role": "viewer"}'
    for _ in range(2):
        answers = [
            hub.call("POST", PATH, content=BROKEN, headers=JSON),
            hub.call("POST", PATH, "viewer", content=BROKEN, headers=JSON),
            hub.call("POST", PATH, "operator", content=twice, headers=JSON),
            hub.call("GET", f"{PATH}/", "operator", follow_redirects=False),
        ]
        assert list(map(refusal, answers)) == [
            (401, "missing_credential"),
            (403, "forbidden"),
            (400, "invalid_json"),
            (404, "route_not_found"),
        ]
    assert len(hub.call("GET", PATH, "operator").json()["items"]) == len(hub.tokens)


@only_sqlite
@pytest.mark.parametrize(
    "authorization",
    ["", "Bearer", "Bearer ", "Basic eDp5", "Bearer evh_op_x", "bearer \u00e9", "evh_op_x"],
)
def test_what_is_no_token_in_force_is_not_known(hub: Hub, authorization: str) -> None:
    shown = [(b"Authorization", authorization.encode())]
    answer = hub.client.get(PATH, headers=shown)

    assert refusal(answer) == (401, "bad_credential")
    assert answer.headers["www-authenticate"] == "Bearer"
    assert authorization[7:] == "" or authorization[7:] not in answer.text


@only_sqlite
def test_two_credentials_are_none(hub: Hub) -> None:
    shown = f"Bearer {hub.tokens['operator']}"
    answer = hub.client.get(PATH, headers=[("Authorization", shown), ("Authorization", shown)])

    assert refusal(answer) == (401, "bad_credential")


@only_sqlite
def test_the_scheme_may_be_written_in_any_case(hub: Hub) -> None:
    shown = f"bEARER {hub.tokens['operator']}"

    assert hub.client.get(PATH, headers={"Authorization": shown}).status_code == 200


@only_sqlite
@pytest.mark.parametrize(
    "path",
    [f"{PATH}/", "/api/v1/evaluations/", "/healthz/", "//healthz", "/healthz%0A", "/", "/api/v1"],
)
@pytest.mark.parametrize("role", [None, "operator"])
def test_an_address_that_is_not_in_the_table_is_unknown_and_never_redirected(
    hub: Hub, path: str, role: str | None
) -> None:
    answer = hub.call("GET", f"http://testserver{path}", role, follow_redirects=False)

    assert refusal(answer) == (404, "route_not_found")


@only_sqlite
@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("DELETE", PATH, "GET, POST"),
        ("PUT", "/api/v1/evaluations", "GET, POST"),
        ("POST", "/healthz", "GET"),
        ("GET", f"{PATH}/x/revoke", "POST"),
        ("NONSENSE", PATH, "GET, POST"),
    ],
)
def test_a_wrong_method_is_told_the_right_ones(
    hub: Hub, method: str, path: str, allowed: str
) -> None:
    answer = hub.call(method, path)

    assert refusal(answer) == (405, "method_not_allowed")
    assert answer.headers["allow"] == allowed


@only_sqlite
@pytest.mark.parametrize(
    ("content_type", "status"),
    [
        ("application/json", 201),
        ("application/json; charset=utf-8", 201),
        ("Application/JSON; charset=UTF-8", 201),
        ("application/json; charset=latin-1", 415),
        ("text/plain", 415),
        ("application/x-www-form-urlencoded", 415),
        ("application/json-patch+json", 415),
        ("", 415),
    ],
)
def test_the_media_type_is_json_in_utf_8(hub: Hub, content_type: str, status: int) -> None:
    answer = hub.call(
        "POST", PATH, "operator", content=GOOD, headers={"Content-Type": content_type}
    )

    assert answer.status_code == status


@only_sqlite
def test_a_packed_body_is_not_unpacked(hub: Hub) -> None:
    packed = JSON | {"Content-Encoding": "gzip"}

    assert refusal(hub.call("POST", PATH, "operator", content=GOOD, headers=packed))[0] == 415


@only_sqlite
def test_the_limit_of_a_body_is_exact_and_counted_where_it_is_not_declared(hub: Hub) -> None:
    whole = GOOD + b" " * (BODY_LIMIT - len(GOOD))

    def pieces(content: bytes) -> Iterator[bytes]:
        yield content[:9]
        yield content[9:]

    assert hub.call("POST", PATH, "operator", content=whole, headers=JSON).status_code == 201
    for content in (whole + b" ", pieces(whole + b" ")):
        answer = hub.call("POST", PATH, "operator", content=content, headers=JSON)
        assert refusal(answer) == (413, "body_too_large")
    declared = JSON | {"Content-Length": "9" * 5000}
    answer = hub.call("POST", PATH, "operator", content=GOOD, headers=declared)
    assert refusal(answer) == (413, "body_too_large")


@only_sqlite
def test_a_route_without_a_body_takes_an_empty_one(hub: Hub) -> None:
    for body, status in ((b"", 404), (b"{}", 404), (BROKEN, 400), (b'{"a": 1}', 422)):
        answer = hub.call("POST", f"{PATH}/x/revoke", "operator", content=body, headers=JSON)
        assert refusal(answer)[0] == status


@only_sqlite
def test_no_problem_repeats_what_was_submitted(hub: Hub) -> None:
    canary = "Canary-7"
    body = f'{{"name": "{canary}", "role": "{canary}", "{canary}": "{canary}"}}'.encode()
    answers = [
        hub.call("POST", PATH, "operator", content=body, headers=JSON),
        hub.call("POST", PATH, "operator", content=body + b"x", headers=JSON),
        hub.call("POST", f"{PATH}/{canary}/revoke", "operator"),
        hub.call("GET", f"/api/v1/evaluations/{canary}", "operator"),
        hub.call("GET", f"/api/v1/evaluations?limit={canary}&{canary}=1", "operator"),
        hub.call("GET", f"/api/v1/evaluations?cursor={canary}", "operator"),
        hub.call("GET", f"/{canary}", "operator"),
        hub.client.get(PATH, headers={"Authorization": f"Bearer {canary}"}),
    ]

    assert [one.status_code for one in answers] == [422, 400, 404, 404, 422, 422, 404, 401]
    assert [one.text for one in answers if canary in one.text] == []
    assert canary not in hub.log.getvalue()


@only_sqlite
def test_a_token_that_ended_is_refused_at_once(hub: Hub) -> None:
    token = made_token(hub.parts, Role.VIEWER, "short-lived")
    shown = {"Authorization": f"Bearer {token}"}
    assert hub.client.get("/api/v1/evaluations", headers=shown).status_code == 200

    assert hub.call("POST", f"{PATH}/short-lived/revoke", "operator").status_code == 200

    assert refusal(hub.client.get("/api/v1/evaluations", headers=shown)) == (
        401,
        "bad_credential",
    )


@only_sqlite
@pytest.mark.parametrize(
    "query",
    ["limit=1&limit=2", "limit=1&%6Cimit=1", "limit=1.0", "limit=+1", "limit=%201", "limit=1_0"],
)
def test_a_parameter_is_said_once_and_a_number_in_digits(hub: Hub, query: str) -> None:
    path = "/api/v1/evaluations"
    refused = hub.call("GET", f"{path}?{query}", "viewer")

    assert (refused.status_code, refused.json()["code"]) == (422, "invalid_request")
    assert hub.call("GET", f"{path}?limit=1", "viewer").status_code == 200
    assert hub.call("GET", f"{path}?{query}").status_code == 401

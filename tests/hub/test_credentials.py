"""Tokens over HTTP: shown once, listed without, rotated and revoked."""

from collections.abc import Callable

import pytest

from tests.hub.conftest import Hub, everywhere, only_sqlite

PATH = "/api/v1/credentials"


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@everywhere
def test_a_token_lives_from_its_making_to_its_end(hub: Hub) -> None:
    made = hub.call("POST", PATH, "operator", json={"name": "ci", "role": "viewer"})
    first = made.json()

    assert (made.status_code, made.headers["cache-control"]) == (201, "no-store")
    assert first["token"].startswith("evh_vw_")
    assert hub.client.get("/api/v1/evaluations", headers=bearer(first["token"])).is_success

    turned = hub.call("POST", f"{PATH}/{first['credential']['id']}/rotate", "operator")
    second = turned.json()
    assert (turned.status_code, turned.headers["cache-control"]) == (200, "no-store")
    assert second["credential"]["rotated_from"] == first["credential"]["id"]
    assert hub.client.get("/api/v1/evaluations", headers=bearer(first["token"])).status_code == 401
    assert hub.client.get("/api/v1/evaluations", headers=bearer(second["token"])).is_success

    ended = hub.call("POST", f"{PATH}/{second['credential']['id']}/revoke", "operator").json()
    assert (ended["state"], ended["ended_at"] is None) == ("revoked", False)
    assert (
        hub.client.get("/api/v1/evaluations", headers=bearer(second["token"])).status_code == 401
    )


def test_hubs_on_one_database_know_the_same_tokens(
    open_hub: Callable[[str], Hub], database_url: str
) -> None:
    one, other = open_hub(database_url), open_hub(database_url)
    body = {"name": "ci", "role": "viewer"}
    shown = bearer(one.call("POST", PATH, "operator", json=body).json()["token"])

    assert other.client.get("/api/v1/evaluations", headers=shown).status_code == 200
    assert other.call("POST", f"{PATH}/ci/revoke", "operator").status_code == 200
    assert one.client.get("/api/v1/evaluations", headers=shown).status_code == 401


def test_a_list_tells_no_token_and_no_digest(hub: Hub) -> None:
    token = hub.call("POST", PATH, "operator", json={"name": "ci", "role": "viewer"}).json()[
        "token"
    ]

    answer = hub.call("GET", f"{PATH}?with_ended=true", "operator")

    assert token not in answer.text
    assert {frozenset(item) for item in answer.json()["items"]} == {
        frozenset(
            ("id", "name", "role", "state", "created_at", "rotated_from", "ended_at", "client_id"),
        )
    }
    assert token not in hub.log.getvalue()


def every_name(hub: Hub, more: str) -> list[str]:
    """The names on all pages of two."""
    names: list[str] = []
    cursor = ""
    while True:
        found = hub.call("GET", f"{PATH}?limit=2{more}{cursor}", "operator").json()
        names += [item["name"] for item in found["items"]]
        if found["next_cursor"] is None:
            return names
        cursor = f"&cursor={found['next_cursor']}"


@only_sqlite
def test_pages_hold_every_credential_once_and_the_ended_ones_when_asked(hub: Hub) -> None:
    for number in range(5):
        hub.call("POST", PATH, "operator", json={"name": f"ci-{number}", "role": "viewer"})
    hub.call("POST", f"{PATH}/ci-0/revoke", "operator")

    for more, expected in (("", 6), ("&with_ended=true", 7)):
        names = every_name(hub, more)
        assert len(names) == len(set(names)) == expected
        assert names[0] == "ci-4"


@only_sqlite
@pytest.mark.parametrize(
    ("body", "field", "code"),
    [
        ({"role": "viewer"}, "body.name", "missing"),
        ({"name": "A", "role": "viewer"}, "body.name", "string_pattern_mismatch"),
        ({"name": "a\n", "role": "viewer"}, "body.name", "string_pattern_mismatch"),
        ({"name": "a" * 64, "role": "viewer"}, "body.name", "string_pattern_mismatch"),
        ({"name": 1, "role": "viewer"}, "body.name", "string_type"),
        ({"name": "a", "role": "admin"}, "body.role", "literal_error"),
        ({"name": "a", "role": "viewer", "x": 1}, "body", "extra_forbidden"),
    ],
)
def test_what_is_wrong_is_named_by_its_place(
    hub: Hub, body: dict[str, object], field: str, code: str
) -> None:
    answer = hub.call("POST", PATH, "operator", json=body)

    assert answer.status_code == 422
    assert answer.json()["fields"] == [{"field": field, "code": code}]


@everywhere
def test_a_name_in_force_and_an_end_that_was_before_are_conflicts(hub: Hub) -> None:
    body = {"name": "ci", "role": "viewer"}
    made = hub.call("POST", PATH, "operator", json=body).json()["credential"]
    again = hub.call("POST", PATH, "operator", json=body)
    hub.call("POST", f"{PATH}/{made['id']}/revoke", "operator")
    ended = hub.call("POST", f"{PATH}/{made['id']}/rotate", "operator")

    assert (again.status_code, again.json()["code"]) == (409, "credential_exists")
    assert (ended.status_code, ended.json()["code"]) == (409, "credential_ended")


@everywhere
def test_the_audit_names_the_operator_who_asked(hub: Hub) -> None:
    hub.call("POST", PATH, "operator", json={"name": "ci", "role": "viewer"})

    [entry] = hub.parts.database.read(lambda uow: uow.audit.list_latest(limit=1))
    operator = hub.parts.database.read(lambda uow: uow.credentials.find("operator-0"))
    assert operator is not None
    assert (entry.action, entry.actor.kind.value, entry.actor.id) == (
        "create",
        "operator",
        operator.id,
    )

"""The registry over HTTP, on both databases: register, list, look, change, and what is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evenhand.core.access.roles import Capability
from tests.hub.conftest import Hub, only_sqlite

API = "/api/v1"
UNKNOWN = "01990000-0000-7000-8000-000000000000"


def case(identifier: str) -> dict[str, Any]:
    [path] = (Path(__file__).parents[1] / "cases").glob(f"{identifier}-*.json")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


class Registry:
    """What an operator does, and what it gets."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub

    def post(self, noun: str, **body: Any) -> Any:
        return self.hub.call("POST", f"{API}/{noun}", "operator", json=body)

    def patch(self, noun: str, object_id: str, **body: Any) -> Any:
        return self.hub.call("PATCH", f"{API}/{noun}/{object_id}", "operator", json=body)

    def get(self, noun: str, tail: str = "") -> Any:
        answer = self.hub.call("GET", f"{API}/{noun}{tail}", "viewer")
        assert answer.status_code == 200
        return answer.json()

    def made(self, noun: str, **body: Any) -> Any:
        answer = self.post(noun, **body)
        assert answer.status_code == 201, answer.text
        return answer.json()

    def shop(self, name: str = "shop") -> dict[str, Any]:
        """One of each, which belong together."""
        project = self.made("projects", name=name)
        binding = self.made(
            "bindings",
            project_id=project["id"],
            name="search",
            capability="rag.embedding@1",
            stage="stable",
        )
        artifact = self.made("artifacts", name=f"{name}-minilm", digest="0" * 64, model="minilm")
        runtime = self.made("runtimes", name=f"{name}-server", **SERVER)
        deployment = self.made(
            "deployments",
            **deployment_body(project["id"], artifact["id"], runtime["id"]),
        )
        return {
            "projects": project,
            "bindings": binding,
            "service-clients": self.made(
                "service-clients", binding_id=binding["id"], name="worker"
            ),
            "artifacts": artifact,
            "runtimes": runtime,
            "deployments": deployment,
            "routes": self.made(
                "routes",
                binding_id=binding["id"],
                deployment_id=deployment["id"],
                name="live",
                kind="stable",
            ),
        }


SERVER = {
    "kind": "openai_http",
    "identity": "server-1.0",
    "base_url": "https://embeddings.example/v1",
    "secret_env": "EMBEDDINGS_KEY",
}


def deployment_body(
    project_id: str, artifact_id: str, runtime_id: str, **more: Any
) -> dict[str, Any]:
    return {
        "project_id": project_id,
        "artifact_id": artifact_id,
        "runtime_id": runtime_id,
        "name": "small",
        "upstream_model": "minilm",
        "embedding_identity": "minilm-l6-v2",
        "dimension": 384,
        **more,
    }


NOUNS = (
    "projects",
    "bindings",
    "service-clients",
    "artifacts",
    "runtimes",
    "deployments",
    "routes",
)
CHANGEABLE = tuple(noun for noun in NOUNS if noun != "artifacts")
MEMBERS = {
    "projects": set(),
    "bindings": {"project_id", "capability", "stage"},
    "service-clients": {"project_id", "binding_id", "capabilities", "inputs_per_minute"},
    "artifacts": {"digest", "model"},
    "runtimes": {"kind", "identity", "base_url", "secret_env", "embedder", "max_inputs"},
    "deployments": {
        *("project_id", "artifact_id", "runtime_id", "upstream_model", "embedding_identity"),
        *("dimension", "query_prefix", "document_prefix", "score_cutoff"),
    },
    "routes": {"project_id", "binding_id", "kind", "deployment_id"},
}


@pytest.fixture
def registry(hub: Hub) -> Registry:
    return Registry(hub)


def test_what_was_registered_is_listed_and_found(registry: Registry) -> None:
    shop = registry.shop()

    for noun, made in shop.items():
        common = {"id", "name", "created_at"}
        changing = {"active", "version"} if noun in CHANGEABLE else set()
        assert set(made) == common | changing | MEMBERS[noun]
        assert registry.get(noun) == {"items": [made], "next_cursor": None}
        assert registry.get(noun, f"/{made['id']}") == made
        if noun in CHANGEABLE:
            assert (made["active"], made["version"]) == (True, 1)
    assert shop["service-clients"]["capabilities"] == ["rag.embedding@1"]
    assert shop["service-clients"]["project_id"] == shop["projects"]["id"]


@pytest.mark.parametrize("noun", CHANGEABLE)
def test_a_change_needs_the_version_that_is_there(registry: Registry, noun: str) -> None:
    made = registry.shop()[noun]

    off = registry.patch(noun, made["id"], expected_version=1, active=False)
    assert (off.status_code, off.json()) == (200, made | {"active": False, "version": 2})
    again = registry.patch(noun, made["id"], expected_version=1, active=True)
    assert (again.status_code, again.json()["code"]) == (409, "version_conflict")
    same = registry.patch(noun, made["id"], expected_version=2, active=False)
    assert same.json() == off.json()
    unsaid = registry.patch(noun, made["id"], expected_version=2)
    assert unsaid.json() == off.json()
    assert registry.get(noun, f"/{made['id']}") == off.json()


@pytest.mark.parametrize(
    ("noun", "change"),
    [
        ("bindings", {"stage": "experimental"}),
        ("service-clients", {"capabilities": ["rag.event@1", "rag.review@1"]}),
        ("service-clients", {"inputs_per_minute": 600}),
        ("runtimes", {"secret_env": None}),
        ("runtimes", {"max_inputs": 96}),
        ("runtimes", {"secret_env": "OTHER_KEY"}),
        ("deployments", {"score_cutoff": 0.5}),
        ("deployments", {"score_cutoff": None}),
    ],
)
def test_what_may_change_changes(registry: Registry, noun: str, change: dict[str, Any]) -> None:
    made = registry.shop()[noun]
    if change == {"score_cutoff": None}:
        made = registry.patch(noun, made["id"], expected_version=1, score_cutoff=1).json()

    answer = registry.patch(noun, made["id"], expected_version=made["version"], **change)

    assert answer.status_code == 200
    assert answer.json() == made | change | {"version": made["version"] + 1}


@only_sqlite
def test_what_an_object_is_never_changes(registry: Registry) -> None:
    shop = registry.shop()
    for noun in CHANGEABLE:
        may = {"active", *CHANGES.get(noun, ())}
        for member in set(shop[noun]) - {"version"} - may:
            answer = registry.patch(
                noun, shop[noun]["id"], expected_version=1, **{member: shop[noun][member]}
            )
            assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request"), member
    assert registry.patch("artifacts", shop["artifacts"]["id"]).status_code == 405
    for noun in NOUNS:
        gone = registry.hub.call("DELETE", f"{API}/{noun}/{shop[noun]['id']}", "operator")
        assert gone.status_code == 405


CHANGES = {
    "bindings": ("stage",),
    "service-clients": ("capabilities", "inputs_per_minute"),
    "runtimes": ("secret_env", "max_inputs"),
    "deployments": ("score_cutoff",),
    "routes": ("deployment_id",),
}


@only_sqlite
@pytest.mark.parametrize("noun", NOUNS)
def test_an_unknown_id_is_404_with_the_noun_s_code(registry: Registry, noun: str) -> None:
    one = noun.replace("-", "_").removesuffix("s")
    code = "model_route_not_found" if one == "route" else f"{one}_not_found"
    for object_id in (UNKNOWN, "x", "evh_op_pasted", "%00", "%F0%9F%A6%86"):
        answer = registry.hub.call("GET", f"{API}/{noun}/{object_id}", "viewer")
        assert (answer.status_code, answer.json()["code"]) == (404, code)
        assert "pasted" not in answer.text
    if noun in CHANGEABLE:
        changed = registry.patch(noun, UNKNOWN, expected_version=1, active=False)
        assert (changed.status_code, changed.json()["code"]) == (404, code)


@pytest.mark.parametrize("noun", NOUNS)
def test_a_name_that_is_taken_is_a_conflict(registry: Registry, noun: str) -> None:
    shop = registry.shop()
    body = {
        "projects": {},
        "bindings": {
            "project_id": shop["projects"]["id"],
            "capability": "rag.event@1",
            "stage": "stable",
        },
        "service-clients": {"binding_id": shop["bindings"]["id"]},
        "artifacts": {"digest": "1" * 64, "model": "other"},
        "runtimes": {"kind": "in_process", "identity": "x", "embedder": "minilm"},
        "deployments": deployment_body(
            *(shop[one]["id"] for one in ("projects", "artifacts", "runtimes"))
        ),
        "routes": {
            "binding_id": shop["bindings"]["id"],
            "deployment_id": shop["deployments"]["id"],
            "kind": "experiment",
        },
    }[noun]

    answer = registry.post(noun, **body | {"name": shop[noun]["name"]})

    assert (answer.status_code, answer.json()["code"]) == (409, "name_taken")
    assert registry.get(noun)["items"] == [shop[noun]]


@only_sqlite
def test_unknown_and_foreign_references_are_refused_alike(registry: Registry) -> None:
    shop, other = registry.shop(), registry.shop("other")
    project, binding, artifact, runtime, deployment = (
        shop[noun]["id"]
        for noun in ("projects", "bindings", "artifacts", "runtimes", "deployments")
    )
    binding_body = {"name": "b", "capability": "rag.event@1", "stage": "stable"}
    route = {"name": "r", "kind": "experiment", "binding_id": binding}
    refused = {
        "unknown_project": [
            ("bindings", binding_body | {"project_id": UNKNOWN}),
            ("deployments", deployment_body(UNKNOWN, artifact, runtime)),
        ],
        "unknown_binding": [
            ("service-clients", {"name": "c", "binding_id": UNKNOWN}),
            ("service-clients", {"name": "c", "binding_id": "a\0"}),
            ("routes", route | {"binding_id": UNKNOWN, "deployment_id": deployment}),
        ],
        "unknown_artifact": [("deployments", deployment_body(project, runtime, runtime))],
        "unknown_runtime": [("deployments", deployment_body(project, artifact, artifact))],
        "unknown_deployment": [
            ("routes", route | {"deployment_id": UNKNOWN}),
            ("routes", route | {"deployment_id": other["deployments"]["id"]}),
        ],
    }

    for code, tried in refused.items():
        answers = [registry.post(noun, **body) for noun, body in tried]
        assert {(one.status_code, one.json()["code"]) for one in answers} == {(422, code)}
        # Nothing tells one that is unknown from one of another project.
        assert len({one.text for one in answers}) == 1
    moved = registry.patch(
        "routes",
        shop["routes"]["id"],
        expected_version=1,
        deployment_id=other["deployments"]["id"],
    )
    assert (moved.status_code, moved.json()["code"]) == (422, "unknown_deployment")


@only_sqlite
@pytest.mark.parametrize(
    ("noun", "code"),
    [
        ("projects", "inactive_project"),
        ("bindings", "inactive_binding"),
        ("runtimes", "inactive_runtime"),
        ("deployments", "inactive_deployment"),
    ],
)
def test_nothing_new_refers_to_what_is_out_of_use(
    registry: Registry, noun: str, code: str
) -> None:
    shop = registry.shop()
    registry.patch(noun, shop[noun]["id"], expected_version=1, active=False)
    route = {
        "binding_id": shop["bindings"]["id"],
        "deployment_id": shop["deployments"]["id"],
        "name": "r",
        "kind": "experiment",
    }
    body = {
        "runtimes": (
            "deployments",
            deployment_body(*(shop[one]["id"] for one in ("projects", "artifacts", "runtimes"))),
        )
    }.get(noun, ("routes", route))

    answer = registry.post(body[0], **body[1] | {"name": "new"})

    assert (answer.status_code, answer.json()["code"]) == (422, code)


def test_production_changes_by_pointing_the_stable_route_elsewhere(registry: Registry) -> None:
    shop = registry.shop()
    ids = [shop[one]["id"] for one in ("projects", "artifacts", "runtimes")]
    candidate = registry.made("deployments", **deployment_body(*ids, name="large"))
    place = {"binding_id": shop["bindings"]["id"], "deployment_id": candidate["id"]}
    second = registry.post("routes", **place, name="second", kind="stable")
    assert (second.status_code, second.json()["code"]) == (409, "stable_route_exists")
    trial = registry.made("routes", **place, name="trial", kind="experiment")

    fixed = registry.patch(
        "routes", trial["id"], expected_version=1, deployment_id=shop["deployments"]["id"]
    )
    assert (fixed.status_code, fixed.json()["code"]) == (422, "invalid_value")
    moved = registry.patch(
        "routes", shop["routes"]["id"], expected_version=1, deployment_id=candidate["id"]
    )
    assert moved.json() == shop["routes"] | {"deployment_id": candidate["id"], "version": 2}
    entry = registry.hub.call(
        "GET", f"{API}/audit?object_kind=route&object_id={shop['routes']['id']}", "operator"
    ).json()["items"][0]
    told = {name: entry[name] for name in ("action", "code", "version", "related_id")}
    assert told == {
        "action": "change",
        "code": "deployment_id",
        "version": 2,
        "related_id": candidate["id"],
    }


@only_sqlite
@pytest.mark.parametrize(
    ("noun", "wrong", "field", "code"),
    [
        ("projects", {"name": "A"}, "body.name", "string_pattern_mismatch"),
        ("projects", {"name": "a", "active": True}, "body", "extra_forbidden"),
        ("bindings", {"capability": "rag.other@1"}, "body.capability", "literal_error"),
        ("bindings", {"stage": "done"}, "body.stage", "literal_error"),
        ("artifacts", {"digest": "A" * 64}, "body.digest", "string_pattern_mismatch"),
        ("artifacts", {"model": "a b"}, "model", "invalid_label"),
        ("runtimes", {"kind": "ftp"}, "body.kind", "literal_error"),
        ("runtimes", {"secret_env": "lower"}, "body.secret_env", "string_pattern_mismatch"),
        ("runtimes", {"secret_env": "EVENHAND_DATABASE_URL"}, "secret_env", "invalid_text"),
        ("runtimes", {"base_url": "x" * 501}, "body.base_url", "string_too_long"),
        ("runtimes", {"base_url": "x"}, "base_url", "invalid_upstream"),
        ("runtimes", {"base_url": None}, "base_url", "invalid_value"),
        ("runtimes", {"embedder": "minilm"}, "embedder", "invalid_value"),
        ("runtimes", {"base_url": "http://10.0.0.1"}, "base_url", "upstream_not_allowed"),
        ("runtimes", {"base_url": "http://localhost"}, "base_url", "upstream_not_allowed"),
        ("runtimes", {"base_url": "http://localho\u017ft/v1"}, "base_url", "invalid_upstream"),
        ("deployments", {"dimension": 0}, "body.dimension", "greater_than_equal"),
        ("deployments", {"dimension": 65537}, "body.dimension", "less_than_equal"),
        ("deployments", {"dimension": 1.5}, "body.dimension", "int_type"),
        ("deployments", {"dimension": True}, "body.dimension", "int_type"),
        ("deployments", {"score_cutoff": "0"}, "body.score_cutoff", "float_type"),
        ("deployments", {"score_cutoff": True}, "body.score_cutoff", "float_type"),
        ("deployments", {"query_prefix": "\0"}, "query_prefix", "invalid_text"),
        ("deployments", {"query_prefix": "a" * 2001}, "body.query_prefix", "string_too_long"),
        ("deployments", {"upstream_model": None}, "upstream_model", "invalid_value"),
        ("service-clients", {"capabilities": []}, "body.capabilities", "too_short"),
        ("service-clients", {"capabilities": ["x"]}, "body.capabilities.0", "literal_error"),
        ("routes", {"kind": "canary"}, "body.kind", "literal_error"),
    ],
)
def test_what_is_wrong_is_named_by_its_place_and_nothing_is_registered(
    registry: Registry, noun: str, wrong: dict[str, Any], field: str, code: str
) -> None:
    shop = registry.shop()
    before = registry.get(noun)
    right = {
        name: value
        for name, value in shop[noun].items()
        if name not in ("id", "created_at", "active", "version")
        and (name != "project_id" or noun in ("bindings", "deployments"))
    }

    answer = registry.post(noun, **right | {"name": "new"} | wrong)

    assert answer.status_code == 422
    assert answer.json()["fields"] == [{"field": field, "code": code}]
    assert registry.get(noun) == before


@only_sqlite
@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({}, "body.expected_version"),
        ({"expected_version": 0}, "body.expected_version"),
        ({"expected_version": "1"}, "body.expected_version"),
        ({"expected_version": True}, "body.expected_version"),
        ({"expected_version": 2**53 + 1}, "body.expected_version"),
        ({"expected_version": 1, "active": None}, "body.active"),
        ({"expected_version": 1, "active": 0}, "body.active"),
    ],
)
def test_a_change_that_breaks_its_schema_is_refused(
    registry: Registry, wrong: dict[str, Any], field: str
) -> None:
    made = registry.shop()["projects"]
    answer = registry.patch("projects", made["id"], **wrong)
    assert (answer.status_code, answer.json()["fields"][0]["field"]) == (422, field)


@only_sqlite
def test_numbers_too_large_for_a_double_are_refused(registry: Registry) -> None:
    made = registry.shop()["deployments"]
    for number in ("1" + "0" * 400, "-1e999"):
        body = f'{{"expected_version": 1, "score_cutoff": {number}}}'
        answer = registry.hub.call(
            "PATCH",
            f"{API}/deployments/{made['id']}",
            "operator",
            content=body,
            headers={"Content-Type": "application/json"},
        )
        assert answer.status_code in (400, 422)


# Lists.


def every_page(registry: Registry, noun: str, limit: int, role: str = "viewer") -> list[str]:
    ids: list[str] = []
    cursor = ""
    while True:
        answer = registry.hub.call("GET", f"{API}/{noun}?limit={limit}{cursor}", role)
        found = json.loads(answer.content, parse_constant=pytest.fail)
        ids += [item["id"] for item in found["items"]]
        if found["next_cursor"] is None:
            return ids
        cursor = f"&cursor={found['next_cursor']}"


def test_pages_hold_every_one_once_newest_first(registry: Registry) -> None:
    given = case("B-124")["given"]
    made = [registry.made("projects", name=f"p-{number}")["id"] for number in range(given["rows"])]

    assert every_page(registry, "projects", given["limit"]) == made[::-1]
    told = every_page(registry, "audit", given["limit"], "operator")
    assert len(told) == len(set(told)) == given["rows"] + len(registry.hub.tokens)
    shown = every_page(registry, "credentials", 1, "operator")
    assert len(shown) == len(set(shown)) == len(registry.hub.tokens)


@only_sqlite
def test_limits_and_cursors_that_are_none_are_refused(registry: Registry) -> None:
    for noun in (*NOUNS, "audit", "credentials"):
        for name, value in [*case("B-124")["given"]["bad"], ("cursor", "x")]:
            answer = registry.hub.call("GET", f"{API}/{noun}?{name}={value}", "operator")
            code = "invalid_cursor" if name == "cursor" else "invalid_request"
            assert (answer.status_code, answer.json()["code"]) == (422, code)


def test_lists_are_of_a_project_or_a_binding(registry: Registry) -> None:
    shop, other = registry.shop(), registry.shop("other")
    for noun in ("bindings", "service-clients", "deployments", "routes"):
        found = registry.get(noun, f"?project_id={other['projects']['id']}")["items"]
        assert found == [other[noun]]
        assert registry.get(noun, f"?project_id={UNKNOWN}")["items"] == []
        assert len(registry.get(noun)["items"]) == 2
    for noun in ("service-clients", "routes"):
        found = registry.get(noun, f"?binding_id={shop['bindings']['id']}")["items"]
        assert found == [shop[noun]]


def test_the_audit_is_listed_by_kind_and_by_object(registry: Registry) -> None:
    shop = registry.shop()
    registry.patch("projects", shop["projects"]["id"], expected_version=1, active=False)
    operator = registry.hub.parts.database.read(lambda uow: uow.credentials.find("operator-0"))
    assert operator is not None

    answer = registry.hub.call("GET", f"{API}/audit?object_kind=project", "operator")

    off, created = answer.json()["items"]
    assert off | {"id": "", "at": ""} == {
        "id": "",
        "at": "",
        "actor": {"kind": "operator", "id": operator.id},
        "action": "change",
        "object": {"kind": "project", "id": shop["projects"]["id"]},
        "from_state": "active",
        "to_state": "inactive",
        "code": "active",
        "version": 2,
        "related_id": None,
    }
    assert (created["action"], created["version"], created["from_state"]) == ("create", 1, None)


# Secrets.


def test_no_secret_of_an_address_is_repeated_or_kept(registry: Registry) -> None:
    stated = case("B-118")
    address = stated["given"]["upstream"]
    for base_url in (address, address.partition("@")[2].join(("http://", "")), f"{address}\0"):
        answer = registry.post("runtimes", name="server", **SERVER | {"base_url": base_url})
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_upstream")
        for canary in stated["expected"]["canaries"]:
            assert canary not in answer.text
    variable = registry.post(
        "runtimes", name="server", **SERVER | {"secret_env": stated["given"]["authorization"]}
    )
    assert variable.status_code == 422

    assert registry.get("runtimes")["items"] == []
    said = variable.text + registry.hub.log.getvalue()
    said += registry.hub.call("GET", "/metrics").text
    assert not [one for one in stated["expected"]["canaries"] if one in said]


def test_a_listed_network_may_be_registered(
    open_hub: Callable[..., Hub], database_url: str
) -> None:
    hub = open_hub(database_url, serve_upstream_allow="10.0.0.0/8, localhost")
    registry = Registry(hub)
    for number, host in enumerate(("10.1.2.3", "localhost:8080")):
        base_url = f"http://{host}/v1"
        made = registry.made("runtimes", name=f"s-{number}", **SERVER | {"base_url": base_url})
        assert made["base_url"] == base_url
    refused = registry.post("runtimes", name="s", **SERVER | {"base_url": "http://127.0.0.1"})
    assert refused.json()["code"] == "upstream_not_allowed"


# Service clients.


def test_a_client_s_token_lives_from_its_making_to_its_end(registry: Registry) -> None:
    shop = registry.shop()
    client = shop["service-clients"]["id"]
    body = {"name": "worker", "role": "service_client", "client_id": client}
    made = registry.post("credentials", **body)
    first = made.json()
    assert made.status_code == 201
    assert first["token"].startswith("evh_sc_")
    assert first["credential"]["client_id"] == client

    assert seen(registry, first["token"]) == 403
    rotated = registry.hub.call("POST", f"{API}/credentials/worker/rotate", "operator").json()
    assert rotated["credential"]["client_id"] == client
    assert (seen(registry, first["token"]), seen(registry, rotated["token"])) == (401, 403)
    registry.hub.call("POST", f"{API}/credentials/worker/revoke", "operator")
    assert seen(registry, rotated["token"]) == 401


def seen(registry: Registry, token: str) -> int:
    """403 for a token in force, which may not read; 401 for one that is not."""
    found: int = registry.hub.client.get(
        f"{API}/projects", headers={"Authorization": f"Bearer {token}"}
    ).status_code
    return found


@pytest.mark.parametrize("noun", ["projects", "bindings", "service-clients"])
def test_a_token_is_not_in_force_while_what_it_belongs_to_is_out_of_use(
    registry: Registry, noun: str
) -> None:
    shop = registry.shop()
    client = shop["service-clients"]["id"]
    body = {"role": "service_client", "client_id": client}
    token = registry.post("credentials", name="worker", **body).json()["token"]

    registry.patch(noun, shop[noun]["id"], expected_version=1, active=False)
    assert seen(registry, token) == 401
    late = registry.post("credentials", name="late", **body)
    assert (late.status_code, late.json()["code"]) == (422, "inactive_service_client")
    registry.patch(noun, shop[noun]["id"], expected_version=2, active=True)
    assert seen(registry, token) == 403


@only_sqlite
@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"role": "service_client"}, "invalid_value"),
        ({"role": "viewer", "client_id": "client"}, "invalid_value"),
        ({"role": "service_client", "client_id": UNKNOWN}, "unknown_service_client"),
        ({"role": "service_client", "client_id": "a\0"}, "unknown_service_client"),
    ],
)
def test_a_client_and_the_role_of_one_go_together(
    hub: Hub, body: dict[str, Any], code: str
) -> None:
    client = hub.add_client("client", Capability.EMBEDDING)
    stated = body | ({"client_id": client.id} if body.get("client_id") == "client" else {})

    answer = hub.call("POST", f"{API}/credentials", "operator", json={"name": "x", **stated})

    assert (answer.status_code, answer.json()["code"]) == (422, code)
    assert answer.json()["fields"] == [{"field": "client_id", "code": code}]

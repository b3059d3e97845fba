"""``evenhand admin project|binding|client|artifact|runtime|deployment|route`` as a user types it."""

from pathlib import Path
from typing import Any

import pytest

from evenhand.bootstrap import build_app
from evenhand.core.access.roles import Capability
from evenhand.usecases import access
from tests.cli.typed import Cli

NOUNS = ("project", "binding", "client", "artifact", "runtime", "deployment", "route")
DIGEST = "0" * 64
#: How one of each is made, in an order in which it can be; its reference is under its noun.
MADE = {
    "project": ("create", "shop"),
    "binding": ("create", "search", "--project", "shop", "--stage", "stable"),
    "client": ("create", "worker", "--binding", "shop/search"),
    "artifact": ("create", "minilm", "--digest", DIGEST, "--model", "minilm-l6"),
    "runtime": (
        *("create", "server", "--identity", "server-1.0"),
        *("--base-url", "https://embeddings.example/v1", "--secret-env", "EMBEDDINGS_KEY"),
    ),
    "deployment": (
        *("create", "small", "--project", "shop", "--artifact", "minilm"),
        *("--runtime", "server", "--upstream-model", "minilm", "--dimension", "384"),
        *("--embedding-identity", "minilm-l6-v2", "--query-prefix", "query: "),
    ),
    "route": (
        *("create", "live", "--binding", "shop/search", "--kind", "stable"),
        *("--deployment", "shop/small"),
    ),
}
REFERENCES = {
    "project": "shop",
    "binding": "shop/search",
    "client": "shop/worker",
    "artifact": "minilm",
    "runtime": "server",
    "deployment": "shop/small",
    "route": "shop/live",
}
CHANGEABLE = tuple(noun for noun in NOUNS if noun != "artifact")


@pytest.fixture
def terminal(project_on_database: Cli) -> Cli:
    return project_on_database


@pytest.fixture
def shop(terminal: Cli) -> dict[str, Any]:
    """One of each, as its command printed it."""
    return {noun: terminal.json("admin", noun, *words) for noun, words in MADE.items()}


def test_what_was_made_is_listed_and_shown_by_name_and_by_id(
    terminal: Cli, shop: dict[str, Any]
) -> None:
    for noun, made in shop.items():
        assert terminal.json("admin", noun, "list") == [made]
        assert terminal.json("admin", noun, "show", made["id"]) == made
        assert terminal.json("admin", noun, "show", REFERENCES[noun]) == made
        assert terminal.run("admin", noun, "show", REFERENCES[noun]) == 0
        assert made["name"] in terminal.out
        assert made["id"] in terminal.out
        assert terminal.run("admin", noun, "list") == 0
        assert max(map(len, terminal.out.splitlines())) <= 80
    assert shop["client"]["capabilities"] == ["rag.embedding@1"]
    assert terminal.run("db", "check") == 0


@pytest.mark.parametrize("noun", CHANGEABLE)
def test_what_is_taken_out_of_use_is_told_of_and_comes_back(
    terminal: Cli, shop: dict[str, Any], noun: str
) -> None:
    reference = REFERENCES[noun]
    off = terminal.json("admin", noun, "set", reference, "--inactive")
    assert off == shop[noun] | {"active": False, "version": 2}
    same = terminal.json("admin", noun, "set", reference)
    assert same == off
    terminal.run("admin", noun, "list")
    assert "out of use" in terminal.out
    on = terminal.json("admin", noun, "set", shop[noun]["id"], "--active")
    assert on == shop[noun] | {"version": 3}
    entry = terminal.json("admin", "audit")[0]
    assert (entry["action"], entry["code"], entry["version"]) == ("change", "active", 3)
    assert entry["actor"] == {"kind": "command_line", "id": None}


@pytest.mark.parametrize("noun", CHANGEABLE)
def test_a_change_of_another_version_is_refused(
    terminal: Cli, shop: dict[str, Any], noun: str
) -> None:
    words = ("admin", noun, "set", REFERENCES[noun], "--inactive", "--expected-version")
    assert terminal.run(*words, "2") == 5
    assert "[version_conflict]" in terminal.err
    assert terminal.json("admin", noun, "show", REFERENCES[noun]) == shop[noun]
    assert terminal.json(*words, "1")["version"] == 2


@pytest.mark.parametrize(
    ("noun", "words", "member", "value"),
    [
        ("binding", ("--stage", "experimental"), "stage", "experimental"),
        (
            "client",
            ("--capability", "rag.review@1", "--capability", "rag.event@1"),
            "capabilities",
            ["rag.event@1", "rag.review@1"],
        ),
        ("client", ("--inputs-per-minute", "600"), "inputs_per_minute", 600),
        ("runtime", ("--max-inputs", "96"), "max_inputs", 96),
        ("runtime", ("--secret-env", "OTHER"), "secret_env", "OTHER"),
        ("runtime", ("--no-secret",), "secret_env", None),
        ("deployment", ("--score-cutoff", "0.5"), "score_cutoff", 0.5),
    ],
)
def test_what_may_change_is_set(
    terminal: Cli,
    shop: dict[str, Any],
    noun: str,
    words: tuple[str, ...],
    member: str,
    value: object,
) -> None:
    changed = terminal.json("admin", noun, "set", REFERENCES[noun], *words)
    assert changed == shop[noun] | {member: value, "version": 2}


@pytest.mark.parametrize(
    ("noun", "given", "away", "member"),
    [
        ("client", ("--inputs-per-minute", "600"), "--no-limit", "inputs_per_minute"),
        ("runtime", ("--max-inputs", "96"), "--no-max-inputs", "max_inputs"),
    ],
)
def test_a_limit_is_taken_away_again(
    terminal: Cli, shop: dict[str, Any], noun: str, given: tuple[str, ...], away: str, member: str
) -> None:
    words = ("admin", noun, "set", REFERENCES[noun])
    assert terminal.json(*words, *given)[member] == int(given[1])
    assert terminal.run(*words, *given, away) == 2
    assert f"give one of {given[0]} and {away}" in terminal.err
    assert terminal.json(*words, away) == shop[noun] | {"version": 3}


def test_a_cutoff_is_taken_away(terminal: Cli, shop: dict[str, Any]) -> None:
    words = ("admin", "deployment", "set", REFERENCES["deployment"])
    terminal.json(*words, "--score-cutoff", "0.5")
    assert terminal.json(*words, "--no-score-cutoff") == shop["deployment"] | {"version": 3}
    assert terminal.run(*words, "--score-cutoff", "1", "--no-score-cutoff") == 2
    assert terminal.run(*words, "--score-cutoff", "nan") == 2
    assert "[invalid_value]" in terminal.err


def test_production_changes_by_pointing_the_stable_route_elsewhere(
    terminal: Cli, shop: dict[str, Any]
) -> None:
    large = terminal.json("admin", "deployment", "create", "large", *MADE["deployment"][2:])
    trial = ("--binding", "shop/search", "--kind", "experiment", "--deployment", large["id"])
    terminal.json("admin", "route", "create", "trial", *trial)
    moved = terminal.json("admin", "route", "set", "shop/live", "--deployment", "shop/large")
    assert moved == shop["route"] | {"deployment_id": large["id"], "version": 2}
    terminal.run("admin", "audit")
    assert f"version 2, with {large['id']}" in terminal.out
    assert terminal.run("admin", "route", "set", "shop/trial", "--deployment", "shop/small") == 2
    assert "only that of a stable route may change" in terminal.err


@pytest.mark.parametrize(
    ("noun", "words", "code"),
    [
        ("project", ("create", "shop"), "name_taken"),
        ("binding", MADE["binding"], "name_taken"),
        ("route", (*MADE["route"][:1], "second", *MADE["route"][2:]), "stable_route_exists"),
    ],
)
@pytest.mark.usefixtures("shop")
def test_what_contradicts_is_refused(
    terminal: Cli, noun: str, words: tuple[str, ...], code: str
) -> None:
    assert terminal.run("admin", noun, *words) == 5
    assert f"[{code}]" in terminal.err


@pytest.mark.parametrize(
    ("noun", "words", "said"),
    [
        ("project", ("create", "Not-a-name"), "[invalid_name]"),
        ("binding", ("create", "b", "--project", "x", "--stage", "stable"), "[project_not_found]"),
        ("client", ("create", "c", "--binding", "shop/x"), "[binding_not_found]"),
        ("client", ("create", "c", "--binding", "x/search"), "[project_not_found]"),
        ("artifact", ("create", "a", "--digest", "x", "--model", "m"), "[invalid_text]"),
        ("runtime", ("create", "r", "--identity", "i"), "give one of --base-url and --embedder"),
        (
            "runtime",
            ("create", "r", "--identity", "i", "--base-url", "http://u:SECRET-p@h"),
            "[invalid_upstream]",
        ),
        (
            "runtime",
            ("create", "r", "--identity", "i", "--base-url", "http://localhost:1"),
            "[upstream_not_allowed]",
        ),
        (
            "runtime",
            ("set", "server", "--secret-env", "X", "--no-secret"),
            "give one of --secret-env and --no-secret",
        ),
        ("runtime", ("set", "server", "--secret-env", "SECRET-v"), "[invalid_text]"),
        (
            "runtime",
            ("set", "server", "--secret-env", "EVENHAND_TOKEN"),
            "secret_env: must not begin with EVENHAND_",
        ),
    ],
)
@pytest.mark.usefixtures("shop")
def test_what_is_wrong_is_usage_and_no_secret_is_repeated(
    terminal: Cli, noun: str, words: tuple[str, ...], said: str
) -> None:
    assert terminal.run("admin", noun, *words) == 2
    assert said in terminal.err
    assert "SECRET-" not in terminal.err


def test_a_listed_address_may_be_registered(
    terminal: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVENHAND_SERVE_UPSTREAM_ALLOW", "127.0.0.1")
    words = ("create", "near", "--identity", "i", "--base-url", "http://127.0.0.1:8080/v1")
    assert terminal.json("admin", "runtime", *words)["secret_env"] is None
    words = ("create", "here", "--identity", "i", "--embedder", "minilm")
    assert terminal.json("admin", "runtime", *words)["kind"] == "in_process"


def test_lists_are_of_a_project(terminal: Cli, shop: dict[str, Any]) -> None:
    terminal.json("admin", "project", "create", "other")
    for noun in ("binding", "client", "deployment", "route"):
        found = terminal.json("admin", noun, "list", "--project", "shop", "--limit", "1")
        assert found == [shop[noun]]
        assert terminal.json("admin", noun, "list", "--project", "other") == []


@pytest.mark.usefixtures("shop")
def test_a_client_s_token_is_made_by_its_name(terminal: Cli) -> None:
    made = terminal.json("admin", "token", "create", "nightly", "--client", "shop/worker")
    assert made["token"].startswith("evh_sc_")
    app = build_app()
    try:
        found = app.stored.read(lambda uow: access.authenticate(uow, made["token"]))
    finally:
        app.close()
    assert found.client_id == made["client_id"]
    assert found.capabilities == frozenset({Capability.EMBEDDING})
    turned = terminal.json("admin", "token", "rotate", "nightly")
    assert turned["client_id"] == made["client_id"]


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "give one of --role and --client"),
        (("--role", "viewer", "--client", "shop/worker"), "give one of --role and --client"),
        (("--client", "shop/other"), "[service_client_not_found]"),
        (("--client", "evh_op_pasted"), "[service_client_not_found]"),
    ],
)
def test_a_token_is_of_a_person_or_of_a_client(
    terminal: Cli, words: tuple[str, ...], said: str
) -> None:
    assert terminal.run("admin", "token", "create", "x", *words) == 2
    assert said in terminal.err
    assert "pasted" not in terminal.err


def test_a_look_where_nothing_is_makes_no_store(nothing_yet: Cli) -> None:
    for noun in NOUNS:
        assert nothing_yet.run("admin", noun, "list") == 0
        assert f"evenhand admin {noun} create makes one" in nothing_yet.err
        assert nothing_yet.run("admin", noun, "show", "x") == 2
    for noun in CHANGEABLE:
        assert nothing_yet.run("admin", noun, "set", "x", "--inactive") == 2
    assert nothing_yet.run("admin", "token", "create", "x", "--client", "shop/worker") == 2
    assert [path.name for path in Path.cwd().iterdir()] == ["evenhand.toml"]

"""``evenhand admin`` as a user types it, on both databases."""

import json
from pathlib import Path

import pytest

from evenhand.bootstrap import build_app
from evenhand.core.access.credential import is_token, token_digest
from evenhand.core.access.roles import Action, Capability, Principal, Role, require
from evenhand.core.errors.access import Forbidden, Unauthenticated
from evenhand.usecases import access
from tests.cli.typed import Cli
from tests.docs_pages import ROOT


@pytest.fixture
def terminal(project_on_database: Cli) -> Cli:
    return project_on_database


def who(token: str) -> Principal | None:
    app = build_app()
    try:
        return app.stored.read(lambda uow: access.authenticate(uow, token))
    except Unauthenticated:
        return None
    finally:
        app.close()


@pytest.mark.parametrize("role", ["operator", "viewer"])
def test_a_token_is_alone_on_standard_output_and_works(terminal: Cli, role: str) -> None:
    assert terminal.run("admin", "token", "create", "ci", "--role", role) == 0
    token = terminal.out.removesuffix("\n")
    assert is_token(token)
    assert token not in terminal.err
    assert "the token is shown this once" in terminal.err
    principal = who(token)
    assert principal is not None
    assert principal.role.value == role


def test_quiet_leaves_the_token_and_nothing_else(terminal: Cli) -> None:
    assert terminal.run("admin", "token", "create", "ci", "--role", "viewer", "-q") == 0
    assert is_token(terminal.out.removesuffix("\n"))
    assert terminal.err == ""


def test_rotation_and_revocation_end_what_was_in_force(terminal: Cli) -> None:
    made = terminal.json("admin", "token", "create", "ci", "--role", "viewer")
    assert set(made) == {
        *(
            "id",
            "name",
            "role",
            "state",
            "created_at",
            "rotated_from",
            "ended_at",
            "client_id",
            "token",
        )
    }
    rotated = terminal.json("admin", "token", "rotate", "ci")
    assert rotated["rotated_from"] == made["id"]
    assert who(made["token"]) is None
    assert who(rotated["token"]) is not None
    revoked = terminal.json("admin", "token", "revoke", rotated["id"])
    assert revoked["state"] == "revoked"
    assert who(rotated["token"]) is None
    assert terminal.json("admin", "token", "list") == []
    states = [one["state"] for one in terminal.json("admin", "token", "list", "--all")]
    assert states == ["revoked", "rotated"]
    assert terminal.run("admin", "token", "revoke", rotated["id"]) == 5
    assert "[credential_ended]" in terminal.err


@pytest.mark.proves("G-58")
def test_no_command_shows_a_token_again_nor_its_digest(terminal: Cli) -> None:
    tokens = [
        terminal.json("admin", "token", *words)["token"]
        for words in (("create", "ci", "--role", "operator"), ("rotate", "ci"))
    ]
    said = ""
    for words in (
        ("admin", "token", "list", "--all"),
        ("admin", "token", "list", "--all", "--json"),
        ("admin", "audit"),
        ("admin", "audit", "--json"),
        ("db", "check"),
        ("admin", "token", "create", "ci", "--role", "viewer"),
        ("--traceback", "admin", "token", "revoke", tokens[0]),
        ("admin", "token", "revoke", "ci", "--json"),
    ):
        terminal.run(*words)
        said += terminal.out + terminal.err
    assert "ci  operator" in said
    for token in tokens:
        assert not [part for part in (token[7:], token_digest(token)) if part in said]


def test_the_audit_is_listed_newest_first(terminal: Cli) -> None:
    made = terminal.json("admin", "token", "create", "ci", "--role", "viewer")
    terminal.json("admin", "token", "revoke", "ci")
    listed = terminal.json("admin", "audit")
    assert [one["action"] for one in listed] == ["revoke", "create"]
    assert listed[0] | {"id": "", "at": ""} == {
        "id": "",
        "at": "",
        "actor": {"kind": "command_line", "id": None},
        "action": "revoke",
        "object": {"kind": "credential", "id": made["id"]},
        "from_state": "active",
        "to_state": "revoked",
        "code": "viewer",
        "version": None,
        "related_id": None,
    }
    assert len(terminal.json("admin", "audit", "--limit", "1")) == 1


@pytest.mark.parametrize("verb", ["rotate", "revoke"])
def test_an_unknown_reference_is_usage_and_not_repeated(terminal: Cli, verb: str) -> None:
    assert terminal.run("admin", "token", verb, "evh_op_pasted") == 2
    assert "[credential_not_found]" in terminal.err
    assert "pasted" not in terminal.err


def test_a_name_that_breaks_the_rule_is_usage_and_not_repeated(terminal: Cli) -> None:
    assert terminal.run("admin", "token", "create", "evh_op_pasted", "--role", "viewer") == 2
    assert "[invalid_name]" in terminal.err
    assert "pasted" not in terminal.err


def test_a_service_client_s_token_is_not_on_offer(terminal: Cli) -> None:
    assert terminal.run("admin", "token", "create", "x", "--role", "service_client") == 2


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("token", "list"), 0),
        (("audit",), 0),
        (("token", "rotate", "ci"), 2),
        (("token", "revoke", "ci"), 2),
    ],
)
def test_a_look_where_nothing_is_makes_no_store(
    nothing_yet: Cli, words: tuple[str, ...], code: int
) -> None:
    assert nothing_yet.run("admin", *words) == code
    assert [path.name for path in Path.cwd().iterdir()] == ["evenhand.toml"]


def test_the_first_token_makes_the_store(nothing_yet: Cli) -> None:
    made = nothing_yet.json("admin", "token", "create", "ci", "--role", "viewer")
    assert who(made["token"]) is not None


def test_lines_fit_80_columns(terminal: Cli) -> None:
    terminal.run("admin", "token", "create", "a" * 63, "--role", "operator")
    said = terminal.err
    terminal.run("admin", "token", "list")
    said += terminal.out
    terminal.run("admin", "audit")
    said += terminal.out
    assert max(map(len, said.splitlines())) <= 80


def test_the_table_of_roles_in_the_docs_is_the_program_s() -> None:
    page = (ROOT / "docs" / "access.md").read_text(encoding="utf-8")
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in page.partition("## Roles")[2].partition("##")[0].splitlines()
        if line.startswith("| ")
    ]
    assert rows[0] == ["what", "operator", "viewer", "service client"]
    assert rows[1:] == [[action.value, *map(str, _cells(action))] for action in Action]


def _cells(action: Action) -> list[str]:
    people = [Principal(credential_id="c", role=role) for role in (Role.OPERATOR, Role.VIEWER)]
    return ["yes" if _may(one, action) else "no" for one in people] + [_of_a_client(action)]


def _of_a_client(action: Action) -> str:
    if _may(_client(), action):
        return "yes"
    enough = [one for one in Capability if _may(_client(one), action)]
    return f"with `{enough[0]}`" if enough else "no"


def _client(*capabilities: Capability) -> Principal:
    return Principal(
        credential_id="c",
        role=Role.SERVICE_CLIENT,
        client_id="x",
        project_id="y",
        capabilities=frozenset(capabilities),
    )


def _may(principal: Principal, action: Action) -> bool:
    try:
        require(principal, action)
    except Forbidden:
        return False
    return True


def test_the_json_of_a_token_is_one_document(terminal: Cli) -> None:
    terminal.run("admin", "token", "create", "ci", "--role", "viewer", "--json")
    assert json.loads(terminal.out)["name"] == "ci"

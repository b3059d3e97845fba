"""The table of roles and actions, cell by cell."""

import pytest

from evenhand.core.access.roles import (
    Action,
    Actor,
    ActorKind,
    Capability,
    Principal,
    Role,
    require,
    sees,
)
from evenhand.core.errors import Invalid
from evenhand.core.errors.access import Forbidden

OPERATOR = Principal(credential_id="c-1", role=Role.OPERATOR)
VIEWER = Principal(credential_id="c-2", role=Role.VIEWER)


def a_client(*capabilities: Capability, client_id: str = "client-1") -> Principal:
    return Principal(
        credential_id="c-3",
        role=Role.SERVICE_CLIENT,
        client_id=client_id,
        project_id="project-1",
        capabilities=frozenset(capabilities),
    )


#: Action → may an operator, may a viewer, may a service client with every capability.
TABLE = {
    Action.READ: (True, True, False),
    Action.READ_OWN: (True, True, True),
    Action.WRITE: (True, False, False),
    Action.ADMINISTER: (True, False, False),
    Action.CALL_GATEWAY: (True, False, True),
    Action.CONSUME_COMPARISON: (False, False, True),
    Action.PUBLISH_EVALUATION: (True, False, True),
    Action.RECORD_REVIEW: (True, False, True),
    Action.INGEST_EVENT: (True, False, True),
}
CALLERS = (OPERATOR, VIEWER, a_client(*Capability))
CELLS = [
    pytest.param(principal, action, expected, id=f"{principal.role}: {action}")
    for action, row in TABLE.items()
    for principal, expected in zip(CALLERS, row, strict=True)
]
NEEDED = {
    Action.CALL_GATEWAY: Capability.EMBEDDING,
    Action.CONSUME_COMPARISON: Capability.EMBEDDING,
    Action.PUBLISH_EVALUATION: Capability.EVALUATION,
    Action.RECORD_REVIEW: Capability.REVIEW,
    Action.INGEST_EVENT: Capability.EVENT,
}


def may(principal: Principal, action: Action) -> bool:
    try:
        require(principal, action)
    except Forbidden:
        return False
    return True


def test_the_table_below_has_a_row_for_every_action() -> None:
    assert list(TABLE) == list(Action)


@pytest.mark.parametrize(("principal", "action", "expected"), CELLS)
def test_each_role_may_what_the_table_says(
    principal: Principal, action: Action, expected: bool
) -> None:
    assert may(principal, action) is expected


@pytest.mark.proves("C-46")
def test_an_operator_may_all_but_the_consumer_protocol() -> None:
    assert [one for one in Action if not may(OPERATOR, one)] == [Action.CONSUME_COMPARISON]


@pytest.mark.proves("G-58")
def test_an_operator_may_whatever_a_viewer_may() -> None:
    of_viewers = {one for one in Action if may(VIEWER, one)}
    assert of_viewers == {Action.READ, Action.READ_OWN}
    assert of_viewers <= {one for one in Action if may(OPERATOR, one)}


@pytest.mark.proves("C-44")
@pytest.mark.parametrize("action", NEEDED)
def test_a_service_client_needs_the_capability_of_what_it_does(action: Action) -> None:
    needed = NEEDED[action]
    others = [one for one in Capability if one is not needed]
    with pytest.raises(Forbidden) as refused:
        require(a_client(*others), action)
    assert refused.value.code == "capability_missing"
    assert refused.value.capability == needed
    assert may(a_client(needed), action)


def test_a_refusal_names_the_role_and_what_it_may_not() -> None:
    with pytest.raises(Forbidden, match="the role viewer may not: write") as refused:
        require(VIEWER, Action.WRITE)
    assert refused.value.code == "forbidden"


@pytest.mark.proves("G-58")
@pytest.mark.parametrize(
    ("client_id", "expected"), [("client-1", True), ("client-2", False), (None, False)]
)
def test_a_service_client_sees_what_it_wrote_and_nothing_else(
    client_id: str | None, expected: bool
) -> None:
    assert sees(a_client(*Capability), client_id=client_id) is expected


@pytest.mark.parametrize("principal", [OPERATOR, VIEWER], ids=lambda one: one.role)
@pytest.mark.parametrize("client_id", ["client-1", None])
def test_people_see_what_anybody_wrote(principal: Principal, client_id: str | None) -> None:
    assert sees(principal, client_id=client_id)


@pytest.mark.parametrize(
    "parts",
    [
        {"role": Role.SERVICE_CLIENT},
        {"role": Role.SERVICE_CLIENT, "client_id": "x"},
        {"role": Role.SERVICE_CLIENT, "project_id": "x"},
        {"role": Role.OPERATOR, "client_id": "x"},
        {"role": Role.VIEWER, "project_id": "x"},
        {"role": Role.VIEWER, "client_id": "x", "project_id": "y"},
        {"role": Role.OPERATOR, "capabilities": frozenset({Capability.EVENT})},
    ],
    ids=str,
)
def test_only_a_service_client_has_a_client_a_project_and_capabilities(
    parts: dict[str, object],
) -> None:
    with pytest.raises(Invalid, match="principal: "):
        Principal(credential_id="c", **parts)  # type: ignore[arg-type]


def test_the_audit_names_people_by_credential_and_a_client_by_itself() -> None:
    assert OPERATOR.actor == Actor(kind=ActorKind.OPERATOR, id="c-1")
    assert a_client().actor == Actor(kind=ActorKind.SERVICE_CLIENT, id="client-1")


@pytest.mark.parametrize("kind", list(ActorKind))
def test_the_command_line_and_the_hub_have_no_id_and_all_others_have_one(
    kind: ActorKind,
) -> None:
    is_nameless = kind in (ActorKind.COMMAND_LINE, ActorKind.HUB)
    assert Actor(kind=kind, id=None if is_nameless else "x").kind is kind
    with pytest.raises(Invalid):
        Actor(kind=kind, id="x" if is_nameless else None)

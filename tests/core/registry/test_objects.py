"""Objects of the registry: what may stand in one, what may change, and what that does."""

from dataclasses import replace
from typing import Any

import pytest

from evenhand.core.access.roles import Capability
from evenhand.core.errors import Invalid, InvalidName
from evenhand.core.errors.registry import VersionConflict
from evenhand.core.registry.binding import Stage
from evenhand.core.registry.deployment import LONGEST_PREFIX, require_runs
from evenhand.core.registry.registered import UNSET, Changeable, Registered
from tests.registry_builders import (
    Shop,
    a_binding,
    a_client,
    a_deployment,
    a_runtime,
    an_artifact,
    an_embedder,
)

SHOP = Shop()
EACH: list[Registered] = [getattr(SHOP, name) for name in Shop.__dataclass_fields__]
CHANGEABLE = [one for one in EACH if isinstance(one, Changeable)]


def names(one: object) -> str:
    return type(one).__name__


@pytest.mark.parametrize("one", EACH, ids=names)
@pytest.mark.parametrize("name", ["", "A", "-a", "a_b", "a" * 64, "a\n", "ä"])
def test_a_name_has_one_rule_everywhere(one: Registered, name: str) -> None:
    with pytest.raises(InvalidName):
        replace(one, name=name)


@pytest.mark.parametrize("one", CHANGEABLE, ids=names)
def test_a_change_raises_the_version_by_one(one: Changeable) -> None:
    off = one.changed(expected_version=1, active=False)
    assert (off.active, off.version, off.state, one.state) == (False, 2, "inactive", "active")
    assert off.changed(expected_version=2, active=True) == replace(one, version=3)


@pytest.mark.parametrize("one", CHANGEABLE, ids=names)
def test_what_is_already_so_is_no_change(one: Changeable) -> None:
    assert one.changed(expected_version=1, active=True) is one
    assert one.changed(expected_version=1, active=UNSET) is one
    assert one.changed(expected_version=1) is one


@pytest.mark.parametrize("one", CHANGEABLE, ids=names)
@pytest.mark.parametrize("expected", [0, 2, -1])
def test_a_change_of_another_version_is_refused_whatever_it_says(
    one: Changeable, expected: int
) -> None:
    for active in (False, True, UNSET):
        with pytest.raises(VersionConflict):
            one.changed(expected_version=expected, active=active)


def test_a_version_begins_at_one() -> None:
    with pytest.raises(Invalid):
        replace(SHOP.project, version=0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"digest": "A" * 64},
        {"digest": "0" * 63},
        {"digest": "0" * 64 + "\n"},
        {"model": ""},
        {"model": "a b"},
        {"model": "not-applicable"},
    ],
)
def test_an_artifact_is_a_digest_and_a_label(wrong: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        an_artifact(**wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        {"identity": ""},
        {"identity": "http://x"},
        {"base_url": None},
        {"base_url": "http://user:SECRET-p@stub.test/v1?key=SECRET-q"},
        {"embedder": "minilm"},
        {"secret_env": "lower"},
        {"secret_env": "1A"},
        {"secret_env": "A-B"},
        {"secret_env": "A" * 129},
        {"secret_env": "SECRET=value"},
    ],
)
def test_a_runtime_over_http_has_an_address_and_names_a_variable(wrong: dict[str, Any]) -> None:
    with pytest.raises(Invalid) as refused:
        a_runtime(**wrong)
    assert "SECRET-" not in str(refused.value)
    assert "value" not in str(refused.value)


@pytest.mark.parametrize(
    "wrong",
    [
        {"embedder": None},
        {"embedder": "a b"},
        {"embedder": ""},
        {"base_url": "https://embeddings.example"},
        {"secret_env": "KEY"},
    ],
)
def test_a_runtime_in_process_has_an_embedder_and_nothing_else(wrong: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        an_embedder(**wrong)


def test_a_runtime_tells_where_it_is_reached() -> None:
    upstream = a_runtime().upstream
    assert upstream is not None
    assert upstream.host == "embeddings.example"
    assert an_embedder().upstream is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"dimension": 0},
        {"dimension": 65537},
        {"embedding_identity": "a b"},
        {"upstream_model": ""},
        {"upstream_model": "a b"},
        {"upstream_model": "a" * 191},
        {"query_prefix": "a" * (LONGEST_PREFIX + 1)},
        {"query_prefix": "\0"},
        {"document_prefix": "\r"},
        {"document_prefix": "\ud800"},
        {"score_cutoff": float("nan")},
        {"score_cutoff": float("inf")},
    ],
)
def test_a_deployment_keeps_its_ranges(wrong: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        a_deployment(**wrong)


@pytest.mark.parametrize(
    "right",
    [
        {"dimension": 1},
        {"dimension": 65536},
        {"upstream_model": "@cf/baai/bge-m3:latest"},
        {"query_prefix": "Instruct: Wähle\n\tQuery: "},
        {"document_prefix": "a" * LONGEST_PREFIX},
        {"score_cutoff": -1.5},
    ],
)
def test_a_deployment_takes_what_is_in_range(right: dict[str, Any]) -> None:
    made = a_deployment(**right)
    assert {name: getattr(made, name) for name in right} == right


def test_a_server_is_told_the_model_and_an_embedder_is_the_model() -> None:
    told, untold = a_deployment(), a_deployment(upstream_model=None)
    require_runs(told, a_runtime())
    require_runs(untold, an_embedder())
    for deployment, runtime in ((untold, a_runtime()), (told, an_embedder())):
        with pytest.raises(Invalid, match="upstream_model"):
            require_runs(deployment, runtime)


def test_a_client_may_do_something() -> None:
    with pytest.raises(Invalid, match="capabilities"):
        a_client(capabilities=frozenset())


@pytest.mark.proves("C-08")
@pytest.mark.parametrize("active", [True, False])
@pytest.mark.parametrize("stage", Stage)
@pytest.mark.parametrize("capability", Capability)
def test_a_comparison_needs_an_active_stable_binding_of_its_capability(
    active: bool, stage: Stage, capability: Capability
) -> None:
    binding = a_binding(active=active, stage=stage, capability=capability)
    fits = active and stage is Stage.STABLE and capability is Capability.EMBEDDING
    assert binding.is_comparable_for(Capability.EMBEDDING) is fits

"""What is pinned, which digest says it, and what may be pinned at all."""

from dataclasses import fields, replace
from typing import Any

import pytest

from evenhand.core.access.roles import Capability
from evenhand.core.comparison.admission import admit, request_of
from evenhand.core.comparison.pins import PinnedLeg, Pins
from evenhand.core.errors import Invalid
from evenhand.core.errors.comparison import IntentRefused
from evenhand.core.identity.canonical import json_ascii_v1_digest
from evenhand.core.registry.binding import Stage
from tests.comparison_builders import World, another_client
from tests.registry_builders import a_binding

WORLD = World()
PINS = WORLD.pins


@pytest.mark.proves("C-94", "G-42", "G-73")
def test_the_digest_is_that_of_a_canonical_object_without_id_and_key() -> None:
    leg = {
        "deployment_id",
        "runtime_identity",
        "artifact_digest",
        "embedding_identity",
        "embedding_dimension",
        "route_id",
        "index_ref",
        "score_cutoff",
    }
    document = {
        "schema": "evenhand.comparison-pins/1",
        "project_id": PINS.project_id,
        "project_binding_id": PINS.binding_id,
        "consumer_client_id": PINS.client_id,
        "capability": "rag.embedding@1",
        "suite_revision_id": PINS.suite_revision_id,
        "suite_content_digest": PINS.suite_content_digest,
        "case_count": 3,
        "corpus_sha256": PINS.corpus_sha256,
        "retrieval_config_sha256": PINS.retrieval_config_sha256,
        "current": {name: getattr(PINS.current, name) for name in leg},
        "candidate": {name: getattr(PINS.candidate, name) for name in leg},
    }

    assert json_ascii_v1_digest(document) == PINS.digest


@pytest.mark.proves("C-24", "C-25", "G-42")
@pytest.mark.parametrize(
    "name", [one.name for one in fields(PinnedLeg) if one.name != "route_name"]
)
def test_every_part_of_a_side_moves_the_digest(name: str) -> None:
    other: Any = 7 if name == "embedding_dimension" else 0.5 if name == "score_cutoff" else "x"

    moved = replace(PINS, candidate=replace(PINS.candidate, **{name: other}))

    assert moved.digest != PINS.digest


@pytest.mark.proves("C-21", "C-30")
def test_what_was_pinned_leads_back_to_what_was_asked_for() -> None:
    assert request_of(PINS) == WORLD.request
    assert request_of(PINS).digest == WORLD.request.digest


@pytest.mark.proves("C-13", "C-14", "C-15", "C-22")
def test_one_index_serves_one_side_whatever_the_dimensions_are() -> None:
    alike = replace(WORLD.candidate, dimension=WORLD.shop.deployment.dimension)
    targets = replace(WORLD.targets, candidate=replace(WORLD.targets.candidate, deployment=alike))
    request = replace(WORLD.request, candidate_index_ref=WORLD.request.current_index_ref)

    with pytest.raises(IntentRefused) as refused:
        admit(request, targets)

    assert refused.value.code == "index_refs_equal"
    assert admit(WORLD.request, targets).candidate.index_ref == "index-2"
    with pytest.raises(Invalid):
        replace(PINS, candidate=replace(PINS.candidate, index_ref="index-1"))


@pytest.mark.proves("C-08", "C-09", "G-47")
@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"binding": a_binding(capability=Capability.EVENT)}, "binding_of_other_capability"),
        ({"binding": a_binding(stage=Stage.EXPERIMENTAL)}, "binding_not_stable"),
        (
            {"client": replace(another_client(WORLD), binding_id=a_binding(2).id)},
            "client_of_other_binding",
        ),
        (
            {"client": replace(WORLD.client, capabilities=frozenset({Capability.EVENT}))},
            "client_lacks_capability",
        ),
        ({"routes": (WORLD.trial,)}, "current_not_in_production"),
        (
            {
                "routes": (
                    WORLD.shop.route,
                    replace(
                        WORLD.shop.route, id="r", binding_id="b", deployment_id=WORLD.candidate.id
                    ),
                )
            },
            "candidate_in_production",
        ),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_each_rule_of_what_may_be_pinned_has_a_code(changed: dict[str, Any], code: str) -> None:
    with pytest.raises(IntentRefused) as refused:
        admit(WORLD.request, replace(WORLD.targets, **changed))

    assert refused.value.code == code


@pytest.mark.parametrize(
    "changed", [{"case_count": 0}, {"case_count": 101}, {"corpus_sha256": "A" * 64}], ids=str
)
def test_pins_of_another_shape_are_none(changed: dict[str, Any]) -> None:
    assert isinstance(PINS, Pins)
    with pytest.raises(Invalid):
        replace(PINS, **changed)

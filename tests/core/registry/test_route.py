"""Which deployment is in production, and which may be a candidate."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.errors import Invalid
from evenhand.core.registry.route import (
    CandidateFault,
    Route,
    RouteKind,
    candidate_fault,
    production_of,
)
from tests.registry_builders import a_binding, a_deployment, a_route

BINDING, OTHER_BINDING = a_binding(), a_binding(2)
CURRENT, CANDIDATE = a_deployment(), a_deployment(2)
STABLE = a_route()
EXPERIMENT = a_route(2, kind=RouteKind.EXPERIMENT, deployment_id=CANDIDATE.id)


def fault(route: Route = EXPERIMENT, *others: Route) -> CandidateFault | None:
    routes = (STABLE, route, *others)
    return candidate_fault(CANDIDATE, route, binding_id=BINDING.id, routes=routes)


@pytest.mark.proves("C-10")
def test_production_is_where_the_active_stable_route_points_now() -> None:
    assert production_of(BINDING.id, [EXPERIMENT, STABLE]) == STABLE
    moved = replace(STABLE, deployment_id=CANDIDATE.id)
    assert production_of(BINDING.id, [EXPERIMENT, moved]) == moved
    assert production_of(BINDING.id, [EXPERIMENT, replace(STABLE, active=False)]) is None
    assert production_of(BINDING.id, [replace(EXPERIMENT, active=True)]) is None
    assert production_of(OTHER_BINDING.id, [EXPERIMENT, STABLE]) is None


@pytest.mark.proves("C-11", "C-12")
def test_a_candidate_is_not_in_production_and_has_an_active_experiment() -> None:
    assert fault() is None
    in_production = a_route(3, deployment_id=CANDIDATE.id, of=OTHER_BINDING)
    assert fault(EXPERIMENT, in_production) is CandidateFault.IN_PRODUCTION
    assert fault(EXPERIMENT, replace(in_production, active=False)) is None
    assert fault(replace(EXPERIMENT, active=False)) is CandidateFault.ROUTE_INACTIVE
    stable = replace(EXPERIMENT, kind=RouteKind.STABLE, active=False)
    assert fault(stable) is CandidateFault.NO_EXPERIMENT


@pytest.mark.proves("C-12", "G-47")
def test_a_candidate_s_route_is_its_own_and_its_binding_s() -> None:
    other = replace(EXPERIMENT, deployment_id=CURRENT.id)
    assert fault(other) is CandidateFault.OTHER_DEPLOYMENT
    foreign = a_route(2, kind=RouteKind.EXPERIMENT, deployment_id=CANDIDATE.id, of=OTHER_BINDING)
    assert fault(foreign) is CandidateFault.OTHER_BINDING
    gone = replace(CANDIDATE, active=False)
    found = candidate_fault(gone, EXPERIMENT, binding_id=BINDING.id, routes=[STABLE, EXPERIMENT])
    assert found is CandidateFault.INACTIVE


def test_each_fault_has_a_code_of_its_own() -> None:
    assert len({one.value for one in CandidateFault}) == len(CandidateFault)
    assert all(one.value.startswith("candidate_") for one in CandidateFault)


ROUTES = st.builds(
    a_route,
    st.integers(3, 9),
    of=st.sampled_from([BINDING, OTHER_BINDING]),
    kind=st.sampled_from(RouteKind),
    active=st.booleans(),
    deployment_id=st.sampled_from([CURRENT.id, CANDIDATE.id]),
)


@pytest.mark.proves("C-11")
@given(st.lists(ROUTES, max_size=5))
def test_what_is_in_production_is_never_a_candidate(others: list[Route]) -> None:
    routes = [EXPERIMENT, *others]
    produced = {one.deployment_id for one in routes if one.is_production}
    for binding in (BINDING, OTHER_BINDING):
        found = production_of(binding.id, routes)
        assert found is None or found.deployment_id in produced
    for route in routes:
        if candidate_fault(CANDIDATE, route, binding_id=BINDING.id, routes=routes) is None:
            assert CANDIDATE.id not in produced
            assert (route.kind, route.active) == (RouteKind.EXPERIMENT, True)


def test_only_a_stable_route_may_point_elsewhere() -> None:
    STABLE.require_can_point_to(CANDIDATE.id)
    EXPERIMENT.require_can_point_to(CANDIDATE.id)
    with pytest.raises(Invalid, match="stable"):
        EXPERIMENT.require_can_point_to(CURRENT.id)

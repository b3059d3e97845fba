"""Strata: all four identities together, unknown equals nothing, and nothing adds two up."""

import inspect
from itertools import combinations, product

import pytest

from evenhand.core.errors.review import StrataNotMerged
from evenhand.core.review import rates as rates_module
from evenhand.core.review import strata as strata_module
from evenhand.core.review.states import CohortKind
from evenhand.core.review.strata import Identities, pairing_verdict, require_one, strata_verdict
from evenhand.core.verdict import VerdictState
from tests.review_builders import identities

FIELDS = ("config_digest", "prompt_digest", "cohort", "practice_revision_id")


@pytest.mark.proves("R-25", "R-26")
def test_two_of_each_identity_make_sixteen_strata_of_which_no_two_may_be_merged() -> None:
    each = [
        identities(
            config_digest=config,
            prompt_digest=prompt,
            cohort=cohort,
            practice_revision_id=revision,
        )
        for config, prompt, cohort, revision in product("12", "34", "56", "78")
    ]
    assert len({one.stratum for one in each}) == 16
    for one, other in combinations(each, 2):
        verdict = strata_verdict(one, other)
        assert verdict.state is VerdictState.MISMATCH
        differ = [name for name in FIELDS if getattr(one, name) != getattr(other, name)]
        assert len(verdict.reasons) == len(differ)
    assert all(strata_verdict(one, one).is_comparable for one in each)


@pytest.mark.proves("G-26")
@pytest.mark.parametrize("field", FIELDS)
def test_an_unknown_identity_belongs_to_no_stratum_and_matches_no_other(field: str) -> None:
    unknown = identities(**{field: None})
    assert unknown.stratum is None
    verdict = strata_verdict(unknown, unknown)
    assert (verdict.state, len(verdict.reasons)) == (VerdictState.UNKNOWN, 2)
    assert pairing_verdict(unknown, identities()).state is VerdictState.UNKNOWN


@pytest.mark.proves("G-27")
def test_a_cohort_of_inputs_is_never_one_of_cases_of_the_same_name() -> None:
    inputs = identities(cohort_kind=CohortKind.INPUTS)
    assert inputs.stratum != identities().stratum
    assert not strata_verdict(inputs, identities()).is_comparable


@pytest.mark.proves("R-26")
def test_two_strata_are_held_against_each_other_over_the_same_cases_and_criteria_only() -> None:
    assert pairing_verdict(identities(config_digest="x"), identities()).is_comparable
    assert pairing_verdict(identities(prompt_digest="x"), identities()).is_comparable
    for field in ("cohort", "practice_revision_id"):
        verdict = pairing_verdict(identities(**{field: "x"}), identities())
        assert verdict.state is VerdictState.MISMATCH


@pytest.mark.proves("G-27")
def test_nothing_takes_an_option_to_leave_an_identity_out() -> None:
    for module in (strata_module, rates_module):
        for _, function in inspect.getmembers(module, inspect.isfunction):
            taken = set(inspect.signature(function).parameters)
            assert not taken & {"pool", "ignore", "drop", "without", "dimensions", "merge"}
    assert set(inspect.signature(strata_verdict).parameters) == {"current", "previous"}


@pytest.mark.proves("R-25")
@pytest.mark.parametrize("asked", [(), ("a", "b"), ("a", "a")])
def test_one_stratum_is_asked_for_at_a_time(asked: tuple[str, ...]) -> None:
    with pytest.raises(StrataNotMerged):
        require_one(asked)
    assert require_one(["a"]) == "a"


def test_the_identity_of_a_stratum_is_spelt_once_for_good() -> None:
    known = Identities(
        config_digest="1" * 64,
        prompt_digest="2" * 64,
        cohort_kind=CohortKind.CASES,
        cohort="release-1",
        practice_revision_id="01990000-0000-7000-a000-000000000001",
    )
    assert known.stratum == STRATUM


STRATUM = "285abd8c5992c4d8b15f6bc86f82f9e989807b032b98abb907c551a88231930f"

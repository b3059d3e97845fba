"""Which error an answer is that says no."""

import pytest

from evenhand.core.errors import Conflict, EvenhandError, Fenced, Invalid, NotFound
from evenhand.core.errors.access import Forbidden, Unauthenticated
from evenhand.core.errors.comparison import AlreadyClaimed, NotDesignatedClient, TargetChanged
from evenhand.core.errors.gateway import UpstreamFailed
from evenhand.core.errors.publication import HubRefused
from evenhand.core.errors.review import JobFenced, ObservationsConflict, StrataNotMerged
from evenhand.sdk.refusals import refusal
from tests.error_classes import error_classes


def told(code: str, more: str = "") -> bytes:
    return f'{{"type": "urn:x", "title": "No", "status": 409, "code": "{code}"{more}}}'.encode()


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (409, "already_claimed", AlreadyClaimed),
        (409, "target_changed", TargetChanged),
        (403, "not_designated_client", NotDesignatedClient),
        (403, "wrong_claim_token", Fenced),
        (410, "lease_expired", Fenced),
        (410, "claim_interrupted", Fenced),
        (409, "already_terminal", Fenced),
        (401, "bad_credential", Unauthenticated),
        (404, "comparison_not_found", NotFound),
        (409, "job_not_running", JobFenced),
        (409, "job_not_queued", Fenced),
        (409, "observations_conflict", ObservationsConflict),
        (422, "strata_not_merged", StrataNotMerged),
        (422, "counts_too_large", Invalid),
    ],
)
def test_an_error_is_of_the_class_that_has_its_code(
    status: int, code: str, kind: type[EvenhandError]
) -> None:
    found = refusal(status, told(code))
    assert isinstance(found, kind)
    assert found.code == code


@pytest.mark.parametrize(
    ("status", "kind"),
    [(403, Forbidden), (404, NotFound), (409, Conflict), (410, Fenced), (422, Invalid)],
)
def test_a_code_of_a_later_hub_is_of_the_family_of_its_status(
    status: int, kind: type[EvenhandError]
) -> None:
    found = refusal(status, told("code_of_a_later_release"))
    assert type(found) is kind
    assert found.code == "code_of_a_later_release"


def test_a_status_without_a_family_is_told_with_the_code() -> None:
    found = refusal(429, told("too_many_requests"), retry_after="7")
    assert isinstance(found, HubRefused)
    assert (found.code, found.status) == ("too_many_requests", 429)


def test_the_gateway_says_no_in_the_form_of_its_clients() -> None:
    body = b'{"error": {"message": "it is busy", "type": "t", "param": null, "code": "upstream_busy"}}'
    found = refusal(429, body, retry_after="7")
    assert found is not None
    assert (found.code, found.retry_after) == ("upstream_busy", 7)  # type: ignore[attr-defined]


def test_the_gateways_failures_are_those_of_an_upstream() -> None:
    body = b'{"error": {"message": "no", "type": "t", "param": null, "code": "wrong_count"}}'
    assert isinstance(refusal(502, body), UpstreamFailed)


def test_the_place_of_a_problem_is_kept() -> None:
    found = refusal(
        422, told("x", ', "detail": "too long", "fields": [{"field": "a", "code": "b"}]')
    )
    assert found is not None
    assert (found.field, found.rule) == ("a", "too long")  # type: ignore[attr-defined]


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'{"error": "no"}', b"\xff"])
def test_what_is_no_problem_is_of_no_hub(body: bytes) -> None:
    assert refusal(500, body) is None


@pytest.mark.parametrize("kind", error_classes(), ids=lambda kind: kind.__name__)
def test_every_error_can_be_told(kind: type[EvenhandError]) -> None:
    found = refusal(422, told(kind.code))
    assert found is not None
    assert found.code == kind.code
    assert str(found)

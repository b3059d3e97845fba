"""A configuration is held whole: every member is in its digest, no secret and no price is in it."""

import json
from typing import Any

import pytest

from evenhand.core.errors.review import InvalidSnapshot, ModelUnavailable
from evenhand.core.identity.canonical import json_ascii_v1_digest
from evenhand.core.review.snapshot import hold_snapshot, read_snapshot
from tests.review_builders import a_config


def refusal(snapshot: object) -> InvalidSnapshot:
    with pytest.raises(InvalidSnapshot) as error:
        hold_snapshot(snapshot)
    return error.value


@pytest.mark.proves("R-12", "R-13", "G-20")
@pytest.mark.parametrize("member", ["temperature", "timeoutSeconds", "maxOutputTokens", "x"])
def test_every_member_is_in_the_identity_and_no_part_stands_for_it(member: str) -> None:
    one, other = hold_snapshot(a_config()), hold_snapshot(a_config(**{member: 7}))
    # Model and endpoint are the same, and the two are not.
    assert one.model == other.model
    assert one.sha256 == json_ascii_v1_digest(a_config()) != other.sha256


@pytest.mark.proves("R-06", "BR-09", "G-20")
def test_a_claim_adds_what_it_resolves_and_exchanges_no_model() -> None:
    submitted = hold_snapshot(a_config())
    whole = submitted.resolved({"workerImage": "judge:3", "upstreamModelId": "judge-small"})
    assert whole.value == a_config(workerImage="judge:3")
    assert whole.sha256 != submitted.sha256
    for found in ({"upstreamModelId": "judge-large"}, {"apiProtocol": "other"}):
        with pytest.raises(ModelUnavailable):
            submitted.resolved(found)
    with pytest.raises(InvalidSnapshot):
        submitted.resolved({"temperature": 1})
    with pytest.raises(InvalidSnapshot):
        submitted.resolved([])


@pytest.mark.proves("G-21", "BR-08")
@pytest.mark.parametrize(
    "secret",
    [
        {"apiKey": "canary"},
        {"nested": {"client_secret": "canary"}},
        {"list": [{"accessToken": "canary"}]},
        {"Authorization": "canary"},
        {"baseUrl": "https://me:canary@host/v1"},
    ],
)
def test_a_member_that_reads_as_a_credential_is_refused_without_being_repeated(
    secret: dict[str, Any],
) -> None:
    error = refusal(a_config(**secret))
    assert error.code == "credential_in_snapshot"
    assert "canary" not in str(error)


@pytest.mark.proves("BR-08")
@pytest.mark.parametrize(
    "harmless",
    [
        {"maxOutputTokens": 512},
        {"baseUrl": "https://host/v1"},
        {"connectionId": "c1"},
        {"maxOutputToken": 1},
    ],
)
def test_what_only_resembles_a_credential_is_kept(harmless: dict[str, Any]) -> None:
    assert hold_snapshot(a_config(**harmless)).value == a_config(**harmless)


@pytest.mark.proves("BR-10")
def test_a_newer_schema_is_refused_by_its_own_code() -> None:
    assert refusal(a_config(schemaVersion=2)).code == "snapshot_ahead"
    assert refusal(a_config(schemaVersion=True)).code == "invalid_config_snapshot"


@pytest.mark.parametrize(
    "changed",
    [
        {"apiProtocol": ""},
        {"upstreamModelId": None},
        {"timeoutSeconds": 0},
        {"timeoutSeconds": True},
        {"timeoutSeconds": "9"},
        {"priceSnapshot": {}},
        {"x": float("nan")},
    ],
)
def test_what_breaks_a_rule_is_refused(changed: dict[str, Any]) -> None:
    assert refusal(a_config(**changed)).code == "invalid_config_snapshot"
    assert refusal([]).code == "invalid_config_snapshot"


def test_a_stored_text_is_read_only_as_it_was_written() -> None:
    held = hold_snapshot(a_config())
    assert read_snapshot(held.text) == held
    for broken in (json.dumps(a_config(), indent=1), "{", "{}"):
        with pytest.raises(InvalidSnapshot):
            read_snapshot(broken)

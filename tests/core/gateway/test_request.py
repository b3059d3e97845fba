from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.errors import Invalid
from evenhand.core.gateway.failure import Failure
from evenhand.core.gateway.inputs import Purpose, read_inputs
from evenhand.core.gateway.request import (
    Asked,
    Attempt,
    Caller,
    Facts,
    GatewayRequest,
    Outcome,
    RequestState,
    Served,
    asked_of,
    complete,
    failed_part,
    is_public_id,
    public_id,
)
from tests.gateway_builders import SERVED

NOW = datetime(2026, 9, 9, 12, tzinfo=UTC)
ROW = "01890000-0000-7000-8000-000000000001"
DONE = Outcome(state=RequestState.COMPLETED, status=200)


def a_request(
    *,
    asked: Asked | None = None,
    served: Served | None = SERVED,
    outcome: Outcome = DONE,
    elapsed: float = 0.5,
) -> GatewayRequest:
    facts = Facts(
        public_id=public_id(bytes(16)),
        caller=Caller(credential_id="c"),
        served=served,
        asked=asked or asked_of(read_inputs("Where is the office?")),
        outcome=outcome,
    )
    return complete(facts, row_id=ROW, now=NOW, elapsed=elapsed)


@pytest.mark.proves("C-72")
@given(st.binary(min_size=16, max_size=64))
def test_a_public_id_is_req_and_32_hex_digits_and_no_row_id(random: bytes) -> None:
    made = public_id(random)

    assert is_public_id(made)
    assert made == "req_" + random[:16].hex()
    assert not is_public_id(ROW)


@pytest.mark.parametrize("text", ["", "req_", "req_" + "0" * 31, "req_" + "A" * 32, "0" * 36])
def test_other_shapes_are_no_public_id(text: str) -> None:
    assert not is_public_id(text)
    with pytest.raises(Invalid):
        public_id(b"short")


@given(st.floats(0, 1e5))
def test_it_began_so_long_before_the_databases_time_as_it_took(elapsed: float) -> None:
    row = a_request(elapsed=elapsed)

    assert row.completed_at == NOW
    assert row.created_at == NOW - timedelta(seconds=elapsed)


def test_a_clock_that_went_back_moves_no_beginning_behind_its_end() -> None:
    assert a_request(elapsed=-1.0).created_at == NOW


def test_only_a_completed_query_of_one_text_by_its_deployment_is_evidence() -> None:
    failed = Outcome(state=RequestState.FAILED, status=502, code="wrong_count")
    assert a_request().is_evidence
    for row in (
        a_request(asked=asked_of(read_inputs(["a", "b"]))),
        a_request(asked=asked_of(read_inputs("a", purpose=Purpose.DOCUMENT))),
        a_request(asked=asked_of(read_inputs([1, 2]))),
        a_request(served=None),
        a_request(outcome=failed),
        a_request(outcome=Outcome(state=RequestState.COMPLETED, status=200, from_cache=True)),
        a_request(outcome=Outcome(state=RequestState.COMPLETED, status=200, from_fallback=True)),
    ):
        assert not row.is_evidence


def test_of_the_inputs_only_numbers_and_a_digest_are_kept() -> None:
    kept = asked_of(read_inputs("straße"))

    assert (kept.count, kept.size) == (1, 7)
    assert "straße" not in repr(kept)


def test_a_row_that_contradicts_itself_is_no_row() -> None:
    with pytest.raises(Invalid):
        Outcome(state=RequestState.COMPLETED, status=200, code="wrong_count")
    with pytest.raises(Invalid):
        Outcome(state=RequestState.FAILED, status=502)
    with pytest.raises(Invalid):
        Outcome(state=RequestState.ABORTED, status=200, code="client_left")
    with pytest.raises(Invalid):
        Asked(
            **{
                name: getattr(asked_of(read_inputs("a")), name)
                for name in ("kind", "count", "size")
            },
            purpose=Purpose.QUERY,
            query_digest="a text",
        )


def test_the_part_that_failed_is_told_and_a_retry_that_helped_is_not() -> None:
    def attempt(part: int, number: int, failure: Failure | None) -> Attempt:
        return Attempt(part=part, number=number, count=1, milliseconds=1.0, failure=failure)

    retried = [attempt(0, 0, Failure.CONNECT_FAILED), attempt(0, 1, None)]
    assert failed_part(retried) is None
    assert failed_part([*retried, attempt(1, 0, Failure.WRONG_COUNT)]) == 1
    assert failed_part([]) is None

"""Until when a program knows that its claim lives."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.comparison import lease as hub
from evenhand.sdk.lease import Lease, new_lease

START = datetime(2026, 11, 1, tzinfo=UTC)


def of(asked_at: float) -> Lease:
    return new_lease(
        claimed_at=START,
        expires_at=START + timedelta(seconds=hub.LEASE_SECONDS),
        deadline_at=START + timedelta(seconds=hub.DEADLINE_SECONDS),
        asked_at=asked_at,
    )


def test_a_lease_is_renewed_at_a_third_of_it() -> None:
    lease = of(500)
    assert (lease.renew_at, lease.ends_at) == (540, 620)
    assert lease.renewed(541).renew_at == 581


@pytest.mark.proves("C-65")
def test_no_renewal_passes_the_deadline() -> None:
    lease = of(0).renewed(3590)
    assert lease.ends_at == 3600
    assert lease.renew_at == pytest.approx(3590 + 10 / 3)


def test_the_instant_at_which_a_lease_ends_is_not_in_it() -> None:
    lease = of(0)
    assert not lease.is_over(119.999)
    assert lease.is_over(120)


def test_a_renewal_that_nobody_answered_is_tried_again_within_the_lease() -> None:
    lease = of(0).unanswered(40)
    assert lease.renew_at == 45
    assert lease.ends_at == 120


@given(delays=st.lists(st.tuples(st.floats(0, 100), st.floats(0, 30)), min_size=1, max_size=60))
def test_what_is_reckoned_here_never_ends_after_the_lease_of_the_hub(
    delays: list[tuple[float, float]],
) -> None:
    # Here a call is sent at `now`; the hub gets it `travel` seconds later.
    now, at_hub = 0.0, START + timedelta(seconds=delays[0][1])
    claim = hub.claim(at_hub)
    lease = new_lease(
        claimed_at=claim.claimed_at,
        expires_at=claim.expires_at,
        deadline_at=claim.deadline_at,
        asked_at=now,
    )
    for wait, travel in delays[1:]:
        now += wait
        if lease.is_over(now):
            break
        at_hub = max(at_hub, START + timedelta(seconds=now + travel))
        step = hub.progress(claim, at_hub)
        if step.refusal is not None:
            break
        claim = step.claim
        lease = lease.renewed(now)
        tolerance = timedelta(microseconds=10)
        assert START + timedelta(seconds=lease.ends_at) <= claim.expires_at + tolerance

"""A case of comparisons that says something else than what is right fails its test."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.altered_cases import require_failure
from tests.hub import test_comparison_cases as cases
from tests.hub import test_comparison_ends as ends
from tests.hub import test_comparison_keys as keys
from tests.hub.comparing import comparing
from tests.hub.conftest import only_sqlite

__all__ = ["comparing"]

Path = tuple[str | int, ...]
#: Test, where in ``expected``, and what stands there instead.
ALTERED: list[tuple[Callable[..., None], Path, object]] = [
    (ends.test_two_workers_one_job_b_073, ("claims_ok",), 2),
    (ends.test_two_workers_one_job_b_073, ("claims_conflict",), 18),
    (ends.test_two_workers_one_job_b_073, ("client-2",), "claims ok"),
    (ends.test_two_workers_one_job_b_073, ("tokens_issued",), 2),
    (ends.test_two_workers_one_job_b_073, ("never",), ["4xx"]),
    (cases.test_the_reply_to_a_claim_is_lost_b_074, ("results", 1), "committed"),
    (cases.test_the_reply_to_a_claim_is_lost_b_074, ("tokens_issued",), 7),
    (cases.test_the_reply_to_a_claim_is_lost_b_074, ("attempts",), 2),
    (cases.test_renewal_never_passes_the_deadline_b_076, ("expires_at_after", "3500"), 3620),
    (cases.test_renewal_never_passes_the_deadline_b_076, ("3601",), "accepted"),
    (cases.test_renewal_never_passes_the_deadline_b_076, ("final_state",), "running"),
    (cases.test_an_old_token_after_a_new_attempt_b_077, ("results", 3), "ok"),
    (cases.test_an_old_token_after_a_new_attempt_b_077, ("I2_state",), "pending"),
    (cases.test_an_old_token_after_a_new_attempt_b_077, ("I2_counts",), [0, 0]),
    (ends.test_cancel_meets_finish_b_079, ("a",), "pending"),
    (ends.test_cancel_meets_finish_b_079, ("b", "state"), "cancelled"),
    (ends.test_cancel_meets_finish_b_079, ("b", "result"), "accepted"),
    (ends.test_cancel_meets_finish_b_079, ("c", "cancel"), "ok"),
    (ends.test_cancel_meets_finish_b_079, ("c", "state"), "cancelled"),
    (ends.test_cancel_meets_finish_b_079, ("d", "terminal_states"), 9),
    (ends.test_cancel_meets_finish_b_079, ("d", "replies_consistent"), False),
    (ends.test_cancel_meets_finish_b_079, ("e",), "cancelled"),
    (ends.test_work_whose_worker_is_gone_b_080, ("121",), "old intent running"),
    (ends.test_work_whose_worker_is_gone_b_080, ("122",), "refused"),
    (keys.test_the_same_key_with_another_body_b_082, ("records",), 2),
    (keys.test_the_same_key_with_another_body_b_082, ("status", 2), [201]),
    (keys.test_the_same_key_with_another_body_b_082, ("never",), ["4xx for step 2 or 3"]),
    (keys.test_the_same_meaning_in_other_bytes_b_083, ("same_id",), False),
    (keys.test_the_same_meaning_in_other_bytes_b_083, ("status_class",), "5xx each"),
    (keys.test_the_same_meaning_in_other_bytes_b_083, ("records",), 2),
    (keys.test_the_same_key_at_the_same_moment_b_085, ("records",), 2),
    (keys.test_the_same_key_at_the_same_moment_b_085, ("status_in",), [409]),
    (keys.test_the_same_key_at_the_same_moment_b_085, ("last",), [409]),
    (keys.test_the_same_key_at_the_same_moment_b_085, ("never",), ["2xx"]),
    *((keys.test_a_key_after_a_failure_b_086, ("status", step), [404]) for step in range(6)),
    (keys.test_a_key_after_a_failure_b_086, ("records",), 99),
    (keys.test_publishing_the_result_again_b_088, ("results", 3), "conflict"),
    (keys.test_publishing_the_result_again_b_088, ("run_rows",), 4),
    (keys.test_publishing_the_result_again_b_088, ("comparison_rows",), 2),
    (cases.test_which_id_proves_a_request_b_104, ("results", 0), "refused"),
    (cases.test_which_id_proves_a_request_b_104, ("results", 2), "ok"),
    (cases.test_which_id_proves_a_request_b_104, ("run_rows_after_each_refusal",), 50),
    (cases.test_ids_sent_as_numbers_b_037, ("each", "status_in"), [200]),
]


def named(value: Any) -> str | None:
    return value.__name__.rpartition("_b_")[2] if callable(value) else None


@only_sqlite
@pytest.mark.parametrize(("test", "path", "value"), ALTERED, ids=named)
def test_an_altered_case_fails(
    test: Callable[..., None],
    path: Path,
    value: object,
    database_url: str,
    instances: str,
    request: pytest.FixtureRequest,
) -> None:
    del database_url, instances
    require_failure(test, path, value, request)

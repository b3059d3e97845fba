"""A case of the gateway that says something else than what is right fails its test."""

import copy
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests import cases_runner
from tests.hub import test_gateway
from tests.hub.conftest import Hub, only_sqlite
from tests.hub.gateway_parts import Served, serve_model
from tests.upstream_server import ScriptedUpstream, letters, serving

Path = tuple[str | int, ...]
#: Test, where in ``expected``, and what stands there instead.
ALTERED: list[tuple[Callable[..., None], Path, object]] = [
    (
        test_gateway.test_b_089_vectors_are_written_as_they_were_asked_for,
        ("embedding", 0),
        "QKAAAL8AAAA+gAAA",
    ),
    (
        test_gateway.test_b_091_vectors_go_to_the_input_of_their_index,
        ("results", 0, "data", 0, 1),
        [2.0],
    ),
    (
        test_gateway.test_b_091_vectors_go_to_the_input_of_their_index,
        ("results", 3, "status"),
        200,
    ),
    (test_gateway.test_b_092_repeated_inputs_are_not_merged, ("replies", 2), [[0, [1.0]]]),
    (
        test_gateway.test_b_094_an_empty_input_is_a_400_that_names_the_item_and_calls_nobody,
        ("status",),
        "422 each",
    ),
    (
        test_gateway.test_b_094_an_empty_input_is_a_400_that_names_the_item_and_calls_nobody,
        ("item_named", "3"),
        0,
    ),
    (
        test_gateway.test_b_095_token_ids_go_on_unchanged_and_what_is_none_is_refused,
        ("any_of", 0, "vectors"),
        [3, 2],
    ),
    (
        test_gateway.test_b_097_a_busy_upstream_is_told_with_its_wait_and_nothing_else_of_it,
        ("status", 0),
        502,
    ),
    (
        test_gateway.test_b_097_a_busy_upstream_is_told_with_its_wait_and_nothing_else_of_it,
        ("retry_after", 0),
        None,
    ),
    (
        test_gateway.test_b_098_success_without_content_is_a_failure_with_a_row,
        ("failed_rows",),
        0,
    ),
    (
        test_gateway.test_b_100_vectors_that_are_no_numbers_are_named_so_and_zeros_are_marked,
        ("status", 0),
        200,
    ),
    (
        test_gateway.test_b_101_usage_that_is_unknown_is_kept_as_unknown_and_not_passed_on,
        ("recorded_prompt_tokens", 1),
        0,
    ),
    (
        test_gateway.test_b_103_a_long_request_is_split_and_fails_as_a_whole,
        ("any_of", 1, "indexes"),
        [0, 1, 2],
    ),
    (
        test_gateway.test_b_103_a_long_request_is_split_and_fails_as_a_whole,
        ("with_failing_part", "status"),
        [200],
    ),
    (
        test_gateway.test_b_103_more_inputs_than_the_stated_limit_are_refused,
        ("huge", "status"),
        [200],
    ),
    (
        test_gateway.test_b_118_no_secret_of_an_upstream_is_in_reply_log_rows_or_metrics,
        ("found_in", "reply"),
        1,
    ),
    (
        test_gateway.test_b_118_no_secret_of_an_upstream_is_in_reply_log_rows_or_metrics,
        ("redirect_followed",),
        True,
    ),
]


@pytest.fixture
def upstream() -> Iterator[ScriptedUpstream]:
    with serving(letters) as made:
        yield made


@pytest.fixture
def served(open_hub: Callable[..., Hub], database_url: str, upstream: ScriptedUpstream) -> Served:
    return serve_model(open_hub(database_url, **test_gateway.ALLOWED), upstream.url)


@only_sqlite
@pytest.mark.parametrize(("test", "path", "value"), ALTERED)
def test_an_altered_case_fails(
    test: Callable[..., None],
    path: Path,
    value: object,
    database_url: str,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def altered(case_id: str) -> dict[str, Any]:
        case = copy.deepcopy(cases_runner.load(case_id))
        holder: Any = case["expected"]
        for step in path[:-1]:
            holder = holder[step]
        assert holder[path[-1]] != value
        holder[path[-1]] = value
        return case

    del database_url
    fixtures = {name: request.getfixturevalue(name) for name in inspect.signature(test).parameters}
    monkeypatch.setattr(test_gateway, "load", altered)
    with pytest.raises(AssertionError):
        test(**fixtures)

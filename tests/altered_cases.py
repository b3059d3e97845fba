"""A case that says something else than what is right, by which to see that a test looks at it."""

import copy
import inspect
import sys
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests import cases_runner


def require_failure(
    test: Callable[..., None],
    path: Sequence[str | int],
    value: object,
    request: pytest.FixtureRequest,
) -> None:
    """Nothing, where the test fails once its case expects this value in that place.

    Args:
        test: reads its case by ``load`` of its own module.
        path: below ``expected``.
        value: another one than stands there.
        request: whose fixtures the test is given.
    """

    def altered(case_id: str) -> dict[str, Any]:
        case = copy.deepcopy(cases_runner.load(case_id))
        holder: Any = case["expected"]
        for step in path[:-1]:
            holder = holder[step]
        if holder[path[-1]] == value:
            pytest.fail("the case says so already")
        holder[path[-1]] = value
        return case

    fixtures = {name: request.getfixturevalue(name) for name in inspect.signature(test).parameters}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sys.modules[test.__module__], "load", altered)
        with pytest.raises(AssertionError):
            test(**fixtures)

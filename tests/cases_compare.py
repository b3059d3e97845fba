"""Adapter of `cases_runner` for the cases about comparing: kind ``compare``, and B-061."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec

from evenhand.core.comparison.pairing import graded_difference
from evenhand.core.scoring.groups import grouped_means
from evenhand.core.scoring.significance import (
    RESAMPLES,
    SEED,
    Refusal,
    Significance,
    bonferroni,
    holm,
    randomisation_test,
)
from evenhand.core.scoring.student import paired_t_test
from evenhand.reports.comparison_json import difference_document

Case = dict[str, Any]
TOLERANCE = 1e-9
_STATED = ("method", "exact", "assignments", "seed")
_FACTORS = tuple(n / 10 for n in range(1, 11))


def check_compare(given: Case, expected: Case) -> Iterator[str]:
    """What did not hold of a case of a comparison."""
    if "p_values" in given:
        yield from _check_family(given["p_values"], expected)
    elif "questions" in given:
        yield from _check_classes(given["questions"], expected)
    elif isinstance(given["per_question"], list):
        for number, legs in enumerate(given["per_question"]):
            yield from _check_small(legs, expected[str(number)], given["tests"])
    elif "repeat" in given:
        yield from _check_repeats(given, expected)
    else:
        yield from _check_pair(given["per_question"], expected, given["alpha"])


def _legs(legs: Case) -> tuple[list[float], list[float]]:
    """Values by question id, as positions go; a question is in both legs."""
    ids = sorted(legs["A"], key=str.encode)
    return [legs["A"][one] for one in ids], [legs["B"][one] for one in ids]


def _differences(legs: Case) -> list[float]:
    return [after - before for before, after in zip(*_legs(legs), strict=True)]


def _check_pair(legs: Case, expected: Case, alpha: float) -> Iterator[str]:
    difference = graded_difference("value", *_legs(legs), alpha=alpha)
    found: Case = {
        "mean_difference": float(difference.delta),
        "permutation_exact": {
            "p": difference.p,
            "significant": difference.point.direction(alpha) != 0,
        },
        "paired_t": _paired_t(legs),
    }
    if difference.is_identical:
        found["identical"] = True
    if "never" in expected:
        p_values = (difference.p, found["paired_t"]["p"])
        is_below = any(p is not None and p < alpha for p in p_values)
        found["never"] = [] if is_below else [f"p < {alpha}"]
    yield from _unequal(expected, found)


def _paired_t(legs: Case) -> Case:
    answer = paired_t_test(_differences(legs))
    if isinstance(answer, Refusal):
        return {"p": None, "reason": answer.reason.value}
    t, significance = answer
    return {"t": t, "p": significance.p}


def _check_small(legs: Case, expected: Case, tests: list[str]) -> Iterator[str]:
    """Each part of a case of few questions: `p` stands for every test that it names."""
    answers = {
        "permutation_exact": _p(randomisation_test(_differences(legs))),
        "paired_t": _paired_t(legs)["p"],
    }
    for key, value in expected.items():
        if key == "p":
            yield from _unequal(dict.fromkeys(tests, value), answers)
        elif key == "p_any_of":
            if answers["permutation_exact"] not in value:
                yield f"p: expected one of {value}, found {answers['permutation_exact']}"
        elif key in answers:
            yield from _unequal(value, {"p": answers[key]})
        else:
            yield f"no adapter for {key}"


def _check_repeats(given: Case, expected: Case) -> Iterator[str]:
    """The random test again and again, by several threads at once, the questions turned round."""
    differences = _differences(given["per_question"])
    answers: set[Refusal | Significance] = set()
    for threads in given["threads"]:
        with ThreadPoolExecutor(threads) as pool:
            for values in (differences, differences[::-1]):
                answers |= set(pool.map(_drawn(given["seed"]), [values] * given["repeat"]))
    found: Case = {
        "all_equal": len(answers) == 1,
        "mean_difference": float(graded_difference("value", *_legs(given["per_question"])).delta),
        "permutation_exact": {"p": _p(randomisation_test(differences))},
        "paired_t": _paired_t(given["per_question"]),
    }
    yield from _unequal(expected, found)
    yield from _check_reply(given["per_question"])


def _check_reply(legs: Case) -> Iterator[str]:
    """What the commands answer says by which test, of how many assignments, with which seed."""
    few = _reply(*_legs(legs))
    moved = sum(one != 0.0 for one in _differences(legs))
    yield from _unequal(
        {"method": "randomisation_exact", "exact": True, "assignments": 2**moved, "seed": None},
        {key: few["test"][key] for key in _STATED},
    )
    # Each question over and over: more differences than every assignment can be tried of.
    values = [[one * factor for factor in _FACTORS for one in leg] for leg in _legs(legs)]
    many = _reply(values[0], values[1])
    yield from _unequal(
        {"method": "randomisation", "exact": False, "assignments": RESAMPLES, "seed": SEED},
        {key: many["test"][key] for key in _STATED},
    )
    yield from _unequal(
        {"resamples": RESAMPLES, "seed": SEED},
        {key: many["interval"][key] for key in ("resamples", "seed")},
    )


def _reply(before: list[float], after: list[float]) -> Case:
    difference = graded_difference("value", before, after)
    document: Case = msgspec.to_builtins(difference_document(difference, primary="value"))
    return document


def _drawn(seed: int) -> Callable[[list[float]], Significance | Refusal]:
    return lambda values: randomisation_test(values, seed=seed, exact_up_to=0)


def _p(answer: Significance | Refusal) -> float | None:
    return None if isinstance(answer, Refusal) else answer.p


def _check_family(p_values: list[float], expected: Case) -> Iterator[str]:
    found: Case = {
        "holm": list(holm(p_values)),
        "bonferroni": list(bonferroni(p_values)),
        "family_size": len(p_values),
    }
    yield from _unequal(expected, found)


def _check_classes(questions: Case, expected: Case) -> Iterator[str]:
    rows = list(questions.values())
    means = grouped_means([row["RR"] for row in rows], [row["class"] for row in rows])
    found: Case = {
        "classes": {one.name: {"RR": one.mean, "n": one.questions} for one in means.groups},
        "over_questions": means.over_questions,
        "over_classes": means.over_classes,
    }
    yield from _unequal(expected, found)


def _unequal(expected: Case, found: Case) -> Iterator[str]:
    tolerance = expected.get("tolerance", TOLERANCE)
    for key in (expected.keys() | found.keys()) - {"tolerance"}:
        if key not in expected or key not in found:
            yield f"{key}: expected {expected.get(key)!r}, found {found.get(key)!r}"
        elif not _is_close(expected[key], found[key], tolerance):
            yield f"{key}: expected {expected[key]!r}, found {found[key]!r}"


def _is_close(expected: object, found: object, tolerance: float) -> bool:
    """Equal in shape, and numbers within the tolerance; NaN is close to nothing."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return not list(_unequal(expected, found))
    if isinstance(expected, list) and isinstance(found, list):
        pairs = zip(expected, found, strict=False)
        return len(expected) == len(found) and all(_is_close(*one, tolerance) for one in pairs)
    if isinstance(expected, float | int) and isinstance(found, float | int):
        is_same_kind = isinstance(expected, bool) == isinstance(found, bool)
        return is_same_kind and abs(expected - found) <= tolerance
    return expected == found

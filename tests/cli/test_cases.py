"""Public cases through the commands, on both databases: B-040, B-068 and B-119."""

import copy
from pathlib import Path
from typing import Any

import pytest

from tests import cases_product, cases_runner
from tests.cases_product import Product


@pytest.fixture
def product(folder: Path, database_url: str) -> Product:
    (folder / "evenhand.toml").touch()
    return Product(database_url)


def test_b_040_an_id_that_is_missing_identifies_nothing(product: Product) -> None:
    assert cases_product.run(cases_runner.load("B-040"), product) == []


@pytest.mark.proves("P-36", "P-38")
def test_b_068_order_and_gist_do_not_change_the_label_digest(product: Product) -> None:
    assert cases_product.run(cases_runner.load("B-068"), product) == []


def test_b_119_redaction_of_nested_values(product: Product) -> None:
    assert cases_product.run(cases_runner.load("B-119"), product) == []


ALTERED: list[tuple[str, tuple[str | int, ...], object]] = [
    ("B-040", ("expected", "each", "outcome"), "accept"),
    ("B-040", ("expected", "each", "stored_rows"), 1),
    ("B-040", ("given", "bodies", 0, "golden", "q1", "target_ids"), ["d1"]),
    ("B-040", ("given", "bodies", 1, "golden", "q1", "target_ids"), ["d1"]),
    ("B-040", ("given", "bodies", 2, "run", "q1"), [["d1", 1.0]]),
    ("B-040", ("given", "bodies", 3, "run", "q1"), [["d1", 1.0]]),
    ("B-068", ("expected", "digest"), "another for each change"),
    ("B-068", ("given", "changes", 3), "text of q1 -> 'other'"),
    ("B-068", ("given", "changes", 3), "nothing"),
]


# Altering is about the adapters, so one database is enough.
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize(("case_id", "path", "value"), ALTERED)
def test_an_altered_case_fails(
    case_id: str, path: tuple[str | int, ...], value: object, product: Product
) -> None:
    case: dict[str, Any] = copy.deepcopy(cases_runner.load(case_id))
    holder: Any = case
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    assert cases_product.run(case, product)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_b_119_altered_fails(product: Product) -> None:
    case = cases_runner.load("B-119")
    observed = cases_product.observe_redaction(case["given"], product)
    for level, facts in (
        ("REDACTED", {"plain_canary_found": 1}),
        ("METADATA", {"detail_payload": "[]"}),
        ("NONE", {"detail_payload": ""}),
        ("FULL", {"detail_payload": None}),
        ("FULL", {"plain_canary_found": 0}),
    ):
        altered = case["expected"] | {level: facts}
        assert list(cases_product.judge_redaction(altered, observed)), level

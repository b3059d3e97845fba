"""The demo's texts and questions, read once."""

from pathlib import Path

import pytest

from evenhand.adapters.formats.golden_jsonl import read_golden_jsonl
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.demo.harvest import Harvest, harvest
from evenhand.demo.questions import DATA, FITTING_FILE, SCORED_FILE


@pytest.fixture(scope="session")
def harvested() -> Harvest:
    return harvest()


@pytest.fixture(scope="session")
def scored() -> GoldenSet:
    return read_golden_jsonl(DATA / SCORED_FILE)


@pytest.fixture(scope="session")
def fitting() -> GoldenSet:
    return read_golden_jsonl(DATA / FITTING_FILE)


@pytest.fixture(scope="session")
def data() -> Path:
    return DATA

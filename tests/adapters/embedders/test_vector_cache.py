import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from evenhand.adapters.embedders.vector_cache import VectorCache, cache_key, text_digest
from tests.adapters.retrievers.support import LetterEmbedder

TEXTS = ["one", "two", "three"]
DIGESTS = [text_digest(text) for text in TEXTS]
VECTORS = LetterEmbedder().embed(TEXTS, "document")


def open_cache(folder: Path, told: list[str], machine: str = "machine:1") -> VectorCache:
    return VectorCache(folder, LetterEmbedder(), machine=machine, tell=told.append)


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """A folder whose cache holds all vectors."""
    open_cache(tmp_path, []).store(DIGESTS, VECTORS)
    return tmp_path


def test_vectors_come_back_bit_by_bit(filled: Path) -> None:
    told: list[str] = []
    found = open_cache(filled, told).load(DIGESTS)

    assert same(found, dict(zip(DIGESTS, VECTORS, strict=True)))
    assert told == []


def same(
    one: Mapping[bytes, NDArray[np.float32]], other: Mapping[bytes, NDArray[np.float32]]
) -> bool:
    return one.keys() == other.keys() and all(
        one[key].dtype == np.float32 and np.array_equal(one[key], other[key]) for key in one
    )


def test_only_what_is_there_comes_back(filled: Path) -> None:
    assert set(open_cache(filled, []).load([DIGESTS[1], text_digest("another")])) == {DIGESTS[1]}


def test_empty_folder_holds_nothing_and_no_file_is_made_by_looking(tmp_path: Path) -> None:
    assert open_cache(tmp_path, []).load(DIGESTS) == {}
    assert list(tmp_path.iterdir()) == []


def test_thousands_of_digests_are_looked_up(filled: Path) -> None:
    many = [text_digest(str(number)) for number in range(3000)]

    assert set(open_cache(filled, []).load([*many, *DIGESTS])) == set(DIGESTS)


def test_storing_again_changes_nothing(filled: Path) -> None:
    open_cache(filled, []).store(DIGESTS, VECTORS)

    assert len(open_cache(filled, []).load(DIGESTS)) == 3


class Renamed(LetterEmbedder):
    label = "letters:2"


class Batched(LetterEmbedder):
    batch_policy = "eight texts a call"


@pytest.mark.parametrize(
    ("embedder", "machine"),
    [
        pytest.param(Renamed(), "machine:1", id="weights"),
        pytest.param(Batched(), "machine:1", id="batch policy"),
        pytest.param(LetterEmbedder(max_tokens=128), "machine:1", id="setting"),
        pytest.param(LetterEmbedder(), "machine:2", id="machine"),
    ],
)
def test_whatever_moves_a_vector_has_a_file_of_its_own(
    filled: Path, embedder: LetterEmbedder, machine: str
) -> None:
    other = VectorCache(filled, embedder, machine=machine, tell=pytest.fail)

    assert other.key != cache_key(LetterEmbedder(), "machine:1")
    assert other.load(DIGESTS) == {}


def cached_file(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


@pytest.mark.parametrize(
    "content", [b"", b"not a database", b"SQLite format 3\0" + b"\xff" * 5000]
)
def test_damaged_file_is_said_and_made_again(filled: Path, content: bytes) -> None:
    file = cached_file(filled)
    file.write_bytes(content)
    told: list[str] = []
    cache = open_cache(filled, told)

    assert cache.load(DIGESTS) == {}
    cache.store(DIGESTS, VECTORS)
    assert len(open_cache(filled, []).load(DIGESTS)) == 3
    # An empty file is a new database: nothing was there to be damaged.
    expected = f"{file.name} in the cache is damaged; its vectors are made again"
    assert told == ([expected] if content else [])


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE vector SET value = zeroblob(104)",
        "UPDATE vector SET value = substr(value, 1, 100)",
        "UPDATE vector SET value = NULL",
        "UPDATE vector SET value = 'text'",
        "UPDATE vector SET checked = zeroblob(8)",
        "UPDATE about SET key = 'another'",
        "INSERT INTO about VALUES ('another')",
    ],
)
def test_row_that_was_changed_is_said_and_made_again(filled: Path, damage: str) -> None:
    with closing(sqlite3.connect(cached_file(filled))) as database, database:
        database.execute(damage)
    told: list[str] = []

    assert open_cache(filled, told).load(DIGESTS) == {}
    assert len(told) == 1
    assert "damaged" in told[0]
    assert list(filled.iterdir()) == []


def test_cache_that_is_busy_is_not_used_and_not_thrown_away(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from evenhand.adapters.embedders import vector_cache

    monkeypatch.setattr(vector_cache, "_WAIT_SECONDS", 0)
    told: list[str] = []
    cache = open_cache(filled, told)
    with closing(sqlite3.connect(cached_file(filled), isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert cache.load(DIGESTS) == {}
        cache.store(DIGESTS, VECTORS)
        cache.store(DIGESTS, VECTORS)
        other.execute("ROLLBACK")

    name = cached_file(filled).name
    assert told == [
        f"{name} in the cache is not used: OperationalError",
        f"{name} in the cache is not kept: OperationalError",
    ]
    assert len(open_cache(filled, []).load(DIGESTS)) == 3


def test_missing_folder_is_said_once_and_no_failure(tmp_path: Path) -> None:
    told: list[str] = []
    cache = open_cache(tmp_path / "gone", told)
    cache.store(DIGESTS, VECTORS)
    cache.store(DIGESTS, VECTORS)

    assert len(told) == 1
    assert "not kept" in told[0]

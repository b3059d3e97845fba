"""Files and folders by their names: which reader, which writer."""

import gzip
from pathlib import Path

import pytest

from evenhand.adapters.formats.sets import is_golden_set_path, read_golden_set, write_golden_set
from evenhand.core.errors import InvalidFile
from tests.adapters.formats.beir_folder import query, write_beir
from tests.builders import a_set


@pytest.mark.parametrize("name", ["set.jsonl", "set.yaml", "set.yml"])
def test_a_set_is_written_and_read_by_the_ending_of_its_name(tmp_path: Path, name: str) -> None:
    write_golden_set(a_set(), tmp_path / name)
    assert is_golden_set_path(tmp_path / name)
    read = read_golden_set(tmp_path / name)
    assert (read.golden_set, read.beir) == (a_set(), None)


def test_a_packed_jsonl_file_is_read(tmp_path: Path) -> None:
    write_golden_set(a_set(), tmp_path / "set.jsonl")
    packed = tmp_path / "set.jsonl.gz"
    packed.write_bytes(gzip.compress((tmp_path / "set.jsonl").read_bytes()))
    assert read_golden_set(packed).golden_set == a_set()


def test_a_beir_folder_is_read_with_its_split(tmp_path: Path) -> None:
    folder = write_beir(
        tmp_path / "set", queries=[query("q1")], qrels=[("q1", "d1", 1)], split="dev"
    )
    read = read_golden_set(folder, split="dev")
    assert read.beir is not None
    assert (read.beir.split, len(read.golden_set.questions)) == ("dev", 1)


def test_an_unknown_ending_a_missing_file_and_a_folder_of_something_else_are_refused(
    tmp_path: Path,
) -> None:
    for path in (tmp_path / "set.csv", tmp_path / "set"):
        path.touch()
        assert not is_golden_set_path(path)
        with pytest.raises(
            InvalidFile, match=r"must end in one of .jsonl, .jsonl.gz, .yaml, .yml"
        ):
            read_golden_set(path)
        with pytest.raises(InvalidFile, match=r"must end in one of .jsonl, .yaml, .yml"):
            write_golden_set(a_set(), path)
    with pytest.raises(InvalidFile, match=r"gone.jsonl: cannot be read: No such file"):
        read_golden_set(tmp_path / "gone.jsonl")
    with pytest.raises(InvalidFile, match=r"is a folder without queries.jsonl"):
        read_golden_set(tmp_path)
    write_golden_set(a_set(), tmp_path / "set.jsonl")
    with pytest.raises(InvalidFile, match="only a BEIR folder has splits"):
        read_golden_set(tmp_path / "set.jsonl", split="test")


def test_a_set_is_written_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match="cannot be written"):
        write_golden_set(a_set(), tmp_path / "gone" / "set.jsonl")
    (tmp_path / "set.jsonl").mkdir()
    with pytest.raises(InvalidFile, match="cannot be written"):
        write_golden_set(a_set(), tmp_path / "set.jsonl")
    assert [path.name for path in tmp_path.iterdir()] == ["set.jsonl"]

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from evenhand.cli.main import run_command
from evenhand.cli.vectors import vectors

VECTORS = Path(__file__).parents[1] / "vectors"


def check(*arguments: str | Path) -> Result:
    return CliRunner().invoke(vectors, ["check", *map(str, arguments)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("lease.json", "query_digest.json"):
        shutil.copy(VECTORS / name, tmp_path)
    return tmp_path


def alter(folder: Path) -> None:
    path = folder / "query_digest.json"
    document: dict[str, Any] = json.loads(path.read_bytes())
    document["cases"][2]["sha256"] = "0" * 64
    path.write_text(json.dumps(document))


def test_a_line_a_file_and_a_total_say_what_passed(folder: Path) -> None:
    result = check(folder)
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "lease.json: 5 of 5 passed",
        "query_digest.json: 11 of 11 passed",
        "total: 16 of 16 passed",
    ]


def test_all_vectors_pass() -> None:
    result = check(VECTORS)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1] == "total: 249 of 249 passed"


def test_a_failure_is_named_and_exits_with_1(folder: Path) -> None:
    alter(folder)
    result = check(folder)
    assert result.exit_code == 1
    assert "query_digest.json: 10 of 11 passed" in result.stdout
    assert "  adapter_prefix: sha256: expected '0000" in result.stdout
    assert "total: 15 of 16 passed" in result.stdout


def test_json_holds_the_same_facts(folder: Path) -> None:
    alter(folder)
    result = check(folder, "--json")
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert (document["passed"], document["cases"]) == (15, 16)
    assert [(file["file"], file["passed"], file["cases"]) for file in document["files"]] == [
        ("lease.json", 5, 5),
        ("query_digest.json", 10, 11),
    ]
    assert [failure["name"] for failure in document["files"][1]["failed"]] == ["adapter_prefix"]
    assert document["refused"] == []


@pytest.mark.parametrize("content", [b'{"cases":[{"name":"x"}]}', b"{", b"\xff", b"[]"])
def test_a_file_of_unknown_kind_is_reported_and_exits_with_2(folder: Path, content: bytes) -> None:
    (folder / "unheard_of.json").write_bytes(content)
    result = check(folder)
    assert result.exit_code == 2
    assert "unheard_of.json" in result.stderr
    assert "total: 16 of 16 passed" in result.stdout
    refused = json.loads(check(folder, "--json").stdout)["refused"]
    assert [entry["file"] for entry in refused] == ["unheard_of.json"]


@pytest.mark.parametrize("content", [b"{", b'"text"', b'{"cases":[]}', b"\xff\xfe"])
def test_a_known_file_that_cannot_be_read_exits_with_2(folder: Path, content: bytes) -> None:
    (folder / "lease.json").write_bytes(content)
    result = check(folder)
    assert result.exit_code == 2
    assert "lease.json" in result.stderr


def test_a_folder_in_the_place_of_a_file_exits_with_2(folder: Path) -> None:
    (folder / "root_digest.json").mkdir()
    assert check(folder).exit_code == 2


def test_other_files_of_the_folder_are_not_vectors(folder: Path) -> None:
    (folder / "README.md").write_text("# Worked vectors")
    assert check(folder).exit_code == 0


def test_a_folder_that_is_missing_or_a_file_is_a_usage_error(tmp_path: Path) -> None:
    assert check(tmp_path / "missing").exit_code == 2
    assert check(VECTORS / "lease.json").exit_code == 2
    assert check().exit_code == 2


def test_a_folder_without_vectors_is_a_usage_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "README.md").write_text("# Worked vectors")
    assert run_command(["vectors", "check", str(tmp_path)]) == 2
    assert "no vector file" in capsys.readouterr().err


def test_a_name_that_would_drive_the_terminal_is_spelt_out(folder: Path) -> None:
    case = {"name": "red\x1b[31m", "query": "a", "canonical": "", "sha256": "\x1b[0m"}
    (folder / "query_digest.json").write_text(json.dumps({"cases": [case]}))
    assert "\x1b" not in check(folder).stdout

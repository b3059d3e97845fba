"""``evenhand contract``: show, lint, diff."""

import json
import shutil
from pathlib import Path

import jsonschema_rs
import pytest
import yaml

from evenhand.cli.main import run_command
from evenhand.contracts.contract import FOLDER


def test_show_prints_fields_schema_and_odcs(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run_command(["contract", "show"]) == 0
    assert b"account_id: string, required, pseudonymous" in capsysbinary.readouterr().out
    assert run_command(["contract", "show", "--as", "json-schema"]) == 0
    schema = json.loads(capsysbinary.readouterr().out)
    assert schema == json.loads((FOLDER / "event.schema.json").read_bytes())
    assert jsonschema_rs.meta.is_valid(schema)
    assert run_command(["contract", "show", "--as", "odcs"]) == 0
    document = yaml.safe_load(capsysbinary.readouterr().out)
    assert run_command(["contract", "show", "--as", "odcs", "--json"]) == 0
    assert json.loads(capsysbinary.readouterr().out) == document
    assert run_command(["contract", "show", "--json"]) == 0
    assert json.loads(capsysbinary.readouterr().out)["name"] == "rag_retrieval_evaluated"


def test_lint_ends_with_1_where_something_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path(shutil.copytree(FOLDER, tmp_path / "v1"))
    assert run_command(["contract", "lint"]) == 0
    (folder / "event.schema.json").unlink()
    assert run_command(["contract", "lint", str(folder)]) == 1
    assert "event.schema.json" in capsys.readouterr().out
    assert run_command(["contract", "lint", str(folder), "--json"]) == 1
    (folder / "contract.toml").unlink()
    assert run_command(["contract", "lint", str(folder)]) == 2


@pytest.mark.proves("E-15", "E-41")
def test_diff_lets_additions_pass_and_refuses_a_rename(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (FOLDER / "contract.toml").read_text(encoding="utf-8")
    added, renamed = tmp_path / "added.toml", tmp_path / "renamed.toml"
    added.write_text(
        text
        + """
[[fields]]
name = "region"
type = "string"
required = false
privacy = "non-sensitive"
meaning = "Where it was evaluated."
decision = "Which region to look at."
""",
        encoding="utf-8",
    )
    renamed.write_text(text.replace('"grounded"', '"is_grounded"'), encoding="utf-8")

    assert run_command(["contract", "diff", str(FOLDER), str(added)]) == 0
    assert "allowed  added region" in capsys.readouterr().out
    assert run_command(["contract", "diff", str(FOLDER), str(renamed)]) == 1
    assert "refused  renamed grounded" in capsys.readouterr().out
    assert run_command(["contract", "diff", str(FOLDER), str(renamed), "--json"]) == 1

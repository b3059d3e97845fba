"""Each command of docs/gate.md and docs/ci.md, executed in the order of its page; the action."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from evenhand.cli.main import run_command
from tests.cli.test_gate_in_clones import BROKEN, CONFIGURATION, GOOD, write_project

ROOT = Path(__file__).parent.parent
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}


@pytest.mark.parametrize("page", ["gate.md", "ci.md"])
def test_every_command_of_the_page_succeeds(
    page: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    commands = re.findall(r"^\$ (.*)$", text, re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    assert len(commands) >= 5
    for command in commands:
        program, *arguments = shlex.split(command)
        if program != "evenhand":
            subprocess.run(["bash", "-c", command], check=True)
            continue
        code = run_command(arguments)
        assert (command, code) == (command, 0), capfd.readouterr().err
    assert "Gate: Pass" in (tmp_path / "gate.md").read_text(encoding="utf-8")


def test_the_page_names_every_input_of_the_action() -> None:
    text = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    assert [name for name in ACTION["inputs"] if f"`{name}`" not in text] == []


def test_the_action_hands_inputs_to_the_shell_as_variables_and_needs_no_secret() -> None:
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    assert "secrets" not in text
    assert "token" not in text
    for step in STEPS.values():
        assert step["shell"] == "bash"
        assert "${{" not in step["run"]
    named = re.findall(r"\$\{\{ inputs\.([a-z-]+) \}\}", text)
    assert sorted(named) == sorted(ACTION["inputs"])


@pytest.fixture(scope="module")
def with_baseline(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project as it is before the action: with a baseline and a policy; to be copied."""
    folder = tmp_path_factory.mktemp("gate") / "project"
    folder.mkdir()
    write_project(folder)
    for command in (
        "run questions.jsonl search",
        "baseline set latest",
        "baseline export baseline.json",
        "gate init",
    ):
        assert _run(folder, f"evenhand {command}", {}).returncode == 0
    return folder


@pytest.mark.parametrize(
    ("search", "inputs", "code", "word"),
    [
        (GOOD, {}, 0, "Pass"),
        (GOOD, {"junit": "gate.xml", "policy": "gate.toml"}, 0, "Pass"),
        (BROKEN, {}, 1, "Fail"),
        (GOOD, {"baseline": "gone.json"}, 3, "Incomparable"),
        (GOOD, {"baseline": "gone.json", "allow-first": "true"}, 0, "Pass"),
        (GOOD, {"set": "questions.jsonl; exit 0", "retriever": "$(touch hacked)"}, 2, None),
    ],
)
def test_the_step_of_the_action_runs_the_gate_and_writes_the_summary(
    with_baseline: Path,
    tmp_path: Path,
    search: str,
    inputs: dict[str, str],
    code: int,
    word: str | None,
) -> None:
    shutil.copytree(with_baseline, tmp_path, dirs_exist_ok=True)
    (tmp_path / "search.py").write_text(search)
    (tmp_path / "evenhand.toml").write_text(CONFIGURATION)
    given = {name: str(one.get("default", "")) for name, one in ACTION["inputs"].items()} | {
        "set": "questions.jsonl",
        "retriever": "search",
    }
    given |= inputs
    step = STEPS["Gate"]
    environment = {
        name: re.sub(r"\$\{\{ inputs\.([a-z-]+) \}\}", lambda m: given[m[1]], value)
        for name, value in step["env"].items()
    }
    summary = {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
    done = _run(tmp_path, step["run"], environment | summary)
    assert done.returncode == code, done.stderr
    assert not (tmp_path / "hacked").exists()
    assert (tmp_path / "gate.xml").exists() is ("junit" in inputs)
    if word is not None:
        assert f"Gate: {word}" in (tmp_path / "summary.md").read_text(encoding="utf-8")


def _run(
    folder: Path, script: str, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """A step as GitHub runs it: bash that ends at the first error; evenhand is this one."""
    kept = {"PATH", "HOME", "LANG", "COVERAGE_PROCESS_CONFIG", "COVERAGE_PROCESS_START"}
    known = {name: value for name, value in os.environ.items() if name in kept}
    command = f'evenhand() {{ "$PYTHON" -m evenhand "$@"; }}\n{script}'
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", command],
        cwd=folder,
        env=known | environment | {"PYTHON": sys.executable, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )

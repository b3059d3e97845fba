"""``evenhand corpus`` as a user types it."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from evenhand.cli.main import run_command
from tests.adapters.formats.beir_folder import document, write_lines


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "corpus.jsonl"
    write_lines(path, [document("d1", team="a"), document("d2", team="b")])
    return path


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert run_command([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_manifest_command_prints_the_digest_and_writes_the_lines_behind_it(
    corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = run_json(capsys, "corpus", "manifest", str(corpus.parent), "--output", "m.txt")
    assert found == {
        "digest": hashlib.sha256(Path("m.txt").read_bytes()).hexdigest(),
        "documents": 2,
        "scoped": 0,
    }
    assert run_command(["corpus", "manifest", str(corpus)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"digest     {found['digest']}",
        "documents  2",
        "scoped     0",
    ]
    scoped = run_json(capsys, "corpus", "manifest", str(corpus), "--scope", "team")
    assert scoped["scoped"] == 2
    assert scoped["digest"] != found["digest"]


def test_a_corpus_that_breaks_a_rule_exits_2_and_writes_nothing(
    corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_lines(corpus, [document("d1"), {"_id": 7, "text": "x"}])
    assert run_command(["corpus", "manifest", str(corpus), "--output", "m.txt"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "corpus.jsonl, line 2: _id must be text" in captured.err
    assert not Path("m.txt").exists()
    assert run_command(["corpus", "manifest", "gone.jsonl"]) == 2


def test_the_diff_names_changes_and_exits_0(
    corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        run_command(["corpus", "manifest", str(corpus), "--output", "old", "--scope", "team"]) == 0
    )
    new = [document("d1", team="c", text="edited"), document("\x1b[2Jd3", team="a")]
    write_lines(corpus, new)
    capsys.readouterr()
    found = run_json(capsys, "corpus", "diff", "old", str(corpus), "--scope", "team")
    assert not found["equal"]
    assert found["changes"] == {
        "added": {"documents": 1, "ids": ["\x1b[2Jd3"]},
        "removed": {"documents": 1, "ids": ["d2"]},
        "content": {"documents": 1, "ids": ["d1"]},
        "scope": {"documents": 1, "ids": ["d1"]},
    }
    assert (
        run_command(["corpus", "diff", "old", str(corpus), "--scope", "team", "--limit", "0"]) == 0
    )
    text = capsys.readouterr().out
    assert "added: 1\n  and 1 more\n" in text
    assert "scope changed: 1" in text
    assert run_command(["corpus", "diff", "old", str(corpus), "--scope", "team"]) == 0
    assert "  <U+001B>[2Jd3" in capsys.readouterr().out


def test_equal_corpora_are_said_to_be_equal(
    corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["corpus", "diff", str(corpus), str(corpus.parent)]) == 0
    assert "equal: no document was added" in capsys.readouterr().out

"""``evenhand events``: in, out, asked, deleted."""

import json
from pathlib import Path

import msgspec
import pytest

from evenhand.cli.main import run_command
from tests.event_builders import event_document

DAY = ["--start", "2026-07-29T00:00:00Z", "--end", "2026-07-30T00:00:00Z"]
QUESTION = "relevant_grounded_accepted"


@pytest.fixture
def place(folder: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A project ``shop`` in an embedded store, and a file of three events and two of none."""
    assert run_command(["admin", "project", "create", "shop"]) == 0
    rows = [
        event_document(1, accepted=True),
        event_document(2),
        event_document(3, outcome="ineligible", grounded=False),
        event_document(4, grounded="true"),
        event_document(1, retrieval_score=0.9),
    ]
    lines = b"\n".join(map(msgspec.json.encode, rows))
    (folder / "events.jsonl").write_bytes(lines + b"\n")
    capsys.readouterr()
    return folder


@pytest.mark.proves("E-12", "G-64", "G-71")
def test_a_file_is_taken_in_once_and_what_is_refused_is_told_by_place(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["events", "ingest", "events.jsonl", "--project", "shop"]
    assert run_command(command) == 0
    told = capsys.readouterr()
    assert told.out == "stored 3  duplicate 0  conflict 1  refused 1\n"
    assert "event 4: invalid_event at grounded" in told.err
    assert "event 5: event_conflict at retrieval_score" in told.err
    assert run_command([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "stored": 0,
        "duplicate": 3,
        "conflict": 1,
        "refused": 1,
    }
    assert run_command(["events", "ingest", "events.jsonl", "--project", "none"]) == 2


@pytest.mark.proves("E-03", "E-37")
def test_database_and_exported_parquet_give_one_answer(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_command(["events", "ingest", "events.jsonl", "--project", "shop", "-q"])
    assert run_command(["events", "export", "out.parquet", "-q"]) == 0
    assert run_command(["events", "export", "out.jsonl", "--project", "shop"]) == 0
    capsys.readouterr()

    answers = []
    for more in ([], ["--parquet", "out.parquet"]):
        assert run_command(["events", "query", QUESTION, *DAY, "--json", *more]) == 0
        answers.append(json.loads(capsys.readouterr().out))
    assert answers[0] == answers[1]
    (group,) = answers[0]["groups"]
    assert (group["events"], group["ineligible"], group["accepted_rate"]) == (3, 1, 1.0)
    assert run_command(["events", "query", QUESTION, *DAY, "--report", "page.html"]) == 0
    assert "benchmark unknown" in capsys.readouterr().out
    assert ">1.0000<svg" in (place / "page.html").read_text()
    same = ["--parquet", "out.parquet", "--report", "out.parquet"]
    assert run_command(["events", "query", QUESTION, *DAY, *same]) == 2
    for file in ("out.parquet", "out.jsonl"):
        assert run_command(["events", "ingest", file, "--project", "shop", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["duplicate"] == 3
    assert run_command(["events", "export", "out.jsonl"]) == 2
    assert run_command(["events", "query", "none", *DAY]) == 2
    assert run_command(["events", "query", QUESTION, *DAY[:3], "2026-07-30"]) == 2


@pytest.mark.proves("E-32", "G-71")
def test_an_account_is_deleted_and_time_takes_the_rest(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_command(["events", "ingest", "events.jsonl", "--project", "shop", "-q"])
    capsys.readouterr()
    assert run_command(["events", "purge", "--yes", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"deleted": 0}
    # Days that reach back beyond the calendar are a window in which everything lies.
    assert run_command(["events", "purge", "--older-than", "999999999", "--yes", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"deleted": 0}
    assert run_command(["events", "delete", "acct_1", "--project", "shop", "--yes"]) == 0
    assert capsys.readouterr().out == "deleted 3 events\n"
    assert run_command(["events", "drain", "sink", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"sent": 0}

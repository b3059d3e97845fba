"""Exit codes and what is said with them, whichever command it was."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from evenhand import __version__
from evenhand.cli.help_page import help_page
from tests.builders import a_question, a_set
from tests.cli.typed import Cli, write_module, write_search, write_set

CANARY = "main-canary"
#: Raised where nothing is prepared for it; its message is put together when it is raised.
RAISING = f"""
def make():
    inner("{CANARY[:4]}" + "{CANARY[4:]}")

def inner(text):
    raise {{}}(text)
"""


def evenhand(*arguments: str, **how: object) -> subprocess.CompletedProcess[str]:
    """The program in a process of its own."""
    command = [sys.executable, "-m", "evenhand", *arguments]
    return subprocess.run(command, text=True, check=False, **how)  # type: ignore[call-overload, no-any-return]


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_is_printed_and_passes(cli: Cli, option: str) -> None:
    assert cli.run(option) == 0
    assert (cli.out, cli.err) == (f"{help_page()}\n", "")


def test_help_behind_another_option_is_the_same_page(cli: Cli) -> None:
    assert cli.run("--project", ".", "--help") == 0
    assert cli.out == f"{help_page()}\n"


def test_version_is_printed(cli: Cli) -> None:
    assert cli.run("--version") == 0
    assert cli.out == f"evenhand, version {__version__}\n"


def test_a_command_is_needed_and_help_says_which_there_are(cli: Cli) -> None:
    assert cli.run() == 2
    assert cli.out == ""
    assert help_page() in cli.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rnu"], "rnu"),
        (["run"], "SET"),
        (["run", "set.jsonl", "x", "--no-such-option"], "--no-such-option"),
        (["run", "set.jsonl", "x", "--batch", "0"], "--batch"),
        (["--project", "nowhere", "run", "set.jsonl", "x"], "nowhere"),
        (["--database-url", "mysql://host/name", "sets", "list"], "database_url (flag)"),
        (["sets", "lint", "nope.jsonl"], "no golden set 'nope.jsonl'"),
        (["evaluations", "show", "latest"], "nothing is stored yet"),
        (["evaluations", "show", "ab"], "nothing is stored yet"),
    ],
)
def test_what_a_user_typed_wrongly_is_a_usage_error_on_standard_error(
    cli: Cli, arguments: list[str], said: str
) -> None:
    write_set()

    assert cli.run(*arguments) == 2
    assert said in cli.err
    assert cli.out == ""


def test_a_refused_setting_names_its_place_and_not_its_value(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVENHAND_JOBS", CANARY)

    assert cli.run("run", write_set(), write_search()) == 2
    assert "jobs (environment): must be a whole number" in cli.err
    assert CANARY not in cli.err


def test_a_variable_that_is_no_setting_is_told_of_once(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVENHAND_MAX_FAILED", CANARY)
    run = ("run", write_set(), write_search())

    assert cli.run(*run) == 0
    assert cli.err.startswith(
        "warning: EVENHAND_MAX_FAILED is in the environment and is no setting; "
        "near it: EVENHAND_MAX_FAILED_SHARE\n"
    )
    assert cli.err.count("EVENHAND_MAX_FAILED is") == 1
    assert CANARY not in cli.err + cli.out
    assert cli.run(*run, "-q") == 0
    assert cli.err == ""


def test_an_unexpected_error_shows_its_class_and_place_and_never_its_message(cli: Cli) -> None:
    write_module(RAISING.format("ZeroDivisionError"), "questions")

    assert cli.run("sets", "show", "questions:make") == 5
    assert "error: unexpected ZeroDivisionError in questions.py:6" in cli.err
    assert "--traceback" in cli.err
    assert CANARY not in cli.err + cli.out


def test_the_place_is_where_somebodys_code_called_a_library(cli: Cli) -> None:
    source = f"import json\n\ndef make():\n    return json.loads('{CANARY}')\n"
    write_module(source, "questions")

    assert cli.run("sets", "show", "questions:make") == 5
    assert "error: unexpected JSONDecodeError in questions.py:4;" in cli.err
    assert CANARY not in cli.err


def test_traceback_shows_the_frames_but_neither_message_nor_source(cli: Cli) -> None:
    write_module(RAISING.format("ZeroDivisionError"), "questions")

    assert cli.run("--traceback", "sets", "show", "questions:make") == 5
    assert "ZeroDivisionError, most recent call last:" in cli.err
    assert f'File "{Path("questions.py").resolve()}", line 3, in make' in cli.err
    assert cli.err.index("in make") < cli.err.index("in inner")
    assert CANARY not in cli.err
    assert "raise" not in cli.err


def test_traceback_leads_into_the_retriever_whose_fault_was_the_cause(cli: Cli) -> None:
    write_module(RAISING.format("LookupError") + "def find(question, limit):\n    make()\n")
    run = ("run", write_set(), "search:find", "--strict")

    assert cli.run(*run) == 5
    assert "the question at position 0 failed (LookupError)" in cli.err
    assert "evenhand --traceback run … --strict shows where it arose" in cli.err
    assert "search.py" not in cli.err

    assert cli.run("--traceback", *run) == 5
    assert "line 6, in inner" in cli.err
    assert cli.err.index("LookupError, most recent") < cli.err.index("EvaluationFailed, most")
    assert CANARY not in cli.err


@pytest.mark.parametrize(
    ("source", "said"),
    [
        # Each would be an answer of its own if it went its way.
        ("raise SystemExit(0)", "unexpected SystemExit in questions.py:1"),
        ("import sys\nsys.exit('done')", "unexpected SystemExit in questions.py:2"),
    ],
)
def test_a_loaded_module_cannot_end_the_program_with_a_code_of_its_own(
    cli: Cli, source: str, said: str
) -> None:
    write_module(source, "questions")

    assert cli.run("sets", "show", "questions:make") == 5
    assert said in cli.err


def test_a_file_that_ends_early_is_no_interruption(cli: Cli) -> None:
    write_module(RAISING.format("EOFError"), "questions")

    assert cli.run("sets", "show", "questions:make") == 5
    assert "unexpected EOFError" in cli.err


def test_ctrl_c_ends_with_130(cli: Cli) -> None:
    write_module(RAISING.format("KeyboardInterrupt"), "questions")

    assert cli.run("sets", "show", "questions:make") == 130
    assert cli.err.strip() == "interrupted"


def test_a_name_that_drives_a_terminal_is_spelt_out(cli: Cli) -> None:
    Path("a\x1b]0;x\x07.jsonl").write_text("{", encoding="utf-8")

    assert cli.run("sets", "show", "a\x1b]0;x\x07.jsonl") == 2
    assert "\x1b" not in cli.err
    assert "<U+001B>" in cli.err


def test_the_program_is_the_module(folder: Path) -> None:
    assert folder.exists()
    assert evenhand("--help", capture_output=True).stdout == f"{help_page()}\n"
    assert evenhand("nope", capture_output=True).returncode == 2


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupt_of_the_process_ends_with_130_and_stores_nothing(cli: Cli, jobs: str) -> None:
    write_module(
        "import os, signal\n"
        "def find(question, limit):\n"
        "    if question == 'q2':\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "    return []\n"
    )

    done = evenhand("run", write_set(), "search:find", "--jobs", jobs, capture_output=True)

    assert done.returncode == 130
    assert done.stderr.strip() == "interrupted"
    assert done.stdout == ""
    assert cli.stored() == []


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
@pytest.mark.usefixtures("cli")
def test_what_the_encoding_of_the_terminal_lacks_is_spelt_out(
    monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    golden_set = a_set(a_question("q1", "d1", text="größe ≠ 中文"))
    write_set("set.jsonl", golden_set)
    monkeypatch.setenv("PYTHONIOENCODING", encoding)
    command = [sys.executable, "-m", "evenhand", "sets", "show", "set.jsonl", "--questions"]

    done = subprocess.run(command, capture_output=True, check=False)

    assert done.returncode == 0
    assert (b"gr\xf6\xdfe" if encoding == "latin-1" else b"gr") in done.stdout


def without_readers() -> int:
    """A pipe that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    return writing


@pytest.mark.parametrize("arguments", [["--help"], ["sets", "--help"], ["sets", "list"]])
@pytest.mark.usefixtures("cli")
def test_nobody_reading_is_no_error_and_no_noise(arguments: list[str]) -> None:
    done = evenhand(*arguments, stdout=without_readers(), stderr=subprocess.PIPE)

    assert done.returncode == 0
    assert "Error" not in done.stderr
    assert "Traceback" not in done.stderr


def test_a_run_keeps_its_result_and_its_verdict_when_nobody_reads(cli: Cli) -> None:
    declared = ("--corpus", "c", "--model", "m", "--chunking", "n", "--pipeline", "p")
    run = ("run", write_set(), write_search(), *declared, "--fail-on-regression")
    assert cli.run(*run) == 0
    write_search({})

    done = evenhand(*run, stdout=without_readers(), stderr=subprocess.PIPE)

    assert done.returncode == 1
    assert done.stderr == "regression: a pooled rate fell by more than is tolerated\n"
    assert len(cli.stored()) == 2


@pytest.mark.parametrize("arguments", ["--help", "sets --help", "sets list --json"])
@pytest.mark.usefixtures("cli")
def test_closed_streams_are_no_error(arguments: str) -> None:
    command = f'exec "$0" -m evenhand {arguments} >&- 2>&-'

    assert subprocess.run(["sh", "-c", command, sys.executable], check=False).returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [["--help"], ["sets", "--help"], ["sets", "list", "--json"]])
@pytest.mark.usefixtures("cli")
def test_output_that_cannot_be_written_is_never_a_pass(arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = evenhand(*arguments, stdout=full, stderr=subprocess.PIPE)

    assert done.returncode == 5
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr

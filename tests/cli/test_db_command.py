import json
from collections.abc import Callable

import pytest
import sqlalchemy as sa
from click.testing import CliRunner, Result

from evenhand.cli.db import db
from evenhand.cli.main import run_command
from evenhand.store.engine import create_engine
from evenhand.store.lineage import Status, load_lineage
from evenhand.store.migrate import status

REVISIONS = [step.revision for step in load_lineage()]
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    """Run `evenhand --database-url URL db …`; gives exit code, standard output and error."""

    def _run(url: str, *arguments: str) -> tuple[int, str, str]:
        capfd.readouterr()
        code = run_command(["--database-url", url, "db", *arguments])
        output, error = capfd.readouterr()
        return code, output, error

    return _run


def execute(url: str, statement: str) -> None:
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(sa.text(statement))
    engine.dispose()


def test_upgrade_makes_a_database_and_says_what_it_did(run: Run, empty_database_url: str) -> None:
    code, output, error = run(empty_database_url, "upgrade")
    assert (code, error) == (0, "")
    assert output == f"upgraded to {REVISIONS[-1]}: {len(REVISIONS)} migrations applied\n"
    assert run(empty_database_url, "upgrade")[:2] == (0, "nothing to do\n")


def test_upgrade_as_json_lists_the_revisions(run: Run, empty_database_url: str) -> None:
    code, output, _ = run(empty_database_url, "upgrade", "--json")
    assert (code, json.loads(output)) == (0, {"applied": REVISIONS})


def test_downgrade_goes_to_a_revision_and_to_base(run: Run, database_url: str) -> None:
    assert run(database_url, "downgrade", REVISIONS[-2])[:2] == (
        0,
        f"downgraded to {REVISIONS[-2]}: 1 migration undone\n",
    )
    code, output, _ = run(database_url, "downgrade", "base", "--json")
    assert (code, json.loads(output)) == (0, {"undone": REVISIONS[-2::-1]})
    assert status(database_url) is Status.ABSENT


def test_downgrade_to_an_unknown_revision_is_a_usage_error(run: Run, database_url: str) -> None:
    assert run(database_url, "downgrade", "head~1")[0] == 2


def test_a_downgrade_that_would_lose_rows_went_wrong(run: Run, database_url: str) -> None:
    time = "2026-09-01T00:00:00.000000Z"
    execute(database_url, f"INSERT INTO golden_set VALUES ('a', 'A', '', '{time}', 'f')")  # noqa: S608 -- a constant
    code, _, error = run(database_url, "downgrade", "base")
    assert code == 5
    assert "golden_set [downgrade_blocked]" in error


def test_a_clean_database_passes_the_check(run: Run, database_url: str) -> None:
    assert run(database_url, "check") == (0, "0 findings\n", "")
    code, output, _ = run(database_url, "check", "--json")
    assert (code, json.loads(output)) == (0, {"findings": []})


def test_a_finding_is_printed_and_exits_with_1(run: Run, database_url: str) -> None:
    execute(database_url, "DROP INDEX ix_evaluation_time")
    code, output, error = run(database_url, "check")
    assert (code, error) == (1, "")
    assert output.splitlines()[0].startswith(
        "schema: missing: index evaluation.ix_evaluation_time"
    )
    assert output.splitlines()[-1] == "1 finding"
    code, output, _ = run(database_url, "check", "--json")
    [finding] = json.loads(output)["findings"]
    assert (code, finding["code"], finding["subject"]) == (1, "schema_drift", "schema")


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        (f"UPDATE schema_lineage SET chain_digest = '{'0' * 64}'", "foreign_lineage"),  # noqa: S608 -- a constant
        ("UPDATE alembic_version SET version_num = '20260901_0001'", "foreign_lineage"),
    ],
)
def test_the_check_of_a_foreign_database_went_wrong(
    run: Run, database_url: str, statement: str, code: str
) -> None:
    execute(database_url, statement)
    exit_code, output, error = run(database_url, "check")
    assert (exit_code, output) == (5, "")
    assert f"[{code}]" in error


def test_the_check_of_a_database_that_is_behind_names_the_command(
    run: Run, database_url: str
) -> None:
    run(database_url, "downgrade", REVISIONS[0])
    code, _, error = run(database_url, "check")
    assert code == 5
    assert "run evenhand db upgrade" in error


def test_the_check_of_an_absent_database_makes_none(run: Run, empty_database_url: str) -> None:
    code, _, error = run(empty_database_url, "check")
    assert code == 5
    assert "[database_absent]" in error
    assert status(empty_database_url) is Status.ABSENT


@pytest.mark.proves("C-119")
def test_there_is_no_command_that_only_notes_a_revision() -> None:
    assert sorted(db.commands) == ["backup", "check", "downgrade", "restore", "upgrade"]
    options = {option.name for command in db.commands.values() for option in command.params}
    assert options == {"as_json", "digests", "file", "force", "quiet", "revision"}


@pytest.mark.parametrize("command", ["upgrade", "downgrade", "check", "backup", "restore"])
def test_help_tells_what_it_does(command: str) -> None:
    result: Result = CliRunner().invoke(db, [command, "--help"])
    assert result.exit_code == 0
    assert "Usage:" in result.output

"""`evenhand db backup` and `db restore`: what they print, how they exit, what they leave."""

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from evenhand.cli.main import run_command
from evenhand.store.archive.write import read_digests
from evenhand.store.lineage import Status
from evenhand.store.migrate import status
from tests.cli.test_db_command import execute
from tests.store.archive.conftest import fill

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `evenhand --database-url URL …` in a folder of its own."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)

    def _run(url: str, *arguments: str) -> tuple[int, str, str]:
        capfd.readouterr()
        code = run_command(["--database-url", url, *arguments])
        output, error = capfd.readouterr()
        return code, output, error

    return _run


@pytest.fixture
def there(tmp_path: Path) -> str:
    """A database that does not exist yet."""
    return f"sqlite:///{tmp_path / 'there' / 'file.db'}"


def test_a_backup_says_what_it_holds_and_is_for_its_owner(run: Run, database_url: str) -> None:
    fill(database_url)
    code, output, error = run(database_url, "db", "backup", "a.zip")
    assert (code, error) == (0, "")
    first, second = output.splitlines()
    rows = sum(entry.rows for entry in read_digests(database_url))
    assert first == f"wrote a.zip: {rows} rows"
    assert second.startswith("archive: ")
    assert len(second) == len("archive: ") + 64
    assert stat.S_IMODE(Path("a.zip").stat().st_mode) == 0o600
    assert [path.name for path in Path().iterdir()] == ["a.zip"]


def test_a_backup_as_json_lists_the_tables(run: Run, database_url: str) -> None:
    fill(database_url)
    code, output, _ = run(database_url, "db", "backup", "a.zip", "--json")
    document = json.loads(output)
    assert code == 0
    assert set(document) == {"archive", "release", "revision", "created_at", "tables"}
    assert document["tables"] == [
        {"table": entry.name, "rows": entry.rows, "sha256": entry.sha256}
        for entry in read_digests(database_url)
    ]


def test_a_file_that_is_there_is_replaced_only_by_force(run: Run, database_url: str) -> None:
    file = Path("a.zip")
    file.write_text("mine")
    file.chmod(0o644)
    code, _, error = run(database_url, "db", "backup", "a.zip")
    assert (code, file.read_text()) == (2, "mine")
    assert "--force replaces it" in error
    assert run(database_url, "db", "backup", "a.zip", "--force")[0] == 0
    assert file.read_bytes().startswith(b"PK")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_the_database_itself_is_never_replaced(run: Run, database_url: str) -> None:
    file = database_url.removeprefix("sqlite:///")
    link = Path("link.zip")
    link.symlink_to(file)
    for name in (file, "link.zip"):
        code, _, error = run(database_url, "db", "backup", name, "--force")
        assert code == 2
        assert "the file is the database itself" in error
    assert status(database_url) is Status.CURRENT


def test_a_backup_that_cannot_be_written_leaves_nothing(run: Run, database_url: str) -> None:
    assert run(database_url, "db", "backup", "nowhere/a.zip")[0] == 2
    assert run(database_url, "db", "backup", ".")[0] == 2
    assert list(Path().iterdir()) == []


def test_a_backup_of_nothing_leaves_nothing(run: Run, there: str) -> None:
    code, _, error = run(there, "db", "backup", "a.zip")
    assert code == 5
    assert "[database_absent]" in error
    assert list(Path().iterdir()) == []


def test_a_restore_says_what_it_did(run: Run, database_url: str, there: str) -> None:
    fill(database_url)
    run(database_url, "db", "backup", "a.zip")
    code, output, error = run(there, "db", "restore", "a.zip")
    assert (code, error) == (0, "")
    assert output.splitlines()[0].startswith("restored a.zip: ")
    code, output, _ = run(there, "db", "restore", "a.zip", "--json")
    document = json.loads(output)
    assert (code, document["outcome"], document["is_as_restored"]) == (0, "unchanged", True)
    again = run(there, "db", "restore", "a.zip")[1].splitlines()[0]
    assert again == (
        f"nothing to do: this archive filled the database at {document['restored_at']}"
    )
    execute(there, "DELETE FROM golden_holdout")
    assert run(there, "db", "restore", "a.zip")[1].splitlines()[0] == (
        f"{again}; it has changed since"
    )


def test_a_restore_into_a_database_that_is_not_empty_went_wrong(
    run: Run, database_url: str
) -> None:
    fill(database_url)
    run(database_url, "db", "backup", "a.zip")
    code, output, error = run(database_url, "db", "restore", "a.zip")
    assert (code, output) == (5, "")
    assert "nothing was changed [database_not_empty]" in error


def test_what_is_no_archive_is_told_by_its_name(run: Run, there: str) -> None:
    Path("notes.txt").write_text("notes")
    code, _, error = run(there, "db", "restore", "notes.txt")
    assert code == 2
    assert error == "error: notes.txt: is no ZIP file, or a damaged one [invalid_archive]\n"
    assert run(there, "db", "restore", "absent.zip")[0] == 2
    assert status(there) is Status.ABSENT


def test_an_archive_that_is_no_regular_file_is_not_waited_for(run: Run, there: str) -> None:
    os.mkfifo("pipe.zip")
    for name in ("pipe.zip", "/dev/null"):
        code, output, error = run(there, "db", "restore", name)
        assert (code, output) == (2, "")
        assert "the archive is no regular file" in error
    assert status(there) is Status.ABSENT


def test_digests_are_those_of_the_archive(run: Run, database_url: str, there: str) -> None:
    fill(database_url)
    run(database_url, "db", "backup", "a.zip")
    run(there, "db", "restore", "a.zip")
    one, other = (run(url, "db", "check", "--digests")[1] for url in (database_url, there))
    assert one == other
    lines = one.splitlines()
    assert [line.split() for line in lines if line[:64].isalnum()] == [
        [entry.sha256, str(entry.rows), entry.name] for entry in read_digests(there)
    ]
    document = json.loads(run(there, "db", "check", "--digests", "--json")[1])
    first = read_digests(there)[0]
    assert document["digests"][0] == {
        "table": first.name,
        "rows": first.rows,
        "sha256": first.sha256,
    }


def test_digests_of_a_database_that_drifted_are_left_out(run: Run, database_url: str) -> None:
    execute(database_url, "DROP INDEX ix_evaluation_time")
    code, output, _ = run(database_url, "db", "check", "--digests")
    assert code == 1
    assert output.splitlines()[0].startswith("schema: missing")


@pytest.mark.parametrize(
    "arguments",
    [
        ["serve", "--port", "0"],
        ["evaluations", "list"],
        ["admin", "token", "list"],
        ["db", "upgrade"],
        ["db", "backup", "b.zip"],
    ],
    ids=" ".join,
)
def test_a_database_whose_restore_was_left_serves_nobody(
    run: Run, database_url: str, there: str, arguments: list[str]
) -> None:
    run(database_url, "db", "backup", "a.zip")
    run(there, "db", "restore", "a.zip")
    execute(there, "UPDATE restore_marker SET state = 'loaded', content_digest = NULL")
    code, output, error = run(there, *arguments)
    assert (code, output) == (5, "")
    assert "[restore_unfinished]" in error
    assert run(there, "db", "check")[0] == 1
    code, output, _ = run(there, "db", "restore", "a.zip")
    assert (code, output.splitlines()[0]) == (0, "finished the restore of a.zip: 0 rows")
    assert run(there, "db", "check")[0] == 0

"""``evenhand evaluations`` as a user types it."""

import io
import json
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from evenhand.core.privacy import LevelPolicy, PrivacyLevel
from evenhand.store.uow import Database, open_database
from evenhand.usecases.evaluations import record
from tests.builders import (
    RELEASE,
    START,
    FakeClock,
    a_provenance,
    a_question,
    a_set,
    an_evaluation,
    row_id,
)
from tests.cli.typed import RIGHT, Cli, declared, write_search, write_set
from tests.store.conftest import CountingIds

CANARY = "evaluations-canary"


def store(cli: Cli, level: str = "full", **answers: list[str]) -> str:
    """One stored evaluation of `search.find`; gives its id."""
    answers = answers or RIGHT
    operands = (write_set(), write_search(answers), *declared(), "--privacy", level)
    identifier: str = cli.json("run", *operands)["id"]
    return identifier


def test_a_list_is_newest_first_with_what_each_number_covers(cli: Cli) -> None:
    first, second = store(cli, q1=["x"]), store(cli)

    assert [one["id"] for one in cli.stored()] == [second, first]
    assert cli.run("evaluations", "list") == 0
    newest, rates, _, oldest = cli.out.splitlines()
    assert newest.startswith(second[:13])
    assert newest.endswith(" UTC  tiny  search:find")
    assert rates.strip() == "Success@1 1.000 (3 of 3) · abstention 1.000 (1 of 1) · failed 0"
    assert "Success@1 0.000 (0 of 3)" in oldest
    assert cli.run("evaluations", "show", newest.split()[0]) == 0


def test_a_list_may_be_of_one_set_or_retriever_and_short(cli: Cli) -> None:
    one, other = store(cli), store(cli)
    write_set("other.jsonl", a_set(identifier="other"))
    elsewhere = cli.json("run", "other.jsonl", write_search(name="find2"))["id"]

    def ids(*arguments: str) -> list[str]:
        return [found["id"] for found in cli.json("evaluations", "list", *arguments)]

    assert ids() == [elsewhere, other, one]
    assert ids("--set", "tiny") == [other, one]
    assert ids("--retriever", "find2:find") == [elsewhere]
    assert ids("--set", "tiny", "--retriever", "find2:find") == []
    assert ids("--limit", "2") == [elsewhere, other]
    assert cli.run("evaluations", "list", "--limit", "0") == 2


def test_an_empty_list_says_what_fills_it_on_standard_error(cli: Cli) -> None:
    assert cli.run("evaluations", "list") == 0
    assert cli.out == ""
    assert "evenhand run SET RETRIEVER" in cli.err
    assert cli.json("evaluations", "list") == []


@pytest.mark.parametrize("reference", ["latest", "prefix", "id"])
def test_show_finds_by_id_prefix_and_latest(cli: Cli, reference: str) -> None:
    identifier = store(cli)
    given = {"latest": "latest", "prefix": identifier[:20], "id": identifier}[reference]

    found = cli.json("evaluations", "show", given)

    assert found["id"] == identifier
    assert found["counts"]["answerable_top1_hits"] == 3
    assert (found["verdict"], found["differences"]) == (None, None)


def test_show_joins_texts_only_of_the_set_that_was_asked(cli: Cli) -> None:
    asked = a_set(a_question("q1", "d1", text=f"{CANARY} 1"), a_question("q2", text="q2"))
    edited = a_set(a_question("q1", "d2", text=f"{CANARY} 1"), a_question("q2", text="q2"))
    write_set("set.jsonl", asked)
    write_set("edited.jsonl", edited)
    assert cli.run("run", "set.jsonl", write_search({}), *declared()) == 0

    show = ("evaluations", "show", "latest", "-v")
    assert cli.run(*show) == 0
    assert CANARY not in cli.out
    assert cli.run(*show, "--set", "set.jsonl") == 0
    assert f"{CANARY} 1" in cli.out
    assert cli.run(*show, "--set", "edited.jsonl") == 0
    assert CANARY not in cli.out
    assert "not joined" in cli.out
    # An imported set of the same identifier is joined without being named.
    assert cli.run("sets", "import", "set.jsonl") == 0
    assert cli.run(*show) == 0
    assert f"{CANARY} 1" in cli.out


@pytest.mark.parametrize("level", list(PrivacyLevel))
def test_export_holds_what_the_level_kept(cli: Cli, level: PrivacyLevel) -> None:
    identifier = store(cli, level)

    assert cli.run("evaluations", "export", "latest", "out.json") == 0
    assert (cli.out, cli.err) == ("", f"wrote {identifier} to out.json\n")
    document: dict[str, Any] = json.loads(Path("out.json").read_bytes())
    assert document["format"] == "evenhand.evaluation-export/1"
    assert document["evaluation"]["id"] == identifier
    assert (document["outcomes"] is not None) is level.keeps_outcomes
    assert (document["run"] is not None) is (level is PrivacyLevel.FULL)
    assert (document["details"] is not None) is (level is PrivacyLevel.FULL)


def test_export_replaces_a_file_only_when_told_to(cli: Cli) -> None:
    identifier = store(cli)
    Path("out.json").write_text("mine", encoding="utf-8")
    export = ("evaluations", "export", "latest", "out.json")

    assert cli.run(*export) == 2
    assert "--force" in cli.err
    assert Path("out.json").read_text("utf-8") == "mine"
    assert cli.json(*export, "--force", "-q") == {"id": identifier, "privacy": "full"}
    assert cli.err == ""
    assert json.loads(Path("out.json").read_bytes())["evaluation"]["id"] == identifier


def test_an_export_that_cannot_be_written_leaves_no_file(cli: Cli) -> None:
    store(cli)

    assert cli.run("evaluations", "export", "latest", "no/out.json") == 2
    assert "cannot be written" in cli.err
    assert cli.run("evaluations", "export", "nope", "out.json") == 2
    assert not Path("out.json").exists()


@pytest.mark.parametrize("verb", ["show", "export"])
def test_a_prefix_of_several_is_refused(cli: Cli, verb: str) -> None:
    shared = "0000"
    with_database(lambda one, number: add(one, f"{shared}{row_id(number)[4:]}"), 2)

    assert cli.run("evaluations", verb, shared, *(("out.json",) if verb == "export" else ())) == 2
    assert "several ids start so" in cli.err


def with_database(work: Any, times: int, *, stored_at: datetime = START) -> None:
    """Call `work` with the project's database, as often as said."""
    url = f"sqlite:///{Path('.evenhand/evenhand.db').resolve()}"
    database = open_database(url, clock=FakeClock(start=stored_at), ids=CountingIds())
    for number in range(1, times + 1):
        work(database, number)
    database.close()


def add(database: Database, identifier: str) -> None:
    evaluation = an_evaluation(provenance=a_provenance())
    policy = LevelPolicy(level=PrivacyLevel.FULL)
    database.run(
        lambda uow: record(uow, evaluation, id=identifier, policy=policy, release=RELEASE)
    )


@pytest.mark.proves("BP-30")
def test_purge_deletes_what_is_older_than_the_configured_days(cli: Cli) -> None:
    kept = store(cli)
    old = datetime.now(UTC) - timedelta(days=40)  # noqa: TID251 -- the command asks the clock
    with_database(lambda one, number: add(one, row_id(number)), 2, stored_at=old)
    purge = ("evaluations", "purge", "--yes")

    Path("evenhand.toml").write_text("retention_evaluation_days = 50\n", encoding="utf-8")
    assert cli.json(*purge) == {"deleted": 0, "older_than_days": 50}
    assert cli.json(*purge, "--older-than", "45") == {"deleted": 0, "older_than_days": 45}
    Path("evenhand.toml").write_text("", encoding="utf-8")
    assert cli.run(*purge) == 0
    assert cli.out == "deleted 2 evaluations stored more than 30 days ago\n"
    assert [one["id"] for one in cli.stored()] == [kept]


@pytest.mark.parametrize("days", ["0", "-1", "soon", "1000000000", ""])
def test_a_number_of_days_that_is_none_is_refused_by_name(cli: Cli, days: str) -> None:
    store(cli)

    assert cli.run("evaluations", "purge", "--yes", "--older-than", days) == 2
    assert "--older-than" in cli.err
    assert len(cli.stored()) == 1


def test_purge_asks_nobody_where_nobody_is(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    store(cli)
    for stdin in (io.StringIO("y\n"), None):
        monkeypatch.setattr(sys, "stdin", stdin)
        assert cli.run("evaluations", "purge", "--older-than", "1") == 2
        assert "--yes" in cli.err
    assert len(cli.stored()) == 1


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 130), ("", 130)])
def test_purge_asks_before_it_deletes(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, answer: str, code: int
) -> None:
    old = datetime.now(UTC) - timedelta(days=40)  # noqa: TID251 -- the command asks the clock
    with_database(lambda one, number: add(one, row_id(number)), 1, stored_at=old)

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Terminal(answer))

    assert cli.run("evaluations", "purge") == code
    assert "Delete evaluations stored more than 30 days ago?" in cli.err
    assert len(cli.stored()) == (0 if code == 0 else 1)

from pathlib import Path

import pytest

from evenhand.bootstrap import App, build_app
from evenhand.core.errors import InvalidSetting
from evenhand.core.errors.database import DatabaseNotReady
from evenhand.core.privacy import PrivacyLevel
from evenhand.settings import Settings, load_settings
from evenhand.store.lineage import Status, load_lineage
from evenhand.store.migrate import downgrade, status
from tests.builders import START, FakeClock, a_set, row_id


def settings(root: Path, **flags: str) -> Settings:
    return load_settings(dict(flags), start=root, environment={})


class Counting:
    def __init__(self) -> None:
        self.given = 0

    def new(self) -> str:
        self.given += 1
        return row_id(self.given)


def test_nothing_is_opened_or_made_before_it_is_used(tmp_path: Path) -> None:
    app = App(settings(tmp_path))

    assert (app.project_root, app.policy.level) == (tmp_path, PrivacyLevel.FULL)
    assert app.machine == app.machine
    app.golden_set_context()
    app.retriever_context()
    app.close()
    assert list(tmp_path.iterdir()) == []


def test_the_store_is_made_when_it_is_absent(empty_database_url: str, tmp_path: Path) -> None:
    app = App(settings(tmp_path, database_url=empty_database_url))

    assert app.database.read(lambda uow: uow.golden_sets.list_all()) == ()
    assert app.database is app.database
    app.close()


def test_to_read_where_there_is_no_store_makes_none(
    empty_database_url: str, tmp_path: Path
) -> None:
    app = App(settings(tmp_path, database_url=empty_database_url))

    assert app.stored.read(lambda uow: uow.golden_sets.list_all()) == ()
    assert app.stored.read(lambda uow: uow.evaluations.find_by_prefix("0199", 1)) == ()
    assert status(empty_database_url) is Status.ABSENT
    app.close()


def test_who_only_reads_finds_what_is_stored(database_url: str, tmp_path: Path) -> None:
    writer, reader, both = (App(settings(tmp_path, database_url=database_url)) for _ in range(3))
    writer.database.run(lambda uow: uow.golden_sets.save(a_set(), imported_at=START))

    assert reader.stored.read(lambda uow: uow.golden_sets.find("tiny")) == a_set()
    assert both.stored is not both.database
    assert both.stored is both.database
    for app in (writer, reader, both):
        app.close()


def test_to_read_a_store_that_is_behind_is_refused(database_url: str, tmp_path: Path) -> None:
    downgrade(database_url, load_lineage()[0].revision)
    app = App(settings(tmp_path, database_url=database_url))

    with pytest.raises(DatabaseNotReady, match="evenhand db upgrade"):
        _ = app.stored
    app.close()


def test_a_store_that_is_behind_is_refused(database_url: str, tmp_path: Path) -> None:
    downgrade(database_url, load_lineage()[0].revision)
    app = App(settings(tmp_path, database_url=database_url))

    with pytest.raises(DatabaseNotReady, match="evenhand db upgrade"):
        _ = app.database
    app.close()


def test_clock_and_ids_may_be_handed_in(tmp_path: Path) -> None:
    clock, ids = FakeClock(), Counting()
    app = App(settings(tmp_path), clock=clock, ids=ids)

    assert (app.clock, app.ids) == (clock, ids)
    app.database.run(lambda uow: uow.golden_sets.save(a_set(), imported_at=clock.now()))
    assert app.golden_set_context().database() is app.database
    app.close()


def test_a_retriever_gets_what_is_configured_unless_something_else_is_given(
    tmp_path: Path,
) -> None:
    (tmp_path / "evenhand.toml").write_text('depth = 5\n[retrievers.mine]\nuse = "lexical"\n')
    app = App(settings(tmp_path))
    heard: list[str] = []

    plain, given = app.retriever_context(), app.retriever_context(depth=7, tell=heard.append)
    given.tell("something")

    assert (plain.depth, given.depth) == (5, 7)
    assert plain.configured["mine"].use == "lexical"
    assert plain.project_root == tmp_path
    assert heard == ["something"]


def test_a_malformed_table_of_a_retriever_is_refused(tmp_path: Path) -> None:
    (tmp_path / "evenhand.toml").write_text("[retrievers.mine]\nmodel = 'm'\n")

    with pytest.raises(InvalidSetting, match=r"retrievers\.mine\.use"):
        App(settings(tmp_path)).retriever_context()


def test_secrets_come_from_the_environment_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", "canary")
    secret = App(settings(tmp_path)).retriever_context().secret

    assert (secret("MY_TOKEN"), secret("MY_OTHER_TOKEN")) == ("canary", None)


def test_without_settings_those_of_the_working_directory_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "evenhand.toml").touch()
    (tmp_path / "deep").mkdir()
    monkeypatch.chdir(tmp_path / "deep")

    assert build_app().project_root == tmp_path

"""Which golden set a reference names, and in which order the places are asked."""

import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from evenhand.adapters import golden_sets
from evenhand.adapters.formats.sets import write_golden_set
from evenhand.adapters.golden_sets import (
    ENTRY_POINT_GROUP,
    GoldenSetContext,
    GoldenSetRegistry,
    Origin,
    load_registry,
    resolve_golden_set,
)
from evenhand.core.errors import DuplicateIdentifier, InvalidFile, InvalidSetting
from evenhand.core.errors.retrieval import GoldenSetNotFound, InvalidGoldenSet
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.store.engine import create_engine
from evenhand.store.uow import Database
from evenhand.usecases.golden_sets import import_set
from tests.adapters.formats.beir_folder import document, query, write_beir
from tests.builders import FakeClock, a_question, a_set, row_id

MODULE = "evenhand_test_given"
SOURCE = """
from evenhand.core.retrieval.golden import GoldenQuestion, GoldenSet
def a_set(identifier):
    question = GoldenQuestion(id="q", question="x", form="gap", expected_document_ids=["d"])
    return GoldenSet(identifier=identifier, name="Given", questions=(question,))
VALUE = a_set("value")
def function(): return a_set("function")
def nothing(): return None
def twin(): return a_set("value")
"""


class _Ids:
    def new(self) -> str:
        return row_id(1)


@pytest.fixture
def context(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[GoldenSetContext]:
    """A project with a module that gives sets, in an empty working directory."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.delitem(sys.modules, MODULE, raising=False)
    project = tmp_path / "project"
    project.mkdir()
    (project / f"{MODULE}.py").write_text(SOURCE)
    monkeypatch.chdir(project)
    engine = create_engine(database_url)
    database = Database(engine, clock=FakeClock(), ids=_Ids())
    yield GoldenSetContext(
        project_root=project,
        database=lambda: database,
        registry=lambda: GoldenSetRegistry([named("registered")]),
    )
    engine.dispose()


def named(identifier: str, *targets: str) -> GoldenSet:
    return a_set(a_question("q1", *targets), identifier=identifier)


def keep(context: GoldenSetContext, golden_set: GoldenSet) -> None:
    context.database().run(lambda uow: import_set(uow, golden_set))


def point(name: str, value: str) -> EntryPoint:
    return EntryPoint(name=name, value=f"{MODULE}:{value}", group=ENTRY_POINT_GROUP)


def test_each_kind_of_reference_finds_its_set(context: GoldenSetContext) -> None:
    keep(context, named("kept"))
    write_golden_set(named("in_a_file"), Path("set.yaml"))
    write_beir(
        Path("folder"), queries=[query("q1")], qrels=[("q1", "d1", 1)], corpus=[document("d1")]
    )
    expected = {
        "set.yaml": ("in_a_file", Origin.FILE),
        "folder": ("folder", Origin.FOLDER),
        "kept": ("kept", Origin.IMPORTED),
        "registered": ("registered", Origin.ENTRY_POINT),
        f"{MODULE}:VALUE": ("value", Origin.MODULE),
        f"{MODULE}:function": ("function", Origin.MODULE),
    }
    found = {reference: resolve_golden_set(reference, context) for reference in expected}
    assert {r: (one.golden_set.identifier, one.origin) for r, one in found.items()} == expected
    corpora = {reference: one.corpus for reference, one in found.items() if one.corpus}
    assert corpora == {"folder": Path("folder/corpus.jsonl")}


def test_a_path_comes_before_an_imported_set_and_that_before_an_entry_point(
    context: GoldenSetContext,
) -> None:
    keep(context, named("registered", "d-imported"))
    assert resolve_golden_set("registered", context).origin is Origin.IMPORTED
    Path("registered").mkdir()
    assert resolve_golden_set("registered", context).origin is Origin.IMPORTED
    write_beir(Path("registered"), queries=[query("q1")], qrels=[("q1", "d1", 1)])
    assert resolve_golden_set("registered", context).origin is Origin.FOLDER


def test_an_unknown_name_is_answered_with_the_known_ones(context: GoldenSetContext) -> None:
    keep(context, named("kept"))
    with pytest.raises(GoldenSetNotFound) as missing:
        resolve_golden_set("nope", context)
    assert missing.value.known == ("kept", "registered")
    with pytest.raises(GoldenSetNotFound):
        resolve_golden_set("gone/set.jsonl", context)


def test_a_path_that_is_no_set_says_what_is_wrong_with_it(context: GoldenSetContext) -> None:
    Path("notes.csv").touch()
    with pytest.raises(InvalidFile, match="must end in one of"):
        resolve_golden_set("notes.csv", context)
    Path("empty").mkdir()
    with pytest.raises(InvalidFile, match=r"is a folder without queries.jsonl"):
        resolve_golden_set("empty", context)


def test_only_a_beir_folder_has_splits(context: GoldenSetContext) -> None:
    write_beir(Path("f"), queries=[query("q1")], qrels=[("q1", "d1", 1)], split="dev")
    found = resolve_golden_set("f", context, split="dev")
    assert found.beir is not None
    assert found.beir.split == "dev"
    with pytest.raises(InvalidSetting, match="only a BEIR folder has splits"):
        resolve_golden_set("registered", context, split="dev")


def test_a_module_that_gives_something_else_is_refused(context: GoldenSetContext) -> None:
    with pytest.raises(InvalidGoldenSet, match="gives NoneType, not a GoldenSet"):
        resolve_golden_set(f"{MODULE}:nothing", context)
    with pytest.raises(InvalidSetting, match="has no attribute 'gone'"):
        resolve_golden_set(f"{MODULE}:gone", context)


@pytest.mark.proves("BP-06")
def test_a_registry_refuses_one_identifier_twice_when_it_is_made() -> None:
    with pytest.raises(DuplicateIdentifier, match="two golden sets have the identifier 'a'"):
        GoldenSetRegistry([named("a"), named("b"), named("a", "d2")])


@pytest.mark.proves("BP-06")
def test_two_packages_that_give_one_identifier_are_refused(context: GoldenSetContext) -> None:
    sys.path.insert(0, str(context.project_root))
    with pytest.raises(DuplicateIdentifier, match="'value'"):
        load_registry([point("one", "VALUE"), point("other", "twin")])


@pytest.mark.proves("P-02")
def test_a_package_registers_a_set_or_a_function_without_arguments_and_nothing_more(
    context: GoldenSetContext,
) -> None:
    assert ENTRY_POINT_GROUP == "evenhand.golden_question_sets"
    sys.path.insert(0, str(context.project_root))
    registry = load_registry([point("one", "VALUE"), point("other", "function")])
    assert [golden_set.identifier for golden_set in registry] == ["function", "value"]
    assert registry.find("value") is not None
    assert registry.find("gone") is None


def test_installed_entry_points_are_asked_for_by_their_group(
    context: GoldenSetContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    sys.path.insert(0, str(context.project_root))

    def entry_points(*, group: str) -> list[EntryPoint]:
        return [point("one", "VALUE")] if group == ENTRY_POINT_GROUP else []

    monkeypatch.setattr(golden_sets, "entry_points", entry_points)
    assert [golden_set.identifier for golden_set in load_registry()] == ["value"]


def test_an_entry_point_that_cannot_be_loaded_is_named(context: GoldenSetContext) -> None:
    sys.path.insert(0, str(context.project_root))
    with pytest.raises(InvalidSetting, match=r"entry point 'x' .* \(AttributeError\)"):
        load_registry([point("x", "gone")])
    with pytest.raises(InvalidGoldenSet, match="'x' gives NoneType"):
        load_registry([point("x", "nothing")])

import functools
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from evenhand.adapters.modules import is_module_reference
from evenhand.adapters.retrievers.loading import (
    as_retriever,
    load_entry_point,
    load_reference,
    reference_of,
)
from evenhand.core.errors.retrieval import CodeFailed, RetrieverNotFound
from tests.adapters.retrievers.support import write_module


@pytest.fixture(autouse=True)
def untouched_path() -> Iterator[None]:
    """The import path as it was, once the test is over."""
    before = list(sys.path)
    yield
    sys.path[:] = before


def search(question: str, limit: int) -> list[str]:
    return [question, str(limit)]


class Search:
    identifier = "an-object"

    def retrieve(self, question: str, limit: int) -> list[str]:
        return [question, str(limit)]


class Called:
    def __call__(self, question: str, limit: int = 3) -> list[str]:
        return [question, str(limit)]


def make_object() -> Search:
    return Search()


def make_function() -> Any:
    return search


def broken_factory() -> Any:
    raise ValueError("canary")


async def slow(question: str, limit: int) -> list[str]:
    return [question, str(limit)]


class Slow(Search):
    async def retrieve(self, question: str, limit: int) -> list[str]:  # type: ignore[override]
        return [question, str(limit)]


class Nameless:
    def retrieve(self, question: str, limit: int) -> list[str]:
        return [question, str(limit)]


class Narrow:
    identifier = "narrow"

    def retrieve(self, question: str) -> list[str]:
        return [question]


class OnDemand:
    def __getattr__(self, name: str) -> Any:
        try:
            return {"identifier": "on-demand", "retrieve": search}[name]
        except KeyError:
            raise AttributeError(name) from None


@pytest.mark.proves("BP-07")
@pytest.mark.parametrize(
    ("found", "identifier"),
    [
        pytest.param(search, "ref", id="plain function"),
        pytest.param(functools.partial(search), "ref", id="partial"),
        pytest.param(lambda question, limit=5, extra=None: [question, str(limit)], "ref", id="d"),
        pytest.param(lambda *given: [given[0], str(given[1])], "ref", id="any arguments"),
        pytest.param(Called(), "ref", id="callable object"),
        pytest.param(Called, "ref", id="class of a callable"),
        pytest.param(Search().retrieve, "ref", id="bound method"),
        pytest.param(Search(), "an-object", id="object"),
        pytest.param(Search, "an-object", id="class"),
        pytest.param(OnDemand(), "on-demand", id="attributes on demand"),
        pytest.param(make_object, "an-object", id="factory of an object"),
        pytest.param(make_function, "ref", id="factory of a function"),
    ],
)
def test_what_takes_a_question_and_a_limit_is_a_retriever(found: object, identifier: str) -> None:
    retriever = as_retriever(found, "ref")

    assert retriever.identifier == identifier
    assert list(retriever.retrieve("where?", 12)) == ["where?", "12"]


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (lambda question: [], "must take question and limit by position, but takes (question)"),
        (
            lambda question, limit, index: [],
            "must take question and limit by position, but takes (question, limit, index)",
        ),
        (
            lambda question, *, limit="canary": [],
            "must take question and limit by position, but takes (question, limit)",
        ),
        (Narrow(), "must take question and limit by position, but takes (question)"),
        (slow, "is asynchronous; it must return its results"),
        (Slow(), "is asynchronous; it must return its results"),
        (Nameless(), "has retrieve but no text as its identifier"),
        (type("Needy", (), {"__init__": lambda self, index: None}), "cannot be made without"),
        (42, "is int, neither a function nor an object with retrieve"),
        ("canary", "is str, neither a function nor an object with retrieve"),
        (dict, "is dict, neither a function nor an object with retrieve"),
    ],
)
def test_what_is_no_retriever_is_refused_before_any_question(found: object, why: str) -> None:
    with pytest.raises(RetrieverNotFound) as caught:
        as_retriever(found, "ref")
    assert why in str(caught.value)
    assert "canary" not in str(caught.value)
    assert caught.value.identifier == "ref"


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("search:find", True),
        ("package.search:Index.find", True),
        ("suche:größe", True),
        ("search", False),
        ("search:", False),
        (":find", False),
        ("a-b:find", False),
        ("runs/a.trec", False),
        ("http://localhost", False),
        ("cmd:python x.py", False),
        ("1a:find", False),
        ("search:find\n", False),
    ],
)
def test_module_reference_is_recognised(reference: str, expected: bool) -> None:
    assert is_module_reference(reference) is expected


def test_module_is_found_in_the_project_root_and_may_import_its_neighbour(
    tmp_path: Path,
) -> None:
    write_module(tmp_path, "neighbour_of_one", "LIMIT = 'neighbour'\n")
    write_module(
        tmp_path,
        "module_one",
        "def find(question, limit):\n"
        "    from neighbour_of_one import LIMIT\n"
        "    return [question, LIMIT]\n"
        "class Index:\n"
        "    find = staticmethod(find)\n",
    )

    for reference in ("module_one:find", "module_one:Index.find"):
        retriever = load_reference(reference, tmp_path)
        assert retriever.identifier == reference
        assert list(retriever.retrieve("q", 1)) == ["q", "neighbour"]


@pytest.mark.parametrize(
    ("reference", "why"),
    [
        ("no_such_module_at_all:find", "importing it raised ModuleNotFoundError: No module named"),
        ("module_two:gone", "the module has no attribute 'gone'"),
        ("module_two:find.gone", "the module has no attribute 'gone'"),
        ("not a reference", "is not of the form module:attribute"),
    ],
)
def test_what_cannot_be_loaded_says_why(tmp_path: Path, reference: str, why: str) -> None:
    write_module(tmp_path, "module_two", "def find(question, limit):\n    return []\n")

    with pytest.raises(RetrieverNotFound) as caught:
        load_reference(reference, tmp_path)
    assert why in str(caught.value)


def test_a_factory_that_raises_went_wrong() -> None:
    with pytest.raises(CodeFailed, match=r"^retriever 'ref': making it raised ValueError$"):
        as_retriever(broken_factory, "ref")


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("raise ValueError('canary')\n", "importing it raised ValueError"),
        ("import no_such_module_at_all\n", "importing it raised ModuleNotFoundError"),
        ("canary = = 1\n", "importing it raised SyntaxError"),
        ("def find():\n    raise ValueError('canary')\n", "making it raised ValueError"),
    ],
)
def test_code_that_raises_where_it_is_loaded_went_wrong_and_is_not_misspelt(
    tmp_path: Path, source: str, why: str
) -> None:
    write_module(tmp_path, "module_three", source)

    with pytest.raises(CodeFailed) as caught:
        load_reference("module_three:find", tmp_path)
    assert f"retriever 'module_three:find': {why}" in str(caught.value)
    assert "canary" not in str(caught.value)
    sys.modules.pop("module_three", None)


def test_entry_point_is_loaded_like_a_reference(tmp_path: Path) -> None:
    write_module(tmp_path, "module_four", "def find(question, limit):\n    return ['a']\n")
    sys.path.insert(0, str(tmp_path))
    entry = EntryPoint("shop", "module_four:find", "evenhand.retrievers")

    retriever = load_entry_point(entry)

    assert retriever.identifier == "shop"
    assert list(retriever.retrieve("q", 1)) == ["a"]


def test_entry_point_that_cannot_be_loaded_names_itself() -> None:
    entry = EntryPoint("shop", "no_such_module_at_all:find", "evenhand.retrievers")

    with pytest.raises(RetrieverNotFound) as caught:
        load_entry_point(entry)
    assert caught.value.identifier == "shop"


def test_reference_of_a_function_names_module_and_attribute() -> None:
    assert reference_of(search) == f"{__name__}:search"
    assert reference_of(Search().retrieve) == f"{__name__}:Search.retrieve"
    assert reference_of(Called()) == f"{__name__}:Called"


def test_reference_of_a_function_of_the_script_names_the_script(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(search, "__module__", "__main__")
    monkeypatch.setattr(
        sys.modules["__main__"], "__file__", "/somewhere/my_script.py", raising=False
    )

    assert reference_of(search) == "my_script:search"

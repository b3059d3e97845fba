"""A retrieval engine is found by its reference, or it is said what is wrong."""

from pathlib import Path

import pytest

from evenhand.adapters.consumers import load_consumer
from evenhand.core.errors import InvalidSetting
from evenhand.core.errors.retrieval import CodeFailed

SHAPED = """
class Engine:
    consumer_revision_sha256 = "e" * 64

    def open_index(self, index_ref):
        raise LookupError

engine = Engine()
other = object()
number = 7

class Unrevised(Engine):
    consumer_revision_sha256 = "latest"

def fails():
    raise ValueError("a word of the project")
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("sys.path", [str(tmp_path), "/nowhere"])
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    # A name of its own: a module stays imported for the rest of the session.
    (tmp_path / f"engine_{tmp_path.name}.py").write_text(SHAPED, encoding="utf-8")
    return tmp_path


def reference(project: Path, attribute: str) -> str:
    return f"engine_{project.name}:{attribute}"


@pytest.mark.parametrize("attribute", ["engine", "Engine"])
def test_an_engine_is_an_object_or_what_a_callable_makes(project: Path, attribute: str) -> None:
    found = load_consumer(reference(project, attribute), project)
    assert type(found).__name__ == "Engine"


@pytest.mark.parametrize("attribute", ["other", "number", "Unrevised", "not_there"])
def test_another_shape_is_refused(project: Path, attribute: str) -> None:
    with pytest.raises(InvalidSetting, match="--adapter"):
        load_consumer(reference(project, attribute), project)


@pytest.mark.parametrize("text", ["", "engine", "a b:c", "a:b:c"])
def test_what_is_no_reference_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidSetting, match="module:attribute"):
        load_consumer(text, tmp_path)


def test_what_the_projects_code_says_is_not_repeated(project: Path) -> None:
    with pytest.raises(CodeFailed) as raised:
        load_consumer(reference(project, "fails"), project)
    assert "ValueError" in str(raised.value)
    assert "a word" not in str(raised.value)

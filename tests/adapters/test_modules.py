"""``module:attribute``: code of the user's project."""

import sys
from pathlib import Path

import pytest

from evenhand.adapters.modules import is_module_reference, load_attribute
from evenhand.core.errors import InvalidSetting
from evenhand.core.errors.retrieval import CodeFailed

CANARY = "module-canary"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose modules leave no trace in this process."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    for name in ("evenhand_test_good", "evenhand_test_bad"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    (tmp_path / "evenhand_test_good.py").write_text("class A:\n    b = 7\n")
    (tmp_path / "evenhand_test_bad.py").write_text(f"raise RuntimeError('{CANARY}')\n")
    return tmp_path


def test_an_attribute_is_found_from_the_project_root(project: Path) -> None:
    assert load_attribute("evenhand_test_good:A.b", project, what="thing") == 7
    assert sys.path[0] == str(project)


@pytest.mark.parametrize(
    ("reference", "rule"),
    [
        ("evenhand_test_gone:a", r"cannot be imported \(ModuleNotFoundError\)"),
        ("evenhand_test_good:a", "has no attribute 'a'"),
        ("evenhand_test_good:A.c", "has no attribute 'A.c'"),
    ],
)
def test_what_cannot_be_loaded_is_named_without_the_modules_own_words(
    project: Path, reference: str, rule: str
) -> None:
    with pytest.raises(InvalidSetting, match=f"^thing: .*{rule}") as refused:
        load_attribute(reference, project, what="thing")
    assert CANARY not in str(refused.value)


def test_a_module_that_raises_went_wrong_and_its_words_are_not_repeated(project: Path) -> None:
    with pytest.raises(
        CodeFailed, match=r"^thing: .*cannot be imported \(RuntimeError\)"
    ) as found:
        load_attribute("evenhand_test_bad:a", project, what="thing")
    assert CANARY not in str(found.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a:b", True),
        ("a.b:c.d", True),
        ("scifact", False),
        ("a:", False),
        (":b", False),
        ("a/b:c", False),
        ("http://x", False),
        ("a:b:c", False),
    ],
)
def test_a_reference_is_two_dotted_names_around_a_colon(text: str, expected: bool) -> None:
    assert is_module_reference(text) is expected

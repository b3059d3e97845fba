"""Two real models are compared through a hub, and the numbers are those of the indexes."""

import tomllib
from contextlib import nullcontext
from pathlib import Path

import pytest

from evenhand.adapters.embedders.minilm import is_minilm_installed
from evenhand.adapters.embedders.static import is_wordllama_installed
from evenhand.adapters.formats.corpus_manifest import corpus_digest_of
from evenhand.demo import models
from evenhand.demo.corpus import CORPUS_FILE, DemoCorpus, _write
from evenhand.demo.harvest import Harvest
from evenhand.demo.models import ModelComparison, compare_models
from evenhand.demo.project import open_project
from evenhand.demo.talk import Talk

#: Enough for two models to differ, and few enough to be embedded in seconds.
DOCUMENTS = 60

pytestmark = pytest.mark.skipif(
    not (is_minilm_installed() and is_wordllama_installed()),
    reason="minilm or wordllama has no wheel for this Python",
)


class _Silent:
    def advance(self, done: int) -> None: ...


def a_talk(heard: list[str]) -> Talk:
    return Talk(tell=heard.append, track=lambda title, total: nullcontext(_Silent()))


@pytest.fixture(scope="module")
def compared(
    tmp_path_factory: pytest.TempPathFactory, harvested: Harvest
) -> tuple[ModelComparison, Path]:
    project = open_project(tmp_path_factory.mktemp("models") / "demo")
    texts = dict(list(harvested.texts.items())[:DOCUMENTS])
    _write(project.corpus / CORPUS_FILE, texts)
    corpus = DemoCorpus(
        folder=project.corpus,
        digest=corpus_digest_of(project.corpus),
        names=tuple(texts),
        python=harvested.python,
        left_out=(),
    )
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(models, "ANSWERABLE", 14)
        patched.setattr(models, "UNANSWERABLE", 4)
        # Settings of real work in the environment reach neither hub nor consumer.
        patched.setenv("EVENHAND_PRIVACY", "no level")
        found = compare_models(project, corpus, a_talk([]))
    assert found is not None
    return found, project.folder


@pytest.mark.proves("C-82", "C-85")
def test_both_legs_are_published_and_every_call_of_theirs_is_witnessed(
    compared: tuple[ModelComparison, Path],
) -> None:
    comparison = compared[0].comparison
    assert comparison.state == "completed"
    summary = comparison.evaluation_summary
    assert summary.basis is not None
    assert (summary.basis.current, summary.basis.candidate) == ("witnessed", "witnessed")
    assert summary.comparable
    assert summary.complete


def test_the_hubs_numbers_are_those_of_the_very_indexes(
    compared: tuple[ModelComparison, Path],
) -> None:
    assert compared[0].differs == ()


def test_no_token_stays_in_the_folder(compared: tuple[ModelComparison, Path]) -> None:
    kept = [one for one in compared[1].rglob("*") if one.is_file()]
    assert kept
    for path in kept:
        content = path.read_bytes()
        assert b"evh_op_" not in content
        assert b"evh_sc_" not in content


def test_without_both_models_it_is_left_out_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "is_wordllama_installed", lambda: False)
    project, heard = open_project(tmp_path / "demo"), list[str]()
    corpus = DemoCorpus(folder=project.corpus, digest="", names=(), python="", left_out=())
    assert compare_models(project, corpus, a_talk(heard)) is None
    assert "left out" in heard[0]


def test_who_installs_the_demo_has_everything_that_the_comparison_needs() -> None:
    root = Path(__file__).parents[2]
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (ours,) = (
        one for one in project["optional-dependencies"]["demo"] if one.startswith("evenhand[")
    )
    assert "hub" in ours

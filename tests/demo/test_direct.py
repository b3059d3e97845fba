"""Numbers of a hub are held against the indexes that were compared."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from evenhand.core.retrieval.golden import GoldenQuestion, GoldenSet
from evenhand.demo.direct import Side, differing
from evenhand.demo.operator import Model
from evenhand.sdk import Hit
from evenhand.wire.intents import Comparison
from tests.sdk.scripted_hub import NO_METRICS, comparison

RIGHT = NO_METRICS | {
    "success_at_1": 1.0,
    "success_at_3": 1.0,
    "abstention": 1.0,
    "false_abstention": 0.0,
    "top1": 1.0,
    "top3": 1.0,
}
QUESTIONS = GoldenSet(
    identifier="handbook",
    name="Handbook",
    questions=(
        GoldenQuestion(id=b"q1", question=b"parking", form="match", expected_document_ids=[b"p"]),
        GoldenQuestion(id=b"q2", question=b"sauna", form="match", expected_document_ids=[]),
    ),
)


class FakeEmbedder:
    name, label, dimension, batch_policy = "fake", "fake-1", 1, "one"
    settings: Mapping[str, str | int] = {}

    def embed(self, texts: Sequence[str], kind: Any = "query") -> Any:
        return np.array([[1.0 if text == "parking" else 0.0] for text in texts], dtype=np.float32)


class FakeIndex:
    corpus_sha256, embedding_identity, embedding_dimension = "c", "fake-1", 1
    retrieval_settings: Mapping[str, object] = {}

    def search(self, vector: Sequence[float]) -> list[Hit]:
        return [Hit(chunk_id="p", score=vector[0])]


def a_side(cutoff: float | None) -> Side:
    model = Model(name="fake", identity="fake-1", dimension=1, score_cutoff=cutoff)
    return Side(model=model, index=FakeIndex(), embedder=FakeEmbedder())


def told(current: dict[str, Any], candidate: dict[str, Any]) -> Comparison:
    document = comparison("completed")
    document["evaluation_summary"]["metrics"] = {
        "current": current,
        "candidate": candidate,
        "delta": None,
        "lower_bound": None,
    }
    return Comparison.model_validate_json(json.dumps(document))


def test_equal_numbers_differ_in_nothing() -> None:
    assert differing(told(RIGHT, RIGHT), QUESTIONS, a_side(0.5), a_side(0.5)) == ()


@pytest.mark.parametrize("field", ["success_at_1", "abstention", "false_abstention", "top3"])
def test_a_number_of_another_index_is_named(field: str) -> None:
    wrong = RIGHT | {field: 0.5}
    found = differing(told(RIGHT, wrong), QUESTIONS, a_side(0.5), a_side(0.5))
    assert found == (f"candidate {field}",)


def test_without_its_cutoff_a_side_answers_what_nothing_answers() -> None:
    found = differing(told(RIGHT, RIGHT), QUESTIONS, a_side(None), a_side(0.5))
    assert found == ("current abstention", "current top1", "current top3")


def test_what_was_not_published_is_not_equal() -> None:
    document = Comparison.model_validate_json(json.dumps(comparison("failed")))
    assert differing(document, QUESTIONS, a_side(0.5), a_side(0.5)) != ()

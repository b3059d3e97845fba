"""Answers with the passages that belong to them, from the shared collections, and spoiled copies."""

import csv
import json
import random  # noqa: TID251 -- seeded, so that every run spoils the same
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.shared_data import shared_data

_SEED = 20_261_201
#: Not the number of an item in a list.
_NUMBER = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?(?![\w.,]*\d|[.)]\s)")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{3,}(?: [A-Z][a-z]+)*")
_VERB = re.compile(r"\b(?:is|are|was|were|can|will|has|have|does|do|should|may|must)\b")
_END = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer.

    Attributes:
        source: of which collection.
        question, text: of it.
        passages: that belong to it.
        spoiled: by what; None for one that is as it was.
    """

    source: str
    question: str
    text: str
    passages: tuple[str, ...]
    spoiled: str | None = None


def written_answers() -> list[Answer]:
    """Answers of whole sentences: MTRAG-UN, ARAGOG and RAGChecker."""
    return [*_beir("mtrag-un"), *_llama(), *_ragchecker()]


def extracted_answers() -> list[Answer]:
    """Answers that are a span of their passage: SQuAD 2.0 and XQuAD."""
    names = ("squad2-dev-half", "xquad-en", "xquad-de", "xquad-es", "xquad-zh", "xquad-ar")
    return [one for name in names for one in _beir(name)]


def spoiled_answers(answers: Sequence[Answer], each: int) -> list[Answer]:
    """So many copies of each kind, of answers in an order that a seed gives."""
    draw = random.Random(_SEED)  # noqa: S311 -- spoils answers, keeps no secret
    kinds: dict[str, Callable[[Answer, Sequence[Answer], random.Random], str | None]] = {
        "number": _other_number,
        "name": _other_name,
        "negation": _negated,
        "splice": _spliced,
    }
    found: list[Answer] = []
    for kind, spoil in kinds.items():
        made = 0
        for answer in draw.sample(list(answers), len(answers)):
            text = spoil(answer, answers, draw)
            if text is not None and text != answer.text:
                found.append(replace(answer, text=text, spoiled=kind))
                made += 1
            if made == each:
                break
    return found


def _other_number(answer: Answer, _: Sequence[Answer], draw: random.Random) -> str | None:
    places = list(_NUMBER.finditer(answer.text))
    if not places:
        return None
    place = draw.choice(places)
    whole = int(place[0].replace(",", "").split(".")[0])
    return _put(answer.text, place, str(whole + draw.randint(3, 97)))


def _other_name(answer: Answer, answers: Sequence[Answer], draw: random.Random) -> str | None:
    places = list(_NAME.finditer(answer.text))
    others = _NAME.findall(draw.choice(answers).text)
    if not places or not others:
        return None
    return _put(answer.text, draw.choice(places), draw.choice(others))


def _negated(answer: Answer, _: Sequence[Answer], draw: random.Random) -> str | None:
    places = list(_VERB.finditer(answer.text))
    if not places:
        return None
    place = draw.choice(places)
    return _put(answer.text, place, f"{place[0]} not")


def _spliced(answer: Answer, answers: Sequence[Answer], draw: random.Random) -> str | None:
    other = draw.choice(answers)
    sentences = [one for one in _END.split(other.text) if len(one) > 60]
    if not sentences or set(other.passages) & set(answer.passages):
        return None
    return f"{answer.text} {draw.choice(sentences)}"


def _put(text: str, place: re.Match[str], put: str) -> str:
    return text[: place.start()] + put + text[place.end() :]


def _beir(name: str) -> Iterator[Answer]:
    folder = shared_data(name)
    texts = {
        one["_id"]: f"{one['title']}\n{one['text']}" for one in _lines(folder / "corpus.jsonl")
    }
    judged: dict[str, list[str]] = {}
    with (folder / "qrels" / "test.tsv").open(newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            judged.setdefault(row["query-id"], []).append(texts[row["corpus-id"]])
    for query in _lines(folder / "queries.jsonl"):
        stated = query["metadata"]
        answers = stated.get("reference_answer") or stated.get("answers", ())[:1]
        for answer in answers if query["_id"] in judged else ():
            yield Answer(
                source=name,
                question=query["text"],
                text=answer,
                passages=tuple(judged[query["_id"]]),
            )


def _llama() -> Iterator[Answer]:
    for one in json.loads(_text("formats", "llamaindex", "rag_dataset.json"))["examples"]:
        if one["reference_answer"] and one["reference_contexts"]:
            yield Answer(
                source="aragog",
                question=one["query"],
                text=one["reference_answer"],
                passages=tuple(one["reference_contexts"]),
            )


def _ragchecker() -> Iterator[Answer]:
    for one in json.loads(_text("formats", "ragchecker", "checking_inputs.json"))["results"]:
        passages = tuple(context["text"] for context in one["retrieved_context"])
        for answer in (one["response"], one["gt_answer"]):
            yield Answer(
                source="ragchecker", question=one["query"], text=answer, passages=passages
            )


def _text(*parts: str) -> str:
    return shared_data(*parts).read_text("utf-8")


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as stream:
        yield from map(json.loads, stream)

"""Which questions do LlamaIndex's evaluation files hold? Three of them.

``LabelledRagDataset``: examples with ``query``, ``reference_contexts`` (the texts that the
question was made from, without ids) and ``reference_answer``. ``EmbeddingQAFinetuneDataset``:
``queries``, ``corpus`` and ``relevant_docs``, all by id. And the pair of lists ``questions`` and
``ground_truths`` (answers) that its notebooks use, which judges no document.

Source: llama_index.core.llama_dataset.rag and llama_index.finetuning.embeddings.common
(github.com/run-llama/llama_index); predlico/ARAGOG for the pair of lists.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from evenhand.adapters.formats.corpus import CorpusDocument
from evenhand.adapters.formats.foreign.fields import (
    Record,
    distinct,
    kind_of,
    optional_text,
    records_of,
    text_of,
    texts_of,
)
from evenhand.adapters.formats.foreign.found import (
    Format,
    Found,
    FoundQuestion,
    Passage,
    Place,
    ReadOptions,
    refused,
)
from evenhand.adapters.formats.foreign.head import Head, Kind, read_document
from evenhand.core.errors import InvalidFile
from evenhand.core.identity.canonical import to_bytes

_LISTS: Final = frozenset(("questions", "ground_truths"))
_BY_ID: Final = frozenset(("queries", "corpus", "relevant_docs"))


def read_llamaindex(path: Path, file: str, options: ReadOptions) -> Found:
    """The questions of one of the three files.

    Raises:
        InvalidFile: a field is missing or of another type.
    """
    del options
    document = read_document(path, file)
    if not isinstance(document, dict):
        raise InvalidFile(file, "must be a JSON object")
    if document.keys() >= _LISTS:
        return Found(questions=tuple(_of_lists(document, file)))
    if document.keys() >= _BY_ID:
        documents = tuple(_documents(document["corpus"], file))
        return Found(
            questions=tuple(_of_ids(document, file)), documents=documents, is_whole_corpus=True
        )
    examples = records_of(document.get("examples"), "examples", file)
    return Found(questions=tuple(_example(one, file, place) for place, one in examples))


def _example(example: Record, file: str, place: Place) -> FoundQuestion:
    contexts = example.get("reference_contexts")
    texts = () if contexts is None else texts_of(contexts, "reference_contexts", file, place)
    return FoundQuestion(
        text=text_of(example, "query", file, place),
        place=place,
        passages=tuple(map(Passage, distinct(texts))) or None,
        answer=optional_text(example, "reference_answer", file, place),
    )


def _of_lists(document: Record, file: str) -> Iterator[FoundQuestion]:
    questions = texts_of(document["questions"], "questions", file, "the file")
    answers = texts_of(document["ground_truths"], "ground_truths", file, "the file")
    if len(questions) != len(answers):
        raise InvalidFile(file, _uneven(len(questions), len(answers)))
    for number, (text, answer) in enumerate(zip(questions, answers, strict=True), 1):
        yield FoundQuestion(text=text, place=f"questions[{number}]", answer=answer)


def _of_ids(document: Record, file: str) -> Iterator[FoundQuestion]:
    queries = _mapping(document["queries"], "queries", file)
    relevant = _mapping(document["relevant_docs"], "relevant_docs", file)
    if unknown := relevant.keys() - queries.keys():
        which = "query that is" if len(unknown) == 1 else "queries that are"
        raise InvalidFile(file, f"relevant_docs names {len(unknown)} {which} not there")
    for query_id in queries:
        place = f"queries[{query_id!r}]"
        found = relevant.get(query_id)
        ids = () if found is None else texts_of(found, "relevant_docs", file, place)
        text = text_of(queries, query_id, file, place)
        targets = distinct(ids) or None
        yield FoundQuestion(id=query_id, text=text, place=place, targets=targets)


def _documents(corpus: object, file: str) -> Iterator[CorpusDocument]:
    for name, text in _mapping(corpus, "corpus", file).items():
        if not isinstance(text, str):
            raise refused(file, f"corpus[{name!r}]", f"must be text, not {kind_of(text)}")
        yield CorpusDocument(id=to_bytes(name), title="", text=text)


def _mapping(value: object, key: str, file: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise InvalidFile(file, f"{key} must be an object, not {kind_of(value)}")
    return value


def _sniff(head: Head) -> str | None:
    if head.kind is not Kind.DOCUMENT or isinstance(head.value, list):
        return None
    for keys in (_LISTS, _BY_ID):
        if head.names >= keys:
            return f"it has {', '.join(sorted(keys))}"
    first = head.first_of("examples")
    found = "query" in first and first.keys() & {"reference_contexts", "reference_answer"}
    return "its examples have query and reference_contexts or reference_answer" if found else None


def _uneven(questions: int, answers: int) -> str:
    return f"has {questions} questions and {answers} ground_truths"


LLAMAINDEX: Final = Format(name="llamaindex", sniff=_sniff, read=read_llamaindex)

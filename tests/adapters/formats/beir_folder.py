"""Writes small BEIR folders for tests."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

Object = dict[str, Any]


def write_beir(
    folder: Path,
    *,
    queries: Sequence[Object],
    qrels: Sequence[tuple[str, str, int]],
    corpus: Sequence[Object] | None = None,
    no_answer: Sequence[str] | None = None,
    split: str = "test",
) -> Path:
    """A BEIR folder with these objects as its lines; no corpus and no no_answer.tsv for None."""
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    write_lines(folder / "queries.jsonl", queries)
    rows = "".join(f"{query}\t{document}\t{grade}\n" for query, document, grade in qrels)
    (folder / "qrels" / f"{split}.tsv").write_text(f"query-id\tcorpus-id\tscore\n{rows}")
    if corpus is not None:
        write_lines(folder / "corpus.jsonl", corpus)
    if no_answer is not None:
        ids = "".join(f"{query}\n" for query in no_answer)
        (folder / "no_answer.tsv").write_text(f"query-id\n{ids}")
    return folder


def write_lines(path: Path, objects: Sequence[Object]) -> None:
    """One JSON object a line."""
    path.write_bytes(msgspec.json.Encoder().encode_lines(objects))


def query(query_id: str, **more: Any) -> Object:
    return {"_id": query_id, "text": f"text of {query_id}", **more}


def document(document_id: str, **more: Any) -> Object:
    return {"_id": document_id, "title": "", "text": f"text of {document_id}", **more}

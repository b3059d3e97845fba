"""What are the formats called? Plain data for option texts, cheap to import.

Tests compare each list with the readers and writers that have these names.
"""

from __future__ import annotations

from typing import Final

#: What ``sets import --format`` takes.
IMPORT_NAMES: Final = (
    "jsonl",
    "yaml",
    "beir",
    "trec",
    "trec-xml",
    "trec-tsv",
    "trec-folder",
    "smart",
    "squad",
    "ragas",
    "langsmith",
    "llamaindex",
    "ragchecker",
    "mtrag",
    "autorag",
    "hugging-face",
    "csv",
    "records",
    "parquet",
)
#: What ``sets import --qrels-format`` takes.
QRELS_NAMES: Final = (
    "beir",
    "trec",
    "smart-pairs",
    "smart-lists",
    "smart-counts",
    "smart-refs",
    "cranfield",
)
#: What ``sets export --format`` takes.
EXPORT_NAMES: Final = ("jsonl", "yaml", "beir", "trec", "csv", "parquet")
#: What ``sets export --drop`` takes: what a golden question can say and a format may not hold.
FACET_NAMES: Final = (
    "form",
    "hard_class",
    "answer_gist",
    "critical",
    "reviewed",
    "label_provenance",
    "grades",
    "no_answer",
    "unjudged",
    "holdout",
)

"""Small files in other tools' formats, made by hand after the real ones."""

import gzip
from pathlib import Path
from typing import Final

import msgspec

CLASSIC: Final = b"""<top>

<num> Number: 301
<title> Organized   Crime

<desc> Description:
Identify organizations
that take part.

<narr> Narrative:
Relevant if <5 people> are named.

</top>

<top>
<num> Number: 302 </num>
<title> Topic: Polio </title>
</top>
"""
XML: Final = b"""<?xml version="1.0"?>
<topics task="x"><topic number="1"><query>corona &amp; origin</query>
<question>what is the origin</question><narrative>n</narrative></topic>
<topic number="02"><query> weather
changes </query></topic></topics>
"""
TSV: Final = "1\tzero dimensional\n3\t1,000 genömes\n".encode()
QUERIES: Final = (
    b""".I 001\r\n.W\r\nwhat similarity laws\r\n  hold .\r\n.I 004\r\n.W\r\n.5 of them\r\n"""
)
DOCUMENTS: Final = b""".I 1
.T
the ibm center
.A
H. S. WHITE
.W
the ibm data
  systems
.I 2
.T
no text here
"""
TIME: Final = b"""*FIND      1

 KENNEDY PRESSURE

ON DIEM .

*FIND      2

 EFFORTS

*STOP

"""
SQUAD: Final = msgspec.json.encode(
    {
        "version": "v2.0",
        "data": [
            {
                "title": "The_Normans",
                "paragraphs": [
                    {
                        "context": "Normandy lies in France.",
                        "qas": [
                            {
                                "id": "a",
                                "question": "Where?",
                                "answers": [{"text": "France", "answer_start": 17}],
                                "is_impossible": False,
                            },
                            {"id": "b", "question": "When?", "answers": [], "is_impossible": True},
                        ],
                    },
                    {
                        "context": "Another.",
                        "qas": [{"id": "c", "question": "What?", "answers": []}],
                    },
                ],
            }
        ],
    }
)
RAGAS_CSV: Final = b"""user_input,reference_contexts,reference,synthesizer_name
What is it?,"['One text, with ""quotes""', ""it's another""]",It is.,single_hop
Why?,,,single_hop
"""
RAGAS_JSONL: Final = (
    b'{"user_input": "What?", "reference_context_ids": [7, "d-2", 7], "reference": "So."}\n'
    b'{"user_input": "Why?", "retrieved_contexts": ["x"], "response": "r"}\n'
)
RAGAS_ANNOTATED: Final = msgspec.json.encode(
    {
        "helpfulness": [
            {"metric_input": {"user_input": "Fix this", "response": "a"}, "metric_output": 1},
            {"metric_input": {"user_input": "Fix this", "response": "b"}, "metric_output": 0},
            {"metric_input": {"user_input": "And this", "response": "c"}, "metric_output": 0},
        ]
    }
)
LANGSMITH: Final = msgspec.json.encode(
    {
        "name": "Web Q&A",
        "examples": [
            {
                "inputs": {"input": "who?", "input_answer": "her", "input_prediction": "him"},
                "outputs": {"output_correctness_score": 1, "docs": ["d1"]},
            },
            {"inputs": {"input": "where?"}, "outputs": None},
        ],
    }
)
LANGSMITH_JSONL: Final = (
    b'{"id": "e1", "inputs": {"question": "Who?", "style": "short"}, "outputs": {"answer": "A"}}\n'
    b'{"id": "e2", "inputs": {"only": "Where?"}, "outputs": {"answer": {"role": "ai"}}}\n'
)
LLAMA_RAG: Final = msgspec.json.encode(
    {
        "examples": [
            {
                "query": "Compare.",
                "query_by": {"model_name": "m", "type": "ai"},
                "reference_contexts": ["One text.", "Another text.", "One text."],
                "reference_answer": "Both.",
            },
            {"query": "Tell.", "reference_contexts": None, "reference_answer": ""},
        ]
    }
)
LLAMA_LISTS: Final = b'{"questions": ["What?", "Why?"], "ground_truths": ["So.", "Therefore."]}'
LLAMA_IDS: Final = msgspec.json.encode(
    {
        "queries": {"q1": "What?", "q2": "Why?"},
        "corpus": {"n1": "text one", "n2": "text two"},
        "relevant_docs": {"q1": ["n1"]},
        "mode": "text",
    }
)
RAGCHECKER: Final = msgspec.json.encode(
    {
        "results": [
            {
                "query_id": "0",
                "query": "Longest river?",
                "gt_answer": "The Nile.",
                "response": "Nile",
                "retrieved_context": [{"doc_id": "000", "text": "t"}],
                "metrics": {"claim_recall": 0.2},
            }
        ],
        "metrics": {"overall_metrics": {"f1": 76.4}},
    }
)


def _task(name: str, label: str, contexts: list[dict[str, object]], turns: int = 1) -> bytes:
    said = [{"speaker": "user", "text": f"turn {n}"} for n in range(1, turns + 1)]
    targets = [{"speaker": "agent", "text": "answer"}]
    return msgspec.json.encode(
        {
            "task_id": name,
            "input": said,
            "contexts": contexts,
            "targets": targets,
            "answerability": [label],
        }
    )


MTRAG_TASKS: Final = (
    _task("c<::>1", "ANSWERABLE", [{"document_id": "d-1", "text": "\none"}]),
    _task("c<::>2", "PARTIAL", [{"document_id": "d-2", "text": "two", "title": "T"}], turns=3),
    _task("c<::>3", "UNANSWERABLE", []),
    _task("c<::>4", "UNDERSPECIFIED", [{"document_id": "d-1", "text": "\none"}]),
)
MTRAG: Final = b"\n".join(MTRAG_TASKS) + b"\n"
MTRAG_RETRIEVED: Final = _task(
    "r<::>1", "ANSWERABLE", [{"document_id": "d", "text": "t", "score": 1.5}]
)
MTEB: Final = msgspec.json.encode(
    {
        "dataset_revision": "r",
        "task_name": "SciFact",
        "mteb_version": "1.14.17",
        "scores": {"test": [{"hf_subset": "default", "main_score": 0.63}]},
    }
)
CSV_PLAIN: Final = (
    b'question,expected_answer,\r\n"What is the ""binary"" for?\n",x86-64,\r\nWhere?,here,\r\n'
)
CSV_PAIRS: Final = "question_1,question_2,similar\nWelche Länder?,Wo?,1\n".encode()
CSV_SEMICOLON: Final = b"id;Frage;doc\n7;Wo, bitte?;d1\n"
RECORDS: Final = b'{"query": "a?", "id": "x"}\n{"query": "b?", "id": "y"}\n'

ALL: Final[dict[str, bytes]] = {
    "robust.txt": CLASSIC,
    "covid.xml": XML,
    "topics.tsv": TSV,
    "topics.tsv.gz": gzip.compress(TSV, mtime=0),
    "cran.qry": QUERIES,
    "ADI.ALL": DOCUMENTS,
    "TIME.QUE": TIME,
    "squad.json": SQUAD,
    "testset.csv": RAGAS_CSV,
    "dataset.jsonl": RAGAS_JSONL,
    "annotated.json": RAGAS_ANNOTATED,
    "Web-Q&A.json": LANGSMITH,
    "examples.jsonl": LANGSMITH_JSONL,
    "rag_dataset.json": LLAMA_RAG,
    "benchmark.json": LLAMA_LISTS,
    "pairs.json": LLAMA_IDS,
    "checking.json": RAGCHECKER,
    "reference.jsonl": MTRAG,
    "RAG.jsonl": MTRAG_RETRIEVED,
    "SciFact.json": MTEB,
    "plain.csv": CSV_PLAIN,
    "similar.csv": CSV_PAIRS,
    "german.csv": CSV_SEMICOLON,
    "queries.ndjson": RECORDS,
    "qrels.txt": b"q1 0 d1 1\nq1 0 d2 0\n",
    "test.tsv": b"query-id\tcorpus-id\tscore\nq1\td1\t1\n",
    "ADI.REL": b"1   17   0   0.000000   \r\n2   12   0   0.000000   \r\n",
    "TIME.REL": b"1  268 288 304\n\n2  326\n",
    "LISARJ.NUM": b"   1    2    3392    3396   \n   2    3    1    2   \n   3   \n   3    1    9  \n",
    "LISA.REL": b"Query 1\n2 Relevant Refs:\n3392 3396 -1\n\nQuery 2\n1 Relevant Refs:\n7 -1\n",
    "cran.qrels": b"1 184 2 \n1 29 4 \n1 486 -1\n2 12 1 \n",
    "corpus.jsonl": b'{"_id": "a", "title": "", "text": "x"}\n{"_id": "b", "title": "", "text": "y"}\n',
    "readme.txt": b"Here you will find\n\ntwo files.\n",
}


def write(folder: Path, name: str, content: bytes | None = None) -> Path:
    """A sample as a file."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(ALL[name] if content is None else content)
    return path

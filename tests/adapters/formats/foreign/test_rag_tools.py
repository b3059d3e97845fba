"""SQuAD, Ragas, LangSmith, LlamaIndex, RAGChecker, MTRAG: what becomes a target and what does not."""

import hashlib
from pathlib import Path

import msgspec
import pytest

from evenhand.adapters.formats.foreign.build import BuildOptions
from evenhand.adapters.formats.foreign.found import Columns, ReadOptions
from evenhand.adapters.formats.foreign.passages import passage_id
from evenhand.core.errors import InvalidFile
from tests.adapters.formats.foreign import samples
from tests.adapters.formats.foreign.reading import questions, read

WITH_TEXTS = BuildOptions(with_passages=True)


def gists(folder: Path, name: str, content: bytes | None = None) -> list[bytes | None]:
    return [one.answer_gist for one in read(folder, name, content).golden_set.questions]


def test_the_id_of_a_text_is_the_digest_of_its_bytes() -> None:
    text = "Grüße,\r\n  zweimal"
    assert passage_id(text) == f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


# SQuAD


def test_a_paragraph_answers_its_questions_when_it_becomes_a_document(tmp_path: Path) -> None:
    france, other = passage_id("Normandy lies in France."), passage_id("Another.")
    assert questions(tmp_path, "squad.json", build=WITH_TEXTS) == [
        ("a", "Where?", [france]),
        ("b", "When?", None),
        ("c", "What?", [other]),
    ]
    found = read(tmp_path, "squad.json", build=WITH_TEXTS)
    assert [(one.id.decode(), one.title, one.text) for one in found.documents or ()] == [
        (france, "The Normans", "Normandy lies in France."),
        (other, "The Normans", "Another."),
    ]
    assert gists(tmp_path, "squad.json") == [b"France", None, None]


def test_texts_without_ids_are_no_targets_of_anything_but_their_own_corpus(tmp_path: Path) -> None:
    found = read(tmp_path, "squad.json")
    assert all(one.unjudged for one in found.golden_set.questions)
    assert "taken as unjudged: 2 (--corpus-out FOLDER" in " ".join(found.remarks)


def test_an_impossible_question_is_unjudged_until_somebody_says_otherwise(tmp_path: Path) -> None:
    said = ReadOptions(impossible_is_no_answer=True)
    assert questions(tmp_path, "squad.json")[1] == ("b", "When?", None)
    assert questions(tmp_path, "squad.json", read=said)[1] == ("b", "When?", [])
    assert "does not answer, taken as unjudged: 1" in " ".join(
        read(tmp_path, "squad.json").remarks
    )


# Ragas


def test_ragas_lists_in_csv_are_read_as_python_prints_them(tmp_path: Path) -> None:
    ids = [passage_id('One text, with "quotes"'), passage_id("it's another")]
    assert questions(tmp_path, "testset.csv", build=WITH_TEXTS) == [
        ("1", "What is it?", ids),
        ("2", "Why?", None),
    ]


def test_ragas_whole_numbers_become_ids_and_it_is_said(tmp_path: Path) -> None:
    found = read(tmp_path, "dataset.jsonl")
    assert questions(tmp_path, "dataset.jsonl") == [
        ("1", "What?", ["7", "d-2"]),
        ("2", "Why?", None),
    ]
    assert "kept as their digits: 2" in " ".join(found.remarks)


@pytest.mark.parametrize("written", ["7.0", "7e0", "true", "null", '""', "[7]", "{}"])
def test_what_is_no_id_is_no_id_in_ragas_either(written: str, tmp_path: Path) -> None:
    content = f'{{"user_input": "a", "reference_context_ids": [{written}]}}\n' * 2
    with pytest.raises(InvalidFile, match=r"line 1: reference_context_ids\[1\] must "):
        read(tmp_path, "d.jsonl", content.encode())


def test_annotations_of_one_question_are_one_question(tmp_path: Path) -> None:
    assert [text for _, text, _ in questions(tmp_path, "annotated.json")] == [
        "Fix this",
        "And this",
    ]


def test_a_conversation_is_no_golden_question(tmp_path: Path) -> None:
    content = b'{"user_input": [{"content": "a", "type": "human"}], "reference": "r"}\n' * 2
    with pytest.raises(InvalidFile, match="line 1: is a conversation of several turns"):
        read(tmp_path, "d.jsonl", content)


@pytest.mark.parametrize("cell", ["__import__('os').getcwd()", "('a',)", "{'a': 1}", "['a'", "x"])
def test_a_cell_that_is_no_list_is_never_run(cell: str, tmp_path: Path) -> None:
    content = f'user_input,reference_contexts\nwhat,"{cell}"\n'
    with pytest.raises(InvalidFile, match=r"line 2: reference_contexts (is text|must be a list)"):
        read(tmp_path, "d.csv", content.encode())


def test_half_of_a_pair_in_a_printed_list_is_refused(tmp_path: Path) -> None:
    content = b"user_input,reference_contexts\nwhat,['\\ud800']\n"
    with pytest.raises(InvalidFile, match="line 2: reference_contexts holds half of a surrogate"):
        read(tmp_path, "d.csv", content, build=WITH_TEXTS)


def test_a_lone_backslash_in_a_printed_list_is_text(tmp_path: Path) -> None:
    content = b"user_input,reference_contexts\nwhat,['C:\\dir']\n"
    found = read(tmp_path, "d.csv", content, build=WITH_TEXTS)
    assert [one.text for one in found.documents or ()] == ["C:\\dir"]


# LangSmith


def test_the_question_of_an_example_is_the_input_with_such_a_name(tmp_path: Path) -> None:
    found = read(tmp_path, "Web-Q&A.json")
    assert found.golden_set.name == "Web Q&A"
    assert found.golden_set.identifier == "web_q_a"
    assert questions(tmp_path, "Web-Q&A.json") == [("1", "who?", None), ("2", "where?", None)]
    assert questions(tmp_path, "examples.jsonl") == [("e1", "Who?", None), ("e2", "Where?", None)]
    assert gists(tmp_path, "examples.jsonl") == [b"A", None]


def test_columns_of_an_example_can_be_named(tmp_path: Path) -> None:
    one = msgspec.json.encode(msgspec.json.decode(samples.LANGSMITH)["examples"][:1])
    named = Columns(question="input_answer", documents="docs", answer="input")
    options = ReadOptions(columns=named)
    assert questions(tmp_path, "a.json", one, read=options) == [("1", "her", ["d1"])]
    missing = ReadOptions(columns=Columns(question="nope"))
    with pytest.raises(InvalidFile, match=r"examples\[1\]: has no input or output 'nope'"):
        read(tmp_path, "a.json", one, read=missing)


def test_inputs_without_a_plain_question_are_refused_with_their_names(tmp_path: Path) -> None:
    content = b'[{"inputs": {"a": "x", "b": "y"}, "outputs": null}]'
    with pytest.raises(InvalidFile, match=r"which input is the question\?.*of: 'a', 'b'"):
        read(tmp_path, "a.json", content)


# LlamaIndex


def test_the_contexts_that_a_question_was_made_from_become_targets(tmp_path: Path) -> None:
    ids = [passage_id("One text."), passage_id("Another text.")]
    assert questions(tmp_path, "rag_dataset.json", build=WITH_TEXTS) == [
        ("1", "Compare.", ids),
        ("2", "Tell.", None),
    ]
    assert gists(tmp_path, "rag_dataset.json") == [b"Both.", None]


def test_a_pair_of_lists_has_answers_and_no_judgement(tmp_path: Path) -> None:
    assert questions(tmp_path, "benchmark.json") == [("1", "What?", None), ("2", "Why?", None)]
    assert gists(tmp_path, "benchmark.json") == [b"So.", b"Therefore."]
    with pytest.raises(InvalidFile, match="has 1 questions and 0 ground_truths"):
        read(tmp_path, "b.json", b'{"questions": ["a"], "ground_truths": []}')


def test_a_fine_tuning_set_has_ids_targets_and_a_corpus(tmp_path: Path) -> None:
    found = read(tmp_path, "pairs.json")
    assert questions(tmp_path, "pairs.json") == [("q1", "What?", ["n1"]), ("q2", "Why?", None)]
    assert [one.id for one in found.documents or ()] == [b"n1", b"n2"]
    nowhere = samples.LLAMA_IDS.replace(b'["n1"]', b'["n404"]')
    with pytest.raises(InvalidFile, match=r"1 document id.* not in the corpus: 'n404'"):
        read(tmp_path, "pairs.json", nowhere)


# RAGChecker and MTRAG


def test_what_a_retriever_gave_judges_nothing(tmp_path: Path) -> None:
    assert questions(tmp_path, "checking.json") == [("0", "Longest river?", None)]
    assert gists(tmp_path, "checking.json") == [b"The Nile."]
    assert "retrieved_context" in " ".join(read(tmp_path, "checking.json").remarks)


def test_answerability_decides_what_a_task_says_of_the_corpus(tmp_path: Path) -> None:
    assert questions(tmp_path, "reference.jsonl") == [
        ("c<::>1", "turn 1", ["d-1"]),
        ("c<::>2", "turn 3", ["d-2"]),
        ("c<::>3", "turn 1", []),
        ("c<::>4", "turn 1", None),
    ]
    found = read(tmp_path, "reference.jsonl")
    assert "come after other turns, which are left out: 1" in " ".join(found.remarks)


BROKEN_TASKS = {
    "unknown": ('"answerability":["ANSWERABLE"]', '"answerability":["MAYBE"]', "is not known"),
    "two": ('["ANSWERABLE"]', '["ANSWERABLE","PARTIAL"]', "answerability must be one label"),
    "empty": (
        '[{"document_id":"d-1","text":"\\none"}]',
        "[]",
        "is ANSWERABLE and has no contexts",
    ),
    "no turn": ('[{"speaker":"user","text":"turn 1"}]', "[]", "input has no turn"),
    "number": ('"document_id":"d-1"', '"document_id":7', "document_id must be text, not a number"),
    "no contexts": ('"contexts":', '"other":', "contexts must be a list, not null"),
    "twice": ('"task_id":', '"task_id":"a","task_id":', "has a key that occurs twice"),
    "nan": ('"turn 1"', "NaN", "holds NaN or an infinity"),
}


@pytest.mark.parametrize("name", BROKEN_TASKS)
def test_a_broken_task_is_refused_by_line_and_rule(name: str, tmp_path: Path) -> None:
    old, new, rule = BROKEN_TASKS[name]
    first = samples.MTRAG_TASKS[0].decode()
    assert old in first
    content = b"\n".join((samples.MTRAG_TASKS[1], first.replace(old, new).encode()))
    with pytest.raises(InvalidFile, match=f"bad.jsonl, line 2: .*{rule}"):
        read(tmp_path, "bad.jsonl", content, format="mtrag")


# What all of them share


def test_judgements_of_two_sides_are_refused(tmp_path: Path) -> None:
    qrels = samples.write(tmp_path, "q.txt", b"c<::>1 0 d 1\n")
    with pytest.raises(InvalidFile, match="the questions have judgements of their own"):
        read(tmp_path, "reference.jsonl", qrels=qrels)


@pytest.mark.parametrize("name", ["squad.json", "checking.json", "rag_dataset.json"])
def test_a_document_that_is_broken_json_is_refused_by_its_line(name: str, tmp_path: Path) -> None:
    content = msgspec.json.format(samples.ALL[name], indent=1)
    with pytest.raises(InvalidFile, match=r"line \d+: is not JSON: "):
        read(tmp_path, name, content[:-10])
    broken = content.replace(b'"', b'"x": NaN, "', 1)
    with pytest.raises(InvalidFile, match="holds NaN or an infinity"):
        read(tmp_path, name, broken)

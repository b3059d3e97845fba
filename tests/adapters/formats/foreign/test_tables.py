"""Plain tables: which column holds what, and what becomes of odd cells."""

import gzip
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evenhand.adapters.formats.foreign.build import BuildOptions
from evenhand.adapters.formats.foreign.found import Columns, ReadOptions
from evenhand.core.errors import InvalidFile
from tests.adapters.formats.foreign import samples
from tests.adapters.formats.foreign.reading import questions, read


def columns(**named: str) -> ReadOptions:
    return ReadOptions(columns=Columns(**named))


def test_a_quoted_cell_may_go_over_lines_and_a_column_without_a_name_is_left(
    tmp_path: Path,
) -> None:
    assert questions(tmp_path, "plain.csv") == [
        ("1", 'What is the "binary" for?\n', None),
        ("2", "Where?", None),
    ]
    found = read(tmp_path, "plain.csv").golden_set
    assert [one.answer_gist for one in found.questions] == [b"x86-64", b"here"]


def test_columns_are_named_by_the_user_in_a_table_with_semicolons(tmp_path: Path) -> None:
    named = columns(question="Frage", documents="doc")
    assert questions(tmp_path, "german.csv", read=named) == [("7", "Wo, bitte?", ["d1"])]


CELLS = {
    "empty: nobody has looked": ("", None),
    "an empty list: nothing answers": ("[]", []),
    "one id as it stands": ("d1, d2", ["d1, d2"]),
    "a list": ('"[""d1"", ""d2"", ""d1""]"', ["d1", "d2"]),
    "an id that looks like a number": ("007", ["007"]),
    "a guarded formula of others stays": ("'=1", ["'=1"]),
}


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_of_documents_says_one_thing(name: str, tmp_path: Path) -> None:
    cell, targets = CELLS[name]
    content = f"question,expected_document_ids\nwhat,{cell if cell[:1] == chr(34) else chr(34) + cell + chr(34)}\n"
    assert questions(tmp_path, "t.csv", content.encode())[0][2] == targets


def test_ids_in_any_look_stay_what_they_are(tmp_path: Path) -> None:
    ids = [
        "007",
        "7",
        "NA",
        "null",
        "nan",
        "None",
        "True",
        "1e5",
        "100000",
        "-0",
        "caf\u00e9",
        "cafe\u0301",
    ]
    content = "id,question,expected_document_ids\n" + "".join(f"{one},what,{one}\n" for one in ids)
    wanted = [(one, "what", [one]) for one in ids]
    assert questions(tmp_path, "t.csv", content.encode()) == wanted
    path = tmp_path / "t.parquet"
    rows = [{"id": one, "question": "what", "expected_document_ids": [one]} for one in ids]
    pq.write_table(pa.Table.from_pylist(rows), path)
    assert questions(tmp_path, "t.parquet", path.read_bytes()) == wanted


REFUSED = {
    "uneven": (b"question,id\na,1\nb\n", "line 3: has 1 cells, the header has 2"),
    "uneven after a long cell": (b'question,id\n"a\n\nb",1\nc\n', "line 5: has 1 cells"),
    "open quote": (b'question,id\n"a,1\n', "line 2: is not CSV: unexpected end of data"),
    "stray quote": (b'question,id\n"a"b,1\n', "line 2: is not CSV"),
    "one name twice": (b"question,question\na,b\n", "line 1: two columns have one name"),
    "two questions": (
        b"question,query\na,b\n",
        r"several columns could be meant \('question', 'qu",
    ),
    "two ids": (b"question,id,qid\na,1,2\n", "choose one with --id-column"),
    "only a header": (b"question,id\n", "holds no questions"),
    "no question": (
        b"question,id\n,1\n",
        "line 2: question is missing|question must not be empty",
    ),
    "no id": (b"question,id\na,\n", "line 2: id must not be empty"),
    "one id twice": (b"question,id\na,1\nb,1\n", "line 3: has the id of line 2"),
    "not utf-8": (b"question,id\na,1\ngr\xf6\xdfe,2\n", "line 3: is not UTF-8"),
    "NUL": (b"question,id\na,1\nb\0,2\n", "line 3: question contains a NUL"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_broken_table_is_refused_by_line_and_rule(name: str, tmp_path: Path) -> None:
    content, rule = REFUSED[name]
    with pytest.raises(InvalidFile, match=rule):
        read(tmp_path, "t.csv", content)


def test_a_list_that_is_none_is_refused_without_its_content(tmp_path: Path) -> None:
    content = b"question,relevant_docs\na,[canary\n"
    with pytest.raises(
        InvalidFile, match="relevant_docs begins like a list and is none"
    ) as caught:
        read(tmp_path, "t.csv", content)
    assert "canary" not in str(caught.value)


@pytest.mark.parametrize("value", ["7", "7.0", "true", "null", '{"a": 1}'])
def test_an_id_that_is_no_text_is_refused(value: str, tmp_path: Path) -> None:
    content = f'{{"question": "a", "relevant_docs": [{value}]}}\n' * 2
    with pytest.raises(InvalidFile, match=r"line 1: relevant_docs\[1\] must be text"):
        read(tmp_path, "t.jsonl", content.encode())
    content = f'{{"question": "a", "id": {value}}}\n' * 2
    with pytest.raises(InvalidFile, match=r"line 1: id (must be text|is missing)"):
        read(tmp_path, "t.jsonl", content.encode())


def test_numbers_in_parquet_are_no_ids(tmp_path: Path) -> None:
    path = tmp_path / "n.parquet"
    pq.write_table(pa.table({"question": ["a"], "id": [7]}), path)
    with pytest.raises(InvalidFile, match="row 1: id must be text, not a number"):
        read(tmp_path, "n.parquet", path.read_bytes())
    with pytest.raises(InvalidFile, match="is no Parquet file that can be read"):
        read(tmp_path, "n.parquet", path.read_bytes()[:-20])


def test_text_of_parquet_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    odd = pa.array([b"gr\xf6\xdfe"]).view(pa.string())
    pq.write_table(pa.table({"question": odd}), tmp_path / "odd.parquet")
    with pytest.raises(InvalidFile, match=r"odd\.parquet: holds text that is not UTF-8"):
        read(tmp_path, "odd.parquet", (tmp_path / "odd.parquet").read_bytes())


def test_broken_lines_are_refused_by_number(tmp_path: Path) -> None:
    good = b'{"question": "a"}\n'
    for bad, rule in (
        (b'{"question": "a", "question": "b"}', "has a key that occurs twice"),
        (b'{"question": NaN}', "holds NaN or an infinity"),
        (b"[1]", "must be a JSON object"),
        (b'{"question": "a"', "is not JSON"),
        (b'{"question": "\\ud800"}', "half of a surrogate pair"),
    ):
        with pytest.raises(InvalidFile, match=f"t.jsonl, line 3: .*{rule}"):
            read(tmp_path, "t.jsonl", good + b"\n" + bad + b"\n")
        with pytest.raises(InvalidFile, match=f"t.jsonl, line 1: .*{rule}"):
            read(tmp_path, "t.jsonl", bad + b"\n" + good)


def test_a_long_cell_is_read_and_the_rest_is_not_skipped(tmp_path: Path) -> None:
    long = "x" * 200_000
    content = f"question,id\n{long},1\nb,2\n".encode()
    for name, held in (("t.csv", content), ("t.csv.gz", gzip.compress(content))):
        found = questions(tmp_path, name, held)
        assert [len(text) for _, text, _ in found] == [200_000, 1]


def test_the_separator_is_what_the_header_has_most_of(tmp_path: Path) -> None:
    content = b"id;question;note, short\n1;a, b;c\n"
    assert questions(tmp_path, "t.csv", content) == [("1", "a, b", None)]


def test_queries_of_beir_are_a_table_and_its_documents_are_none(tmp_path: Path) -> None:
    line = b'{"_id": "q1", "text": "what"}\n'
    assert questions(tmp_path, "queries.jsonl", line) == [("q1", "what", None)]
    line = b'{"_id": "q1", "text": "what", "title": ""}\n' * 2
    with pytest.raises(InvalidFile, match="holds documents, no questions; it is a corpus"):
        read(tmp_path, "queries.jsonl", line)


def test_ids_are_all_there_or_none_is(tmp_path: Path) -> None:
    content = b'[{"question": "a", "id": "1"}, {"question": "b"}]'
    with pytest.raises(InvalidFile, match=r"row\[2\]: id is missing"):
        read(tmp_path, "t.json", content)
    counted = questions(tmp_path, "t.json", content, read=columns(id="question"))
    assert [name for name, _, _ in counted] == ["a", "b"]


def test_the_set_is_named_by_its_file_or_by_the_user(tmp_path: Path) -> None:
    assert (
        read(tmp_path, "My Set-2.csv", b"question,id\na,1\n").golden_set.identifier == "my_set_2"
    )
    named = BuildOptions(identifier="team.handbook", name="Hand book")
    found = read(tmp_path, "x.csv", b"question,id\na,1\n", build=named).golden_set
    assert (found.identifier, found.name) == ("team.handbook", "Hand book")
    with pytest.raises(InvalidFile, match="identifier must be lowercase"):
        read(tmp_path, "x.csv", b"question,id\na,1\n", build=BuildOptions(identifier="A b"))


def test_a_format_that_fits_twice_is_not_chosen(tmp_path: Path) -> None:
    content = b'{"inputs": {"q": "a"}, "user_input": "b", "reference": "c"}\n' * 2
    with pytest.raises(InvalidFile, match=r"several formats; .* ragas \(.*\); langsmith \("):
        read(tmp_path, "t.jsonl", content)
    assert questions(tmp_path, "t.jsonl", content, format="ragas")[0][1] == "b"


NOT_FITTING: list[tuple[str, str, dict[str, Any]]] = [
    ("--split", "plain.csv", {"split": "test"}),
    ("--topic-field", "plain.csv", {"read": ReadOptions(topic_field="desc")}),
    ("--question-column, ", "squad.json", {"read": columns(question="a")}),
    ("--impossible-is-no-answer", "dataset.jsonl", {"read": ReadOptions(impossible_is_no_answer=True)}),
]  # fmt: skip


@pytest.mark.parametrize(("option", "name", "given"), NOT_FITTING)
def test_an_option_that_says_nothing_to_the_format_is_refused(
    option: str, name: str, given: dict[str, Any], tmp_path: Path
) -> None:
    with pytest.raises(InvalidFile, match=f"{option}.*says nothing to the format"):
        read(tmp_path, name, **given)


def test_a_golden_set_without_its_header_is_no_plain_table(tmp_path: Path) -> None:
    content = b'{"id": "a", "question": "x", "form": "gap", "expected_document_ids": []}\n' * 2
    with pytest.raises(InvalidFile, match="line 1: the first thing must be a header"):
        read(tmp_path, "set.jsonl", content)


@pytest.mark.parametrize(
    "name", ["topics.tsv", "robust.txt", "cran.qry", "plain.csv", "covid.xml"]
)
def test_a_truncated_archive_is_refused(name: str, tmp_path: Path) -> None:
    packed = gzip.compress(samples.ALL[name] * (1 if name == "covid.xml" else 3), mtime=0)
    with pytest.raises(InvalidFile, match="is damaged or truncated gzip data"):
        read(tmp_path, f"{name}.gz", packed[:-9])

"""``evenhand sets import`` and ``export`` as a user types them."""

import json
from pathlib import Path
from typing import Any

import pytest

from evenhand.adapters.formats import format_names
from evenhand.adapters.formats.foreign import catalogue, exporting, facets, judgements
from evenhand.adapters.formats.foreign.passages import passage_id
from evenhand.cli.main import run_command
from tests.adapters.formats.foreign import samples

CANARY = "exchange-canary"


class Terminal:
    """Runs commands and gives what they said."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.out = self.err = ""

    def run(self, *arguments: str) -> int:
        code = run_command(["sets", *arguments])
        self.out, self.err = self._capsys.readouterr()
        return code

    def json(self, *arguments: str) -> Any:
        assert self.run(*arguments, "--json") == 0, self.err
        return json.loads(self.out)


@pytest.fixture
def terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Terminal:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evenhand.toml").touch()
    for name in samples.ALL:
        samples.write(tmp_path, name)
    return Terminal(capsys)


def test_what_was_guessed_and_why_is_said_on_standard_error(terminal: Terminal) -> None:
    assert terminal.run("import", "topics.tsv.gz") == 0
    assert terminal.out == "imported topics: 2 questions\n"
    assert "format trec-tsv: each line has an id, a tab and a text\n" in terminal.err
    assert "unjudged questions, in no rate: 2 of 2\n" in terminal.err
    assert terminal.run("import", "topics.tsv", "--format", "trec-tsv") == 0
    assert "format trec-tsv:" not in terminal.err
    assert terminal.run("import", "topics.tsv", "-q") == 0
    assert terminal.err == ""


def test_texts_become_documents_of_a_corpus_that_is_written(terminal: Terminal) -> None:
    done = terminal.json("import", "squad.json", "--corpus-out", "corpus/squad")
    assert (done["format"], done["documents_written"], done["questions"]) == ("squad", 2, 3)
    lines = Path("corpus/squad/corpus.jsonl").read_bytes().splitlines()
    assert [json.loads(line)["_id"] for line in lines] == [
        passage_id("Normandy lies in France."),
        passage_id("Another."),
    ]
    assert terminal.run("lint", "squad", "--corpus", "corpus/squad") == 1
    assert "missing_target" not in terminal.out
    assert terminal.run("import", "squad.json", "--corpus-out", "corpus/squad") == 2
    assert "corpus.jsonl: is there already" in terminal.err


def test_a_format_without_documents_fills_no_corpus(terminal: Terminal) -> None:
    assert terminal.run("import", "checking.json", "--corpus-out", "out") == 2
    assert "the format brings no documents" in terminal.err
    assert terminal.json("list") == []


def test_judgements_and_documents_beside_questions_go_out_again(terminal: Terminal) -> None:
    samples.write(Path(), "q.txt", b"001 0 1 2\n004 0 2 0\n")
    options = ["--qrels", "q.txt", "--documents", "ADI.ALL"]
    out = ["--corpus-out", "adi", "--qrels-out", "out.qrels"]
    done = terminal.json("import", "cran.qry", *options, *out)
    assert (done["documents_written"], done["judgements_written"]) == (2, 2)
    assert Path("out.qrels").read_bytes() == Path("q.txt").read_bytes()
    assert "judgements read as trec" in done["remarks"]
    assert terminal.run("import", "cran.qry", *options, "--qrels-out", "out.qrels") == 2
    assert "--qrels-out is there" in terminal.err
    assert terminal.run("import", "cran.qry", "--qrels-format", "trec") == 2
    assert "--qrels-format needs --qrels" in terminal.err


def test_columns_fields_names_and_ids_are_the_users(terminal: Terminal) -> None:
    named = ("--question-column", "Frage", "--documents-column", "doc", "--id-column", "id")
    assert terminal.json("import", "german.csv", *named)["identifier"] == "german"
    assert terminal.run("import", "similar.csv") == 2
    assert "say which one holds the question with --question-column" in terminal.err
    whole = ("--identifier", "team.cran", "--name", "Cran", "--ids-by-position")
    assert terminal.json("import", "cran.qry", *whole)["identifier"] == "team.cran"
    shown = terminal.json("show", "team.cran", "--questions")
    assert [one["id"] for one in shown["items"]] == ["1", "2"]
    assert terminal.run("import", "covid.xml", "--topic-field", "question") == 2
    assert "the topic has no text in question" in terminal.err
    said = terminal.json("import", "squad.json", "--impossible-is-no-answer")
    assert said["questions"] == 3
    assert terminal.json("show", "squad")["no_answer"] == 1


def test_an_own_file_says_everything_itself(terminal: Terminal) -> None:
    assert terminal.run("import", "topics.tsv") == 0
    assert terminal.run("export", "topics", "own.jsonl") == 0
    assert terminal.run("import", "own.jsonl", "--identifier", "other") == 2
    assert "states its identifier, its ids and its judgements itself" in terminal.err


@pytest.mark.parametrize("name", ["RAG.jsonl", "readme.txt", "SciFact.json", "qrels.txt"])
def test_a_refused_file_stores_nothing_and_exits_2(name: str, terminal: Terminal) -> None:
    assert terminal.run("import", name) == 2
    assert terminal.out == ""
    assert terminal.json("list") == []


def test_no_message_holds_a_text(terminal: Terminal) -> None:
    broken = {
        "a.csv": f"question,id\n{CANARY},1\n{CANARY},1\n",
        "b.jsonl": f'{{"question": "{CANARY}", "id": 7}}\n{{"question": "{CANARY}"}}\n',
        "c.json": f'{{"data": [{{"paragraphs": [{{"context": "{CANARY}", "qas": [1]}}]}}]}}',
        "d.txt": f"<top>\n<num> 1\n<desc> {CANARY}\n</top>\n",
        "e.csv": f'user_input,reference_contexts\n{CANARY},"[{CANARY}"\n',
    }
    for name, content in broken.items():
        Path(name).write_text(content)
        assert terminal.run("import", name) == 2
        assert name in terminal.err
        assert CANARY not in terminal.err


def test_a_name_that_is_not_there_and_a_package_that_is_not_exit_2_and_5(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert terminal.run("import", "nowhere.csv") == 2
    assert "nowhere.csv: does not exist" in terminal.err
    monkeypatch.setitem(__import__("sys").modules, "ir_datasets", None)
    assert terminal.run("import", "ir_datasets:vaswani") != 0
    assert "pip install 'evenhand[adapters]'" in terminal.err


def test_an_export_refuses_what_would_be_lost_until_it_is_dropped(terminal: Terminal) -> None:
    assert terminal.run("import", "reference.jsonl") == 0
    assert terminal.run("export", "reference", "out", "--format", "trec") == 2
    assert "trec cannot hold answer_gist (4 questions), no_answer (1 question)" in terminal.err
    assert not Path("out").exists()
    drop = ("--drop", "answer_gist", "--drop", "no_answer")
    assert terminal.run("export", "reference", "out", "--format", "trec", *drop) == 0
    assert "wrote 3 questions to out" in terminal.err
    assert "this is another benchmark" in terminal.err
    assert Path("out/qrels.txt").read_text() == "c<::>1 0 d-1 1\nc<::>2 0 d-2 1\n"
    assert terminal.run("export", "reference", "out", "--format", "trec", *drop) == 2
    assert "the folder is not empty; --force replaces it" in terminal.err
    assert terminal.run("export", "reference", "out", "--format", "trec", *drop, "--force") == 0


def test_a_set_goes_out_as_beir_and_csv_and_comes_back(terminal: Terminal) -> None:
    assert terminal.run("import", "reference.jsonl") == 0
    labels = terminal.json("show", "reference")["labels_fingerprint"]
    assert terminal.json("export", "reference", "all.csv") == {
        "identifier": "reference", "questions": 4, "holdout": 0,
    }  # fmt: skip
    assert terminal.run("import", "all.csv", "--identifier", "back") == 0
    assert terminal.json("show", "back")["labels_fingerprint"] == labels
    options = ("--format", "beir", "--drop", "answer_gist")
    assert terminal.run("export", "reference", "folder", *options) == 0
    assert terminal.json("show", "folder")["labels_fingerprint"] == labels


def test_every_name_of_a_format_has_a_reader_or_a_writer() -> None:
    readers = [one.name for one in catalogue.FORMATS if not isinstance(one.read, str)]
    assert list(format_names.IMPORT_NAMES) == ["jsonl", "yaml", "beir", *readers]
    assert ("beir", *judgements._READERS) == format_names.QRELS_NAMES
    assert tuple(exporting._WRITERS) == format_names.EXPORT_NAMES
    assert (*facets._FACETS, "holdout") == format_names.FACET_NAMES

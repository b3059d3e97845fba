"""What ``evenhand run`` finds that speaks against its own result."""

from pathlib import Path

import pytest

from evenhand.cli.exits import Exit
from tests.cli.typed import Cli, declared, write_module, write_search, write_set

#: Answers the first and the third call otherwise than all others.
FICKLE = """
calls = [0]
def find(question, limit):
    calls[0] += 1
    return ["d1", "d2"] if calls[0] in (1, 3) else ["d2", "d1"]
"""


def test_repeat_finds_a_retriever_that_is_not_deterministic_and_exits_as_before(cli: Cli) -> None:
    name = write_set()
    write_module(FICKLE)
    document = cli.json("run", name, "search:find", "-q", "--repeat", "3", code=Exit.PASS)
    assert document["checks"] == [{"code": "not_deterministic", "questions": 2, "looked_at": 4}]
    assert len(cli.stored()) == 1
    write_module(FICKLE)
    assert cli.run("run", name, "search:find", "-q", "--repeat", "2") == Exit.PASS
    assert "This result is not deterministic" in cli.out


def test_repeat_finds_nothing_about_one_that_is(cli: Cli) -> None:
    document = cli.json("run", write_set(), write_search(), "-q", "--repeat", "3")
    assert document["checks"] == []


def test_a_document_outside_the_corpus_at_hand_is_found(cli: Cli) -> None:
    Path("corpus.jsonl").write_text('{"_id": "d1", "text": "t"}\n{"_id": "d2", "text": "t"}\n')
    flags = declared(corpus="corpus.jsonl")
    document = cli.json("run", write_set(), write_search(), "-q", *flags)
    assert document["checks"] == [{"code": "outside_corpus", "questions": 1, "looked_at": 4}]
    assert cli.run("run", "set.jsonl", "search:find", "-q", *flags) == Exit.PASS
    assert "came a document that the corpus at hand lacks" in " ".join(cli.out.split())


LABELS = 'model = "m"\nchunking = "c"\npipeline = "p"\n'


@pytest.mark.parametrize("labels", [LABELS, ""], ids=["declared", "incomplete"])
def test_the_corpus_at_hand_may_be_one_that_the_configuration_names(cli: Cli, labels: str) -> None:
    Path("small.jsonl").write_text('{"_id": "d1", "text": "t"}\n{"_id": "d2", "text": "t"}\n')
    Path("whole.jsonl").write_text("".join(f'{{"_id": "d{n}", "text": "t"}}\n' for n in range(9)))
    use = f'use = "{write_search()}"\n{labels}'
    Path("evenhand.toml").write_text(
        f'[retrievers.out]\n{use}corpus = "small.jsonl"\n'
        f'[retrievers.all]\n{use}corpus = "whole.jsonl"\n'
    )
    outside = {"code": "outside_corpus", "questions": 1, "looked_at": 4}
    assert cli.json("run", write_set(), "out", "-q")["checks"] == [outside]
    assert cli.json("run", "set.jsonl", "all", "-q")["checks"] == []
    # Each side is held against its own corpus.
    compared = cli.json("ab", "set.jsonl", "all", "out", "-q", code=Exit.NOT_COMPARABLE)
    assert compared["checks"] == [{"side": "candidate"} | outside]


def test_an_incomplete_declaration_that_names_no_corpus_loses_no_run(cli: Cli) -> None:
    Path("folder").mkdir()
    use = write_search()
    Path("evenhand.toml").write_text(f'[retrievers.out]\nuse = "{use}"\ncorpus = "folder"\n')
    assert cli.json("run", write_set(), "out", "-q")["checks"] == []


def test_a_dirty_checkout_is_said(cli: Cli) -> None:
    flags = declared(execution="git:1234-dirty")
    document = cli.json("run", write_set(), write_search(), "-q", *flags)
    assert document["checks"] == [{"code": "dirty_checkout", "questions": None, "looked_at": None}]


@pytest.mark.parametrize("number", ["0", "-1", "x"])
def test_repeat_takes_a_positive_number(cli: Cli, number: str) -> None:
    assert cli.run("run", write_set(), write_search(), "--repeat", number) == Exit.USAGE


def test_a_corpus_label_that_stood_for_other_documents_is_said(cli: Cli) -> None:
    folder = Path("beir")
    (folder / "qrels").mkdir(parents=True)
    (folder / "queries.jsonl").write_text('{"_id": "q1", "text": "q1"}\n')
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    flags = declared(corpus="my-label")
    codes = []
    for text in ("one", "one", "two"):
        (folder / "corpus.jsonl").write_text(f'{{"_id": "d1", "title": "", "text": "{text}"}}\n')
        document = cli.json("run", "beir", write_search(), "-q", *flags)
        codes.append([one["code"] for one in document["checks"]])
    assert codes == [[], [], ["corpus_label_moved"]]
    compared = cli.json("ab", "beir", "search:find", "search:find", "-q", *flags)
    assert [one["side"] for one in compared["checks"]] == ["current", "candidate"]

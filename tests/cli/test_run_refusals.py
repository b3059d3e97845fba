"""What ``evenhand run`` refuses, and that nothing is stored then."""

import sys
from pathlib import Path

import pytest

from tests.adapters.formats.beir_folder import document, query, write_beir
from tests.builders import a_question, a_set
from tests.cli.typed import Cli, asked, counting, declared, write_module, write_search, write_set

CANARY = "run-canary"


@pytest.mark.parametrize(
    ("operands", "said"),
    [
        (("set.jsonl", "nope"), "no retriever 'nope'"),
        (("set.jsonl", "search:nope"), "no attribute 'nope'"),
        (("set.jsonl", "nowhere:find"), "nowhere"),
        (("nope.jsonl", "search:find"), "no golden set 'nope.jsonl'"),
        (("set.jsonl", "search:find", *declared(model="no label")), "model_revision"),
        (("set.jsonl", "search:find", *declared(model="")), "model_revision"),
        (("set.jsonl", "search:find", *declared(corpus="")), "corpus_revision"),
        (("set.jsonl", "search:find", *declared(corpus="docs/typo.jsonl")), "does not exist"),
        (("set.jsonl", "search:find", "--privacy", "some"), "privacy (flag)"),
        (("set.jsonl", "search:find", "--depth", "0"), "depth (flag)"),
        (("set.jsonl", "search:find", "--jobs", "two"), "jobs (flag)"),
        (("set.jsonl", "search:find", "--split", "test"), "only a BEIR folder has splits"),
        (("set.jsonl", "search:find", "--no-save", "--fail-on-regression"), "--no-save"),
        (("set.jsonl", "search:find", "--report", "no/page.html"), "--report"),
        (("set.jsonl", "search:find", "--report", "folder"), "--report"),
        (("set.jsonl", "lexical"), "corpus"),
    ],
)
def test_a_usage_error_asks_and_stores_nothing(
    cli: Cli, operands: tuple[str, ...], said: str
) -> None:
    write_set()
    write_module(counting("return []"))
    Path("folder").mkdir()

    assert cli.run("run", *operands) == 2
    assert said in cli.err
    assert cli.out == ""
    assert (asked(), cli.stored()) == (0, [])


@pytest.mark.proves("P-24", "BP-15")
@pytest.mark.parametrize("is_configured", [False, True])
def test_a_pipeline_cannot_be_not_applicable_whatever_is_appended_to_its_label(
    cli: Cli, is_configured: bool
) -> None:
    write_set()
    write_module(counting("return []"))
    Path("old.trec").write_text("q1 Q0 d1 1 2.0 t\n", encoding="utf-8")
    stated = declared(pipeline="not-applicable")
    if is_configured:
        Path("evenhand.toml").write_text(
            '[retrievers.mine]\nuse = "search:find"\ncorpus = "c"\nmodel = "m"\n'
            'chunking = "n"\npipeline = "not-applicable"\n'
            '[retrievers.run]\nuse = "old.trec"\ncorpus = "c"\npipeline = "not-applicable"\n',
            encoding="utf-8",
        )
    for operands in (
        (("mine",), ("run",))
        if is_configured
        else (
            ("search:find", *stated),
            ("old.trec", *stated),
        )
    ):
        assert cli.run("run", "set.jsonl", *operands) == 2
        assert "pipeline_identity: cannot be not applicable" in cli.err
        assert "[sentinel_not_allowed]" in cli.err
    assert (asked(), cli.stored()) == (0, [])


@pytest.mark.parametrize("operands", [("set.jsonl", "nope"), ("bad.jsonl", "search:find")])
def test_a_mistyped_operand_makes_no_database(
    folder: Path, capsys: pytest.CaptureFixture[str], operands: tuple[str, str]
) -> None:
    write_set()
    write_search()
    Path("bad.jsonl").write_text("{", encoding="utf-8")

    assert Cli(capsys).run("run", *operands) == 2
    assert not (folder / ".evenhand").exists()


def test_a_bad_set_names_file_line_and_rule(cli: Cli) -> None:
    name = write_set()
    lines = Path(name).read_text(encoding="utf-8").splitlines()
    broken = lines[2].replace('"form":"gap"', f'"form":"{CANARY}"')
    assert broken != lines[2]
    Path(name).write_text("\n".join([*lines[:2], broken, *lines[3:]]), encoding="utf-8")

    assert cli.run("run", name, write_search()) == 2
    assert "set.jsonl, line 3: " in cli.err
    assert "form" in cli.err
    assert CANARY not in cli.err
    assert cli.stored() == []


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("fatal", [1, 3, 4])
def test_ctrl_c_at_any_question_leaves_nothing_stored(cli: Cli, jobs: str, fatal: int) -> None:
    write_module(
        counting(f"if len(ASKED.read_text()) >= {fatal}: raise KeyboardInterrupt\n    return []")
    )

    assert cli.run("run", write_set(), "search:find", "--jobs", jobs, "--report", "p.html") == 130
    assert cli.err.strip() == "interrupted"
    assert cli.out == ""
    assert asked() >= fatal
    assert cli.stored() == []
    assert "interrupted" in Path("p.html").read_text(encoding="utf-8")


def test_ctrl_c_leaves_the_previous_result_as_it_was(cli: Cli) -> None:
    name = write_set()
    assert cli.run("run", name, write_search(), *declared()) == 0
    before = cli.stored()
    write_module("def find(question, limit):\n    raise KeyboardInterrupt\n")

    assert cli.run("run", name, "search:find", *declared()) == 130
    assert cli.stored() == before
    assert cli.run("run", name, write_search(), *declared()) == 0
    assert "Comparable" in cli.out


@pytest.mark.parametrize("strict", [(), ("--strict",)])
def test_a_retriever_that_always_fails_gives_no_result(cli: Cli, strict: tuple[str, ...]) -> None:
    write_module(counting(f"raise OSError('{CANARY}')"))

    assert cli.run("run", write_set(), "search:find", *strict) == 5
    assert "OSError" in cli.err
    assert CANARY not in cli.err + cli.out
    assert "--strict shows where it arose" in cli.err
    assert asked() == (1 if strict else 4)
    assert cli.stored() == []


def test_a_set_without_a_judged_question_is_no_fault_of_the_retriever(cli: Cli) -> None:
    unjudged = a_set(a_question("q1", unjudged=True), a_question("q2", unjudged=True))

    assert cli.run("run", write_set(golden_set=unjudged), write_search()) == 5
    assert "no question of the set is judged" in cli.err
    assert "--strict" not in cli.err


def test_a_retriever_that_ends_the_program_gives_no_result(cli: Cli) -> None:
    write_module("import sys\ndef find(question, limit):\n    sys.exit(0)\n")

    assert cli.run("run", write_set(), "search:find") == 5
    assert "unexpected SystemExit in search.py:3" in cli.err
    assert cli.stored() == []


FAILING = "if question == 'q1': raise LookupError(question)\n    return []"


@pytest.mark.proves("G-17")
@pytest.mark.parametrize(
    ("given", "code"),
    [
        ((), 5),
        (("--max-failed-share", "0.25"), 0),
        (("--max-failed-share", "0.24"), 5),
        (("--max-failed-share", "1"), 0),
    ],
)
def test_a_larger_share_of_failed_questions_exits_5_and_is_stored(
    cli: Cli, given: tuple[str, ...], code: int
) -> None:
    write_module(counting(FAILING))

    assert cli.run("run", write_set(), "search:find", "-q", *given) == code
    assert ("1 of 4 questions failed" in cli.err) is (code == 5)
    assert "LookupError" in cli.out
    assert [one["failed"] for one in cli.stored()] == [1]


def test_the_allowed_share_may_be_configured(cli: Cli) -> None:
    Path("evenhand.toml").write_text("max_failed_share = 0.25\n", encoding="utf-8")
    write_module(counting(FAILING))

    assert cli.run("run", write_set(), "search:find") == 0


def test_too_many_failed_questions_win_over_the_regression_flag(cli: Cli) -> None:
    name = write_set()
    assert cli.run("run", name, write_search(), *declared()) == 0
    write_module(counting(FAILING))

    assert cli.run("run", name, "search:find", *declared(), "--fail-on-regression") == 5


def test_a_database_that_is_behind_refuses_before_the_first_question(
    folder: Path, capsys: pytest.CaptureFixture[str], database_url: str
) -> None:
    from evenhand.store.lineage import load_lineage

    assert folder.exists()
    cli, root = Cli(capsys), ("--database-url", database_url)
    assert cli.run(*root, "db", "downgrade", load_lineage()[0].revision) == 0
    write_module(counting("return []"))

    assert cli.run(*root, "run", write_set(), "search:find") == 5
    assert "run evenhand db upgrade" in cli.err
    assert "[database_behind]" in cli.err
    assert asked() == 0
    assert cli.run(*root, "db", "upgrade") == 0
    assert cli.run(*root, "run", "set.jsonl", "search:find") == 0


def test_without_saving_no_database_is_needed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert Cli(capsys).run("run", write_set(), write_search(), "--no-save") == 0
    assert not (folder / ".evenhand").exists()


def test_a_missing_optional_part_is_named(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    write_beir(
        Path("docs"), queries=[query("q1")], qrels=[("q1", "d1", 1)], corpus=[document("d1")]
    )
    monkeypatch.setitem(sys.modules, "bm25s", None)
    monkeypatch.delitem(sys.modules, "evenhand.adapters.retrievers.bm25", raising=False)

    assert cli.run("run", "docs", "bm25") == 5
    assert "pip install 'evenhand[bm25]'" in cli.err
    assert cli.stored() == []

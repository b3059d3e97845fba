"""Which report files are refused, and that no file of an earlier run stays."""

import os
from pathlib import Path

import pytest

from tests.adapters.formats.beir_folder import document, query, write_beir
from tests.cli.pairs import write_pair
from tests.cli.typed import Cli, declared, write_module, write_search, write_set

REPORTS = ("--junit", "j.xml", "--markdown", "m.md", "--report", "r.html")
GATE = ("gate", "set.jsonl", "search:find", *declared())
INTERRUPTED = "def find(question, limit):\n    raise KeyboardInterrupt\n"


@pytest.fixture
def project(cli: Cli) -> Cli:
    """A project with a baseline, and a retriever that would be interrupted if it was asked."""
    write_set()
    write_search()
    assert cli.run("run", "set.jsonl", "search:find", *declared()) == 0
    assert cli.run("baseline", "set", "latest") == 0
    assert cli.run("baseline", "export", "base.json") == 0
    return cli


@pytest.mark.parametrize(
    ("given", "code", "why"),
    [
        (("--policy", "gone.toml"), 2, "cannot be read"),
        (("--policy", "folder"), 2, "folder"),
        (("--baseline", "folder"), 2, "folder"),
        ((), 130, "interrupted"),
    ],
    ids=["no policy", "policy is a folder", "baseline is a folder", "Ctrl-C"],
)
def test_a_gate_that_ends_early_leaves_no_report_of_an_earlier_run(
    project: Cli, given: tuple[str, ...], code: int, why: str
) -> None:
    Path("folder").mkdir()
    for name in REPORTS[1::2]:
        Path(name).write_text("Pass", encoding="utf-8")
    write_module(INTERRUPTED)

    assert project.run(*GATE, *REPORTS, *given) == code
    for name in REPORTS[1::2]:
        text = Path(name).read_text(encoding="utf-8")
        assert "no result" in text
        assert why in text
        assert "Pass" not in text


@pytest.mark.parametrize("command", ["run", "ab"])
def test_ctrl_c_and_an_end_of_the_program_leave_no_page_of_an_earlier_run(
    project: Cli, command: str
) -> None:
    sides = ("search:find",) if command == "run" else ("search:find", "other:find")
    for body, code in (("raise KeyboardInterrupt", 130), ("raise SystemExit(0)", 5)):
        Path("r.html").write_text("Better", encoding="utf-8")
        for module in ("search", "other"):
            write_module(f"def find(question, limit):\n    {body}\n", module)
        assert project.run(command, "set.jsonl", *sides, "--report", "r.html") == code
        assert "no result" in Path("r.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("given", [("--unknown",), ("third",)], ids=["option", "operand"])
def test_a_mistake_in_the_command_line_leaves_the_files(
    project: Cli, given: tuple[str, ...]
) -> None:
    Path("m.md").write_text("Pass", encoding="utf-8")
    assert project.run(*GATE, "--markdown", "m.md", *given) == 2
    assert Path("m.md").read_text(encoding="utf-8") == "Pass"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("--baseline", "base.json", "--junit", "base.json"), "(--baseline)"),
        (("--baseline", "base.json", "--junit", "folder/../base.json"), "(--baseline)"),
        (("--baseline", "base.json", "--report", "link.json"), "(--baseline)"),
        (("--baseline", "base.json", "--report", "hard.json"), "(--baseline)"),
        (("--baseline", "new.json", "--markdown", "new.json"), "(--baseline)"),
        (("--junit", "set.jsonl"), "(SET)"),
        (("--junit", "search.py"), "(RETRIEVER)"),
        (("--policy", "p.toml", "--markdown", "p.toml"), "(--policy)"),
        (("--markdown", "gate.toml"), "(gate.toml)"),
        (("--report", "evenhand.toml"), "(evenhand.toml)"),
        (("--report", "old.trec"), "(the configuration of old)"),
        (("--report", "docs.jsonl"), "(the configuration of old)"),
        (("--junit", "new", "--markdown", "new"), "--junit and --markdown name the same file"),
        (("--report", "a.x", "--junit", "./a.x"), "--report and --junit name the same file"),
    ],
    ids=str,
)
def test_a_gate_refuses_a_report_that_would_replace_what_it_reads(
    project: Cli, given: tuple[str, ...], told: str
) -> None:
    Path("folder").mkdir()
    Path("link.json").symlink_to("base.json")
    os.link("base.json", "hard.json")
    for name in ("p.toml", "gate.toml"):
        Path(name).write_text('format = "evenhand.gate-policy/1"\n', encoding="utf-8")
    Path("old.trec").write_text("q1 Q0 d1 1 2.0 t\n", encoding="utf-8")
    Path("docs.jsonl").write_text('{"_id":"d1","text":"t"}\n', encoding="utf-8")
    Path("evenhand.toml").write_text(
        '[retrievers.old]\nuse = "old.trec"\ncorpus = "docs.jsonl"\npipeline = "p"\n',
        encoding="utf-8",
    )
    write_module(INTERRUPTED)
    before = {path: path.read_bytes() for path in Path().iterdir() if path.is_file()}

    assert project.run(*GATE, *given) == 2
    assert told in project.err
    assert {path: path.read_bytes() for path in Path().iterdir() if path.is_file()} == before


def test_each_other_command_refuses_it_too(cli: Cli) -> None:
    name = write_pair()
    Path("a.trec").write_text("q1 Q0 d1 1 2.0 t\n", encoding="utf-8")
    Path("b.trec").write_text("q1 Q0 d1 1 2.0 t\n", encoding="utf-8")
    write_beir(
        Path("beir"), queries=[query("q1")], qrels=[("q1", "d1", 1)], corpus=[document("d1")]
    )
    before = {path: path.read_bytes() for path in Path().rglob("*.trec")}
    compared = ("compare", "a.trec", "b.trec", "--qrels", name)
    for arguments, told in (
        (("run", name, "old", "--report", name), "(SET)"),
        (("run", "beir", "old", "--report", "beir/queries.jsonl"), "(SET)"),
        (("run", "beir", "old", "--report", "beir/qrels/test.tsv"), "(SET)"),
        (("run", name, "old", "--corpus", "beir", "--report", "beir/corpus.jsonl"), "(--corpus)"),
        (("ab", name, "a.trec", "b.trec", "--report", "a.trec"), "(CURRENT)"),
        (("ab", name, "a.trec", "b.trec", "--markdown", "b.trec"), "(CANDIDATE)"),
        ((*compared, "--report", "a.trec"), "(CURRENT)"),
        ((*compared, "--markdown", "b.trec"), "(CANDIDATE)"),
        ((*compared, "--markdown", name), "(--qrels)"),
        (("compare", "old", "new", "--set", name, "--report", name), "(--set)"),
    ):
        assert cli.run(*arguments) == 2, arguments
        assert told in cli.err, arguments
    assert {path: path.read_bytes() for path in Path().rglob("*.trec")} == before
    assert cli.stored() == []


def test_what_is_no_file_may_take_two_reports(project: Cli) -> None:
    assert project.run(*GATE, "--junit", "/dev/null", "--markdown", "/dev/null") == 0


@pytest.mark.parametrize("content", ["", "\n\n"], ids=["empty", "blank lines"])
def test_a_run_file_without_a_row_is_refused_on_either_side(cli: Cli, content: str) -> None:
    name = write_set()
    Path("none.trec").write_text(content, encoding="utf-8")
    Path("one.trec").write_text("q1 Q0 d1 1 2.0 t\n", encoding="utf-8")
    for arguments in (
        ("run", name, "none.trec"),
        ("gate", name, "none.trec"),
        ("ab", name, "none.trec", "one.trec"),
        ("ab", name, "one.trec", "none.trec"),
        ("compare", "none.trec", "one.trec", "--qrels", name, "--corpus", "c"),
        ("compare", "one.trec", "none.trec", "--qrels", name, "--corpus", "c"),
    ):
        assert cli.run(*arguments) == 2, arguments
        assert "none.trec: holds no row [invalid_file]" in cli.err
    assert cli.stored() == []

"""``evenhand sets`` as a user types it."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from evenhand.adapters.formats.sets import read_golden_set, write_golden_set
from evenhand.bootstrap import build_app
from evenhand.cli.main import run_command
from evenhand.core.comparison.set_use import SetUse, SetUseKind
from evenhand.core.retrieval.golden import GoldenQuestion, GoldenSet, LabelProvenance
from evenhand.usecases.ports import UnitOfWork
from tests.adapters.formats.beir_folder import document, query, write_beir, write_lines
from tests.builders import a_question, a_set, a_set_use
from tests.shared_data import shared_data

CANARY = "cli-canary-question"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project that is the working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evenhand.toml").touch()
    return tmp_path


class Terminal:
    """Runs commands and gives what they said."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.out = self.err = ""

    def run(self, *arguments: str) -> int:
        code = run_command(["sets", *arguments])
        self.out, self.err = self._capsys.readouterr()
        return code

    def json(self, *arguments: str, code: int = 0) -> Any:
        assert self.run(*arguments, "--json") == code, self.err
        return json.loads(self.out)


@pytest.fixture
def terminal(project: Path, capsys: pytest.CaptureFixture[str]) -> Terminal:
    assert project.exists()
    return Terminal(capsys)


def good_set(corpus_revision: str = "corpus-1") -> GoldenSet:
    """Twenty questions in which lint finds nothing."""
    questions = [
        GoldenQuestion(
            id=f"q{n}",
            question=f"{CANARY} {n}",
            form="match" if n % 2 else "gap",
            expected_document_ids=[] if n > 15 else [f"d{n}"],
            hard_class="normal",
            reviewed=True,
            label_provenance=LabelProvenance(corpus_revision=corpus_revision),
        )
        for n in range(20)
    ]
    return a_set(*questions)


def test_an_imported_set_is_listed_shown_and_exported_as_it_was(terminal: Terminal) -> None:
    odd = a_set(
        a_question(b"q\xff", "0123", text=b"gr\xf6\xdfe"), a_question("1e5", unjudged=True)
    )
    write_golden_set(odd, Path("odd.jsonl"))
    done = terminal.json("import", "odd.jsonl")
    assert done == {
        "identifier": "tiny", "questions": 2, "holdout": 0, "replaced": False,
        "labels_changed": False, "format": "jsonl",
        "guessed": "its first line states an Evenhand format", "remarks": [], "folder": None,
        "documents_written": None, "judgements_written": None,
    }  # fmt: skip
    assert terminal.json("list") == [
        {
            "identifier": "tiny",
            "name": "Tiny set",
            "questions": 2,
            "holdout": 0,
            "origin": "imported",
        }
    ]
    assert terminal.run("list") == 0
    assert terminal.out == "tiny  2 questions  imported  Tiny set\n"
    for name in ("out.jsonl", "out.yaml"):
        assert terminal.run("export", "tiny", name) == 0
        assert read_golden_set(Path(name)).golden_set == odd
        assert terminal.out == ""
    assert Path("out.jsonl").read_bytes() == Path("odd.jsonl").read_bytes()
    assert terminal.json("export", "tiny", "more.yml") == {
        "identifier": "tiny",
        "questions": 2,
        "holdout": 0,
    }


def test_export_replaces_a_file_only_when_told_to(terminal: Terminal) -> None:
    write_golden_set(a_set(), Path("in.yaml"))
    Path("out.jsonl").write_text("mine")
    assert terminal.run("export", "in.yaml", "out.jsonl") == 2
    assert "--force" in terminal.err
    assert Path("out.jsonl").read_text() == "mine"
    assert terminal.run("export", "in.yaml", "out.jsonl", "--force") == 0
    assert read_golden_set(Path("out.jsonl")).golden_set == a_set()
    assert terminal.run("export", "in.yaml", "out.txt") == 2
    assert not Path("out.txt").exists()


def test_an_import_that_changes_labels_says_that_results_part(terminal: Terminal) -> None:
    write_golden_set(a_set(a_question("q1", "d1")), Path("set.jsonl"))
    assert terminal.run("import", "set.jsonl") == 0
    assert terminal.out == "imported tiny: 1 question\n"
    write_golden_set(a_set(a_question("q1", "d2")), Path("set.jsonl"))
    assert terminal.run("import", "set.jsonl") == 0
    assert terminal.out == "replaced tiny: 1 question\n"
    assert "its labels changed" in terminal.err
    write_golden_set(a_set(a_question("q1", "d3")), Path("set.jsonl"))
    assert terminal.run("import", "set.jsonl", "-q") == 0
    assert terminal.err == ""


def test_bad_input_names_file_line_and_rule_and_stores_nothing(terminal: Terminal) -> None:
    write_golden_set(a_set(), Path("set.jsonl"))
    with Path("set.jsonl").open("a") as stream:
        stream.write(f'{{"id": 7, "question": "{CANARY}"}}\n')
    assert terminal.run("import", "set.jsonl") == 2
    assert terminal.out == ""
    assert "set.jsonl, line 6: id must be text, not number" in terminal.err
    assert CANARY not in terminal.err
    assert terminal.json("list") == []


def test_a_bad_import_leaves_the_set_that_was_there(terminal: Terminal) -> None:
    write_golden_set(a_set(), Path("set.jsonl"))
    assert terminal.run("import", "set.jsonl") == 0
    Path("set.jsonl").write_bytes(Path("set.jsonl").read_bytes()[:-10])
    assert terminal.run("import", "set.jsonl") == 2
    assert terminal.run("export", "tiny", "out.yaml") == 0
    assert read_golden_set(Path("out.yaml")).golden_set == a_set()


def test_an_import_of_a_folder_says_what_was_not_judged(terminal: Terminal) -> None:
    queries = [query(f"q{n}") for n in range(1, 5)]
    folder = Path("Some-Set")
    write_beir(folder, queries=queries, qrels=[("q1", "d1", 1), ("q2", "d1", 0)], split="dev")
    write_beir(folder, queries=queries, qrels=[("q1", "d1", 1), ("q3", "d1", 1)], split="train")
    assert terminal.run("import", "Some-Set", "--split", "dev") == 0
    assert terminal.out == "imported some_set: 3 questions\n"
    for line in (
        "judgements of the split dev: 2",
        "judged in another split: 1",
        "unjudged queries, in no rate: 1",
        "no relevant document and not listed as having no answer, in no rate: 1",
    ):
        assert line in terminal.err
    assert terminal.json("import", "Some-Set", "--split", "dev")["folder"] == {
        "split": "dev",
        "judgements": 2,
        "no_answer": 0,
        "unjudged": 1,
        "only_nonrelevant": 1,
        "other_splits": 1,
    }


def test_show_gives_counts_and_texts_only_when_asked(terminal: Terminal) -> None:
    write_golden_set(good_set(), Path("set.yaml"))
    assert terminal.run("show", "set.yaml") == 0
    assert CANARY not in terminal.out
    for line in (
        "  origin        file",
        f"  labels        {good_set().labels_fingerprint[:15]}…",
        "  questions     20: 16 answerable, 4 without an answer, 0 unjudged",
        "  forms         match 10, gap 10",
        "  hard classes  normal 20",
        "  targets       16 on 16 documents",
        "  reviewed      1.000 (20 of 20)",
        "    where the two disagree on 10%: none",
    ):
        assert line in terminal.out.splitlines()
    assert terminal.run("show", "set.yaml", "--questions") == 0
    assert f"q3 (match, normal, reviewed)\n  {CANARY} 3\n  d3\n" in terminal.out
    found = terminal.json("show", "set.yaml")
    assert CANARY not in json.dumps(found)
    assert (found["questions"], found["answerable"], found["reviewed"]) == (20, 16, 20)
    assert found["detectable_differences"]["questions"] == 16
    assert len(terminal.json("show", "set.yaml", "--questions")["items"]) == 20


def test_show_never_writes_raw_control_characters(terminal: Terminal) -> None:
    evil = "\x1b]0;x\x07\u202e"
    write_golden_set(
        a_set(a_question(f"q{evil}", f"d{evil}", text=evil, hard_class=evil), name=f"N{evil}"),
        Path("set.jsonl"),
    )
    assert terminal.run("show", "set.jsonl", "--questions") == 0
    assert not set(terminal.out) & set(evil[0] + evil[-1] + "\x07")


def test_an_unknown_set_exits_2_and_names_the_known_ones(terminal: Terminal) -> None:
    write_golden_set(a_set(), Path("set.jsonl"))
    assert terminal.run("import", "set.jsonl") == 0
    for command in (("show",), ("lint",), ("export", "out.yaml")):
        assert terminal.run(command[0], "nope", *command[1:]) == 2
        assert "no golden set 'nope' (known: tiny)" in terminal.err


def test_lint_exits_0_when_nothing_is_found(terminal: Terminal) -> None:
    write_golden_set(good_set(), Path("set.yaml"))
    write_lines(Path("corpus.jsonl"), [document(f"d{n}") for n in range(16)])
    assert terminal.run("lint", "set.yaml", "--corpus", "corpus.jsonl") == 0
    assert "\nfindings: 0\n  That is about how the set is made" in terminal.out
    assert terminal.json("lint", "set.yaml")["findings"] == []


def test_lint_exits_1_with_its_findings_and_the_table(terminal: Terminal) -> None:
    write_golden_set(good_set(), Path("set.yaml"))
    write_lines(Path("corpus.jsonl"), [document(f"d{n}") for n in range(14)])
    found = terminal.json("lint", "set.yaml", "--corpus", "corpus.jsonl", code=1)
    assert [one["rule"] for one in found["findings"]] == ["missing_target"] * 2
    assert [one["documents"] for one in found["findings"]] == [["d14"], ["d15"]]
    assert [row["discordance"] for row in found["detectable_differences"]["rows"]] == [
        0.1,
        0.2,
        0.3,
    ]
    assert terminal.run("lint", "set.yaml", "--corpus", "corpus.jsonl") == 1
    assert (
        "missing_target: 1 of 1 targets are not in the corpus\n  questions q14\n" in terminal.out
    )
    assert "\nfindings: 2\n" in terminal.out
    ignoring = ("--corpus", "corpus.jsonl", "--ignore", "missing_target")
    assert terminal.run("lint", "set.yaml", *ignoring) == 0


def test_lint_reports_a_file_that_breaks_a_rule_as_its_finding(terminal: Terminal) -> None:
    write_golden_set(a_set(), Path("set.jsonl"))
    first = Path("set.jsonl").read_bytes().splitlines(keepends=True)[1]
    Path("set.jsonl").write_bytes(Path("set.jsonl").read_bytes() + first)
    (finding,) = terminal.json("lint", "set.jsonl", code=1)["findings"]
    assert (finding["rule"], finding["line"]) == ("invalid_file", 6)
    assert "one id occurs on line 2 and on line 6" in finding["message"]
    assert terminal.run("lint", "set.jsonl") == 1
    assert "set.jsonl, line 6: one id occurs" in terminal.out


@pytest.mark.proves("C-18", "C-19")
def test_lint_says_whether_a_set_may_be_a_suite_over_a_corpus(terminal: Terminal) -> None:
    from evenhand.adapters.formats.corpus_manifest import corpus_digest_of

    write_lines(Path("corpus.jsonl"), [document(f"d{n}") for n in range(16)])
    asked = ("--corpus", "corpus.jsonl", "--suite")
    write_golden_set(good_set(corpus_digest_of(Path("corpus.jsonl"))), Path("set.yaml"))
    assert terminal.run("lint", "set.yaml", *asked) == 0
    write_golden_set(good_set("corpus-1"), Path("set.yaml"))
    found = terminal.json("lint", "set.yaml", *asked, code=1)["findings"]
    assert [one["rule"] for one in found] == ["suite_corpus"]
    write_golden_set(a_set(), Path("set.yaml"))
    found = terminal.json("lint", "set.yaml", *asked, code=1)["findings"]
    assert {"suite_review", "suite_corpus"} <= {one["rule"] for one in found}
    assert terminal.run("lint", "set.yaml", "--suite") == 2


def test_a_broken_corpus_is_no_finding_but_an_error(terminal: Terminal) -> None:
    write_golden_set(good_set(), Path("set.yaml"))
    Path("corpus.jsonl").write_text("{")
    assert terminal.run("lint", "set.yaml", "--corpus", "corpus.jsonl") == 2
    assert "corpus.jsonl, line 1: is not JSON" in terminal.err


def test_a_real_collection_is_linted(terminal: Terminal) -> None:
    found = terminal.json("lint", str(shared_data("squad2-dev-half")), code=1)
    rules = [one["rule"] for one in found["findings"]]
    assert rules.count("duplicate_text") == 10
    assert rules[10:] == ["form_balance", "no_answer_share", "unreviewed"]
    assert (found["answerable"], found["no_answer"]) == (2910, 3168)


def test_show_says_how_many_decisions_rest_on_the_labels(
    terminal: Terminal, project: Path
) -> None:
    write_golden_set(a_set(), project / "tiny.jsonl")
    app = build_app()
    for number, kind in enumerate((SetUseKind.GATE, SetUseKind.COMPARE, SetUseKind.GATE)):
        use = a_set_use(number=number, kind=kind)
        app.database.run(partial(_note, use))
    app.close()
    assert terminal.run("show", "tiny.jsonl") == 0
    assert "3 in this database rest on these labels: compare 1, gate 2" in terminal.out
    decisions = terminal.json("show", "tiny.jsonl")["decisions"]
    assert decisions == {"total": 3, "compare": 1, "ab": 0, "gate": 2, "holdout": 0}
    assert terminal.json("lint", "tiny.jsonl", code=1)["decisions"] is None


def _note(use: SetUse, uow: UnitOfWork) -> None:
    uow.set_uses.add(use)


def test_show_makes_no_database_to_look_for_decisions(terminal: Terminal, project: Path) -> None:
    write_golden_set(a_set(), project / "tiny.jsonl")
    assert terminal.json("show", "tiny.jsonl")["decisions"]["total"] == 0
    assert terminal.run("show", "tiny.jsonl") == 0
    assert "none in this database rest on these labels yet" in terminal.out
    assert not (project / ".evenhand").exists()

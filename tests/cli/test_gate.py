"""``evenhand gate`` as a user types it: exit codes, and what each report says."""

import json
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest

from evenhand.adapters.formats.gate_policy import default_policy_text
from evenhand.core.retrieval.golden import GoldenSet
from tests.builders import a_question, a_set
from tests.cli.typed import Cli, declared, write_module, write_search, write_set

QUESTIONS = 60
#: A question that the policy may name, and its digest.
FORMAT = 'format = "evenhand.gate-policy/1"\n'


def a_large_set(critical: Sequence[int] = ()) -> GoldenSet:
    return a_set(
        *(
            a_question(f"q{number}", "d", critical=number in critical)
            for number in range(QUESTIONS)
        )
    )


def search(hits: int) -> str:
    """A retriever that finds the target of the first so many questions."""
    return write_search(
        {f"q{number}": ["d" if number < hits else "x"] for number in range(QUESTIONS)}
    )


def gate(cli: Cli, *arguments: str, model: str = "m") -> int:
    return cli.run("gate", "set.jsonl", "search:find", *declared(model=model), *arguments)


@pytest.fixture
def project(cli: Cli) -> Cli:
    """A project whose baseline hits 50 of 60 questions, in the store and in a file."""
    write_set("set.jsonl", a_large_set())
    search(50)
    assert cli.run("run", "set.jsonl", "search:find", *declared()) == 0
    assert cli.run("baseline", "set", "latest") == 0
    assert cli.run("baseline", "export", "baseline.json") == 0
    return cli


@pytest.mark.parametrize(
    ("hits", "policy", "code", "word"),
    [
        (50, "", 0, "Pass"),
        (60, "", 0, "Pass"),
        (46, "", 0, "Inconclusive"),
        (46, 'inconclusive = "fail"', 4, "Inconclusive"),
        (30, "", 1, "Fail"),
        (0, "", 1, "Fail"),
        (60, '[floors]\n"Success@3" = 1', 0, "Pass"),
        (59, '[floors]\n"Success@3" = 1', 1, "Fail"),
        (50, "[floors]\nabstention = 0", 4, "Incomplete"),
    ],
)
def test_the_exit_code_follows_from_the_state(
    project: Cli, hits: int, policy: str, code: int, word: str
) -> None:
    search(hits)
    Path("gate.toml").write_text(FORMAT + policy)
    assert gate(project, model="m2" if hits != 50 else "m") == code
    assert f"Gate: {word}" in project.out
    assert "policy gate.toml" in project.out


def test_the_baseline_may_come_from_a_file_and_then_no_store_is_needed(project: Cli) -> None:
    Path(".evenhand/evenhand.db").unlink()
    search(0)
    assert gate(project, "--baseline", "baseline.json", "--no-save") == 1
    search(50)
    assert gate(project, "--baseline", "baseline.json", "--no-save") == 0
    assert not Path(".evenhand/evenhand.db").exists()


def test_without_a_baseline_it_exits_3_and_says_how_to_set_one(cli: Cli) -> None:
    write_set("set.jsonl", a_large_set())
    search(50)
    assert gate(cli) == 3
    assert "Gate: Incomparable" in cli.out
    assert "evenhand baseline set latest" in cli.err
    assert "--allow-first" in cli.err
    assert gate(cli, "--baseline", "gone.json") == 3
    assert "evenhand baseline export" in cli.err


def test_a_first_result_may_pass_but_must_meet_what_concerns_it_alone(cli: Cli) -> None:
    write_set("set.jsonl", a_large_set())
    search(50)
    assert gate(cli, "--allow-first") == 0
    assert "warning: no baseline" in cli.err
    Path("strict.toml").write_text(f'{FORMAT}[floors]\n"Success@1" = 0.9\n')
    assert gate(cli, "--allow-first", "--policy", "strict.toml") == 1


def test_a_retriever_that_does_not_say_what_it_runs_is_incomparable_even_as_a_first(
    cli: Cli,
) -> None:
    write_set("set.jsonl", a_large_set())
    search(50)
    assert cli.run("gate", "set.jsonl", "search:find", "--allow-first") == 3
    assert "does not say what it runs" in cli.err


@pytest.mark.parametrize("label", ["corpus", "labels"])
def test_another_benchmark_exits_3_and_no_report_holds_a_difference(
    project: Cli, label: str
) -> None:
    search(0)
    flags = declared(corpus="other") if label == "corpus" else declared()
    if label == "labels":
        write_set("set.jsonl", a_set(*(a_question(f"q{n}", "e") for n in range(QUESTIONS))))
    reports = ("--junit", "j.xml", "--markdown", "m.md", "--report", "r.html")
    found = project.json("gate", "set.jsonl", "search:find", *flags, *reports, code=3)
    assert found["state"] == "incomparable"
    assert found["comparison"]["differences"] is None
    assert {one["code"] for one in found["findings"]} == {"verdict", "max_failed_share"}
    assert project.run("gate", "set.jsonl", "search:find", *flags) == 3
    # The line of earlier results breaks between the two; it holds each for itself.
    page, earlier = Path("r.html").read_text().split("Earlier results")
    assert "what follows is not compared with what stands above" in earlier
    for text in (project.out, Path("j.xml").read_text(), Path("m.md").read_text(), page):
        for word in ("lower 95", "0.833", "drop of", "won 0", "lost 50"):
            assert word not in text


def test_too_many_failed_questions_exit_5(project: Cli) -> None:
    write_module("def find(question, limit):\n    raise ValueError('canary')\n")
    assert gate(project) == 5
    write_module(
        "def find(question, limit):\n"
        "    if int(question[1:]) < 10:\n"
        "        raise ValueError('canary')\n"
        "    return ['d']\n"
    )
    assert gate(project) == 5
    assert "Gate: Incomplete" in project.out
    assert "canary" not in project.out + project.err


def test_the_share_of_failed_questions_is_the_policys_where_it_states_one(project: Cli) -> None:
    write_module(
        "def find(question, limit):\n"
        "    if int(question[1:]) < 10:\n"
        "        raise ValueError\n"
        "    return []\n"
    )
    Path("gate.toml").write_text(f"{FORMAT}[completeness]\nmax_failed_share = 0.5\n")
    assert gate(project) == 1
    Path("evenhand.toml").write_text("max_failed_share = 0.5\n")
    Path("gate.toml").write_text(FORMAT)
    assert gate(project) == 1
    Path("evenhand.toml").write_text("")
    assert gate(project) == 5


def test_ctrl_c_exits_130(project: Cli) -> None:
    write_module("def find(question, limit):\n    raise KeyboardInterrupt\n")
    assert gate(project) == 130


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--policy", "gone.toml"), "gone.toml"),
        (("--junit", "gone/j.xml"), "--junit: the folder"),
        (("--markdown", "gone/m.md"), "--markdown: the folder"),
        (("--report", "gone/r.html"), "--report: the folder"),
        (("--depth", "0"), "depth"),
        (("--baseline", "set.jsonl"), "set.jsonl"),
    ],
)
def test_what_is_typed_wrongly_exits_2_before_the_first_question(
    project: Cli, arguments: tuple[str, ...], told: str
) -> None:
    write_module("def find(question, limit):\n    raise KeyboardInterrupt\n")
    assert gate(project, *arguments) == 2
    assert told in project.err


def test_a_policy_with_an_unknown_key_exits_2_and_names_file_and_key(project: Cli) -> None:
    Path("gate.toml").write_text(f"{FORMAT}marigin = 0.1\n")
    assert gate(project) == 2
    assert "gate.toml: marigin: is not a key of a gate policy [invalid_file]" in project.err


def test_lost_critical_questions_are_named(cli: Cli) -> None:
    write_set("set.jsonl", a_large_set(critical=[3]))
    search(QUESTIONS)
    assert cli.run("run", "set.jsonl", "search:find", *declared()) == 0
    assert cli.run("baseline", "set", "latest") == 0
    write_search({f"q{n}": ["x" if n == 3 else "d"] for n in range(QUESTIONS)})
    assert gate(cli, "--junit", "j.xml", "--markdown", "m.md") == 1
    assert "critical questions: 1 lost" in cli.out
    failure = ElementTree.parse("j.xml").find("testsuite/testcase/failure")  # noqa: S314 -- our own
    assert failure is not None
    assert failure.get("message") == "fail: 1 lost, at most 0: q3"
    assert "`q3`" in Path("m.md").read_text()


def test_junit_has_one_case_per_demand_and_counts_them(project: Cli) -> None:
    search(0)
    assert gate(project, "--junit", "j.xml", model="m2") == 1
    suite = ElementTree.parse("j.xml").getroot()[0]  # noqa: S314 -- our own
    found = project.json("gate", "set.jsonl", "search:find", *declared(model="m2"), code=1)
    assert suite.get("tests") == str(len(suite)) == str(len(found["findings"]))
    assert (suite.get("failures"), suite.get("errors")) == ("1", "0")
    failed = [case.get("name") for case in suite if case.find("failure") is not None]
    assert failed == ["margin, Success@1"]


@pytest.mark.parametrize(("rule", "errors"), [("warn", "0"), ("fail", "1")])
def test_an_inconclusive_gate_is_an_error_in_junit_only_where_it_is_refused(
    project: Cli, rule: str, errors: str
) -> None:
    search(46)
    Path("gate.toml").write_text(f'{FORMAT}inconclusive = "{rule}"\n')
    assert gate(project, "--junit", "j.xml", model="m2") == (4 if rule == "fail" else 0)
    suite = ElementTree.parse("j.xml").getroot()[0]  # noqa: S314 -- our own
    assert (suite.get("failures"), suite.get("errors")) == ("0", errors)


def test_markdown_goes_to_the_step_summary_too(
    project: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("summary.md").write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    assert gate(project, "--markdown", "m.md") == 0
    assert Path("summary.md").read_text() == "before\n" + Path("m.md").read_text()
    assert "Gate: Pass" in Path("m.md").read_text()


def test_a_summary_that_cannot_be_written_exits_5_after_the_files_that_were_asked_for(
    project: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "nodir/x")
    reports = {"--markdown": "m.md", "--junit": "j.xml", "--report": "r.html"}
    assert gate(project, *(word for pair in reports.items() for word in pair)) == 5
    assert "cannot be written: No such file" in project.err
    assert "GITHUB_STEP_SUMMARY" in project.err
    assert "[unwritable_file]" in project.err
    assert all(Path(name).stat().st_size for name in reports.values())


@pytest.mark.parametrize("option", ["--junit", "--markdown", "--report"])
def test_a_report_to_a_full_disk_exits_5(project: Cli, option: str) -> None:
    assert gate(project, option, "/dev/full") == 5
    assert "/dev/full: cannot be written: No space left on device" in project.err


def test_junit_says_what_moved_and_what_helps(project: Cli) -> None:
    flags = declared(corpus="other")
    assert project.run("gate", "set.jsonl", "search:find", *flags, "--junit", "j.xml") == 3
    (error,) = ElementTree.parse("j.xml").getroot().iter("error")  # noqa: S314 -- our own
    message, text = error.get("message") or "", error.text or ""
    assert message.startswith("incomparable: the verdict is mismatch: corpus: ")
    assert text.startswith(f"{message}\n")
    assert "\nevenhand ab set.jsonl BEFORE search:find" in text


def said_in_every_report(cli: Cli, *arguments: str, code: int = 0) -> list[dict[str, object]]:
    """The checks of the JSON document, which the other reports have to put into words."""
    command = ("gate", "set.jsonl", *arguments, "--no-save")
    found = cli.json(*command, code=code)
    assert cli.run(*command, "--markdown", "m.md", "--report", "r.html") == code
    for text in (cli.out, Path("m.md").read_text(), Path("r.html").read_text()):
        told = "came a document that the corpus at hand lacks" in " ".join(text.split())
        assert told is any(one["code"] == "outside_corpus" for one in found["checks"])
    return list(found["checks"])


@pytest.mark.parametrize("baseline", ["baseline.json", "none.json"])
def test_documents_outside_the_corpus_are_said_and_decide_nothing(
    project: Cli, baseline: str
) -> None:
    Path("corpus.jsonl").write_text('{"_id": "d", "text": "t"}\n')
    Path("evenhand.toml").write_text(
        '[retrievers.out]\nuse = "search:find"\ncorpus = "corpus.jsonl"\n'
        'model = "m"\nchunking = "c"\npipeline = "p"\n'
    )
    assert project.run("run", "set.jsonl", "out") == 0
    assert project.run("baseline", "set", "latest") == 0
    assert project.run("baseline", "export", "baseline.json", "tiny", "out", "--force") == 0
    first = ("--allow-first",) if baseline == "none.json" else ()
    found = said_in_every_report(project, "out", "--baseline", baseline, *first)
    assert found == [
        {"code": "outside_corpus", "side": "candidate", "questions": 10, "looked_at": 60}
    ]
    search(60)
    found = said_in_every_report(project, "out", "--baseline", baseline, *first)
    moved = ["same_fingerprints_other_rankings"] if baseline == "baseline.json" else []
    assert [one["code"] for one in found] == moved


def test_other_rankings_under_equal_labels_are_said_beside_the_baseline(project: Cli) -> None:
    search(51)
    found = project.json("gate", "set.jsonl", "search:find", *declared())
    moved = {
        "code": "same_fingerprints_other_rankings",
        "side": "both",
        "questions": 1,
        "looked_at": 60,
    }
    assert found["state"] == "pass"
    assert found["checks"] == found["comparison"]["checks"] == [moved]
    assert gate(project) == 0
    assert "Both sides declare the same of everything, and 1 of 60" in " ".join(
        project.out.split()
    )


def test_other_rankings_under_equal_labels_are_said_beside_the_previous_result(
    project: Cli,
) -> None:
    search(51)
    assert gate(project) == 0
    search(50)
    # The baseline ranked the same, and the result in between did not.
    assert gate(project, "--markdown", "m.md") == 0
    for text in (project.out, Path("m.md").read_text()):
        assert "The candidate and the result before it declare the same" in " ".join(text.split())
    search(49)
    arguments = ("--baseline", "none.json", "--allow-first")
    found = project.json("gate", "set.jsonl", "search:find", *declared(), *arguments)
    assert [one["code"] for one in found["checks"]] == ["same_fingerprints_other_rankings"]


def test_other_rankings_under_equal_labels_are_said_beside_a_baseline_file(project: Cli) -> None:
    search(47)
    arguments = ("set.jsonl", "search:find", *declared(), "--baseline", "baseline.json")
    found = project.json("gate", *arguments, "--no-save")
    assert (
        found["checks"]
        == found["comparison"]["checks"]
        == [
            {
                "code": "same_fingerprints_other_rankings",
                "side": "both",
                "questions": 3,
                "looked_at": 60,
                "at_least": True,
            }
        ]
    )
    assert project.run("gate", *arguments) == 0
    assert (
        "Both sides declare the same of everything, and at least 3 of 60 questions were ranked "
        "otherwise, as outcomes show: something" in " ".join(project.out.split())
    )
    compared = project.json("compare", "baseline.json", "latest")
    assert compared["checks"] == found["checks"]


def test_the_json_document_says_what_was_decided(project: Cli) -> None:
    search(0)
    found = project.json("gate", "set.jsonl", "search:find", *declared(model="m2"), code=1)
    assert (found["format"], found["state"], found["exit_code"], found["verdict"]) == (
        "evenhand.gate/1",
        "fail",
        1,
        "comparable",
    )
    (margin,) = [one for one in found["findings"] if one["code"] == "margin"]
    assert margin["found"] < margin["wanted"] == -0.1
    assert found["evaluation_id"] == project.stored()[0]["id"]
    assert found["comparison"]["candidate"]["retriever"] == "search:find"


def test_each_decision_is_noted_in_the_ledger_and_a_refusal_is_none(project: Cli) -> None:
    first = project.json("gate", "set.jsonl", "search:find", *declared())
    second = project.json("gate", "set.jsonl", "search:find", *declared())
    assert (first["comparison"]["set_uses"], second["comparison"]["set_uses"]) == (1, 2)
    assert project.run("gate", "set.jsonl", "search:find", *declared(corpus="other")) == 3
    third = project.json("gate", "set.jsonl", "search:find", *declared())
    assert third["comparison"]["set_uses"] == 3


def test_init_writes_the_commented_default_once(cli: Cli) -> None:
    assert cli.run("gate", "init") == 0
    assert Path("gate.toml").read_text() == default_policy_text()
    Path("gate.toml").write_text("mine")
    assert cli.run("gate", "init") == 2
    assert Path("gate.toml").read_text() == "mine"
    assert cli.run("gate", "init", "--force", "-q") == 0
    assert cli.err == ""
    assert cli.json("gate", "init", "other.toml") == {"written": "other.toml"}
    assert "commented gate policy" in _help(cli, "gate", "init")
    assert "gate init" in _help(cli, "gate")


def _help(cli: Cli, *command: str) -> str:
    assert cli.run(*command, "--help") == 0
    return cli.out


def test_a_written_policy_changes_nothing_until_it_is_edited(project: Cli) -> None:
    def findings() -> object:
        found = project.json("gate", "set.jsonl", "search:find", *declared())
        return json.loads(json.dumps(found["findings"]))

    built_in = findings()
    assert project.run("gate", "init") == 0
    assert findings() == built_in


def test_the_page_shows_every_demand_and_what_it_rests_on(project: Cli) -> None:
    Path("gate.toml").write_text(FORMAT + '[floors]\n"Success@3" = 1')
    search(30)
    assert gate(project, "--report", "page.html", model="m2") == 1
    page = Path("page.html").read_text()
    for shown in ("Gate:", "floor, Success@3", "margin, Success@1", "0.500, at least 1.000"):
        assert shown in page
    assert "Against the baseline" in page
    assert "Earlier results" in page
    assert gate(project, "--report", "first.html", "--baseline", "none.json") == 3
    first = Path("first.html").read_text()
    assert "comparability" in first
    assert "Against the baseline" not in first
    assert "Splits" in first


def test_the_baseline_of_another_retriever_is_told_of(project: Cli) -> None:
    write_module("from search import find as tried\n", "trial")
    assert project.run("gate", "set.jsonl", "trial:tried", *declared(pipeline="p2")) == 3
    said = project.err
    assert "evenhand baseline export FILE tiny search:find" in said
    again = next(line for line in said.splitlines() if line.endswith("--baseline FILE"))
    assert project.run("baseline", "export", "other.json", "tiny", "search:find") == 0
    command = again.replace("FILE", "other.json").split()[1:]
    assert project.run(*command) == 0


REPORTS = ("--junit", "j.xml", "--markdown", "m.md", "--report", "r.html")


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("def find(question, limit):\n    raise TimeoutError('canary')\n", "[nothing_scored]"),
        ("raise ValueError('canary')\n", "importing it raised ValueError [code_failed]"),
        ("def found(question, limit):\n    return []\n", "[retriever_not_found]"),
    ],
    ids=["nothing scored", "broken module", "no such function"],
)
def test_without_a_result_no_report_of_an_earlier_run_stays(
    project: Cli, monkeypatch: pytest.MonkeyPatch, source: str, why: str
) -> None:
    assert gate(project, *REPORTS) == 0
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    write_module(source)
    code = gate(project, *REPORTS)
    assert code == (2 if "not_found" in why else 5)
    suite = ElementTree.parse("j.xml").getroot()[0]  # noqa: S314 -- our own
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("1", "0", "1")
    [error] = suite.iter("error")
    assert why in str(error.get("message"))
    texts = [Path(name).read_text() for name in (*REPORTS[1::2], "summary.md")]
    assert all("no result" in text for text in texts)
    assert not any("canary" in text or "Pass" in text for text in texts)


def test_an_error_that_nobody_foresaw_is_told_by_its_class(
    project: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*given: object, **named: object) -> None:
        raise ZeroDivisionError("canary")

    monkeypatch.setattr("evenhand.gating.run_gate", broken)
    assert gate(project, "--junit", "j.xml") == 5
    assert "unexpected ZeroDivisionError" in Path("j.xml").read_text()
    assert "canary" not in Path("j.xml").read_text()


def test_a_mistake_in_the_command_line_changes_no_report(project: Cli) -> None:
    assert gate(project, "--junit", "j.xml") == 0
    before = Path("j.xml").read_bytes()
    assert gate(project, "--junit", "j.xml", "--report", "nowhere/r.html") == 2
    assert Path("j.xml").read_bytes() == before


def test_a_measure_may_be_spelt_with_what_it_takes_by_default(project: Cli) -> None:
    Path("gate.toml").write_text(f'{FORMAT}primary = "RBP(p=0.8)"\n')
    found = project.json("gate", "set.jsonl", "search:find", *declared())
    assert found["comparison"]["primary"] == "RBP(rel=1)"


def test_a_measure_that_no_question_has_is_incomplete(cli: Cli) -> None:
    write_set("set.jsonl", a_set(*(a_question(f"q{number}") for number in range(5))))
    search(0)
    assert cli.run("run", "set.jsonl", "search:find", *declared()) == 0
    assert cli.run("baseline", "set", "latest") == 0
    Path("gate.toml").write_text(f'{FORMAT}primary = "nDCG@10"\n')
    assert gate(cli, model="m2") == 4
    assert "the set asks no such questions" in cli.out

"""The pytest plugin as a project uses it, each run in a process of its own."""

import json
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parent.parent
QUESTIONS = 40
#: Plugins that a project might have and these do not need; some load a second long.
UNUSED = ("cacheprovider", "schemathesis", "hypothesispytest", "anyio", "pytest_cov")
SEARCH = """
def good(question, limit):
    return [question.replace("question", "answer")]

def broken(question, limit):
    return ["answer of nothing"]

def weaker(question, limit):
    return good(question, limit) if int(question.split()[1]) > 2 else ["x"]

STATED = dict(corpus="c", model="not-applicable", chunking="not-applicable", pipeline="p")
"""
TESTS = """
from search import STATED, broken, good

def test_good(evenhand):
    evenhand.gate("set.jsonl", good, baseline="good.json", **STATED)

def test_other(evenhand):
    evenhand.gate("set.jsonl", good, baseline="other.json", **STATED)
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """A project with a set and retrievers, no baseline yet."""
    lines = ['{"format":"evenhand.golden/1","identifier":"toy","name":"Toy"}']
    lines += [
        f'{{"id":"q{n}","question":"question {n}","form":"match",'
        f'"expected_document_ids":["answer {n}"]}}'
        for n in range(QUESTIONS)
    ]
    (pytester.path / "set.jsonl").write_text("\n".join(lines) + "\n")
    (pytester.path / "evenhand.toml").touch()
    pytester.makepyfile(search=SEARCH, test_it=TESTS)
    pytester.makeini("[pytest]\npythonpath = .\nfilterwarnings = error\n")
    return pytester


def run(project: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    # An installed Evenhand is found by its entry point; a plugin is not loaded twice.
    found = entry_points(group="pytest11", name="evenhand")
    plugin = () if found else ("-p", "evenhand.pytest_plugin")
    others = [part for name in UNUSED for part in ("-p", f"no:{name}")]
    return project.runpytest_subprocess(*plugin, *others, *arguments)


_WRITTEN: dict[str, bytes] = {}


def write_baselines(project: pytest.Pytester) -> None:
    """Baselines as the plugin writes them; written once, as each run of pytest takes a while."""
    if not _WRITTEN:
        run(project, "--evenhand-write-baselines").assert_outcomes(passed=2)
        files = project.path.glob("*.json")
        _WRITTEN.update({file.name: file.read_bytes() for file in files})
    for name, content in _WRITTEN.items():
        (project.path / name).write_bytes(content)


def results(project: pytest.Pytester) -> dict[str, list[dict[str, object]]]:
    document = json.loads((project.path / "results.json").read_text())
    assert document["format"] == "evenhand.pytest/1"
    cases: dict[str, list[dict[str, object]]] = document["cases"]
    return cases


def test_the_entry_point_names_the_plugin() -> None:
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert stated["project"]["entry-points"]["pytest11"] == {"evenhand": "evenhand.pytest_plugin"}


def test_importing_the_plugin_loads_nothing_but_pytest() -> None:
    code = "import evenhand.pytest_plugin, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert [name for name in loaded if name.startswith("evenhand")] == [
        "evenhand",
        "evenhand.pytest_plugin",
    ]
    assert {"numpy", "sqlalchemy", "msgspec", "click", "rich"}.isdisjoint(loaded)


def test_an_equal_retriever_passes_and_a_broken_one_fails_with_the_report(
    project: pytest.Pytester,
) -> None:
    write_baselines(project)
    green = run(project)
    green.assert_outcomes(passed=2)
    green.stdout.fnmatch_lines(["*evenhand gates*", "pass *test_it.py::test_good*"])
    assert not (project.path / ".evenhand").exists()
    project.makepyfile(
        test_it=TESTS.replace('jsonl", good, baseline="good', 'jsonl", broken, baseline="good')
    )
    red = run(project)
    red.assert_outcomes(passed=1, failed=1)
    red.stdout.fnmatch_lines(
        ["*Gate: Fail*", "*margin, Success@1*", "fail *test_it.py::test_good*"]
    )


def test_without_a_baseline_a_gate_fails_unless_a_first_result_may_pass(
    project: pytest.Pytester,
) -> None:
    run(project).assert_outcomes(failed=2)
    run(project, "--evenhand-allow-first").assert_outcomes(passed=2)


def test_a_retriever_that_raises_is_an_error_and_no_verdict(project: pytest.Pytester) -> None:
    write_baselines(project)
    project.makepyfile(
        test_it="""
        from search import STATED

        def down(question, limit):
            raise RuntimeError("canary")

        def test_down(evenhand):
            evenhand.gate("set.jsonl", down, baseline="good.json", **STATED)
        """
    )
    done = run(project)
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*NothingScored*"])
    done.stdout.no_fnmatch_line("*Gate:*")


def test_arguments_win_over_the_marker_and_the_marker_over_options(
    project: pytest.Pytester,
) -> None:
    write_baselines(project)
    head = 'format = "evenhand.gate-policy/1"\n'
    (project.path / "strict.toml").write_text(f'{head}[floors]\n"Success@1" = 1\n')
    (project.path / "loose.toml").write_text(head + "margin = 1\n")
    project.makepyfile(
        test_it="""
        import pytest
        from search import STATED, weaker

        def gate(evenhand, **given):
            evenhand.gate("set.jsonl", weaker, **STATED, **given)

        @pytest.mark.evenhand(policy="loose.toml", baseline="good.json")
        def test_marker(evenhand):
            gate(evenhand)

        @pytest.mark.evenhand(policy="strict.toml", baseline="good.json")
        def test_call(evenhand):
            gate(evenhand, policy="loose.toml")

        def test_option(evenhand):
            gate(evenhand, baseline="good.json")
        """
    )
    run(project, "--evenhand-policy", "strict.toml").assert_outcomes(passed=2, failed=1)
    run(project, "--evenhand-policy", "loose.toml").assert_outcomes(passed=3)


def test_a_marker_with_an_unknown_argument_is_refused(project: pytest.Pytester) -> None:
    project.makepyfile(
        test_it="""
        import pytest

        @pytest.mark.evenhand(polcy="x")
        def test_it(evenhand):
            evenhand.gate("set.jsonl", len)
        """
    )
    done = run(project)
    done.stdout.fnmatch_lines(["*evenhand marker takes policy, baseline, allow_first*"])
    assert done.ret != 0


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_results_are_written_by_one_process_and_a_filtered_run_deletes_nothing(
    project: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    write_baselines(project)
    options = (*workers, "--evenhand-results", "results.json")
    run(project, *options).assert_outcomes(passed=2)
    before = results(project)
    assert set(before) == {"test_it.py::test_good", "test_it.py::test_other"}
    project.makepyfile(
        test_it=TESTS.replace('jsonl", good, baseline="other', 'jsonl", broken, baseline="other')
    )
    run(project, *options, "-k", "test_other").assert_outcomes(failed=1)
    after = results(project)
    assert after["test_it.py::test_good"] == before["test_it.py::test_good"]
    (other,) = after["test_it.py::test_other"]
    assert (other["state"], other["verdict"]) == ("fail", "comparable")


BROKEN = """

def down(question, limit):
    raise RuntimeError("canary")

def half(question, limit):
    return good(question, limit) if int(question.split()[1]) < 20 else down(question, limit)
"""


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_a_test_that_ran_and_broke_does_not_keep_its_entry(
    project: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    write_baselines(project)
    options = (*workers, "--evenhand-results", "results.json")
    run(project, *options).assert_outcomes(passed=2)
    before = results(project)
    # One gate breaks, and the other test never comes to its gate.
    source = TESTS.replace('jsonl", good, baseline="good', 'jsonl", down, baseline="good')
    source = source.replace("broken, good", "down, good")
    source = source.replace("def test_other(evenhand):", "def test_other(evenhand):\n    1 / 0")
    project.makepyfile(search=SEARCH + BROKEN, test_it=source)
    done = run(project, *options)
    done.assert_outcomes(failed=2)
    done.stdout.fnmatch_lines(["error *test_it.py::test_good*NothingScored"])
    assert results(project) == {
        "test_it.py::test_good": [{"state": "error", "error": "NothingScored"}]
    }
    assert before["test_it.py::test_good"][0]["state"] == "pass"


def test_entries_go_also_where_no_test_came_to_a_gate_and_stay_of_skipped_ones(
    project: pytest.Pytester,
) -> None:
    write_baselines(project)
    options = ("--evenhand-results", "results.json")
    run(project, *options).assert_outcomes(passed=2)
    source = TESTS.replace("def test_good(evenhand):", "def test_good(evenhand):\n    1 / 0")
    skipped = "import pytest\n" + source.replace(
        "def test_other", "@pytest.mark.skip\ndef test_other"
    )
    project.makepyfile(test_it=skipped)
    run(project, *options).assert_outcomes(failed=1, skipped=1)
    assert set(results(project)) == {"test_it.py::test_other"}


def test_a_result_with_too_many_failures_becomes_no_baseline(project: pytest.Pytester) -> None:
    write_baselines(project)
    kept = (project.path / "good.json").read_bytes()
    source = TESTS.replace('jsonl", good, baseline="good', 'jsonl", half, baseline="good')
    project.makepyfile(
        search=SEARCH + BROKEN, test_it=source.replace("broken, good", "good, half")
    )
    done = run(project, "--evenhand-write-baselines")
    done.assert_outcomes(passed=1, failed=1)
    done.stdout.fnmatch_lines(["*TooManyFailed: 20 of 40 questions failed*max_failed_share*"])
    assert (project.path / "good.json").read_bytes() == kept


def test_a_filtered_run_leaves_the_baselines_of_other_tests_alone(
    project: pytest.Pytester,
) -> None:
    write_baselines(project)
    kept = (project.path / "good.json").read_bytes()
    project.makepyfile(test_it=TESTS.replace("good,", "broken,"))
    run(project, "--evenhand-write-baselines", "-k", "test_other").assert_outcomes(passed=1)
    assert (project.path / "good.json").read_bytes() == kept
    assert (project.path / "other.json").read_bytes() != kept


def test_a_results_file_of_something_else_is_not_replaced(project: pytest.Pytester) -> None:
    (project.path / "results.json").write_text("{}")
    done = run(project, "--evenhand-results", "results.json")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    assert (project.path / "results.json").read_text() == "{}"


def test_the_store_is_written_only_when_asked_for(project: pytest.Pytester) -> None:
    project.makepyfile(
        test_it="""
        from search import STATED, good

        def test_good(evenhand):
            done = evenhand.gate("set.jsonl", good, allow_first=True, save=True, **STATED)
            assert done.record is not None
        """
    )
    run(project).assert_outcomes(passed=1)
    assert (project.path / ".evenhand" / "evenhand.db").exists()


def test_what_is_held_out_is_not_asked_and_said(project: pytest.Pytester) -> None:
    held = (
        '{"id":"h1","question":"held 1","form":"match","expected_document_ids":["a"],'
        '"holdout":true}\n'
    )
    path = project.path / "set.jsonl"
    path.write_text(path.read_text() + held)
    project.makepyfile(
        test_it="from search import STATED\n"
        "def asked(question, limit):\n"
        "    assert 'held' not in question\n"
        "    return [question.replace('question', 'answer')]\n"
        "def test_good(evenhand):\n"
        "    done = evenhand.gate('set.jsonl', asked, allow_first=True, **STATED)\n"
        "    assert done.evaluation.counts.failed == 0\n"
    )
    done = run(project, "--evenhand-results", "found.json")
    done.assert_outcomes(passed=1)
    done.stdout.fnmatch_lines(["pass *test_it.py::test_good*, 1 held out"])


def test_what_makes_one_doubt_the_candidate_is_in_the_summary(project: pytest.Pytester) -> None:
    project.makepyfile(
        test_it="from search import STATED, good\n"
        "def test_good(evenhand):\n"
        "    evenhand.gate('set.jsonl', good, allow_first=True, execution='1a2b-dirty', **STATED)\n"
    )
    done = run(project, "--evenhand-results", "results.json")
    done.assert_outcomes(passed=1)
    [[gate]] = results(project).values()
    assert gate["checks"] == [
        {"code": "dirty_checkout", "side": "candidate", "questions": None, "looked_at": None}
    ]
    done.stdout.fnmatch_lines(["pass *test_it.py::test_good*", "*check: dirty_checkout"])

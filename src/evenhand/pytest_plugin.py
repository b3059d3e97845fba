"""How does a project's test suite put a retriever to the gate? A fixture, a marker, options.

::

    def test_retrieval(evenhand):
        evenhand.gate("set.jsonl", my_function, corpus="corpus.jsonl", model="not-applicable",
                      chunking="not-applicable", pipeline="v1", baseline="baseline.json")

pytest loads this module in every project that has Evenhand installed, so nothing is imported here
but pytest until a test asks for the fixture.

Under xdist workers only measure: what they found travels with their reports, and the process that
started them writes it. A run of some of the tests keeps what is known of the others; a test that
ran has the entries of this run, or none.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from evenhand.bootstrap import App
    from evenhand.core.scoring.evaluation import Evaluation
    from evenhand.gating import GatePlan, GateRun

_MARKER: Final = "evenhand"
_PROPERTY: Final = "evenhand"
_FORMAT: Final = "evenhand.pytest/1"
_ERROR: Final = "error"
_OPTIONS: Final = ("policy", "baseline", "allow_first")


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the command line; a marker's and a call's arguments win over them."""
    group = parser.getgroup("evenhand", "retrieval gates (evenhand)")
    group.addoption(
        "--evenhand-policy",
        metavar="FILE",
        help="Policy of gates that name none; by default gate.toml in the root, else built-in.",
    )
    group.addoption(
        "--evenhand-allow-first",
        action="store_true",
        help="Let a gate without a baseline pass.",
    )
    group.addoption(
        "--evenhand-write-baselines",
        action="store_true",
        help="Write each gate's result to its baseline file instead of comparing with it; "
        "a result in which too many questions failed fails the test and writes nothing.",
    )
    group.addoption(
        "--evenhand-results",
        metavar="FILE",
        help="Write what the gates found as JSON, an error where a gate broke; tests that did not "
        "run keep their entries, tests that ran do not.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known; collect results where they are written and shown."""
    config.addinivalue_line(
        "markers",
        "evenhand(policy=None, baseline=None, allow_first=False): arguments of the gates in a test",
    )
    # A worker of xdist has an input of its own; what it finds travels in its reports.
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Collector(config), "evenhand-collector")


@pytest.fixture
def evenhand(request: pytest.FixtureRequest) -> Iterator[Gates]:
    """Puts retrievers to the gate; see `Gates.gate`."""
    from evenhand.bootstrap import build_app
    from evenhand.settings import load_settings

    with closing(build_app(load_settings(start=request.config.rootpath))) as app:
        yield Gates(request, app)


class Gates:
    """What the fixture ``evenhand`` gives."""

    def __init__(self, request: pytest.FixtureRequest, app: App) -> None:
        """For one test, with the project at pytest's root."""
        self._request = request
        self._root = request.config.rootpath
        self._app = app

    def gate(
        self,
        golden_set: Any,
        retriever: Any,
        *,
        baseline: str | Path | None = None,
        policy: str | Path | None = None,
        allow_first: bool | None = None,
        save: bool = False,
        **experiment: Any,
    ) -> GateRun | None:
        """Evaluate a retriever and hold it against its baseline; fail the test if it fails.

        Args:
            golden_set: a set, or what ``evenhand run`` takes; paths from pytest's root.
            retriever: a function ``question, limit -> ids``, an object with ``identifier`` and
                ``retrieve``, or what ``evenhand run`` takes.
            baseline: a baseline file; by default the active baseline of the project's store.
            policy: a policy file.
            allow_first: whether it may pass without a baseline.
            save: whether the result and the decision are stored; by default nothing is.
            **experiment: what `evenhand.evaluate` takes: ``corpus``, ``model``, ``chunking``,
                ``pipeline``, ``execution``, ``depth``, ``jobs``, ``batch``, ``warmup``, ``strict``.

        Returns:
            What was decided; None where baselines are written instead.

        Raises:
            pytest.fail.Exception: the gate is failed, incomparable, incomplete, or inconclusive
                where the policy refuses that.
            EvenhandError: an operand or a file is wrong, or there is no result; or too many
                questions failed for it to become a baseline.
        """
        given = {"policy": policy, "baseline": baseline, "allow_first": allow_first}
        try:
            return self._gate(golden_set, retriever, given, experiment, save=save)
        except Exception as error:
            self._note({"state": _ERROR, "error": type(error).__name__})
            raise

    def _gate(
        self,
        golden_set: Any,
        retriever: Any,
        given: dict[str, Any],
        experiment: dict[str, Any],
        *,
        save: bool,
    ) -> GateRun | None:
        from evenhand import library
        from evenhand.gating import build_plan, run_gate

        stated = self._stated(**given)
        file = None if stated["baseline"] is None else self._path(stated["baseline"])
        plan = build_plan(
            self._app,
            policy=None if stated["policy"] is None else self._path(stated["policy"]),
            baseline=file,
            allow_first=bool(stated["allow_first"]),
            save=save,
        )
        evaluation = library.evaluate(
            self._found(golden_set), retriever, app=self._app, **experiment
        )
        if file is not None and self._request.config.getoption("--evenhand-write-baselines"):
            self._write_baseline(evaluation, file, plan)
            return None
        done = run_gate(self._app, evaluation, plan)
        self._tell(done)
        return done

    def _stated(self, **given: Any) -> dict[str, Any]:
        """The arguments of the call, else of the nearest marker that has them, else options."""
        marked: dict[str, Any] = {}
        for marker in self._request.node.iter_markers(_MARKER):
            if marker.args or set(marker.kwargs) - set(_OPTIONS):
                raise pytest.UsageError("the evenhand marker takes " + ", ".join(_OPTIONS))
            marked = {**marker.kwargs, **marked}
        options = {
            "policy": self._request.config.getoption("--evenhand-policy"),
            "baseline": None,
            "allow_first": self._request.config.getoption("--evenhand-allow-first"),
        }
        layers = ({k: v for k, v in given.items() if v is not None}, marked, options)
        return {name: next(one[name] for one in layers if name in one) for name in _OPTIONS}

    def _path(self, given: str | Path) -> Path:
        return self._root / given

    def _found(self, golden_set: Any) -> Any:
        if isinstance(golden_set, str | Path) and self._path(golden_set).exists():
            return str(self._path(golden_set))
        return golden_set

    def _write_baseline(self, evaluation: Evaluation, file: Path, plan: GatePlan) -> None:
        from evenhand import __version__
        from evenhand.adapters.formats.baseline_file import write_baseline
        from evenhand.core.comparison.pinned import content_of, require_share
        from evenhand.core.privacy import PrivacyLevel
        from evenhand.core.scoring.evaluation import build_record

        level = PrivacyLevel(self._app.policy.level)
        record = build_record(
            evaluation,
            id=self._app.ids.new(),
            created_at=evaluation.finished_at,
            privacy=level,
            release=__version__,
        )
        content = content_of(record, evaluation.outcomes, level=level)
        allowed = plan.policy.completeness.max_failed_share
        require_share(content, self._app.settings.max_failed_share if allowed is None else allowed)
        write_baseline(file, content)

    def _note(self, found: object) -> None:
        """Let what was found travel with the test's report."""
        import msgspec

        encoded = msgspec.json.encode(found).decode()
        self._request.node.user_properties.append((_PROPERTY, encoded))

    def _tell(self, done: GateRun) -> None:
        """Keep what was found, and fail the test where the gate does not pass."""
        from evenhand.core.comparison.gate_policy import OnInconclusive
        from evenhand.core.comparison.gate_result import GateState
        from evenhand.reports.gate_json import gate_summary

        self._note(
            gate_summary(
                done.gated,
                golden_set=done.evaluation.golden_set,
                policy=done.plan.policy_source,
            )
        )
        state = done.gated.result.state
        refuses = done.plan.policy.inconclusive is OnInconclusive.FAIL
        if state is GateState.PASS or (state is GateState.INCONCLUSIVE and not refuses):
            return
        pytest.fail(_text(done), pytrace=False)


class _Collector:
    """Keeps what the gates of all tests found, in the process that prints the summary."""

    def __init__(self, config: pytest.Config) -> None:
        self._cases: dict[str, list[Any]] = {}
        self._ran: set[str] = set()
        named = config.getoption("--evenhand-results")
        self._file = None if named is None else config.invocation_params.dir / named
        self._known = {} if self._file is None else _read(self._file)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take what a test's report brings, once; note which tests ran."""
        if report.failed or (report.when == "call" and report.passed):
            self._ran.add(report.nodeid)
        if report.when != "teardown":
            return
        found = [text for name, text in report.user_properties if name == _PROPERTY]
        if found:
            import msgspec

            self._cases[report.nodeid] = [msgspec.json.decode(str(text)) for text in found]

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """One line per gate."""
        if not self._cases:
            return
        terminalreporter.write_sep("=", "evenhand gates")
        for case, gates in sorted(self._cases.items()):
            for gate in gates:
                if gate["state"] == _ERROR:
                    terminalreporter.write_line(f"{_ERROR:<13} {case}  {gate['error']}")
                    continue
                held = f", {gate['held_out']} held out" if gate["held_out"] else ""
                terminalreporter.write_line(
                    f"{gate['state']:<13} {case}  {gate['retriever']}{held}"
                )
                for code in dict.fromkeys(check["code"] for check in gate["checks"]):
                    terminalreporter.write_line(f"{'':<13} check: {code}")

    def pytest_sessionfinish(self) -> None:
        """Write the results: entries of tests that did not run are kept, no others."""
        kept = {case: gates for case, gates in self._known.items() if case not in self._ran}
        if self._file is None or (not self._cases and kept == self._known):
            return
        import msgspec

        from evenhand.adapters.formats.whole_file import writing

        document = {"format": _FORMAT, "cases": kept | self._cases}
        encoded = msgspec.json.format(msgspec.json.encode(document, order="sorted"), indent=1)
        with writing(self._file) as stream:
            stream.write(encoded + b"\n")


def _read(file: Path) -> dict[str, list[Any]]:
    """The entries of a results file, none where it is not there."""
    if not file.exists():
        return {}
    import msgspec

    try:
        document = msgspec.json.decode(file.read_bytes())
    except (OSError, msgspec.DecodeError):
        document = None
    if not isinstance(document, dict) or document.get("format") != _FORMAT:
        raise pytest.UsageError("--evenhand-results: the file is there and holds something else")
    cases = document.get("cases")
    return dict(cases) if isinstance(cases, dict) else {}


def _text(done: GateRun) -> str:
    """The gate's report as plain text."""
    from io import StringIO

    from evenhand.reports.gate_view import build_gate_view
    from evenhand.reports.terminal import make_console
    from evenhand.reports.terminal_gate import print_gate

    view = build_gate_view(
        done.gated,
        golden_set=done.evaluation.golden_set,
        policy=done.plan.policy_source,
        uses=done.uses,
    )
    written = StringIO()
    print_gate(view, make_console(written, width=100, color=False))
    return written.getvalue()

"""``evenhand.evaluate`` and ``evenhand.save`` as a program calls them."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import evenhand
from evenhand.adapters.formats.sets import write_golden_set
from evenhand.bootstrap import App, build_app
from evenhand.core.errors import InvalidSetting, MissingExtra
from evenhand.core.errors.evaluation import EvaluationExists, EvaluationFailed, NothingScored
from evenhand.core.errors.identity import InvalidLabel
from evenhand.core.errors.retrieval import GoldenSetNotFound, RetrieverNotFound
from evenhand.core.privacy import PrivacyLevel
from evenhand.core.verdict import VerdictState
from evenhand.settings import load_settings
from tests.builders import a_question, a_set

LABELS: dict[str, Any] = {"corpus": "c-1", "model": "m-1", "chunking": "n-1", "pipeline": "p-1"}
FOUND = {"q1": ["d1"], "q2": ["x", "d3"], "q3": []}


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty project that is the working directory."""
    monkeypatch.chdir(tmp_path)
    for name in ("DATABASE_URL", "PRIVACY", "DEPTH", "JOBS"):
        monkeypatch.delenv(f"EVENHAND_{name}", raising=False)
    (tmp_path / "evenhand.toml").touch()
    before = list(sys.path)
    yield tmp_path
    sys.path[:] = before


@pytest.fixture
def app(database_url: str) -> Iterator[App]:
    """The parts of the working directory, on either database."""
    parts = build_app(load_settings({"database_url": database_url}, environment={}))
    yield parts
    parts.close()


def search(question: str, limit: int) -> list[str]:
    del limit
    return FOUND.get(question, [])


def test_what_a_set_holds_out_is_not_asked() -> None:
    part = a_set(holdout=[a_question("h1", "d1")]).holdout_part
    assert part is not None
    with pytest.raises(InvalidSetting, match="the part that a set holds out"):
        evenhand.evaluate(part, search)


def test_a_plain_function_is_evaluated_and_nothing_is_stored(project: Path) -> None:
    found = evenhand.evaluate(a_set(), search)

    assert isinstance(found, evenhand.Evaluation)
    assert found.retriever == f"{__name__}:search"
    assert (found.counts.answerable_top1_hits, found.counts.abstained) == (1, 1)
    assert found.identity is None
    assert [path.name for path in project.iterdir()] == ["evenhand.toml"]


@pytest.mark.proves("BP-13")
def test_saving_stores_and_compares_with_the_previous_one_of_the_series(app: App) -> None:
    first = evenhand.evaluate(a_set(), search, **LABELS, app=app)
    second = evenhand.evaluate(a_set(), lambda q, n: [], app=app)
    third = evenhand.evaluate(a_set(), search, **LABELS, app=app)

    states = [
        evenhand.save(one, app=app).comparison.verdict.state for one in (first, second, third)
    ]

    # The second is of another retriever, so of another series.
    assert states == [VerdictState.BASELINE, VerdictState.UNKNOWN, VerdictState.COMPARABLE]


def test_the_record_carries_the_level_and_the_release(app: App) -> None:
    def found() -> evenhand.Evaluation:
        return evenhand.evaluate(a_set(), search, app=app)

    kept = {
        level: evenhand.save(found(), privacy=level, app=app).record.privacy
        for level in ("none", PrivacyLevel.METADATA, "full")
    }

    assert list(kept.values()) == ["none", "metadata", "full"]
    assert evenhand.save(found(), app=app).record.privacy is app.settings.privacy
    assert evenhand.save(found(), app=app).record.release == evenhand.__version__


def test_one_evaluation_is_stored_once_and_never_compared_with_itself(app: App) -> None:
    found = evenhand.evaluate(a_set(), search, **LABELS, app=app)
    first = evenhand.save(found, app=app)

    for privacy in (None, "none"):
        with pytest.raises(EvaluationExists) as caught:
            evenhand.save(found, privacy=privacy, app=app)
        assert caught.value.evaluation_id == first.record.id

    again = evenhand.evaluate(a_set(), search, **LABELS, app=app)
    assert evenhand.save(again, app=app).comparison.previous == first.record


def test_one_evaluation_may_be_stored_in_two_places_and_again_when_it_is_gone(
    app: App, project: Path
) -> None:
    found = evenhand.evaluate(a_set(), search, app=app)
    evenhand.save(found, app=app)
    elsewhere = evenhand.save(found)
    (project / ".evenhand" / "evenhand.db").unlink()

    assert evenhand.save(found).record.id != elsewhere.record.id


class NoFilter:
    level = "full"


class NoLevel:
    def filter_content(self, value: str | bytes | None) -> None:
        raise AssertionError


@pytest.mark.parametrize("privacy", [5, b"full", NoFilter(), NoLevel(), True])
def test_what_is_no_policy_is_refused_by_name(app: App, privacy: Any) -> None:
    found = evenhand.evaluate(a_set(), search, app=app)

    with pytest.raises(InvalidSetting, match="or a policy with a level and filter_content"):
        evenhand.save(found, privacy=privacy, app=app)


def test_a_policy_of_the_programs_own_decides_what_is_kept(app: App) -> None:
    class Dropping:
        level = PrivacyLevel.FULL

        def filter_content(self, value: str | bytes | None) -> str:
            return ""

    found = evenhand.evaluate(a_set(), search, app=app)
    stored = evenhand.save(found, privacy=Dropping(), app=app).record

    assert stored.privacy is PrivacyLevel.FULL
    assert app.database.read(lambda uow: uow.evaluations.get_details(stored.id)) in ("", None)


def test_an_unknown_level_is_refused_by_name() -> None:
    found = evenhand.evaluate(a_set(), search)

    with pytest.raises(InvalidSetting, match="none, metadata, redacted, full") as caught:
        evenhand.save(found, privacy="some")
    assert caught.value.name == "privacy"


def test_without_parts_those_of_the_working_directory_are_used_and_closed(project: Path) -> None:
    recorded = evenhand.save(evenhand.evaluate(a_set(), search))

    assert recorded.comparison.verdict.state is VerdictState.UNKNOWN
    assert (project / ".evenhand" / "evenhand.db").is_file()
    # An open connection that is forgotten would warn, and a warning is an error here.


def test_operands_may_be_named_as_on_the_command_line(project: Path) -> None:
    write_golden_set(a_set(), project / "set.jsonl")
    (project / "old.trec").write_text("q1 Q0 d1 1 2.0 t\n", encoding="utf-8")

    for golden_set in ("set.jsonl", Path("set.jsonl")):
        found = evenhand.evaluate(golden_set, "old.trec", corpus="c-1")
        assert found.basis == "imported"
        assert found.counts.answerable_top1_hits == 1


def test_a_corpus_by_path_is_digested_and_searched(project: Path) -> None:
    (project / "docs.jsonl").write_text('{"_id": "d1", "title": "", "text": "q1"}\n')

    wrapped = evenhand.evaluate(a_set(), search, **LABELS | {"corpus": Path("docs.jsonl")})
    built_in = evenhand.evaluate(a_set(), "lexical", corpus="docs.jsonl")

    assert wrapped.identity is not None
    assert built_in.identity is not None
    label = built_in.identity.provenance.corpus_revision
    assert len(label) == 64
    assert wrapped.identity.provenance.corpus_revision == label
    assert (wrapped.labels_derived, built_in.labels_derived) == (False, True)
    assert built_in.counts.answerable_top1_hits == 1


def test_what_was_opened_for_a_name_is_closed_and_what_was_handed_over_is_not() -> None:
    class Search:
        identifier = "mine"
        closed = 0

        def retrieve(self, question: str, limit: int) -> list[str]:
            return []

        def close(self) -> None:
            type(self).closed += 1

    evenhand.evaluate(a_set(), Search())
    assert Search.closed == 0
    sys.modules["library_search"] = type(sys)("library_search")
    sys.modules["library_search"].Search = Search  # type: ignore[attr-defined]
    evenhand.evaluate(a_set(), "library_search:Search")
    assert Search.closed == 1
    del sys.modules["library_search"]


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"depth": 0}, InvalidSetting),
        ({"jobs": 0}, InvalidSetting),
        ({"batch": 0}, InvalidSetting),
        ({**LABELS, "model": "no label"}, InvalidLabel),
        ({**LABELS, "model": ""}, InvalidLabel),
        ({**LABELS, "pipeline": "not-applicable"}, InvalidLabel),
    ],
)
def test_a_wrong_argument_is_refused_before_the_first_question(
    given: dict[str, Any], error: type[Exception]
) -> None:
    def never(question: str, limit: int) -> list[str]:
        raise AssertionError

    with pytest.raises(error):
        evenhand.evaluate(a_set(), never, strict=True, **given)


def test_operands_that_name_nothing_are_refused() -> None:
    with pytest.raises(GoldenSetNotFound):
        evenhand.evaluate("nope", search)
    with pytest.raises(RetrieverNotFound):
        evenhand.evaluate(a_set(), "nope")
    with pytest.raises(RetrieverNotFound):
        evenhand.evaluate(a_set(), 7)  # type: ignore[arg-type]


@pytest.mark.proves("G-17")
def test_faults_are_failed_questions_and_with_strict_the_end() -> None:
    def failing(question: str, limit: int) -> list[str]:
        raise LookupError(question)

    def sometimes(question: str, limit: int) -> list[str]:
        return failing(question, limit) if question == "q1" else []

    assert evenhand.evaluate(a_set(), sometimes).counts.failed == 1
    with pytest.raises(EvaluationFailed, match="LookupError"):
        evenhand.evaluate(a_set(), sometimes, strict=True)
    with pytest.raises(NothingScored):
        evenhand.evaluate(a_set(), failing)


def test_what_is_no_ranking_is_logged_by_position_rule_and_type(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def wrong(question: str, limit: int) -> Any:
        return {"canary"} if question == "q3" else ["d1"]

    found = evenhand.evaluate(a_set(), wrong)

    assert found.counts.failed == 1
    (record,) = caplog.records
    assert "the question at position 2 failed (invalid_ranking: " in record.getMessage()
    assert "not set" in record.getMessage()
    assert "canary" not in record.getMessage()


def test_settings_of_the_project_are_the_defaults_of_the_arguments(project: Path) -> None:
    (project / "evenhand.toml").write_text("depth = 5\njobs = 2\n", encoding="utf-8")
    asked: list[int] = []

    def noting(question: str, limit: int) -> list[str]:
        asked.append(limit)
        return []

    configured = evenhand.evaluate(a_set(), noting)
    given = evenhand.evaluate(a_set(), noting, depth=7, jobs=1, warmup=1)

    assert set(asked) == {5, 7}
    assert (configured.depth, configured.conditions.jobs) == (5, 2)
    assert (given.depth, given.conditions.jobs, given.conditions.warmup) == (7, 1, 1)


# Must show 4: five lines, and lines in a configuration file.

SCRIPT = """\
import evenhand
def search(question, limit):
    return {"q1": ["d1"], "q2": ["d2"], "q3": ["d4"]}.get(question, [])
verdict = evenhand.save(evenhand.evaluate("set.jsonl", search)).comparison.verdict
print(verdict.state)
"""
CONFIGURED = """\
[retrievers.mine]
use = "my_script:search"
corpus = "docs.jsonl"
model = "not-applicable"
chunking = "not-applicable"
pipeline = "lookup-v1"
"""


def test_a_script_of_five_lines_gets_a_declaration_by_configuration(project: Path) -> None:
    write_golden_set(a_set(), project / "set.jsonl")
    (project / "docs.jsonl").write_text('{"_id": "d1", "title": "", "text": "one"}\n')
    (project / "my_script.py").write_text(SCRIPT, encoding="utf-8")
    assert len(SCRIPT.splitlines()) == 5

    def run() -> str:
        return subprocess.run(
            [sys.executable, "my_script.py"], capture_output=True, text=True, check=True
        ).stdout.strip()

    assert run() == "unknown"
    (project / "evenhand.toml").write_text(CONFIGURED, encoding="utf-8")
    assert [run(), run()] == ["baseline", "comparable"]
    (project / "docs.jsonl").write_text('{"_id": "d1", "title": "", "text": "two"}\n')
    assert run() == "mismatch"


# Looking at a result.


def looked_at() -> evenhand.Evaluation:
    golden_set = a_set(
        a_question("b", "d1", "d2", hard_class="normal", form="gap"),
        a_question("a"),
        a_question("fails", "d1"),
        a_question("open", unjudged=True),
        a_question(b"raw\xff", "d1"),
    )

    def retrieve(question: str, limit: int) -> list[str | bytes]:
        if question == "fails":
            raise LookupError
        return {"b": ["x", "x", "d2"], "open": ["d9"]}.get(question, [])  # type: ignore[return-value]

    return evenhand.evaluate(golden_set, retrieve)


def test_rows_are_in_the_sets_order_and_unknown_is_none() -> None:
    rows = {row["query_id"]: row for row in looked_at().rows()}

    assert list(rows) == ["b", "a", "fails", "open", "raw\udcff"]
    first = rows["b"]
    latency = first.pop("latency_ms")
    assert first == {
        "query_id": "b",
        "form": "gap",
        "hard_class": "normal",
        "answerability": "answerable",
        "state": "scored",
        "top1_hit": False,
        "top3_hit": True,
        "first_target_rank": 2,
        "retrieved": 2,
        "error_class": None,
        "documents": ["x", "d2"],
    }
    assert isinstance(latency, int)
    assert (rows["a"]["top1_hit"], rows["a"]["documents"]) == (True, [])
    failed = rows["fails"]
    assert (failed["state"], failed["top1_hit"], failed["error_class"]) == (
        "failed",
        False,
        "LookupError",
    )
    assert (failed["documents"], failed["retrieved"], failed["latency_ms"]) == (None, None, None)
    # Nobody has judged it: neither a hit nor a miss.
    assert (rows["open"]["state"], rows["open"]["top1_hit"]) == ("unjudged", None)
    assert rows["open"]["documents"] == ["d9"]


def test_the_counts_of_the_rows_are_those_of_the_evaluation() -> None:
    found = looked_at()
    hits = [row["top1_hit"] for row in found.rows()]

    assert hits.count(True) == found.counts.top1_hits
    assert len(hits) - hits.count(None) == found.counts.questions


def test_frames_hold_the_rows() -> None:
    found = looked_at()

    frame = found.to_pandas()
    assert list(frame.columns) == list(found.rows()[0])
    assert frame["query_id"].tolist()[:2] == ["b", "a"]
    assert frame["documents"].tolist()[0] == ["x", "d2"]

    table = found.to_arrow()
    assert frame["query_id"].tolist()[-1] == "raw\\udcff"
    assert table.column_names == list(frame.columns)
    assert table["query_id"].to_pylist()[-1] == "raw\\udcff"
    assert table["top1_hit"].to_pylist() == [False, True, False, None, False]
    assert table["first_target_rank"].to_pylist() == [2, None, None, None, None]


def test_a_column_without_a_value_keeps_its_type() -> None:
    table = evenhand.evaluate(a_set(a_question("q")), lambda q, n: []).to_arrow()

    kinds = {field.name: str(field.type) for field in table.schema}
    assert kinds["hard_class"] == "string"
    assert kinds["first_target_rank"] == "int64"
    assert kinds["documents"].startswith("list<")


@pytest.mark.parametrize("found", [looked_at, lambda: evenhand.evaluate(a_set(), search)])
def test_the_types_of_a_frame_do_not_depend_on_what_is_missing(
    found: Callable[[], evenhand.Evaluation],
) -> None:
    frame = found().to_pandas()
    kinds = {name: str(kind) for name, kind in frame.dtypes.items()}
    assert {kinds[name] for name in ("top1_hit", "top3_hit")} == {"boolean"}
    numbers = ("first_target_rank", "retrieved", "latency_ms")
    assert {kinds[name] for name in numbers} == {"Int64"}
    rows = found().rows()
    assert frame["first_target_rank"].isna().tolist() == [
        row["first_target_rank"] is None for row in rows
    ]


def test_a_notebook_shows_the_headline_without_ids_and_texts() -> None:
    golden_set = a_set(a_question("<b>id-canary</b>", "document-canary", text="text-canary"))
    shown = evenhand.evaluate(golden_set, lambda q, n: ["document-canary"])._repr_html_()

    assert "Success@1" in shown
    assert "1 of 1" in shown
    assert "canary" not in shown
    assert "<script" not in shown
    assert "<style" not in shown


@pytest.mark.parametrize(("library", "method"), [("pandas", "to_pandas"), ("pyarrow", "to_arrow")])
def test_a_missing_frame_library_is_named(
    monkeypatch: pytest.MonkeyPatch, library: str, method: str
) -> None:
    monkeypatch.setitem(sys.modules, library, None)

    with pytest.raises(MissingExtra, match=r"evenhand\[frames\]"):
        getattr(looked_at(), method)()


def test_every_public_name_is_there_and_no_other() -> None:
    for name in evenhand.__all__:
        assert getattr(evenhand, name) is not None
    assert set(dir(evenhand)) >= {*evenhand.__all__, "__version__"}
    with pytest.raises(AttributeError, match="nope"):
        getattr(evenhand, "nope")  # noqa: B009 -- a name that no checker knows

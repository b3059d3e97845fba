"""What evaluations export wrote is read as it was, and what was changed is refused."""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evenhand.adapters.formats.evaluation_file import read_evaluation
from evenhand.adapters.formats.evaluation_parquet import read_parquet, write_parquet
from evenhand.core.errors import InvalidFile, MissingExtra
from evenhand.core.privacy import LevelPolicy, PrivacyLevel
from evenhand.core.scoring.details import build_details, build_rankings
from evenhand.core.scoring.evaluation import Evaluation
from evenhand.reports.export import export_document
from evenhand.usecases.evaluations import Kept
from tests.builders import a_provenance, a_question, a_record, a_set, an_evaluation

Change = Callable[[dict[str, Any]], object]


def an_odd_evaluation(*, known: bool = True) -> Evaluation:
    """Ids that are not UTF-8, a failure, an unjudged question, repeated documents."""
    questions = a_set(
        a_question(b"q\xff", b"d\xfe", text="one"),
        a_question("q1", "d1", text="two"),
        a_question("q2", text="three"),
        a_question("q3", text="four", unjudged=True),
    )
    given: dict[str, Any] = {
        "one": ["x", b"d\xfe", "x", b"d\xfe"],
        "two": ValueError(),
        "four": ["d9"],
    }
    return an_evaluation(questions, given, provenance=a_provenance() if known else None)


def kept_of(evaluation: Evaluation, level: PrivacyLevel = PrivacyLevel.FULL) -> Kept:
    policy = LevelPolicy(level=level)
    is_full = level is PrivacyLevel.FULL
    return Kept(
        record=a_record(evaluation, privacy=level),
        outcomes=evaluation.outcomes if level.keeps_outcomes else None,
        rankings=build_rankings(evaluation, policy),
        details=build_details(evaluation, policy) if is_full else None,
    )


def document_of(kept: Kept) -> dict[str, Any]:
    document: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(export_document(kept)))
    return document


def as_json(path: Path, document: dict[str, Any]) -> Path:
    path.write_text(json.dumps(document))
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "exported"


@pytest.mark.parametrize("level", PrivacyLevel)
@pytest.mark.parametrize("known", [True, False], ids=["known", "unknown"])
class TestRoundTrip:
    def test_json_is_read_as_it_was_exported(
        self, path: Path, level: PrivacyLevel, *, known: bool
    ) -> None:
        kept = kept_of(an_odd_evaluation(known=known), level)
        assert read_evaluation(as_json(path, document_of(kept))) == kept

    def test_parquet_is_read_as_it_was_exported(
        self, path: Path, level: PrivacyLevel, *, known: bool
    ) -> None:
        kept = kept_of(an_odd_evaluation(known=known), level)
        write_parquet(path, document_of(kept))
        assert read_parquet(path) == kept


def test_details_that_are_no_json_stay_the_text_they_are(path: Path) -> None:
    kept = replace(kept_of(an_odd_evaluation()), details="cut [in the mid")
    assert read_evaluation(as_json(path, document_of(kept))) == kept


def test_scores_come_back(path: Path) -> None:
    kept = kept_of(an_odd_evaluation())
    assert kept.rankings is not None
    scored = tuple(
        replace(one, scores=tuple(0.1 * n for n in range(len(one.documents))))
        for one in kept.rankings
    )
    kept = replace(kept, rankings=scored)
    assert read_evaluation(as_json(path, document_of(kept))) == kept
    write_parquet(path, document_of(kept))
    assert read_parquet(path) == kept


def test_a_row_from_before_there_were_declarations_is_unknown(path: Path) -> None:
    document = document_of(kept_of(an_odd_evaluation()))
    for name in ("provenance", "benchmark_fingerprint", "variant_fingerprint"):
        del document["evaluation"][name]
    assert read_evaluation(as_json(path, document)).record.identity is None


def _set(*place: str | int, to: object) -> Change:
    def change(document: dict[str, Any]) -> None:
        *parents, last = place
        held: Any = document
        for one in parents:
            held = held[one]
        held[last] = to

    return change


OTHER = "v1:" + "0" * 64
BROKEN: dict[str, tuple[Change, str]] = {
    "another format": (_set("format", to="x"), "format: is not"),
    "an unknown key": (_set("note", to="x"), "unknown field `note`"),
    "an unknown key of the row": (_set("evaluation", "x", to=1), "evaluation: Object contains"),
    "a key that is missing": (lambda d: d.pop("run"), "missing required field `run`"),
    "an id of another shape": (_set("evaluation", "id", to="secret-canary"), "evaluation.id: Exp"),
    "a time without a zone": (
        _set("evaluation", "created_at", to="2026-09-09T12:00:00"),
        "evaluation.created_at: ",
    ),
    "a basis": (_set("evaluation", "basis", to="secret-canary"), "evaluation.basis: holds a val"),
    "a protocol": (_set("evaluation", "protocol", to="other-v1"), "evaluation.protocol: is none"),
    "a grader": (_set("evaluation", "grader", to="other"), "evaluation.protocol: is none"),
    "a count": (_set("evaluation", "counts", "failed", to=0), "counts: counting the outcomes"),
    "a label": (_set("evaluation", "provenance", "modelRevision", to="m9"), "provenance: the fin"),
    "a fingerprint": (_set("evaluation", "benchmark_fingerprint", to=OTHER), "provenance: the f"),
    "half of an identity": (_set("evaluation", "variant_fingerprint", to=None), "or not at all"),
    "fingerprints without labels": (_set("evaluation", "provenance", to=None), "or not at all"),
    "another scoring version": (
        _set("evaluation", "provenance", "scoringVersion", to="other-v1"),
        "provenance.scoringVersion: is not",
    ),
    "a stricter level": (_set("evaluation", "privacy", to="metadata"), "run: is there at"),
    "the strictest level": (_set("evaluation", "privacy", to="none"), "outcomes: are there"),
    "no outcomes": (_set("outcomes", to=None), "outcomes: are there"),
    "no run": (_set("run", to=None), "run: is there at"),
    "an outcome": (_set("outcomes", 1, "retrieved", to=None), "outcomes[1]: a question"),
    "a ranking of a failure": (_set("run", 0, "position", to=0), "run[0]: belongs to no"),
    "a ranking of no question": (_set("run", 2, "position", to=99), "run[2]: belongs to no"),
    "a ranking twice": (lambda d: d["run"].insert(0, d["run"][0]), "run[1]: positions and"),
    "a query id in another order": (_set("run", 0, "query_id", to="z"), "run[1]: positions and"),
    "a document more": (
        lambda d: d["run"][1]["documents"].append("secret-canary"),
        "run[1]: has more documents",
    ),
    "a tag of another version": (
        _set("run", 0, "query_id", to={"encoding": "x", "version": 1, "value": ""}),
        "run[0]: holds an id",
    ),
    "a score too few": (_set("run", 1, "scores", to=[]), "run[1]: needs one finite score"),
}


@pytest.mark.parametrize(("change", "rule"), BROKEN.values(), ids=BROKEN)
def test_a_file_that_contradicts_itself_is_refused_with_place_and_rule(
    path: Path, change: Change, rule: str
) -> None:
    document = document_of(kept_of(an_odd_evaluation()))
    change(document)
    with pytest.raises(InvalidFile) as error:
        read_evaluation(as_json(path, document))
    assert rule in str(error.value)
    assert "secret-canary" not in str(error.value)


def test_counts_that_contradict_each_other_are_refused_without_outcomes(path: Path) -> None:
    document = document_of(kept_of(an_odd_evaluation(), PrivacyLevel.NONE))
    document["evaluation"]["counts"]["abstained"] += 1
    with pytest.raises(InvalidFile, match="counts: contradict each other"):
        read_evaluation(as_json(path, document))


def test_details_below_full_are_refused(path: Path) -> None:
    document = document_of(kept_of(an_odd_evaluation(), PrivacyLevel.REDACTED))
    document["details"] = []
    with pytest.raises(InvalidFile, match="details: are there at privacy level full"):
        read_evaluation(as_json(path, document))


class TestParquet:
    def refusal(self, path: Path) -> str:
        with pytest.raises(InvalidFile) as error:
            read_parquet(path)
        return error.value.rule

    def rewritten(self, path: Path, change: Callable[[pa.Table], pa.Table]) -> Path:
        write_parquet(path, document_of(kept_of(an_odd_evaluation())))
        pq.write_table(change(pq.read_table(path)), path)
        return path

    def test_a_row_is_a_question(self, path: Path) -> None:
        write_parquet(path, document_of(kept_of(an_odd_evaluation())))
        table = pq.read_table(path)
        assert table.num_rows == 4
        assert table["query_id"].to_pylist() == [None, b"q2", b"q3", b"q\xff"]
        assert table["judged_ranks"].to_pylist() == [[], [], [], [2]]

    def test_what_is_no_parquet_is_refused(self, path: Path) -> None:
        path.write_bytes(b"PAR1 not really")
        assert "is no Parquet file" in self.refusal(path)

    def test_a_table_of_others_is_refused(self, path: Path) -> None:
        pq.write_table(pa.table({"position": [1]}), path)
        assert "is no Parquet file" in self.refusal(path)

    def test_another_column_is_refused(self, path: Path) -> None:
        self.rewritten(path, lambda table: table.drop_columns(["scores"]))
        assert "is no Parquet file" in self.refusal(path)

    def test_a_row_too_few_is_refused(self, path: Path) -> None:
        self.rewritten(path, lambda table: table.slice(0, 3))
        assert "counts: counting the outcomes" in self.refusal(path)

    def test_rows_that_the_metadata_do_not_know_are_refused(self, path: Path) -> None:
        def change(table: pa.Table) -> pa.Table:
            about = json.loads(table.schema.metadata[b"evenhand"]) | {"run": False}
            return table.replace_schema_metadata({b"evenhand": json.dumps(about)})

        self.rewritten(path, change)
        assert "metadata do not know of" in self.refusal(path)

    def test_lists_of_unequal_length_are_refused(self, path: Path) -> None:
        def change(table: pa.Table) -> pa.Table:
            at = table.schema.get_field_index("judged_grades")
            grades = pa.array([[], [], [], []], type=table.schema.field(at).type)
            return table.set_column(at, table.schema.field(at), grades)

        self.rewritten(path, change)
        assert "outcomes[3].judged_hits" in self.refusal(path)

    def test_without_pyarrow_the_extra_is_named(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        for work in (lambda: write_parquet(path, {}), lambda: read_parquet(path)):
            with pytest.raises(MissingExtra, match=r"evenhand\[frames\]"):
                work()
        assert not path.exists()

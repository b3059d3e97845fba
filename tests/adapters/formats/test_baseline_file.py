"""A baseline as a file: equal baselines, equal bytes; nothing that was changed is read."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from evenhand.adapters.formats import baseline_file
from evenhand.adapters.formats.baseline_file import (
    BaselineRecord,
    baseline_bytes,
    read_baseline,
    write_baseline,
)
from evenhand.core.comparison.pinned import BaselineContent
from evenhand.core.errors import InvalidFile
from evenhand.core.identity.canonical import json_ascii_v1_digest
from evenhand.core.scoring.evaluation import Basis
from tests.builders import START, a_baseline, a_provenance, a_question, a_set, an_evaluation

CANARIES = ("question-canary", "text-canary", "document-canary", "name-canary", "class-canary")
Change = Callable[[dict[str, Any]], object]


def a_whole_baseline() -> BaselineContent:
    """A scored, a failed, an unjudged and a no-answer question, each named by canaries."""
    questions = a_set(
        a_question("question-canary-1", "document-canary", text="text-canary-1"),
        a_question("question-canary-2", "d2", text="two", hard_class="class-canary"),
        a_question("question-canary-3", text="three"),
        a_question("question-canary-4", text="four", unjudged=True),
        name="name-canary",
    )
    given: dict[str, Any] = {
        "text-canary-1": ["other", "document-canary"],
        "two": ValueError("text-canary"),
        "four": ["d9"],
    }
    return a_baseline(an_evaluation(questions, given, provenance=a_provenance()))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "baseline.json"


def changed(path: Path, change: Change, *, sealed: bool = False) -> Path:
    """The file with a change to its document; sealed, its digest is made right again."""
    document = json.loads(baseline_bytes(a_whole_baseline()))
    change(document)
    if sealed:
        document.pop("content_sha256", None)
        document["content_sha256"] = json_ascii_v1_digest(document)
    path.write_text(json.dumps(document))
    return path


def refusal(path: Path) -> str:
    with pytest.raises(InvalidFile) as error:
        read_baseline(path)
    assert error.value.file == "baseline.json"
    return error.value.rule


def content_only(content: BaselineContent) -> BaselineContent:
    names = BaselineContent.__slots__
    return BaselineContent(**{name: getattr(content, name) for name in names})


def test_what_was_written_is_read_as_it_was_with_the_basis_imported(path: Path) -> None:
    content = a_whole_baseline()
    write_baseline(path, content)
    assert read_baseline(path) == replace(content_only(content), basis=Basis.IMPORTED)


def test_equal_baselines_give_equal_bytes_whoever_pinned_them_and_when() -> None:
    evaluation = an_evaluation(provenance=a_provenance())
    one = a_baseline(evaluation)
    other = a_baseline(evaluation, number=7, set_at=START, actor="else", note="because")
    assert baseline_bytes(one) == baseline_bytes(other)


def test_the_bytes_are_sorted_have_an_outcome_a_line_and_end_with_one_line_feed() -> None:
    written = baseline_bytes(a_whole_baseline()).decode()
    document = json.loads(written)
    assert list(document) == sorted(document)
    assert written.endswith("\n}\n")
    lines = [line for line in written.splitlines() if line.startswith('  {"error_class"')]
    assert len(lines) == len(document["outcomes"]) == 4
    for member in ("counts", "conditions", "provenance"):
        assert list(document[member]) == sorted(document[member])


def test_the_bytes_of_version_1_stay_as_they_are(path: Path) -> None:
    # A committed file must not change because Evenhand did.
    whole = a_baseline(an_evaluation(a_set(a_question("q1", "d1")), provenance=a_provenance()))
    outcomes = tuple(replace(one, judged_grades=None) for one in whole.outcomes)
    content = replace(whole, outcomes=outcomes, qrels_digest=None)
    fixture = Path(__file__).with_name("baseline_v1.json")
    assert baseline_bytes(content) == fixture.read_bytes()
    path.write_bytes(fixture.read_bytes())
    assert read_baseline(path).counts == content.counts


def test_no_id_and_no_text_of_a_question_or_document_is_in_the_file() -> None:
    written = baseline_bytes(a_whole_baseline()).decode()
    assert [canary for canary in CANARIES if canary in written] == []


def test_a_file_that_was_laid_out_anew_is_the_same_baseline(path: Path) -> None:
    changed(path, lambda document: None)
    assert read_baseline(path).counts == a_whole_baseline().counts


def test_the_file_is_there_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "no-folder" / "baseline.json"
    with pytest.raises(InvalidFile, match="cannot be written"):
        write_baseline(target, a_whole_baseline())
    assert list(tmp_path.iterdir()) == []


def _set(*path: Any, to: object) -> Change:
    def change(document: dict[str, Any]) -> None:
        *parents, last = path
        held: Any = document
        for one in parents:
            held = held[one]
        held[last] = to

    return change


#: A change, and the place and rule that its refusal names whether or not the digest is right.
BROKEN: dict[str, tuple[Change, str]] = {
    "an unknown key": (_set("comment", to="x"), "unknown field"),
    "an unknown key of a part": (_set("counts", "mean", to=1), "counts: Object contains unknown"),
    "an unknown key of an outcome": (
        _set("outcomes", 0, "query_id", to="q"),
        "outcomes[0]: Object contains unknown field",
    ),
    "a key that is missing": (lambda d: d.pop("depth"), "missing required field `depth`"),
    "another format": (_set("format", to="evenhand.baseline/3"), "format: is not"),
    "another version": (_set("format", to="evenhand.baseline/1"), "neither it nor judged_grades"),
    "no digest of judgements": (lambda d: d.pop("qrels_digest"), "belong to version 2"),
    "no grades of a question": (lambda d: d["outcomes"][0].pop("judged_grades"), "belong to"),
    "a grade": (_set("outcomes", 0, "judged_hits", to=[[2, 2]]), "has a grade that no judgement"),
    "no format": (lambda d: d.pop("format"), "format: is not"),
    "a count": (_set("counts", "abstained", to=0), "counts: counting the outcomes"),
    "a count that is text": (_set("counts", "abstained", to="1"), "counts.abstained: Expected"),
    "a count below zero": (_set("counts", "failed", to=-1), "counts.failed: Expected `int` >= 0"),
    "a label": (_set("provenance", "corpusRevision", to="corpus-2"), "provenance: the finger"),
    "an illegal label": (_set("provenance", "corpusRevision", to="a b"), "provenance: the finger"),
    "the labels": (_set("provenance", "labelsFingerprint", to="v1:" + "0" * 64), "provenance: "),
    "the benchmark": (_set("benchmark_fingerprint", to="v1:" + "0" * 64), "provenance: the"),
    "the variant": (_set("variant_fingerprint", to="v1:" + "0" * 64), "provenance: the finger"),
    "a benchmark of another shape": (_set("benchmark_fingerprint", to="x"), "benchmark_finger"),
    "a basis": (_set("basis", to="secret-canary"), "basis: holds a value"),
    "a state": (_set("outcomes", 0, "state", to="secret-canary"), "outcomes[0].state: holds"),
    "a depth of zero": (_set("depth", to=0), "depth: Expected `int` >= 1"),
    "an outcome too few": (lambda d: d["outcomes"].pop(), "counts: counting the outcomes"),
    "no outcomes": (_set("outcomes", to=[]), "outcomes: there are none"),
    "a position": (_set("outcomes", 1, "position", to=7), "outcomes[1]: positions must run"),
    "outcomes in another order": (lambda d: d["outcomes"].reverse(), "outcomes[0]: positions"),
    "a hit that is not there": (
        _set("outcomes", 0, "judged_hits", to=[[9, 1]]),
        "outcomes[0]: a judged hit",
    ),
    "a failure with results": (_set("outcomes", 1, "retrieved", to=3), "outcomes[1]: a failed"),
    "a rank beyond any column": (
        _set("outcomes", 0, "retrieved", to=2**31),
        "outcomes[0].retrieved: Expected `int` <=",
    ),
}


@pytest.mark.parametrize("sealed", [False, True], ids=["digest as it was", "digest made right"])
@pytest.mark.parametrize(("change", "rule"), BROKEN.values(), ids=BROKEN)
def test_a_change_that_contradicts_the_rest_is_refused_with_place_and_rule(
    path: Path, change: Change, rule: str, *, sealed: bool
) -> None:
    message = refusal(changed(path, change, sealed=sealed))
    assert rule in message
    assert "secret-canary" not in message


#: Changes that only the digest over the whole can notice.
UNNOTICED: dict[str, Change] = {
    "a latency": _set("outcomes", 0, "latency_ms", to=1),
    "a digest of judgements": _set("qrels_digest", to="v1:" + "0" * 64),
    "the retriever": _set("retriever", to="other"),
    "the set": _set("set_identifier", to="other"),
    "the depth": _set("depth", to=13),
    "the basis": _set("basis", to="witnessed"),
    "the machine": _set("conditions", "machine", to="other"),
    "the execution": _set("provenance", "executionRevision", to="git-2"),
    "the digest": _set("content_sha256", to="0" * 64),
}


@pytest.mark.parametrize("change", UNNOTICED.values(), ids=UNNOTICED)
def test_a_change_that_contradicts_nothing_else_is_refused_by_the_digest(
    path: Path, change: Change
) -> None:
    assert refusal(changed(path, change)).startswith("content_sha256: is not the digest")


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (b"", "not JSON"),
        (b"[]", "must be a JSON object"),
        (b'{"format": "evenhand.baseline/1", "format": "x"}', "key that occurs twice"),
        (b'{"format": NaN}', "NaN"),
        (b"\xff", "not UTF-8"),
    ],
)
def test_what_is_no_strict_json_is_refused(path: Path, content: bytes, rule: str) -> None:
    path.write_bytes(content)
    assert rule in refusal(path)


def test_a_file_that_is_longer_than_any_baseline_is_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_baseline(path, a_whole_baseline())
    monkeypatch.setattr(baseline_file, "MAX_BYTES", 100)
    assert "more than 100 bytes" in refusal(path)


def test_the_schema_is_that_of_the_reader() -> None:
    schema = Path(baseline_file.__file__).with_name("baseline.schema.json")
    generated = msgspec.json.schema(BaselineRecord)
    assert json.loads(schema.read_bytes()) == generated | {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "evenhand.baseline",
    }

"""Issue 3, "must show" 4: what is changed, which fingerprint moves, and what the verdict is.

Each row is run through the commands: once as it was, once changed, then compared on every
surface that there is.
"""

import re
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from evenhand.adapters.formats.sets import read_golden_set
from evenhand.core.comparison.comparison import compare_sides
from evenhand.core.comparison.side import fresh_side
from evenhand.core.identity.provenance import build_fingerprints
from evenhand.core.identity.stored import StoredIdentity
from evenhand.core.retrieval.golden import DocId, GoldenQuestion, GoldenSet
from evenhand.core.scoring.evaluation import Evaluation
from tests.builders import a_provenance, an_evaluation
from tests.cli.pairs import CURRENT, write_pair
from tests.cli.typed import Cli, write_set
from tests.core.comparison.pairs import FORTY, answers
from tests.reports.comparing import SURFACES

SIGNED = re.compile(r"(?<![\w.\\-])[+-]\d")


class Change(NamedTuple):
    """One thing that is changed between two runs of one retriever."""

    moved: set[str]
    state: str
    code: str | None
    labels: tuple[tuple[str, str], ...] = ()
    document: str = "the text"
    golden_set: GoldenSet = FORTY


def relabelled() -> GoldenSet:
    """The forty questions, one of which has another target."""
    first, *rest = FORTY.questions
    return replace(
        FORTY, questions=(replace(first, expected_document_ids=(DocId(b"d01"),)), *rest)
    )


CHANGES = {
    "nothing": Change(set(), "comparable", None),
    "one corpus document": Change(
        {"benchmark"}, "mismatch", "corpus_changed", document="another text"
    ),
    "one label": Change(
        {"labels", "benchmark"}, "mismatch", "labels_changed", golden_set=relabelled()
    ),
    "the model": Change({"variant"}, "comparable", None, labels=(("model", "model-2"),)),
    "the chunker": Change({"variant"}, "comparable", None, labels=(("chunking", "chunks-2"),)),
    "the pipeline": Change({"variant"}, "comparable", None, labels=(("pipeline", "other"),)),
    "the commit": Change(set(), "comparable", None, labels=(("execution", "commit-2"),)),
}


def write_project(change: Change) -> str:
    Path("corpus.jsonl").write_text(f'{{"_id": "d00", "text": "{change.document}"}}\n')
    write_pair(
        old=CURRENT | {"corpus": "corpus.jsonl", "execution": "commit-1"} | dict(change.labels)
    )
    return write_set("forty.jsonl", change.golden_set)


@pytest.mark.parametrize("name", CHANGES)
def test_what_is_changed_moves_its_fingerprint_and_decides_the_verdict(
    cli: Cli, name: str
) -> None:
    change = CHANGES[name]
    for one in (CHANGES["nothing"], change):
        cli.json("run", write_project(one), "old", "-q")
    document = cli.json(
        "compare", "previous", "latest", "-q", "--report", "a.html", "--markdown", "a.md",
        code=0 if change.state == "comparable" else 3,
    )  # fmt: skip
    current, candidate = document["current"], document["candidate"]
    moved = {
        fingerprint
        for fingerprint in ("labels", "benchmark", "variant")
        if current["fingerprints"][fingerprint] != candidate["fingerprints"][fingerprint]
    }
    assert (moved, document["verdict"]["state"]) == (change.moved, change.state)
    codes = [reason["code"] for reason in document["verdict"]["reasons"]]
    assert codes == ([] if change.code is None else [change.code])
    assert (document["differences"] is not None) is (change.state == "comparable")
    if change.state == "comparable":
        assert document["treatment_changed"] is ("variant" in moved)
        return
    assert cli.run("compare", "previous", "latest", "-q") == 3
    for text in (cli.out, Path("a.md").read_text()):
        assert not SIGNED.search(text)
    assert "interval" not in Path("a.html").read_text().split("</style>")[1]


def graded(grade: int) -> GoldenSet:
    """The forty questions, the target of one of which has this grade."""
    first, *rest = FORTY.questions
    question = GoldenQuestion(
        id=first.id,
        question=first.question,
        form=first.form,
        expected_document_ids=first.expected_document_ids,
        hard_class=first.hard_class,
        grades=[(first.expected_document_ids[0], grade), ("d39", 0)],
    )
    return replace(FORTY, questions=(question, *rest))


#: What is changed, the code of the reason on a graded measure, and options of the second run.
GRADED_CHANGES = {
    "one grade": ("grades_changed", graded(3), ()),
    "a document that was judged as not relevant": ("grades_changed", FORTY, ()),
    "the depth": ("depth_changed", graded(2), ("--depth", "20")),
}


@pytest.mark.parametrize("name", GRADED_CHANGES)
def test_what_moves_only_graded_benchmarks_leaves_the_hits_comparable(cli: Cli, name: str) -> None:
    code, changed, options = GRADED_CHANGES[name]
    corpus = CHANGES["nothing"]
    cli.json("run", write_project(corpus._replace(golden_set=graded(2))), "old", "-q")
    # Declared, so that another depth is no other pipeline.
    cli.json("run", write_project(corpus._replace(golden_set=changed)), "old", "-q", *options)
    hits = cli.json("compare", "previous", "latest", "-q")
    assert (hits["verdict"]["state"], hits["graded"]) == ("comparable", None)
    for fingerprint in ("labels", "benchmark"):
        sides = [hits[side]["fingerprints"][fingerprint] for side in ("current", "candidate")]
        assert sides[0] == sides[1]
    document = cli.json(
        "compare", "previous", "latest", "-q", "--measure", "nDCG@10",
        "--report", "a.html", "--markdown", "a.md", code=3,
    )  # fmt: skip
    assert document["verdict"]["state"] == "mismatch"
    assert [reason["code"] for reason in document["verdict"]["reasons"]] == [code]
    scales = document["graded"]
    assert scales["current"]["benchmark"] != scales["candidate"]["benchmark"]
    assert (document["differences"], document["conclusion"]) == (None, None)
    assert cli.run("compare", "previous", "latest", "-q", "--measure", "nDCG@10") == 3
    for text in (cli.out, Path("a.md").read_text()):
        assert not SIGNED.search(text)
    assert "interval" not in Path("a.html").read_text().split("</style>")[1]


def scored_under(protocol: str) -> Evaluation:
    """The same run, as another version of the scoring protocol would have it."""
    evaluation = an_evaluation(FORTY, answers(range(9)), provenance=a_provenance())
    fingerprints = build_fingerprints(a_provenance(), FORTY.labels_fingerprint, protocol)
    identity = StoredIdentity(provenance=a_provenance(), fingerprints=fingerprints)
    return replace(evaluation, identity=identity, protocol=protocol)


@pytest.mark.parametrize("surface", SURFACES)
def test_another_scoring_protocol_moves_the_benchmark_and_leaves_no_number(surface: str) -> None:
    current, candidate = scored_under("hits-v1"), scored_under("hits-v2")
    comparison = compare_sides(fresh_side(current), fresh_side(candidate), golden_set=FORTY)
    assert comparison.verdict.state == "mismatch"
    assert [one.code for one in comparison.verdict.reasons] == ["scoring_changed"]
    assert comparison.current.labels == comparison.candidate.labels
    assert comparison.current.benchmark != comparison.candidate.benchmark
    assert comparison.current.variant == comparison.candidate.variant
    assert not SIGNED.search(SURFACES[surface](comparison))


def test_the_set_that_is_written_is_the_one_that_is_read(folder: Path) -> None:
    assert read_golden_set(folder / write_set("forty.jsonl", FORTY)).golden_set == FORTY

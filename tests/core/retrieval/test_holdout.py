"""A golden set may keep questions back: they are a set, a benchmark and a series of their own."""

import pytest

from evenhand.core.errors.retrieval import InvalidGoldenSet
from evenhand.core.identity.provenance import build_fingerprints
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.core.retrieval.lint import Rule, lint
from evenhand.core.retrieval.profile import build_profile
from evenhand.core.scoring.protocols import SCORING_VERSION
from tests.builders import a_provenance, a_question, a_set, an_evaluation, ids

ASKED = (a_question("q1", "d1"), a_question("q2", "d2"))
HELD = (a_question("h1", "d3"), a_question("h2", "d4"))


def part_of(golden_set: GoldenSet) -> GoldenSet:
    part = golden_set.holdout_part
    assert part is not None
    return part


def benchmark(golden_set: GoldenSet) -> str:
    made = build_fingerprints(a_provenance(), golden_set.labels_fingerprint, SCORING_VERSION)
    assert made.benchmark is not None
    return made.benchmark


def test_a_set_without_one_has_no_holdout_part() -> None:
    assert a_set().holdout_part is None


def test_the_part_is_a_set_of_its_own() -> None:
    part = part_of(a_set(*ASKED, holdout=HELD))
    assert (part.identifier, part.name, part.questions) == (
        "tiny.holdout",
        "Tiny set (holdout)",
        HELD,
    )
    assert part.holdout == ()


def test_what_is_held_out_changes_neither_labels_nor_benchmark_of_the_rest() -> None:
    assert a_set(*ASKED, holdout=HELD).labels_fingerprint == a_set(*ASKED).labels_fingerprint


def test_the_two_parts_and_the_whole_are_three_benchmarks() -> None:
    split = a_set(*ASKED, holdout=HELD)
    found = {benchmark(one) for one in (split, part_of(split), a_set(*ASKED, *HELD))}
    assert len(found) == 3


def test_an_evaluation_never_asks_what_is_held_out() -> None:
    evaluation = an_evaluation(a_set(*ASKED, holdout=HELD), {"q1": ["d1"], "h1": ["d3"]})
    assert len(evaluation.answers) == len(evaluation.outcomes) == 2
    assert evaluation.counts.questions == 2


def test_the_counts_of_a_set_leave_it_out() -> None:
    profile = build_profile(a_set(*ASKED, holdout=HELD))
    assert (profile.questions, profile.targets) == (2, 2)


def test_every_reader_of_labels_sees_it_last() -> None:
    assert ids(a_set(*ASKED, holdout=HELD).with_holdout) == [b"q1", b"q2", b"h1", b"h2"]


def test_lint_looks_at_it_too() -> None:
    held = (a_question("h1", "gone", text="q1"), a_question("h2", unjudged=True))
    found = lint(a_set(*ASKED, holdout=held), documents={b"d1", b"d2"})
    named = {one.rule: one.questions for one in found}
    assert named[Rule.DUPLICATE_TEXT] == (b"q1", b"h1")
    assert named[Rule.MISSING_TARGET] == (b"h1",)
    assert named[Rule.UNREVIEWED] == (b"q1", b"q2", b"h1")
    assert named[Rule.UNJUDGED] == (b"h2",)


@pytest.mark.parametrize(
    ("questions", "identifier", "rule"),
    [
        ((), "tiny", "at least one question that is not held out"),
        ((a_question("h1", "d9"),), "tiny", "occurs twice"),
        (ASKED, "t" * 248, "at most 247 bytes"),
    ],
)
def test_a_set_is_refused(questions: tuple[()], identifier: str, rule: str) -> None:
    with pytest.raises(InvalidGoldenSet, match=rule):
        GoldenSet(identifier=identifier, name="Tiny", questions=questions, holdout=HELD)

"""What a suite asks of a golden set."""

import pytest

from evenhand.core.errors.retrieval import InvalidGoldenSet
from evenhand.core.retrieval.golden import GoldenQuestion, LabelProvenance
from evenhand.core.retrieval.lint import Rule
from evenhand.core.retrieval.suite import SuiteContent, suite_findings
from tests.builders import a_set
from tests.suite_builders import CORPUS, a_case_question


def case(number: int, *, reviewed: bool = True, corpus: str | None = CORPUS) -> GoldenQuestion:
    return GoldenQuestion(
        id=f"q{number:03}",
        question="where?",
        form="match",
        expected_document_ids=["d"],
        reviewed=reviewed,
        label_provenance=None if corpus is None else LabelProvenance(corpus_revision=corpus),
    )


@pytest.mark.proves("C-17")
def test_a_suite_has_one_to_a_hundred_cases() -> None:
    for count in (1, 100):
        SuiteContent(golden_set=a_set(*map(case, range(count))), corpus_sha256=CORPUS)
    with pytest.raises(InvalidGoldenSet, match="1 to 100 cases, not 101"):
        SuiteContent(golden_set=a_set(*map(case, range(101))), corpus_sha256=CORPUS)


@pytest.mark.proves("C-18")
def test_every_case_of_a_suite_is_reviewed() -> None:
    golden_set = a_set(case(1), case(2, reviewed=False))
    (finding,) = suite_findings(golden_set, CORPUS)
    assert (finding.rule, finding.questions) == (Rule.SUITE_REVIEW, (b"q002",))
    with pytest.raises(InvalidGoldenSet, match="1 of 2 cases of a suite are not reviewed"):
        SuiteContent(golden_set=golden_set, corpus_sha256=CORPUS)


def test_a_case_that_nobody_judged_is_not_reviewed_whatever_it_says() -> None:
    unjudged = a_case_question("q1", reviewed=True, unjudged=True)
    (finding,) = suite_findings(a_set(unjudged), CORPUS)
    assert finding.rule is Rule.SUITE_REVIEW


@pytest.mark.proves("C-19")
@pytest.mark.parametrize("corpus", ["b" * 64, "A" * 64, None])
def test_every_case_is_labelled_against_the_supplied_corpus(corpus: str | None) -> None:
    golden_set = a_set(case(1), case(2, corpus=corpus))
    (finding,) = suite_findings(golden_set, CORPUS)
    assert (finding.rule, finding.questions) == (Rule.SUITE_CORPUS, (b"q002",))
    with pytest.raises(InvalidGoldenSet, match="1 of 2 cases of a suite are not labelled"):
        SuiteContent(golden_set=golden_set, corpus_sha256=CORPUS)


@pytest.mark.proves("C-20")
@pytest.mark.parametrize("digest", ["A" * 64, "a" * 63, "corpus-1", f"v1:{CORPUS}", ""])
def test_the_corpus_digest_of_a_suite_is_a_lowercase_sha256(digest: str) -> None:
    corpus = digest or CORPUS
    with pytest.raises(InvalidGoldenSet, match="64 lowercase hex digits"):
        SuiteContent(golden_set=a_set(case(1, corpus=corpus)), corpus_sha256=digest)

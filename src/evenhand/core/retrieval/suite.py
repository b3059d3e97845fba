"""May this golden set be frozen as a suite over that corpus?

A suite revision decides about releases, so it asks more of a golden set than an evaluation does:
few cases, each looked at by a second person, all labelled against the very corpus at hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from evenhand.core.errors.registry import InvalidSuite
from evenhand.core.identity.canonical import is_sha256
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.core.retrieval.lint import Finding, Rule

#: Most cases of a suite.
MAX_CASES: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteContent:
    """The questions of a suite revision and the corpus that they are about.

    Attributes:
        golden_set: 1 to 100 questions, all reviewed, each labelled against the corpus.
        corpus_sha256: the corpus digest, 64 lowercase hex digits.

    Raises:
        InvalidSuite: one of these rules is broken; its code says which.

    Source: statements C-17 to C-20, G-47.
    """

    golden_set: GoldenSet
    corpus_sha256: str

    def __post_init__(self) -> None:
        """Check the rules; see the class."""
        if not is_sha256(self.corpus_sha256):
            rule = "the corpus digest of a suite must be 64 lowercase hex digits"
            raise InvalidSuite("corpus_digest", rule)
        for finding in suite_findings(self.golden_set, self.corpus_sha256):
            raise InvalidSuite(finding.rule.value, finding.message)


def require_size(cases: int) -> None:
    """Refuse a number of cases that no suite has, before a set is made of them.

    Raises:
        InvalidSuite: none, or more than `MAX_CASES` (``suite_size``).
    """
    if not 1 <= cases <= MAX_CASES:
        raise InvalidSuite(Rule.SUITE_SIZE.value, _wrong_size(cases))


def suite_findings(golden_set: GoldenSet, corpus_sha256: str) -> Iterator[Finding]:
    """What keeps a set from being a suite over a corpus; nothing where it may be one.

    Args:
        golden_set: the set; that it has a question is its own rule.
        corpus_sha256: digest of the corpus.
    """
    questions = golden_set.questions
    if len(questions) > MAX_CASES:
        yield Finding(
            rule=Rule.SUITE_SIZE,
            message=_wrong_size(len(questions)),
        )
    # Nobody has looked at a question that is unjudged, whatever else is said of it.
    unreviewed = tuple(one.id for one in questions if not one.reviewed or one.unjudged)
    if unreviewed:
        yield Finding(
            rule=Rule.SUITE_REVIEW,
            message=f"{len(unreviewed)} of {len(questions)} cases of a suite are not reviewed",
            questions=unreviewed,
        )
    elsewhere = tuple(
        one.id
        for one in questions
        if one.label_provenance is None or one.label_provenance.corpus_revision != corpus_sha256
    )
    if elsewhere:
        yield Finding(
            rule=Rule.SUITE_CORPUS,
            message=f"{len(elsewhere)} of {len(questions)} cases of a suite are not labelled "
            "against this corpus (label_provenance.corpus_revision)",
            questions=elsewhere,
        )


def _wrong_size(cases: int) -> str:
    return f"a suite has 1 to {MAX_CASES} cases, not {cases}"

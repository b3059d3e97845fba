"""May this golden set be frozen as a suite over that corpus?

A suite revision decides about releases, so it asks more of a golden set than an evaluation does:
few cases, each looked at by a second person, all labelled against the very corpus at hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from evenhand.core.errors import InvalidGoldenSet
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
        InvalidGoldenSet: one of these rules is broken.

    Source: statements C-17 to C-20.
    """

    golden_set: GoldenSet
    corpus_sha256: str

    def __post_init__(self) -> None:
        """Check the rules; see the class."""
        if not is_sha256(self.corpus_sha256):
            raise InvalidGoldenSet("the corpus digest of a suite must be 64 lowercase hex digits")
        for finding in suite_findings(self.golden_set, self.corpus_sha256):
            raise InvalidGoldenSet(finding.message)


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
            message=f"a suite has 1 to {MAX_CASES} cases, not {len(questions)}",
        )
    unreviewed = tuple(one.id for one in questions if not one.reviewed)
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

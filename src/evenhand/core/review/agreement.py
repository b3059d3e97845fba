"""Does a rubric judge as people do? Agreement of one revision with human labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from evenhand.core.identity.canonical import json_ascii_v1_digest
from evenhand.core.review.observation import Assessment
from evenhand.core.review.rates import ReviewedRow

#: Fewest human labels by which a revision may feed what is told as grounded (DESIGN 9).
FEWEST_LABELS: Final = 50
_SCHEMA: Final = "judged-cases-v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How one rubric revision agrees with people, over the cases that both labelled.

    Attributes:
        revision_id: of the practice; labels of another revision say nothing of it.
        both_good, both_bad: cases labelled alike.
        only_reviewer_good, only_human_good: cases labelled differently.
        excluded: cases that only one of the two labelled; in no number below.
    """

    revision_id: str
    both_good: int
    both_bad: int
    only_reviewer_good: int
    only_human_good: int
    excluded: int

    @property
    def n(self) -> int:
        """Cases that both labelled."""
        return self.both_good + self.both_bad + self.only_reviewer_good + self.only_human_good

    @property
    def raw(self) -> Fraction | None:
        """Share labelled alike, in [0, 1]; None without a case."""
        return Fraction(self.both_good + self.both_bad, self.n) if self.n else None

    @property
    def kappa(self) -> Fraction | None:
        """Cohen's kappa, in [-1, 1]; None without a case, or where chance alone agrees always.

        Source: Cohen 1960, Educational and Psychological Measurement 20:37.
        """
        if self.raw is None:
            return None
        reviewer = Fraction(self.both_good + self.only_reviewer_good, self.n)
        human = Fraction(self.both_good + self.only_human_good, self.n)
        chance = reviewer * human + (1 - reviewer) * (1 - human)
        return None if chance == 1 else (self.raw - chance) / (1 - chance)

    @property
    def is_enough(self) -> bool:
        """Whether so many labels are compared that the revision may feed what is told as grounded."""
        return self.n >= FEWEST_LABELS


def agree(
    revision_id: str, reviewer: Mapping[str, Assessment], human: Mapping[str, Assessment]
) -> Agreement:
    """The agreement of a revision's labels with people's.

    Args:
        revision_id: of the practice, by which both labelled.
        reviewer: labels of the review, by case.
        human: labels of people, by case.
    """
    common = reviewer.keys() & human.keys()
    pairs = [(reviewer[case], human[case]) for case in common]
    good, bad = Assessment.GOOD, Assessment.BAD
    return Agreement(
        revision_id=revision_id,
        both_good=pairs.count((good, good)),
        both_bad=pairs.count((bad, bad)),
        only_reviewer_good=pairs.count((good, bad)),
        only_human_good=pairs.count((bad, good)),
        excluded=len(reviewer.keys() | human.keys()) - len(common),
    )


def judged_digest(stratum: str, judged: Mapping[str, ReviewedRow]) -> str:
    """Digest of what a judge found of each case, 64 lowercase hex digits.

    Args:
        stratum: of the reviews.
        judged: the review of each case that stands; one that is not assessed is covered as well.
    """
    rows = [
        [case, row.job_id, row.attempt, None if row.assessment is None else row.assessment.value]
        for case, row in sorted(judged.items())
    ]
    return json_ascii_v1_digest({"schema": _SCHEMA, "stratum": stratum, "cases": rows})

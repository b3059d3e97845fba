"""What do people say of reviewed cases? Labels of a cohort under one revision of a practice.

A label is of a case of a cohort: the same case id in another cohort is another case. A labeller
may change their mind: their newest label of a case is the one that they stand by.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from evenhand.core.access.roles import Actor
from evenhand.core.errors import InvalidValue
from evenhand.core.identity.canonical import json_ascii_v1_digest
from evenhand.core.identity.labels import IDENTIFIER
from evenhand.core.review.observation import Assessment
from evenhand.core.review.states import CohortKind

#: Most characters of the name of a cohort or a case, as for a submission.
MAX_NAME: Final = 190
# As for pseudonyms of events (G-68).
_PSEUDONYM: Final = re.compile(IDENTIFIER)
_SCHEMA: Final = "human-labels-v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledCohort:
    """Of what labels are, and by which criteria.

    Attributes:
        practice_revision_id: the criteria.
        kind: by what the cases are told.
        name: of the cases, or the inputs digest, as the kind says; 1 to 190 characters.

    Raises:
        InvalidValue: a name that is too short or too long.
    """

    practice_revision_id: str
    kind: CohortKind
    name: str

    def __post_init__(self) -> None:
        _require_length("cohort", self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidLabel:
    """What one person says of one case.

    Attributes:
        case_id: of the cohort, 1 to 190 characters.
        labeller: pseudonym: letters, digits and ``. _ : + -``, at most 128.
        label: what they say.
        labelled_at: when they said so, aware.

    Raises:
        InvalidValue: a case or a pseudonym that breaks its rule, or a time without a zone.
    """

    case_id: str
    labeller: str
    label: Assessment
    labelled_at: datetime

    def __post_init__(self) -> None:
        _require_length("case_id", self.case_id)
        if not _PSEUDONYM.fullmatch(self.labeller):
            raise InvalidValue(
                "labeller",
                "must be a pseudonym of 1 to 128 letters, digits and . _ : + -, a letter or digit"
                " first",
            )
        if self.labelled_at.utcoffset() is None:
            raise InvalidValue("labelled_at", "must have a zone")


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanLabel:
    """A label as it is stored, for good.

    Attributes:
        id: UUIDv7 text.
        of: the cohort and the criteria.
        said: the label.
        created_at: aware UTC.
        made_by: who recorded it, who need not be who said it.
    """

    id: str
    of: LabelledCohort
    said: SaidLabel
    created_at: datetime
    made_by: Actor


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleSay:
    """What people say of the cases of a cohort, taken together.

    Attributes:
        cases: what more than half of a case's labellers say.
        divided: cases of which no answer has more than half.
        labels: how many labels stand, of `cases` and of `divided`.
        labellers: how many people gave them.
        digest: of the labels that stand, 64 lowercase hex digits.
    """

    cases: Mapping[str, Assessment]
    divided: int
    labels: int
    labellers: int
    digest: str


def people_say(of: LabelledCohort, labels: Iterable[SaidLabel]) -> PeopleSay:
    """What people say, case by case.

    Of a case that one labelled twice the newer label stands; more than half of a case's labellers
    decide, and where they are divided the case has no label.

    Args:
        of: whose labels they are.
        labels: in any order.
    """
    standing: dict[tuple[str, str], SaidLabel] = {}
    for one in sorted(labels, key=lambda one: (one.labelled_at, one.label)):
        standing[one.case_id, one.labeller] = one
    votes: dict[str, Counter[Assessment]] = {}
    for one in standing.values():
        votes.setdefault(one.case_id, Counter())[one.label] += 1
    decided = {
        case: answer
        for case, counted in votes.items()
        for answer, count in counted.items()
        if 2 * count > counted.total()
    }
    return PeopleSay(
        cases=decided,
        divided=len(votes) - len(decided),
        labels=len(standing),
        labellers=len({labeller for _, labeller in standing}),
        digest=_digest(of, standing),
    )


def _digest(of: LabelledCohort, standing: Mapping[tuple[str, str], SaidLabel]) -> str:
    rows = [
        [
            one.case_id,
            one.labeller,
            one.label.value,
            one.labelled_at.astimezone(UTC).isoformat(timespec="microseconds"),
        ]
        for _, one in sorted(standing.items())
    ]
    return json_ascii_v1_digest(
        {
            "schema": _SCHEMA,
            "practice_revision_id": of.practice_revision_id,
            "cohort_kind": of.kind.value,
            "cohort": of.name,
            "labels": rows,
        }
    )


def _require_length(field: str, text: str) -> None:
    if not 1 <= len(text) <= MAX_NAME:
        rule = f"must have 1 to {MAX_NAME} characters"
        raise InvalidValue(field, rule)

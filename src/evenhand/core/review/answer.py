"""To which case of which candidate run does a reviewed answer belong, and what was found of it?

A review says so when it is submitted. The run may be stored by then, or be published later under
a key that is named already: a result is final when the later of both evaluations has ended.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from evenhand.core.errors import InvalidValue
from evenhand.core.identity.labels import IDENTIFIER
from evenhand.core.review.observation import Assessment
from evenhand.core.review.states import Origin
from evenhand.core.review.strata import Identities

#: The last place that a column of a database holds.
LAST_POSITION: Final = 2**31 - 1
_VERSION: Final = re.compile(IDENTIFIER)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPlace:
    """Where a reviewed answer belongs.

    Attributes:
        evaluation_id: the candidate run; None where its key names it.
        publication_key: under which the run was published or will be; None where its id names it.
        suite_revision_id: whose case it is; None where the set is no suite revision.
        case_id: of the suite revision; None exactly without one.
        position: index of its question in byte order of the question ids, from 0.
        prompt_version: of the prompt that made the answer; None is unknown.
        awaits_acceptance: whether the result is final only once a person has said whether they
            accept the answer.

    Raises:
        InvalidValue: no run or two, a case without its suite revision, a place that is none, or a
            version that is no identifier.
    """

    evaluation_id: str | None
    publication_key: str | None
    suite_revision_id: str | None
    case_id: str | None
    position: int
    prompt_version: str | None
    awaits_acceptance: bool

    def __post_init__(self) -> None:
        if (self.evaluation_id is None) is (self.publication_key is None):
            raise InvalidValue("answer_of", "names a run by evaluation_id or by publication_key")
        if (self.suite_revision_id is None) is not (self.case_id is None):
            raise InvalidValue("answer_of", "names a case of a suite revision, or a position")
        if not 0 <= self.position <= LAST_POSITION:
            raise InvalidValue("answer_of.position", f"must lie in [0, {LAST_POSITION}]")
        if self.prompt_version is not None and not _VERSION.fullmatch(self.prompt_version):
            rule = "must be 1 to 128 of A-Z a-z 0-9 . _ : + -, the first alphanumeric"
            raise InvalidValue("answer_of.prompt_version", rule)

    @property
    def case(self) -> str:
        """What tells the case from others of its run."""
        return self.case_id or f"position:{self.position}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredRun:
    """The candidate run that answers belong to.

    Attributes:
        evaluation_id: under which it is stored.
        project_id: whose.
        suite_revision_id: what was asked; None where it was no suite revision.
        is_ineligible: whether it is a candidate that became ineligible; its result was final then.
    """

    evaluation_id: str
    project_id: str
    suite_revision_id: str | None
    is_ineligible: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedAnswer:
    """What a review that has ended says of an answer under one practice.

    Attributes:
        job_id: of the review.
        place: where the answer belongs.
        origin: why it was reviewed.
        began_at: when the attempt was claimed that reviewed it.
        ended_at: when the review ended.
        identities: what it ran with.
        assessment: good, bad, or None where nothing was decided.
        accepted: what was said of the answer last; None where nobody said anything.
        accepted_at: when.
    """

    job_id: str
    place: AnswerPlace
    origin: Origin
    began_at: datetime
    ended_at: datetime
    identities: Identities
    assessment: Assessment | None
    accepted: bool | None
    accepted_at: datetime | None

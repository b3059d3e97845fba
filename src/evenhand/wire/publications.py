"""How does a run come over the network, and what is answered? Rankings or rows, never numbers.

A client sends what its retriever gave; the hub scores it. Exactly one of the three ways to say
what was asked is used (a suite revision, a set that is sent along, a set that is only described),
and exactly one of the two to say what came back (rankings, rows by position).
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from evenhand.core.identity.canonical import json_ascii_v1, json_ascii_v1_digest
from evenhand.core.identity.provenance import RetrievalProvenance
from evenhand.core.retrieval.golden import MAX_NAME_BYTES, QueryId
from evenhand.core.retrieval.golden import GoldenSet as CoreSet
from evenhand.core.retrieval.ranking import Failed, build_retrieved
from evenhand.core.scoring.outcome import JudgedHit, OutcomeState
from evenhand.core.scoring.publication import ERROR_CODE_PATTERN, KEY_PATTERN
from evenhand.core.scoring.reported import ReportedAnswer, Stated
from evenhand.core.scoring.reported_rows import DescribedSet as CoreDescribed
from evenhand.core.scoring.reported_rows import ReportedRow
from evenhand.wire.golden_sets import GoldenSet, golden_set_to_core
from evenhand.wire.held_text import HeldText
from evenhand.wire.shapes import Strict

_WHOLE_END: Final = 2**31 - 1
#: Milliseconds; beyond it a double is no whole number any more.
_LATENCY_END: Final = 2**53 - 1

Whole = Annotated[int, Field(ge=0, le=_WHOLE_END)]
Latency = Annotated[
    float | None,
    Field(ge=0, le=_LATENCY_END, description="Milliseconds, not rounded; null is unknown."),
]
ErrorCode = Annotated[
    str | None, Field(pattern=ERROR_CODE_PATTERN, description="What failed; null otherwise.")
]
Fingerprint = Annotated[str, Field(pattern=r"^v1:[0-9a-f]{64}$")]


Grade = Annotated[int, Field(ge=-(2**31), le=2**31 - 1)]
Identifier = Annotated[str, Field(pattern=r"^[a-z0-9_]+(\.[a-z0-9_]+)*$", max_length=255)]


class Provenance(Strict):
    """What was run, under the names of the interchange."""

    corpusRevision: str  # noqa: N815 -- the name of the interchange
    modelRevision: str  # noqa: N815
    chunkingIdentity: str  # noqa: N815
    pipelineIdentity: str  # noqa: N815
    executionRevision: str | None = Field(default=None, description="Null is unknown.")  # noqa: N815


class DescribedSet(Strict):
    """A golden set of which no question is told: only for rows."""

    identifier: Identifier
    name: Annotated[str, Field(min_length=1, max_length=MAX_NAME_BYTES)]
    labels_fingerprint: Fingerprint | None = Field(
        default=None, description="Null is unknown, as is then what was run."
    )
    qrels_digest: Fingerprint | None = Field(
        default=None, description="Null is unknown; then no graded measure compares."
    )

    def to_core(self) -> CoreDescribed:
        """The value."""
        return CoreDescribed(**self.model_dump())


class ReportedQuestion(Strict):
    """What came back for one question."""

    question_id: HeldText
    ranking: list[HeldText] | None = Field(
        description="Document ids, best first; may repeat. Empty: nothing came back. Null: failed."
    )
    error_code: ErrorCode = None
    latency_ms: Latency = None

    @model_validator(mode="after")
    def _require_one(self) -> Self:
        if (self.ranking is None) is not (self.error_code is not None):
            raise PydanticCustomError(
                "ranking_or_error", "exactly a failed question has an error_code and no ranking"
            )
        if self.error_code is not None and self.latency_ms is not None:
            raise PydanticCustomError("latency_of_failure", "a failed question has no latency")
        return self

    def to_core(self, depth: int) -> ReportedAnswer:
        """The value; results beyond the depth are not read."""
        if self.ranking is None:
            answer: Any = Failed(error_class=self.error_code or "")
        else:
            answer = build_retrieved(
                self.ranking, depth=depth, scored=False, latency_ms=_rounded(self.latency_ms)
            )
        return ReportedAnswer(question_id=QueryId(self.question_id), answer=answer)


class ReportedHit(Strict):
    """A judged document among the distinct results."""

    rank: Annotated[int, Field(ge=1, le=_WHOLE_END)]
    grade: Grade


class ReportedOutcome(Strict):
    """What came back for one question, by position and without an id."""

    position: Whole = Field(description="In byte order of the question ids, from 0.")
    state: Literal["scored", "failed", "unjudged"]
    retrieved: Whole | None = Field(description="Distinct documents; null when failed.")
    window: Whole | None = Field(
        default=None,
        description="The same among the first 12 results; needed where more were asked for.",
    )
    judged_hits: list[ReportedHit] = Field(
        description="Each judged document among the distinct ones, by rank."
    )
    error_code: ErrorCode = None
    latency_ms: Latency = None
    targets: Whole | None = Field(
        default=None, description="Needed of a judged question of a set that is only described."
    )
    judged_grades: list[Grade] | None = Field(
        default=None, description="Of all judgements of the question, descending."
    )

    def to_core(self) -> ReportedRow:
        """The value."""
        grades = self.judged_grades
        return ReportedRow(
            position=self.position,
            state=OutcomeState(self.state),
            retrieved=self.retrieved,
            window=self.window,
            judged_hits=tuple(JudgedHit(one.rank, one.grade) for one in self.judged_hits),
            latency_ms=_rounded(self.latency_ms),
            error_code=self.error_code,
            targets=self.targets,
            judged_grades=None if grades is None else tuple(grades),
        )


class NewEvaluation(Strict):
    """A run that was carried out elsewhere."""

    project_id: str | None = Field(
        default=None,
        pattern=r"^[a-z0-9][a-z0-9-]{0,62}$",
        description="Id or name. Null: the service client's own.",
    )
    idempotency_key: str = Field(
        pattern=KEY_PATTERN, description="The same for each try of one call, within a project."
    )
    suite_revision_id: str | None = Field(default=None, min_length=1, max_length=64)
    golden_set: GoldenSet | None = Field(default=None, description="Nothing of it is held out.")
    described_set: DescribedSet | None = None
    retriever: str = Field(min_length=1, max_length=255, description="Name of the series.")
    provenance: Provenance | None = Field(description="What was run; null is unknown.")
    protocol: str = Field(min_length=1, max_length=190)
    depth: int = Field(ge=1, le=_WHOLE_END, description="Results that were asked for.")
    questions: list[ReportedQuestion] | None = Field(default=None, min_length=1)
    outcomes: list[ReportedOutcome] | None = Field(default=None, min_length=1)

    @model_validator(mode="after")
    def _require_one_each(self) -> Self:
        sets = (self.suite_revision_id, self.golden_set, self.described_set)
        if sum(one is not None for one in sets) != 1:
            raise PydanticCustomError(
                "one_set", "exactly one of suite_revision_id, golden_set and described_set"
            )
        if self.golden_set is not None and self.golden_set.asked < len(self.golden_set.questions):
            raise PydanticCustomError("held_out", "what a set holds out is not sent along")
        if (self.questions is None) is (self.outcomes is None):
            raise PydanticCustomError("one_result", "exactly one of questions and outcomes")
        if self.described_set is not None and self.outcomes is None:
            raise PydanticCustomError("set_not_told", "a described set has outcomes only")
        return self

    @property
    def stated(self) -> Stated:
        """What is stated beside the results; raises InvalidReport, InvalidLabel, InvalidText."""
        declared = self.provenance
        return Stated(
            retriever=self.retriever,
            provenance=None
            if declared is None
            else RetrievalProvenance.from_dict(declared.model_dump()),
            protocol=self.protocol,
            depth=self.depth,
        )

    @property
    def asked(self) -> CoreSet | CoreDescribed | None:
        """What was asked; None where it is a suite revision.

        Raises:
            InvalidGoldenSet, InvalidReport: the set breaks a rule of its own.
        """
        if self.golden_set is not None:
            return golden_set_to_core(self.golden_set)
        return None if self.described_set is None else self.described_set.to_core()

    @property
    def digest(self) -> str:
        """Digest of what the body means (the C-92 rule), without key and project.

        The order of questions, rows and members means nothing, that of a ranking does; a latency
        is a number, however it is written (G-54).
        """
        stated = self.model_dump(mode="json", exclude={"idempotency_key", "project_id"})
        if self.golden_set is not None:
            _order(stated["golden_set"])
        if self.questions is not None:
            pairs = zip(self.questions, stated["questions"], strict=True)
            # Repeated ids are refused later; until then their order counts.
            stated["questions"] = [one for _, one in sorted(pairs, key=lambda p: p[0].question_id)]
        if self.outcomes is not None:
            stated["outcomes"].sort(key=lambda one: one["position"])
        for one in stated["questions"] or stated["outcomes"]:
            if one["latency_ms"] is not None:
                # Negative zero is zero.
                one["latency_ms"] = float(one["latency_ms"]) + 0.0
        return json_ascii_v1_digest(stated)


def _order(golden_set: dict[str, Any]) -> None:
    """Put what has no order of its own into one: questions, targets and grades."""
    for question in golden_set["questions"]:
        question["grades"].sort(key=_by_id)
        if question["expected_document_ids"] is not None:
            question["expected_document_ids"].sort(key=json_ascii_v1)
    golden_set["questions"].sort(key=_by_id)


def _by_id(member: dict[str, Any]) -> str:
    return json_ascii_v1(member["id"])


def _rounded(latency_ms: float | None) -> int | None:
    return None if latency_ms is None else round(latency_ms)

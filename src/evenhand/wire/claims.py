"""What does a consumer say and hear that carries out a comparison?

It claims one, is told a token once, reports how far it has come, and in the end sends both sides
as rankings, or says that it failed or stopped. It sends no number that the hub could reckon. A
body that breaks a rule here is refused before the comparison is looked up; which cases there are
and what a gateway request proves is looked at afterwards (`core.comparison`).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from evenhand.core.comparison.report import CaseReport, LegReport, RankedEntry, ResultReport
from evenhand.core.retrieval.suite_revision import SuiteCase
from evenhand.core.scoring.publication import ERROR_CODE_PATTERN
from evenhand.wire.golden_sets import Text, text_to_wire
from evenhand.wire.intents import Comparison
from evenhand.wire.shapes import Answer, Id, Sha256, Strict

#: How many bytes a result may have.
RESULT_BYTES: Final = 4 * 2**20
#: How many cases a suite has at most, and how many entries a ranking.
MOST_CASES: Final = 100
MOST_RANKED: Final = 50
#: How long a case may have taken, in milliseconds: as long as a claim lasts.
LONGEST_MS: Final = 3_600_000

ClaimToken = Annotated[
    str, Field(max_length=256, description="As the claim gave it; keep it out of every log.")
]
_Id = Annotated[str, Field(pattern=r"^[^\x00-\x1f\x7f-\x9f]{1,256}$")]
_Requests = Annotated[
    dict[Id, Id],
    Field(
        max_length=MOST_CASES,
        description="Case id to the request_id that the gateway told. One for each case that did "
        "not fail.",
    ),
]


class Case(Answer):
    """What is to be asked, without its labels: they are the hub's to score with."""

    case_id: str
    position: int
    query: Text = Field(description="To be sent to the gateway byte for byte, as the only input.")
    query_digest: str = Field(description="By which the gateway request proves it.")


class Claimed(Answer):
    """A claim. The token is shown this once."""

    comparison: Comparison
    claim_token: str
    claim_expires_at: datetime = Field(description="Renew it before by reporting progress.")
    cases: list[Case]


class Progress(Strict):
    """How far the consumer has come; it renews the lease."""

    claim_token: ClaimToken
    current_completed_cases: int = Field(ge=0, description="Never less than before.")
    candidate_completed_cases: int = Field(ge=0, description="Never less than before.")


class Progressed(Answer):
    """The claim as it is now."""

    comparison: Comparison
    claim_expires_at: datetime
    cancel_requested: bool = Field(description="Then start no further work, and finish.")


class RankedResult(Strict):
    """One result of a ranking; its place in the list is its rank."""

    chunk_id: _Id
    document_id: _Id | None = Field(default=None, description="Null: the chunk is a document.")
    score: float = Field(allow_inf_nan=False, description="Need not fall along the list.")


class CaseResult(Strict):
    """What one side gave for one case."""

    case_id: Id
    ranked_results: list[RankedResult] = Field(
        max_length=MOST_RANKED, description="Best first. Empty: nothing came back, or it failed."
    )
    latency_ms: float = Field(ge=0, le=LONGEST_MS, allow_inf_nan=False)
    error_code: str | None = Field(
        default=None, pattern=ERROR_CODE_PATTERN, description="Of a case that failed; else null."
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.error_code is not None and self.ranked_results:
            raise PydanticCustomError("ranking_of_failure", "a failed case has no ranking")
        chunks = {one.chunk_id for one in self.ranked_results}
        if len(chunks) != len(self.ranked_results):
            raise PydanticCustomError("chunk_repeated", "a ranking holds a chunk at most once")
        return self


class LegResults(Strict):
    """What one side gave: exactly one result for each case."""

    results: list[CaseResult] = Field(max_length=MOST_CASES)


class Result(Strict):
    """Both sides, to be published at once."""

    claim_token: ClaimToken
    pins_digest: Sha256
    consumer_revision_sha256: Sha256 = Field(
        description="Digest of the program that made this report, by which to tell it from others."
    )
    current: LegResults
    candidate: LegResults
    current_gateway_requests: _Requests
    candidate_gateway_requests: _Requests


class Finish(Strict):
    """That the claim ends without a result."""

    claim_token: ClaimToken
    outcome: Literal["failed", "cancelled"] = Field(
        description="cancelled acknowledges a cancellation that was requested."
    )
    error_code: str | None = Field(
        default=None, pattern=ERROR_CODE_PATTERN, description="Only of one that failed."
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.outcome == "cancelled" and self.error_code is not None:
            raise PydanticCustomError("error_of_cancellation", "only a failure has an error_code")
        return self


def cases_to_wire(cases: Iterable[SuiteCase]) -> list[Case]:
    """What is to be asked, by position; no label goes along (G-49)."""
    return [
        Case(
            case_id=case.case_id,
            position=case.position,
            query=text_to_wire(case.question.question),
            query_digest=case.query_digest,
        )
        for case in cases
    ]


def report_to_core(body: Result) -> ResultReport:
    """Both sides, without the token."""
    return ResultReport(
        pins_digest=body.pins_digest,
        consumer_revision_sha256=body.consumer_revision_sha256,
        current=_leg(body.current, body.current_gateway_requests),
        candidate=_leg(body.candidate, body.candidate_gateway_requests),
    )


def _leg(leg: LegResults, requests: dict[str, str]) -> LegReport:
    return LegReport(
        results=tuple(
            CaseReport(
                case_id=one.case_id,
                entries=tuple(
                    RankedEntry(
                        chunk_id=entry.chunk_id, document_id=entry.document_id, score=entry.score
                    )
                    for entry in one.ranked_results
                ),
                latency_ms=one.latency_ms,
                error_code=one.error_code,
            )
            for one in leg.results
        ),
        requests=requests,
    )

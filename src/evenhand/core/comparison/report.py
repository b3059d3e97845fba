"""What does a consumer report of a comparison? Rankings of both sides, and which calls it made.

Nothing here is a number that the hub could reckon. Whether the report holds the cases of the suite
is asked here, of all of it, before anything is scored; what its gateway requests prove is
`core.comparison.evidence`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from evenhand.core.comparison.pins import LegName
from evenhand.core.errors.comparison import CaseFault
from evenhand.core.identity.canonical import json_ascii_v1_digest
from evenhand.core.retrieval.suite_revision import SuiteCase


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedEntry:
    """One result of a ranking.

    Attributes:
        chunk_id: what was found.
        document_id: of which document; None where the chunk is one.
        score: finite; evidence beside the order, which is the ranking.
    """

    chunk_id: str
    document_id: str | None
    score: float

    @property
    def document(self) -> str:
        """The document that it stands for."""
        return self.chunk_id if self.document_id is None else self.document_id


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseReport:
    """What one side gave for one case.

    Attributes:
        case_id: of the suite revision.
        entries: best first; empty where nothing came back or it failed.
        latency_ms: milliseconds, at least 0.
        error_code: why it failed; None where it did not.
    """

    case_id: str
    entries: tuple[RankedEntry, ...]
    latency_ms: float
    error_code: str | None

    @property
    def succeeded(self) -> bool:
        """Whether a ranking came of it, be it empty."""
        return self.error_code is None


@dataclass(frozen=True, slots=True, kw_only=True)
class LegReport:
    """What one side gave.

    Attributes:
        results: one for each case, in any order.
        requests: case id to the public id of the gateway request that embedded its query.
    """

    results: tuple[CaseReport, ...]
    requests: Mapping[str, str]

    @property
    def by_case(self) -> dict[str, CaseReport]:
        """The results by case id."""
        return {one.case_id: one for one in self.results}


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultReport:
    """Both sides.

    Attributes:
        pins_digest: as it was sent back.
        consumer_revision_sha256: what made the report, as it says of itself.
        current, candidate: the two sides.
    """

    pins_digest: str
    consumer_revision_sha256: str
    current: LegReport
    candidate: LegReport

    def leg(self, name: LegName) -> LegReport:
        """One of the two sides."""
        return self.current if name is LegName.CURRENT else self.candidate

    @property
    def digest(self) -> str:
        """By which a retry is known, plain hex; without the token (G-54)."""
        return json_ascii_v1_digest(
            {
                "pins_digest": self.pins_digest,
                "consumer_revision_sha256": self.consumer_revision_sha256,
                **{name.value: _leg_document(self.leg(name)) for name in LegName},
            }
        )


def case_faults(report: ResultReport, cases: Sequence[SuiteCase]) -> Iterator[CaseFault]:
    """Each way in which a report does not hold every case of the suite exactly once.

    Args:
        report: what was sent.
        cases: of the suite revision, by position.

    Source: statements C-70, C-71, G-52, G-53.
    """
    for name in LegName:
        yield from _leg_faults(name, report.leg(name), cases)


def requests_place(name: LegName, position: int | None = None) -> str:
    """Where a gateway request stands in a report: its member, and the position of its case."""
    member = f"{name.value}_gateway_requests"
    return member if position is None else f"{member}.{position}"


def _leg_faults(name: LegName, leg: LegReport, cases: Sequence[SuiteCase]) -> Iterator[CaseFault]:
    results = f"{name.value}.results"
    given = Counter(one.case_id for one in leg.results)
    known = {case.case_id for case in cases}
    for ordinal, one in enumerate(leg.results):
        if one.case_id not in known:
            yield CaseFault(place=f"{results}.{ordinal}.case_id", code="case_unknown")
    if not leg.requests.keys() <= known:
        yield CaseFault(place=requests_place(name), code="case_unknown")
    by_case = leg.by_case
    for case in cases:
        place = f"{results}.{case.position}"
        if not given[case.case_id]:
            yield CaseFault(place=place, code="case_missing")
        elif given[case.case_id] > 1:
            yield CaseFault(place=place, code="case_repeated")
        elif by_case[case.case_id].succeeded and case.case_id not in leg.requests:
            # A case that failed may leave its request out (C-80).
            place = requests_place(name, case.position)
            yield CaseFault(place=place, code="request_missing")


def _leg_document(leg: LegReport) -> dict[str, object]:
    return {
        "results": [
            {
                "case_id": one.case_id,
                "ranked_results": [
                    [entry.chunk_id, entry.document_id, float(entry.score)]
                    for entry in one.entries
                ],
                "latency_ms": float(one.latency_ms),
                "error_code": one.error_code,
            }
            for one in sorted(leg.results, key=lambda one: one.case_id)
        ],
        "gateway_requests": dict(leg.requests),
    }

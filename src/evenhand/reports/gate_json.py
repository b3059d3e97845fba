"""How does a gate become JSON? ``evenhand.gate/1``. Load this module on use: it brings msgspec."""

from __future__ import annotations

from fractions import Fraction
from typing import Final, Literal

import msgspec

from evenhand.core.comparison.checks import SelfCheck
from evenhand.core.comparison.gate import Gated
from evenhand.core.comparison.gate_result import GateFinding, GateValue
from evenhand.core.comparison.set_use import SetUseCounts, SetUseKind
from evenhand.core.identity.canonical import to_text
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.reports.comparison_document import CheckDocument, ComparisonDocument
from evenhand.reports.comparison_json import comparison_document
from evenhand.reports.comparison_view import ComparisonHints
from evenhand.reports.safe_text import encodable

FORMAT: Final = "evenhand.gate/1"
SCHEMA_FILE: Final = "gate.schema.json"


class FindingDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One demand.

    ``found`` and ``wanted`` are numbers or words; null where there is none. ``questions`` are ids.
    """

    code: str
    measure: str | None
    state: Literal["pass", "fail", "inconclusive", "incomparable", "incomplete"]
    is_flag: bool
    found: float | int | str | None
    wanted: float | int | str | None
    questions: list[str]


class GateDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a gate says.

    ``exit_code`` is that of the command. ``holdout_readings`` says how often these questions were
    read as a holdout part, this reading included; null where that is not known. ``checks`` makes one
    doubt the candidate and decides nothing; one of ``both`` that the comparison does not have speaks
    of the candidate and the result before it. ``comparison`` is null without a baseline; where the
    two cannot be compared no number in it compares them.
    """

    format: Literal["evenhand.gate/1"]
    state: Literal["pass", "fail", "inconclusive", "incomparable", "incomplete"]
    exit_code: int
    policy: str
    verdict: str
    evaluation_id: str | None
    set_identifier: str
    retriever: str
    holdout_readings: int | None
    findings: list[FindingDocument]
    checks: list[CheckDocument]
    comparison: ComparisonDocument | None


def gate_document(
    gated: Gated,
    *,
    golden_set: GoldenSet | None,
    policy: str,
    exit_code: int,
    hints: ComparisonHints | None = None,
    uses: SetUseCounts | None = None,
) -> GateDocument:
    """The document of one gate.

    Args:
        gated: what was decided.
        golden_set: what the candidate was asked; None where no question is to be named.
        policy: where the policy came from.
        exit_code: of the command.
        hints: what only the caller knows.
        uses: how often the set was decided on, this decision included.
    """
    candidate, comparison = gated.candidate, gated.comparison
    return GateDocument(
        format=FORMAT,
        state=gated.result.state.value,
        exit_code=exit_code,
        policy=encodable(policy, "utf-8"),
        verdict=gated.verdict.state.value,
        evaluation_id=candidate.evaluation_id,
        set_identifier=candidate.set_identifier,
        retriever=encodable(candidate.retriever, "utf-8"),
        holdout_readings=None if uses is None else uses.of(SetUseKind.HOLDOUT),
        findings=[_finding(one, golden_set) for one in gated.result.findings],
        checks=list(map(_check, gated.checks)),
        comparison=None
        if comparison is None
        else comparison_document(comparison, golden_set=golden_set, hints=hints, uses=uses),
    )


class GateSummary(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a gate says, without the comparison behind it.

    ``held_out`` is how many questions of the set were not asked, because they are held out;
    ``checks`` makes one doubt the candidate and decides nothing.
    """

    state: str
    policy: str
    verdict: str
    set_identifier: str
    retriever: str
    held_out: int
    findings: list[FindingDocument]
    checks: list[CheckDocument]


def gate_summary(gated: Gated, *, golden_set: GoldenSet, policy: str) -> GateSummary:
    """The short document of one gate; arguments as of `gate_document`."""
    return GateSummary(
        state=gated.result.state.value,
        policy=encodable(policy, "utf-8"),
        verdict=gated.verdict.state.value,
        set_identifier=gated.candidate.set_identifier,
        retriever=encodable(gated.candidate.retriever, "utf-8"),
        held_out=len(golden_set.holdout),
        findings=[_finding(one, golden_set) for one in gated.result.findings],
        checks=list(map(_check, gated.checks)),
    )


def gate_schema() -> bytes:
    """The JSON Schema of a gate, as the file beside this module holds it."""
    schema = msgspec.json.schema(GateDocument)
    described = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
    return msgspec.json.format(msgspec.json.encode(described), indent=1) + b"\n"


def _check(check: SelfCheck) -> CheckDocument:
    return CheckDocument(
        code=check.code,
        side=check.which,
        questions=check.count,
        looked_at=check.total,
        at_least=check.at_least or msgspec.UNSET,
    )


def _finding(finding: GateFinding, golden_set: GoldenSet | None) -> FindingDocument:
    named = () if golden_set is None else finding.positions
    questions = () if golden_set is None else golden_set.by_position
    return FindingDocument(
        code=finding.code.value,
        measure=finding.measure,
        state=finding.state.value,
        is_flag=finding.is_flag,
        found=_number(finding.found),
        wanted=_number(finding.wanted),
        questions=[encodable(to_text(questions[position].id), "utf-8") for position in named],
    )


def _number(value: GateValue | None) -> float | int | str | None:
    return float(value) if isinstance(value, Fraction) else value

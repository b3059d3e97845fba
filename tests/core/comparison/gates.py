"""Gate evidence from a picture: one letter per question says what came of it.

``1`` a target at rank 1, ``3`` at rank 3, ``0`` only something else, ``-`` nothing came back,
``!`` the retriever raised.
"""

from collections.abc import Sequence

from evenhand.core.comparison.comparison import Comparison, compare_sides
from evenhand.core.comparison.gate import decide_gate
from evenhand.core.comparison.gate_policy import GatePolicy
from evenhand.core.comparison.gate_result import GateCode, GateFinding, GateResult
from evenhand.core.comparison.side import Side, fresh_side
from evenhand.core.identity.provenance import RetrievalProvenance
from evenhand.core.retrieval.golden import GoldenQuestion, GoldenSet
from evenhand.core.scoring.evaluation import Basis
from tests.builders import Given, a_provenance, a_question, a_set, an_evaluation

_ANSWERS: dict[str, Given] = {
    "1": ["target"],
    "3": ["x", "y", "target"],
    "0": ["x"],
    "-": [],
    "!": ValueError("down"),
}
BASELINE = a_provenance()
TREATED = a_provenance(model="model-2")


def questions(picture: str, *, critical: Sequence[int] = (), no_answer: int = 0) -> GoldenSet:
    """As many questions as letters, the last ``no_answer`` of them without a target."""
    answerable = len(picture) - no_answer
    listed: list[GoldenQuestion] = [
        a_question(
            f"q{number:04d}",
            *(["target"] if number < answerable else []),
            critical=number in critical,
        )
        for number in range(len(picture))
    ]
    return a_set(*listed)


def side(
    golden_set: GoldenSet,
    picture: str,
    provenance: RetrievalProvenance | None = BASELINE,
    basis: Basis = Basis.LOCAL,
) -> Side:
    given = {
        question.text: _ANSWERS[letter]
        for question, letter in zip(golden_set.questions, picture, strict=True)
    }
    return fresh_side(an_evaluation(golden_set, given, provenance=provenance, basis=basis))


def compared(golden_set: GoldenSet, current: str, candidate: str) -> Comparison:
    return compare_sides(side(golden_set, current), side(golden_set, candidate, TREATED))


def gate(
    policy: GatePolicy,
    current: str,
    candidate: str,
    *,
    critical: Sequence[int] = (),
    no_answer: int = 0,
) -> GateResult:
    """The gate on two pictures of the same questions; the model differs between the two."""
    golden_set = questions(candidate, critical=critical, no_answer=no_answer)
    comparison = compared(golden_set, current, candidate)
    return decide_gate(policy, comparison.candidate, comparison, golden_set=golden_set)


def first(policy: GatePolicy, candidate: str, *, no_answer: int = 0) -> GateResult:
    """The gate on a candidate without a baseline."""
    golden_set = questions(candidate, no_answer=no_answer)
    return decide_gate(
        policy, side(golden_set, candidate), None, golden_set=golden_set, allow_first=True
    )


def finding(result: GateResult, code: GateCode, measure: str | None = None) -> GateFinding:
    """The one finding of that code, and measure where one is named."""
    (found,) = [
        one for one in result.findings if one.code is code and measure in (None, one.measure)
    ]
    return found


def codes(result: GateResult) -> set[GateCode]:
    return {one.code for one in result.findings}

"""What a policy may say."""

from fractions import Fraction
from hashlib import sha256

import pytest

from evenhand.core.comparison.gate_policy import (
    CompletenessRule,
    CriticalRule,
    Floor,
    GatePolicy,
    OnInconclusive,
    question_digest,
)
from evenhand.core.errors import InvalidSetting
from evenhand.core.scoring.evaluation import Basis

HALF = Fraction(1, 2)


def test_the_defaults_are_the_tenth_of_the_sources_and_a_warning() -> None:
    policy = GatePolicy()
    assert (policy.primary, policy.margin, policy.max_drop) == (
        "Success@1",
        Fraction(1, 10),
        Fraction(1, 10),
    )
    assert policy.inconclusive is OnInconclusive.WARN
    assert policy.critical.max_regressions == 0
    assert policy.family == ("Success@1",)


def test_a_question_is_named_by_the_digest_of_the_bytes_of_its_id() -> None:
    assert question_digest(b"q1\xff") == sha256(b"q1\xff").hexdigest()


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"primary": "top1"}, "primary"),
        ({"primary": "NumRet"}, "primary"),
        ({"primary": "MAP"}, "primary"),
        ({"also_test": ("nDCG@10",)}, "also_test"),
        ({"also_test": ("top1",)}, "also_test"),
        ({"also_test": ("Success@1",)}, "also_test"),
        ({"also_test": ("Success@3", "Success@3")}, "also_test"),
        ({"margin": Fraction(11, 10)}, "margin"),
        ({"margin": Fraction(-1, 10)}, "margin"),
        ({"max_drop": Fraction(2)}, "max_drop"),
        ({"max_false_abstention": Fraction(2)}, "max_false_abstention"),
        ({"floors": (Floor(measure="false abstention", minimum=HALF),)}, "floors"),
        ({"floors": (Floor(measure="Success@1", minimum=HALF),) * 2}, "floors"),
        ({"floors": (Floor(measure="Success@1", minimum=Fraction(2)),)}, "floors.Success@1"),
        ({"critical": CriticalRule(questions=("q1",))}, "critical.questions"),
        ({"critical": CriticalRule(questions=("A" * 64,))}, "critical.questions"),
        ({"critical": CriticalRule(questions=("a" * 64,) * 2)}, "critical.questions"),
        ({"critical": CriticalRule(max_regressions=-1)}, "critical.max_regressions"),
        (
            {"completeness": CompletenessRule(max_failed_share=Fraction(2))},
            "completeness.max_failed_share",
        ),
        ({"max_median_ratio": Fraction(0)}, "latency.max_median_ratio"),
        ({"max_median_ratio": Fraction(101)}, "latency.max_median_ratio"),
        ({"basis": (Basis.LOCAL, Basis.LOCAL)}, "basis"),
    ],
)
def test_a_policy_that_cannot_be_meant_is_refused_by_field(
    given: dict[str, object], field: str
) -> None:
    with pytest.raises(InvalidSetting) as caught:
        GatePolicy(**given)  # type: ignore[arg-type]
    assert caught.value.name == field


def test_a_graded_measure_may_decide() -> None:
    policy = GatePolicy(primary="nDCG(dcg='exp-log2')@10")
    assert str(policy.primary_measure) == policy.primary
    assert GatePolicy().primary_measure == "Success@1"

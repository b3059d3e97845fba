"""The policy file: exact, strict, and the same as its schema."""

import json
import re
import tomllib
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.adapters.formats.gate_policy import (
    FORMAT,
    build_gate_policy,
    default_policy_text,
    parse_gate_policy,
    policy_schema_text,
    read_gate_policy,
)
from evenhand.core.comparison.gate_policy import (
    CompletenessRule,
    CriticalRule,
    Floor,
    GatePolicy,
    OnInconclusive,
)
from evenhand.core.errors import InvalidFile, InvalidSetting
from evenhand.core.scoring.evaluation import Basis
from tests.json_schema import accepts

HEAD = f'format = "{FORMAT}"\n'
DIGEST = "0123456789abcdef" * 4
FULL = f"""\
{HEAD}
primary = "Success@3"
margin = 0.05
max_drop = 0.07
also_test = ["abstention"]
inconclusive = "fail"
basis = ["local", "witnessed"]
max_false_abstention = 0.1
[floors]
"Success@1" = 0.3
abstention = 1
[critical]
marked = false
questions = ["{DIGEST}"]
max_regressions = 2
[completeness]
max_failed_share = 0.02
require_complete = true
[latency]
max_median_ratio = 1.5
"""


def test_the_file_that_init_writes_says_what_the_defaults_say() -> None:
    assert parse_gate_policy(default_policy_text(), "gate.toml") == GatePolicy()
    assert parse_gate_policy(HEAD, "gate.toml") == GatePolicy()


def test_every_line_that_init_comments_out_is_a_line_of_the_format() -> None:
    uncommented = re.sub(r'(?m)^# (?=("[^"]+"|[a-z0-9_]+) = )', "", default_policy_text())
    policy = parse_gate_policy(uncommented, "gate.toml")
    assert {floor.measure for floor in policy.floors} == {"Success@1", "Success@3", "abstention"}
    assert policy.max_false_abstention == Fraction(1, 20)
    assert policy.completeness.max_failed_share == Fraction(1, 10)
    assert policy.max_median_ratio == Fraction(3, 2)


def test_every_field_is_read() -> None:
    assert parse_gate_policy(FULL, "gate.toml") == GatePolicy(
        primary="Success@3",
        margin=Fraction(1, 20),
        max_drop=Fraction(7, 100),
        also_test=("abstention",),
        inconclusive=OnInconclusive.FAIL,
        basis=(Basis.LOCAL, Basis.WITNESSED),
        max_false_abstention=Fraction(1, 10),
        floors=(
            Floor(measure="Success@1", minimum=Fraction(3, 10)),
            Floor(measure="abstention", minimum=Fraction(1)),
        ),
        critical=CriticalRule(marked=False, questions=(DIGEST,), max_regressions=2),
        completeness=CompletenessRule(max_failed_share=Fraction(1, 50), require_complete=True),
        max_median_ratio=Fraction(3, 2),
    )


@pytest.mark.parametrize("text", ["0.1", "0.10", "1e-1", "0.30000000000000004", "0", "1"])
def test_decimals_are_taken_from_their_text(text: str) -> None:
    assert parse_gate_policy(f"{HEAD}margin = {text}\n", "f").margin == Fraction(text)


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("marigin = 0.1", "marigin: is not a key"),
        ("[critical]\nids = []", "critical.ids: is not a key"),
        ('[floors]\n"Success@5" = 0.1', "floors.Success@5: is not a key"),
        ('[floors]\n"Success@1" = 2', "floors.Success@1: must lie between 0 and 1"),
        ("floors = 1", "floors: must be a table"),
        ('primary = "top1"', "primary: must be of: Success@1"),
        ("primary = 1", "primary: must be text"),
        ('also_test = ["Success@1"]', "also_test: must not name the primary measure"),
        ("also_test = [1]", "also_test: must be a list of texts"),
        ('inconclusive = "ignore"', "inconclusive: must be one of warn, fail"),
        ('basis = ["sworn"]', "basis: must be one of imported, local, reported, witnessed"),
        ('margin = "0.1"', "margin: must be a number"),
        ("margin = true", "margin: must be a number"),
        ("margin = nan", "margin: must be a number"),
        ("margin = inf", "margin: must be a number"),
        ("margin = 1e-999999999", "margin: must be a number"),
        ("margin = 1e999999999", "margin: must be a number"),
        ("margin = -0.1", "margin: must lie between 0 and 1"),
        (f"margin = 0.{'1' * 50}", "margin: must be a number"),
        ("margin = 1e99999999999999999999", "holds a number that is too long"),
        (f"margin = {'1' * 5000}", "holds a number that is too long"),
        ("[critical]\nmarked = 1", "critical.marked: must be true or false"),
        ("[critical]\nmax_regressions = -1", "critical.max_regressions: must be a whole number"),
        ("[critical]\nmax_regressions = 1.5", "critical.max_regressions: must be a whole number"),
        ("[critical]\nmax_regressions = inf", "critical.max_regressions: must be a whole number"),
        ('[critical]\nquestions = ["q1"]', "critical.questions: must be SHA-256 digests"),
        ("[latency]\nmax_median_ratio = 0", "latency.max_median_ratio: must be above 0"),
        ("margin = ", "at line 2"),
    ],
)
def test_what_is_wrong_is_named_by_file_and_key(lines: str, told: str) -> None:
    with pytest.raises(InvalidFile) as caught:
        parse_gate_policy(f"{HEAD}{lines}\n", "gate.toml")
    assert caught.value.file == "gate.toml"
    assert told in str(caught.value)
    assert "q1" not in str(caught.value)
    assert "sworn" not in str(caught.value)


def test_a_file_of_another_format_is_refused() -> None:
    for text in ("", 'format = "evenhand.gate-policy/2"', "format = 1"):
        with pytest.raises(InvalidFile, match=re.escape(f'format: must be "{FORMAT}"')):
            parse_gate_policy(text, "f")


def test_a_file_that_cannot_be_read_is_an_invalid_file(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match=r"gone\.toml: cannot be read"):
        read_gate_policy(tmp_path / "gone.toml")
    (tmp_path / "latin.toml").write_bytes(b'format = "\xe9"')
    with pytest.raises(InvalidFile, match=r"latin\.toml: is not UTF-8"):
        read_gate_policy(tmp_path / "latin.toml")


SCHEMA: Mapping[str, Any] = json.loads(policy_schema_text())
MEASURES = ("Success@1", "Success@3", "abstention", "false abstention", "top1")
SHARES = st.sampled_from(
    [0, 1, 2, -1, Decimal("0.1"), Decimal("1.0"), Decimal("1.5"), True, "0.1"]
)
LISTS = st.lists(st.sampled_from([*MEASURES, *Basis, 1]), max_size=3)
VALUES = {
    "format": st.sampled_from([FORMAT] * 8 + ["other"]),
    "primary": st.sampled_from([*MEASURES, "nDCG@10", "AP(rel=2)", "RBP(rel=1)", "NumRel"]),
    "margin": SHARES,
    "max_drop": SHARES,
    "also_test": LISTS,
    "inconclusive": st.sampled_from(["warn", "fail", "never", 1]),
    "basis": LISTS,
    "max_false_abstention": SHARES,
    "floors": st.dictionaries(st.sampled_from(MEASURES), SHARES, max_size=2) | st.just(1),
    "critical": st.fixed_dictionaries(
        {},
        optional={
            "marked": st.sampled_from([True, False, 1]),
            "questions": st.lists(
                st.sampled_from([DIGEST, DIGEST[::-1], DIGEST.upper(), DIGEST + "\n", 1]),
                max_size=2,
            ),
            "max_regressions": SHARES,
        },
    ),
    "completeness": st.fixed_dictionaries(
        {}, optional={"max_failed_share": SHARES, "require_complete": st.booleans()}
    ),
    "latency": st.fixed_dictionaries({}, optional={"max_median_ratio": SHARES}),
    "unknown": st.just(1),
}
NEEDED = ("format",)
DOCUMENTS = st.lists(st.sampled_from(sorted(VALUES)), max_size=3, unique=True).flatmap(
    lambda names: st.fixed_dictionaries({name: VALUES[name] for name in {*NEEDED, *names}})
)


@given(DOCUMENTS)
def test_schema_and_reader_accept_the_same_documents(document: dict[str, Any]) -> None:
    accepted = accepts(SCHEMA, document)
    if document.get("primary", "Success@1") in document.get("also_test", ()):
        accepted = False  # what a schema cannot say
    try:
        build_gate_policy(document)
    except InvalidSetting:
        assert not accepted
    else:
        assert accepted


def test_the_schema_knows_the_full_document_and_nothing_beyond_it() -> None:
    full = tomllib.loads(FULL, parse_float=Decimal)
    assert accepts(SCHEMA, full)
    assert set(SCHEMA["properties"]) == set(full)
    for name, table in full.items():
        if isinstance(table, dict) and name != "floors":
            assert set(SCHEMA["properties"][name]["properties"]) == set(table)

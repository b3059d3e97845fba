"""A gate on the terminal, as Markdown, JSON and JUnit: every finding, and nothing harmful."""

import re
from dataclasses import replace
from fractions import Fraction
from importlib.resources import files
from io import StringIO
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest

from evenhand.core.comparison.gate import Gated, gate_candidate
from evenhand.core.comparison.gate_policy import (
    CompletenessRule,
    CriticalRule,
    Floor,
    GatePolicy,
)
from evenhand.core.comparison.gate_result import GateCode, GateFinding, GateResult, GateState
from evenhand.core.comparison.side import fresh_side
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.reports.gate_json import SCHEMA_FILE, gate_document, gate_schema
from evenhand.reports.gate_markdown import gate_markdown
from evenhand.reports.gate_view import GateView, build_gate_view
from evenhand.reports.gate_wording import finding_name, finding_sentence, gate_sentence
from evenhand.reports.junit import gate_junit
from evenhand.reports.terminal import make_console
from evenhand.reports.terminal_gate import print_gate
from tests.builders import a_provenance, a_question, a_set, an_evaluation, right_answers
from tests.core.comparison.gates import TREATED, questions, side
from tests.json_schema import accepts
from tests.reports import hostile

STRICT = GatePolicy(
    also_test=("Success@3",),
    floors=(Floor(measure="Success@1", minimum=Fraction(1, 2)),),
    max_false_abstention=Fraction(1, 10),
    max_median_ratio=Fraction(2),
    completeness=CompletenessRule(max_failed_share=Fraction(1, 10), require_complete=True),
)


def gated(golden_set: GoldenSet, current: str, candidate: str) -> Gated:
    return gate_candidate(
        STRICT,
        side(golden_set, candidate, TREATED),
        side(golden_set, current),
        golden_set=golden_set,
    )


def hostile_gate() -> tuple[Gated, GoldenSet]:
    """Every critical question of a hostile set is lost by a hostile retriever."""
    plain = hostile.GOLDEN_SET
    golden_set = a_set(
        *(
            a_question(
                question.id,
                *question.expected_document_ids,
                text=question.question,
                critical=True,
            )
            for question in plain.questions
        ),
        name=plain.name,
    )
    named = {"provenance": a_provenance(), "identifier": hostile.EVERYTHING}
    good = an_evaluation(golden_set, right_answers(golden_set), **named)  # type: ignore[arg-type]
    bad = an_evaluation(golden_set, {}, **named)  # type: ignore[arg-type]
    decided = gate_candidate(
        GatePolicy(), fresh_side(bad), fresh_side(good), golden_set=golden_set
    )
    return decided, golden_set


def view_of(decided: Gated, golden_set: GoldenSet) -> GateView:
    return build_gate_view(decided, golden_set=golden_set, policy="gate.toml")


def printed(view: GateView, *, verbose: bool = False) -> str:
    stream = StringIO()
    print_gate(view, make_console(stream, width=80, color=False), verbose=verbose)
    return stream.getvalue()


@pytest.mark.parametrize("state", GateState)
@pytest.mark.parametrize("code", GateCode)
def test_every_finding_has_a_sentence_in_every_state_with_a_value_and_without(
    code: GateCode, state: GateState
) -> None:
    for found in (None, Fraction(1, 3), -0.25, 3, "local"):
        finding = GateFinding(code=code, state=state, found=found, wanted=Fraction(-1, 10))
        assert finding_name(finding)
        assert finding_sentence(finding)
    result = GateResult(state=state, findings=())
    assert gate_sentence(result, has_baseline=True)
    assert gate_sentence(result, has_baseline=False)


def test_each_surface_shows_each_finding() -> None:
    golden_set = questions("1" * 40)
    decided = gated(golden_set, "1" * 40, "0" * 40)
    view = view_of(decided, golden_set)
    junit = gate_junit(view, inconclusive_fails=False).decode()
    for finding in view.findings:
        assert finding.name in printed(view)
        assert f'name="{finding.name}"' in junit
        assert finding.name.replace("@", "\\@") in gate_markdown(view).replace("\\,", ",")


def test_equal_gates_give_equal_bytes() -> None:
    golden_set = questions("1" * 40)
    one, other = (gated(golden_set, "1" * 40, "0" * 40) for _ in range(2))
    views = [view_of(decided, golden_set) for decided in (one, other)]
    assert gate_markdown(views[0]) == gate_markdown(views[1])
    assert gate_junit(views[0], inconclusive_fails=True) == gate_junit(
        views[1], inconclusive_fails=True
    )


def test_hostile_ids_stay_text_on_every_surface() -> None:
    decided, golden_set = hostile_gate()
    view = view_of(decided, golden_set)
    assert decided.result.state is GateState.FAIL
    text = printed(view, verbose=True)
    assert "\x1b" not in text
    assert "\u202e" not in text
    root = ElementTree.fromstring(gate_junit(view, inconclusive_fails=True))  # noqa: S314 -- our own
    messages = [failure.get("message") or "" for failure in root.iter("failure")]
    assert any(hostile.SCRIPT in message for message in messages)
    # Outside of code spans nothing that Markdown or HTML would act on is left.
    (row,) = [line for line in gate_markdown(view).splitlines() if "lost, at most" in line]
    assert hostile.SCRIPT in row
    assert "<" not in re.sub(r"(`+).*?\1(?!`)", "", row)
    assert "\x1b" not in gate_markdown(view)


def test_flags_decide_nothing_in_junit() -> None:
    golden_set = questions("1" * 400)
    decided = gated(golden_set, "1" * 400, "1" * 400)
    elsewhere = replace(decided.candidate.conditions, machine="other")
    moved = gate_candidate(
        replace(STRICT, critical=CriticalRule(marked=False)),
        replace(decided.candidate, conditions=elsewhere),
        side(golden_set, "1" * 400),
        golden_set=golden_set,
    )
    view = view_of(moved, golden_set)
    assert moved.result.state is GateState.PASS
    root = ElementTree.fromstring(gate_junit(view, inconclusive_fails=True))  # noqa: S314 -- our own
    assert not root.findall(".//failure") + root.findall(".//error")
    (latency,) = [case for case in root.iter("testcase") if case.get("name") == "latency"]
    assert (latency.findtext("system-out") or "").startswith("flag: ")


def schema() -> dict[str, Any]:
    """The schema of the package, with each reference replaced by what it refers to."""
    whole = msgspec.json.decode(files("evenhand.reports").joinpath(SCHEMA_FILE).read_bytes())
    defined = whole.pop("$defs")

    def inlined(part: Any) -> Any:
        if isinstance(part, list):
            return [inlined(one) for one in part]
        if not isinstance(part, dict):
            return part
        reference = part.get("$ref")
        if isinstance(reference, str):
            return inlined(defined[reference.removeprefix("#/$defs/")])
        return {name: inlined(one) for name, one in part.items()}

    expanded: dict[str, Any] = inlined(whole)
    return expanded


def test_the_schema_in_the_package_is_that_of_the_document() -> None:
    assert files("evenhand.reports").joinpath(SCHEMA_FILE).read_bytes() == gate_schema()


def test_documents_fit_the_schema_and_altered_ones_do_not() -> None:
    golden_set = questions("1" * 40)
    first = gate_candidate(
        STRICT, side(golden_set, "1" * 40), None, golden_set=golden_set, allow_first=True
    )
    cases = [(gated(golden_set, "1" * 40, "0!" * 20), golden_set), (first, golden_set)]
    for decided, asked in [*cases, hostile_gate()]:
        made = gate_document(decided, golden_set=asked, policy="gate.toml", exit_code=1)
        document = msgspec.json.decode(msgspec.json.encode(made))
        assert accepts(schema(), document)
        assert not accepts(schema(), document | {"extra": 1})
        assert not accepts(schema(), document | {"state": "maybe"})

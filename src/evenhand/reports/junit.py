"""How does a gate read as JUnit XML? One test case per demand, so that CI names what is broken.

A demand that is broken is a ``failure``; what cannot be decided is an ``error``, except where the
policy lets it pass with a warning. No question's text is in it, and no difference unless the two
sides are comparable, for then there is no finding that holds one.
"""

from __future__ import annotations

from typing import Final
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from evenhand.core.comparison.gate_result import GateCode, GateState
from evenhand.reports.comparison_parts import ComparisonView
from evenhand.reports.gate_view import FindingView, GateView

_OPEN: Final = frozenset({GateState.INCOMPARABLE, GateState.INCOMPLETE})


def gate_junit(view: GateView, *, inconclusive_fails: bool) -> bytes:
    """The document, UTF-8 with an XML declaration; equal input gives equal bytes.

    Args:
        view: what was decided.
        inconclusive_fails: whether the policy refuses an inconclusive gate.
    """
    suite = Element("testsuite")
    for finding in view.findings:
        _case(suite, finding, view, inconclusive_fails=inconclusive_fails)
    return document_of(suite, f"evenhand gate: {view.title}")


def document_of(suite: Element, name: str) -> bytes:
    """The document of one suite whose test cases are there; as `gate_junit`."""
    suite.set("name", _clean(name))
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    suite.set("errors", str(len(suite.findall("testcase/error"))))
    suite.set("skipped", "0")
    suites = Element("testsuites")
    suites.append(suite)
    indent(suites)
    encoded: bytes = tostring(suites, encoding="utf-8", xml_declaration=True)
    return encoded + b"\n"


def add_case(
    suite: Element,
    *,
    classname: str,
    name: str,
    element: str = "",
    message: str = "",
    more: str = "",
) -> None:
    """A test case, with a ``failure`` or an ``error`` in it where one is named.

    What is ``more`` stands below the message of a failure or an error.
    """
    case = SubElement(suite, "testcase", classname=_clean(classname), name=_clean(name))
    if element:
        text = f"{message}\n{more}" if more else message
        SubElement(case, element, message=_clean(message)).text = _clean(text)
    elif message:
        SubElement(case, "system-out").text = _clean(message)


def _case(
    suite: Element, finding: FindingView, view: GateView, *, inconclusive_fails: bool
) -> None:
    message = finding.sentence
    if finding.questions:
        message += f": {', '.join(finding.questions)}"
    state = finding.state
    element = ""
    if state is GateState.FAIL:
        element = "failure"
    elif state in _OPEN or (state is GateState.INCONCLUSIVE and inconclusive_fails):
        element = "error"
    if element or finding.is_flag or state is not GateState.PASS:
        word = "flag" if state is GateState.PASS and finding.is_flag else state.value
        message = f"{word}: {message}" if word != GateState.PASS.value else message
    moved, help_lines = "", ""
    if finding.code == GateCode.VERDICT.value and element and view.comparison is not None:
        moved, help_lines = _reasons(view.comparison), _advice(view.comparison)
    add_case(
        suite,
        classname=f"evenhand.gate.{view.title}",
        name=finding.name,
        element=element,
        message=f"{message}: {moved}" if moved else message,
        more=help_lines,
    )


def _reasons(comparison: ComparisonView) -> str:
    """What moved, or is not known: no number that compares the two."""
    return "; ".join(
        f"{reason.dimension}: {reason.sentence}" if reason.dimension else reason.sentence
        for reason in comparison.reasons
    )


def _advice(comparison: ComparisonView) -> str:
    advice = comparison.advice
    if advice is None:
        return ""
    pasted = ("", advice.paste) if advice.paste else ()
    return "\n".join((advice.sentence, *advice.commands, *pasted))


def _clean(text: str) -> str:
    """Text that XML 1.0 can hold; controls were spelt out before, this is the last net."""
    return "".join(
        c if c in "\t\n" or (c >= " " and c not in "\ufffe\uffff") else "?" for c in text
    )

"""How does a report look as a page? One file, no script, nothing fetched, light and dark.

Load this module on use: it brings Jinja2. Templates escape every value; an undefined one is an
error, never an empty place.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from jinja2 import Environment, PackageLoader

from evenhand.core.comparison.previous import PreviousComparison
from evenhand.reports.collection import CollectionReport, build_collection_view
from evenhand.reports.comparison_parts import ComparisonView
from evenhand.reports.comparison_view import build_baseline_view
from evenhand.reports.environment import build_environment
from evenhand.reports.evaluation_view import build_evaluation_view
from evenhand.reports.event_chart import AnswerView
from evenhand.reports.gate_view import GateView
from evenhand.reports.history import build_history
from evenhand.reports.no_result import NoResult
from evenhand.reports.subject import Subject
from evenhand.reports.verdict_view import Hints
from evenhand.reports.view import EvaluationView

_EVALUATION: Final = "evaluation.html.j2"
_COLLECTION: Final = "collection.html.j2"
_COMPARISON: Final = "comparison.html.j2"
_GATE: Final = "gate.html.j2"
_NO_RESULT: Final = "no_result.html.j2"
_EVENTS: Final = "events.html.j2"


def render_evaluation_html(
    subject: Subject, *, comparison: PreviousComparison | None = None, hints: Hints | None = None
) -> str:
    """The page of one evaluation; equal input gives equal text.

    Args:
        subject: the evaluation.
        comparison: against the previous one, None when nothing was compared.
        hints: what only the caller knows.
    """
    view, known = build_evaluation_view(subject, comparison, hints), hints or Hints()
    has_advice = view.verdict is not None and view.verdict.advice is not None
    return (
        environment()
        .get_template(_EVALUATION)
        .render(
            view=view,
            baseline=build_baseline_view(subject, known, has_advice=has_advice),
            history=build_history(known.history),
        )
    )


def render_collection_html(report: CollectionReport) -> str:
    """The page of several evaluations; equal input gives equal text."""
    view = build_collection_view(report)
    return environment().get_template(_COLLECTION).render(view=view)


def render_comparisons_html(views: Sequence[ComparisonView]) -> str:
    """The page of comparisons with one current side; equal input gives equal text.

    Args:
        views: one per candidate, at least one.
    """
    return environment().get_template(_COMPARISON).render(views=views)


def render_gate_html(view: GateView, result: EvaluationView) -> str:
    """The page of a gate: the answer, each demand, then what it rests on.

    Args:
        view: what was decided.
        result: the candidate's result, shown where there is no baseline to compare it with.
    """
    return environment().get_template(_GATE).render(gate=view, result=result)


def render_answer_html(view: AnswerView) -> str:
    """The page of an answer about events, with its bars; equal input gives equal text."""
    return environment().get_template(_EVENTS).render(view=view)


def render_no_result_html(found: NoResult) -> str:
    """The page of a command that ended without a result: why."""
    return environment().get_template(_NO_RESULT).render(found=found)


@cache
def environment() -> Environment:
    """The templates' environment, made once."""
    return build_environment(PackageLoader("evenhand.reports", "templates"))

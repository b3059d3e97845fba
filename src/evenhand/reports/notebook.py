"""How does an evaluation look in a notebook? A small table that brings no style of its own."""

from __future__ import annotations

from evenhand.core.scoring.evaluation import Evaluation
from evenhand.reports.evaluation_view import build_evaluation_view
from evenhand.reports.html import environment
from evenhand.reports.subject import fresh_subject


def render_notebook(evaluation: Evaluation) -> str:
    """An HTML fragment: the headline rates with what they cover, and the counts."""
    view = build_evaluation_view(fresh_subject(evaluation))
    return environment().get_template("notebook.html.j2").render(view=view)

import re

from evenhand.library import Evaluation
from evenhand.reports.notebook import render_notebook
from tests.builders import a_question, a_set, an_evaluation
from tests.reports.hostile import IMAGE, SCRIPT, an_evaluation_of_it
from tests.reports.rendering import read_page


def test_it_shows_the_headline_with_what_it_covers_and_the_counts() -> None:
    text = read_page(render_notebook(an_evaluation(given={"q1": ["d1"]}))).text

    assert "fake on Tiny set (tiny)" in text
    for part in (
        "Success@1 0.333 (1 of 3) answerable questions",
        "Abstention 1.000 (1 of 1) no-answer questions",
        "attempted 4 · scored 4 · failed 0 · unjudged 0 · no-answer 1",
    ):
        assert part in text


def test_a_pooled_rate_is_no_headline() -> None:
    text = read_page(render_notebook(an_evaluation(given={}))).text

    assert "pooled" not in text.lower()
    assert "0.250" not in text


def test_it_is_a_fragment_without_style_or_script() -> None:
    fragment = render_notebook(an_evaluation())

    assert re.findall(r"<(style|script|html|body|link)\b", fragment) == []
    assert "style=" not in fragment


def test_hostile_names_stay_text() -> None:
    fragment = render_notebook(an_evaluation_of_it())

    assert SCRIPT not in fragment
    assert IMAGE not in fragment
    assert "<img" not in fragment


def test_a_notebook_shows_an_evaluation_by_itself() -> None:
    found = an_evaluation(a_set(a_question("q1", "d1")))
    shown = Evaluation(**{name: getattr(found, name) for name in found.__dataclass_fields__})

    assert shown._repr_html_() == render_notebook(found)

"""The pages in a real browser, in both colour schemes, on a desk and on a telephone."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from evenhand.core.comparison.comparison import Comparison, compare_sides
from evenhand.core.comparison.gate import gate_candidate
from evenhand.core.comparison.gate_policy import GatePolicy
from evenhand.core.comparison.side import fresh_side, pinned_side
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.reports.collection import CollectionReport, Command, Entry
from evenhand.reports.comparison_view import ComparisonHints, build_comparison_view
from evenhand.reports.evaluation_view import build_evaluation_view
from evenhand.reports.gate_view import build_gate_view
from evenhand.reports.html import (
    render_collection_html,
    render_comparisons_html,
    render_evaluation_html,
    render_gate_html,
)
from evenhand.reports.subject import fresh_subject
from evenhand.reports.verdict_view import Hints
from tests.builders import (
    Given,
    a_baseline,
    a_provenance,
    a_question,
    a_record,
    a_set,
    an_evaluation,
)
from tests.conftest import require_or_skip
from tests.reports import hostile
from tests.reports.rendering import against

CHROMIUM = Path("/usr/bin/chromium")
#: Without these it looks for hosts of its maker's; as root it needs the first two.
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
SCHEMES = ("light", "dark")
WIDTHS = (360, 1200)

# Contrast of every visible text against the nearest background that is painted (WCAG 2, 1.4.3).
FAINT_TEXTS = """
() => {
  const parse = (color) => color.match(/[0-9.]+/g).map(Number);
  const channel = (value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  const luminance = ([red, green, blue]) =>
    0.2126 * channel(red) + 0.7152 * channel(green) + 0.0722 * channel(blue);
  const background = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const [red, green, blue, alpha = 1] = parse(getComputedStyle(at).backgroundColor);
      if (alpha === 1) return [red, green, blue];
      if (alpha !== 0) throw new Error('half transparent background');
    }
    throw new Error('no background');
  };
  const faint = [];
  let looked = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.getClientRects().length) continue;
    looked += 1;
    const style = getComputedStyle(element);
    const [one, other] = [luminance(parse(style.color)), luminance(background(element))];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (isLarge ? 3 : 4.5)) faint.push([walker.currentNode.data.trim(), ratio]);
  }
  return {looked, faint};
}
"""

#: Commands that need scrolling to be seen whole, and what a reader gets who copies one.
COMMANDS = """
() => {
  const all = [...document.querySelectorAll('pre.command')];
  const hidden = all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.innerText);
  const copied = all.map((one) => {
    getSelection().selectAllChildren(one);
    return getSelection().toString();
  });
  return [hidden, copied];
}
"""
LONG_OPTIONS = "--corpus docs" + " --a-long-option with-a-long-value" * 5
LONG_LINES = f"evenhand one {LONG_OPTIONS}\n  evenhand two"


def advised() -> str:
    """A page of two results that cannot be compared, with commands longer than it is wide."""
    evaluations = {
        name: an_evaluation(provenance=a_provenance(corpus=name)) for name in ("before", "after")
    }
    report = CollectionReport(
        title="Two results",
        intro=(),
        corpora=(),
        entries=tuple(
            Entry(name=name, evaluation=evaluation, operand=name)
            for name, evaluation in evaluations.items()
        ),
        commands=(Command(text=LONG_LINES, says="Two lines:"),),
        golden_set="tiny",
        pair_options=tuple(LONG_OPTIONS.split()),
    )
    return render_collection_html(report)


def comparable() -> str:
    golden_set = a_set(
        *(a_question(f"q{n}", f"d{n}", hard_class="near-duplicate") for n in range(6)),
        a_question("n1"),
        a_question("n2", unjudged=True),
    )
    given: dict[str, Given] = {f"q{n}": [f"d{n}"] for n in range(4)}
    before = an_evaluation(golden_set, given, provenance=a_provenance(pipeline="p0"), depth=50)
    given |= {"q0": TimeoutError("late"), "q4": ["x", "y", "d4"], "n1": ["z"]}
    subject, comparison = against(
        an_evaluation(golden_set, given, provenance=a_provenance()), before
    )
    return render_evaluation_html(subject, comparison=comparison)


def unknown() -> str:
    subject, comparison = against(an_evaluation(), an_evaluation())
    hints = Hints(declaration="[tool.evenhand.retrievers.fake]\n" + 'use = "a:b"  # ' + "x" * 200)
    return render_evaluation_html(subject, comparison=comparison, hints=hints)


def baseline() -> str:
    subject, comparison = against(an_evaluation(given={}, provenance=a_provenance()))
    return render_evaluation_html(subject, comparison=comparison)


def a_series(*corpora: str) -> tuple[EvaluationRecord, ...]:
    """Stored results over these corpora, newest first."""
    made = [
        a_record(an_evaluation(provenance=a_provenance(corpus=one)), number=number)
        for number, one in enumerate(corpora, 1)
    ]
    return tuple(reversed(made))


def a_comparison_of(*, corpus: str = "corpus-1") -> Comparison:
    golden_set = a_set(*(a_question(f"q{n}", f"d{n}", hard_class="normal") for n in range(30)))
    good, bad = (
        fresh_side(
            an_evaluation(
                golden_set,
                {f"q{n}": [f"d{n}"] for n in range(hits)} | {"q29": TimeoutError("late")},
                provenance=a_provenance(pipeline=name, corpus=place),
                identifier=name,
            )
        )
        for name, hits, place in (("old", 25, "corpus-1"), ("new", 8, corpus))
    )
    return compare_sides(good, bad, golden_set=golden_set)


def compared(corpus: str = "corpus-1") -> str:
    hints = ComparisonHints(history=a_series("c1", "c1", "c2", "c2", "c2"))
    return render_comparisons_html(
        [build_comparison_view(a_comparison_of(corpus=corpus), hints=hints)] * 2
    )


def a_gate() -> str:
    comparison = a_comparison_of()
    golden_set = a_set(
        *(a_question(f"q{n}", f"d{n}", hard_class="normal", critical=n < 20) for n in range(30))
    )
    decided = gate_candidate(
        GatePolicy(), comparison.candidate, comparison.current, golden_set=golden_set
    )
    view = build_gate_view(
        decided,
        golden_set=golden_set,
        policy="gate.toml",
        hints=ComparisonHints(history=a_series("c1", "c2")),
    )
    return render_gate_html(view, build_evaluation_view(fresh_subject(an_evaluation())))


def against_a_baseline() -> str:
    evaluation = an_evaluation(given={}, provenance=a_provenance(corpus="corpus-2"))
    subject, comparison = against(evaluation, evaluation)
    pinned = compare_sides(pinned_side(a_baseline()), fresh_side(evaluation))
    hints = Hints(baseline=pinned, history=a_series("c1", "c1", "c2"))
    return render_evaluation_html(subject, comparison=comparison, hints=hints)


PAGES: dict[str, Callable[[], str]] = {
    "compared": compared,
    "refused": lambda: compared("corpus-2"),
    "gate": a_gate,
    "against a baseline": against_a_baseline,
    "comparable": comparable,
    "unknown": unknown,
    "baseline": baseline,
    "hostile": lambda: render_evaluation_html(fresh_subject(hostile.an_evaluation_of_it())),
    "advised": advised,
    "collection": lambda: render_collection_html(hostile.a_hostile_collection()),
}


@cache
def rendered(name: str) -> str:
    return PAGES[name]()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    require_or_skip(CHROMIUM.exists(), "Chromium: apt-get install chromium fonts-dejavu-core")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # A new, empty profile in a temporary folder of playwright's own.
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield running
        running.close()


@pytest.fixture(params=[(scheme, width) for scheme in SCHEMES for width in WIDTHS], ids=str)
def page(request: pytest.FixtureRequest, browser: Any) -> Iterator[Any]:
    scheme, width = request.param
    opened = browser.new_page(
        color_scheme=scheme, viewport={"width": width, "height": 800}, reduced_motion="reduce"
    )
    yield opened
    opened.close()


def show(page: Any, name: str, folder: Path) -> list[str]:
    """Open a page with every list unfolded; what the browser complained about."""
    file = folder / "page.html"
    file.write_text(rendered(name), encoding="utf-8")
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: complaints.append(request.url))
    page.on("dialog", lambda dialog: complaints.append(dialog.message))
    page.goto(file.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    allowed = {file.as_uri(), "data:,"}
    return [complaint for complaint in complaints if complaint not in allowed]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_quiet_fits_its_window_and_can_be_read(
    page: Any, name: str, tmp_path: Path
) -> None:
    complaints = show(page, name, tmp_path)

    assert complaints == []
    widths = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert widths[0] <= widths[1]
    contrast = page.evaluate(FAINT_TEXTS)
    assert contrast["looked"] > 50
    assert contrast["faint"] == []


@pytest.mark.parametrize("width", WIDTHS)
def test_a_command_is_seen_whole_and_copied_as_it_is_typed(
    browser: Any, width: int, tmp_path: Path
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 800})
    show(page, "advised", tmp_path)

    hidden, copied = page.evaluate(COMMANDS)
    page.close()

    assert hidden == []
    assert copied == [f"evenhand ab tiny before after {LONG_OPTIONS}", LONG_LINES]


@pytest.mark.parametrize("name", ["comparable", "unknown"])
def test_the_keyboard_reaches_links_lists_and_what_scrolls(
    browser: Any, name: str, tmp_path: Path
) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 800})
    show(page, name, tmp_path)
    reached = []

    for _ in range(30):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate(
                "[document.activeElement.tagName, document.activeElement.className,"
                " getComputedStyle(document.activeElement).outlineStyle]"
            )
        )
    page.close()

    kinds = {(tag, name) for tag, name, _ in reached}
    assert reached[0][:2] == ["A", "skip"]
    assert {("DIV", "scroll")} <= kinds
    assert ("SUMMARY", "") in kinds or ("PRE", "command") in kinds
    assert {outline for tag, _, outline in reached if tag != "BODY"} == {"solid"}


def test_a_printed_page_unfolds_its_lists(browser: Any, tmp_path: Path) -> None:
    page = browser.new_page(viewport={"width": 800, "height": 800})
    show(page, "comparable", tmp_path)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = false; })")
    page.emulate_media(media="print")

    heights = page.evaluate(
        "[...document.querySelectorAll('details .questions')].map((one) => one.offsetHeight)"
    )
    page.close()

    assert heights
    assert min(heights) > 0

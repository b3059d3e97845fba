"""The same result on every surface, and what a reader sees of it."""

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

import msgspec

from evenhand.core.comparison.previous import PreviousComparison
from evenhand.core.scoring.evaluation import Evaluation
from evenhand.reports.as_json import encode_evaluation
from evenhand.reports.html import render_evaluation_html
from evenhand.reports.subject import Subject, fresh_subject
from evenhand.reports.terminal import make_console, print_evaluation
from evenhand.reports.verdict_view import Hints
from tests.builders import a_comparison, a_record

VOID = {"meta", "link", "rect", "line", "circle", "path", "br"}


def printed(
    subject: Subject,
    comparison: PreviousComparison | None = None,
    *,
    hints: Hints | None = None,
    verbose: bool = False,
    width: int = 100,
) -> str:
    """What a terminal shows."""
    file = io.StringIO()
    print_evaluation(
        subject,
        make_console(file, width=width),
        comparison=comparison,
        hints=hints,
        verbose=verbose,
    )
    return file.getvalue()


@dataclass
class Element:
    tag: str
    attributes: dict[str, str | None]


@dataclass
class Page:
    """A parsed page: its elements in order and the text a reader sees."""

    elements: list[Element] = field(default_factory=list)
    text: str = ""

    def of(self, *tags: str) -> Iterator[Element]:
        return (element for element in self.elements if element.tag in tags)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.page = Page()
        self.open: list[str] = []
        self._parts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.page.elements.append(Element(tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.page.elements.append(Element(tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, tag
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self._parts.append(data)

    def close(self) -> None:
        super().close()
        assert self.open == []
        self.page.text = " ".join(" ".join(self._parts).split())


def read_page(html: str) -> Page:
    """A page, parsed; fails where tags do not nest."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.page


def page_text(
    subject: Subject,
    comparison: PreviousComparison | None = None,
    *,
    hints: Hints | None = None,
) -> str:
    """What a page shows, on one line."""
    return read_page(render_evaluation_html(subject, comparison=comparison, hints=hints)).text


def json_text(subject: Subject, comparison: PreviousComparison | None = None) -> str:
    return msgspec.json.format(encode_evaluation(subject, comparison)).decode()


def against(
    current: Evaluation, previous: Evaluation | None = None
) -> tuple[Subject, PreviousComparison]:
    """A fresh result and what it says against the previous one."""
    return fresh_subject(current, a_record(current, number=2)), a_comparison(current, previous)


def one_line(text: str) -> str:
    return " ".join(text.split())


#: Both surfaces that people read, as one line of text.
SURFACES: dict[str, Callable[..., str]] = {
    "terminal": lambda *args, **options: one_line(printed(*args, **options)),
    "page": page_text,
}

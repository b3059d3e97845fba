"""What does a browser say of a page? What it complains of, where it reaches, what axe finds."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

AXE = Path(__file__).parent / "axe" / "axe.min.js"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RUN_AXE = """
async (tags) => {
  const found = await axe.run(document, {runOnly: tags, resultTypes: ['violations']});
  return found.violations.map((one) => [one.id, one.nodes.map((node) => node.target.join(' '))]);
}
"""
#: What makes a page wider than its window; what is in a box that scrolls does not.
TOO_WIDE = """
() => {
  const isBoxed = (one) => {
    for (let at = one.parentElement; at && at !== document.body; at = at.parentElement)
      if (['auto', 'scroll', 'hidden'].includes(getComputedStyle(at).overflowX)) return true;
    return false;
  };
  if (document.documentElement.scrollWidth <= innerWidth) return [];
  return [...document.querySelectorAll('body *')]
    .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !isBoxed(one))
    .map((one) => `${one.tagName}.${one.getAttribute('class')}`);
}
"""


class Complaints:
    """What went wrong while a page was open.

    Args:
        page: of the browser.
        address: of the site; a request to anywhere else is a complaint.
    """

    def __init__(self, page: Any, address: str) -> None:
        self.found: list[str] = []
        self._page = page
        self._address = address
        self._hears: dict[str, Callable[[Any], None]] = {
            "console": lambda one: self.found.append(f"console: {one.text}"),
            "pageerror": lambda one: self.found.append(f"error: {one}"),
            "dialog": lambda one: self.found.append(f"dialog: {one.message}"),
            "response": self._answered,
            "request": self._asked,
        }
        for event, hear in self._hears.items():
            page.on(event, hear)

    def end(self) -> list[str]:
        """Hear no more; what was heard."""
        for event, hear in self._hears.items():
            self._page.remove_listener(event, hear)
        return self.found

    def _asked(self, request: Any) -> None:
        if not request.url.startswith(f"{self._address}/"):
            self.found.append(f"request: {request.url}")

    def _answered(self, response: Any) -> None:
        if response.status >= 400:
            self.found.append(f"answer {response.status}: {response.url}")


def violations(page: Any) -> list[Any]:
    """What axe finds on a page: the rule, and where it is broken."""
    # Evaluated by the browser's own tools, so the page's policy is not in its way.
    page.evaluate(_axe())
    found: list[Any] = page.evaluate(RUN_AXE, TAGS)
    return found


@cache
def _axe() -> str:
    return AXE.read_text(encoding="utf-8")

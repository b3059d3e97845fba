"""How does it read that there is no result? For the files that a command was asked to write."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree.ElementTree import Element

from evenhand.core.errors import EvenhandError
from evenhand.reports.junit import add_case, document_of
from evenhand.reports.markdown import escaped
from evenhand.reports.safe_text import shown_text


@dataclass(frozen=True, slots=True, kw_only=True)
class NoResult:
    """A command that ended before it had anything to report.

    Attributes:
        what: what was asked for, such as ``Gate``.
        title: of what.
        reason: why there is none; of an error that nobody foresaw only its class, since its words
            could repeat a text.
    """

    what: str
    title: str
    reason: str


def build_no_result(what: str, title: str, error: BaseException) -> NoResult:
    """That an error ended a command.

    Args:
        what: what was asked for.
        title: of what, as it was typed.
        error: what ended it.
    """
    if isinstance(error, EvenhandError):
        reason = f"{shown_text(str(error), limit=None)} [{error.code}]"
    elif isinstance(error, KeyboardInterrupt):
        reason = "interrupted"
    else:
        reason = f"unexpected {type(error).__name__}"
    return NoResult(what=what, title=shown_text(title, limit=None), reason=reason)


def no_result_markdown(found: NoResult) -> str:
    """The text, with a line feed at its end."""
    return (
        f"# ⛔ {escaped(found.what)}: no result\n\n{escaped(found.reason)}\n\n"
        f"{escaped(found.title)}\n"
    )


def no_result_junit(found: NoResult) -> bytes:
    """One test case, which is an error; UTF-8 with an XML declaration."""
    suite = Element("testsuite")
    title = f"{found.what.lower()}.{found.title}"
    add_case(
        suite,
        classname=f"evenhand.{title}",
        name="result",
        element="error",
        message=f"no result: {found.reason}",
    )
    return document_of(suite, f"evenhand {found.what.lower()}: {found.title}")

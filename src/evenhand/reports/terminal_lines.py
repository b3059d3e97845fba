"""How do prepared lines come to a terminal that is narrower? Each goes on below, further in.

Load this module on use: it brings rich.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from rich.console import Console

from evenhand.reports.terminal_page import Page

#: A name and the blanks behind it: what follows is its value, and goes on under itself.
_NAME: Final = re.compile(r"\S+(?: \S+)* {2,}")
_WIDEST_NAME: Final = 20
_HANG: Final = 2


def print_lines(lines: Iterable[str], console: Console) -> None:
    """Print lines that bring their own indent, none wider than the console.

    Args:
        lines: texts; of a line with a name, two blanks and a value, the value goes on under itself.
        console: where to; see `terminal_page.make_console`.
    """
    page = Page(console)
    for line in lines:
        text = line.lstrip(" ")
        name = _NAME.match(text)
        hang = name.end() if name is not None and name.end() <= _WIDEST_NAME else _HANG
        page.line(text, indent=len(line) - len(text), hang=hang)

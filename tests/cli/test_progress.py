import io
import sys

import pytest

from evenhand.cli.progress import progress_bar, tracker


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def a_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal of 80 columns as standard error; not a fixture, since pytest sets it back."""
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    for name, value in {"TERM": "xterm", "COLUMNS": "80"}.items():
        monkeypatch.setenv(name, value)
    return screen


@pytest.mark.parametrize("total", [4, None])
def test_a_terminal_sees_title_and_count(
    monkeypatch: pytest.MonkeyPatch, total: int | None
) -> None:
    terminal = a_terminal(monkeypatch)
    with progress_bar("search [bold]:find", total, quiet=False) as progress:
        progress.advance(3)

    shown = terminal.getvalue()
    assert "search [bold]:find" in shown
    assert "3/4" in shown or total is None


def test_a_title_cannot_drive_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = a_terminal(monkeypatch)
    with progress_bar("a\x1b]0;canary\x07b", 1, quiet=False) as progress:
        progress.advance(1)

    assert "\x1b]0;" not in terminal.getvalue()
    assert "\x07" not in terminal.getvalue()


def test_quiet_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = a_terminal(monkeypatch)
    with tracker(quiet=True)("documents", 3) as progress:
        progress.advance(3)

    assert terminal.getvalue() == ""


def test_nothing_is_shown_where_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)

    with tracker(quiet=False)("documents", 3) as progress:
        progress.advance(3)

    assert pipe.getvalue() == ""


def test_standard_error_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)

    with progress_bar("documents", 3, quiet=False) as progress:
        progress.advance(3)


def test_the_bar_is_gone_after_an_interruption(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = a_terminal(monkeypatch)
    with pytest.raises(KeyboardInterrupt), progress_bar("q", 3, quiet=False):
        raise KeyboardInterrupt

    # The cursor is shown again, whatever happened.
    assert terminal.getvalue().rindex("\x1b[?25h") > terminal.getvalue().rindex("\x1b[?25l")

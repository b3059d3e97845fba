import io
import re

import pytest
from rich.cells import cell_len

from evenhand.reports.subject import fresh_subject
from evenhand.reports.terminal import make_console, print_evaluation
from evenhand.reports.terminal_collection import print_collection
from evenhand.reports.verdict_view import Hints
from tests.builders import Given, a_provenance, a_question, a_set, an_evaluation
from tests.reports import hostile
from tests.reports.rendering import against, printed

TWELVE = a_set(*(a_question(f"q{n:02d}", f"d{n}", hard_class="prose-free") for n in range(12)))
ALL_MISSED: dict[str, Given] = {f"q{n:02d}": ["other"] for n in range(12)}


class Terminal(io.StringIO):
    """A file that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def shown_on(file: io.StringIO) -> str:
    subject, comparison = against(an_evaluation(provenance=a_provenance()))
    print_evaluation(subject, make_console(file, width=80), comparison=comparison)
    return file.getvalue()


@pytest.fixture
def _color_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)


@pytest.mark.usefixtures("_color_terminal")
def test_a_terminal_gets_colour() -> None:
    assert re.search(r"\x1b\[[0-9;]*3\dm", shown_on(Terminal()))


@pytest.mark.usefixtures("_color_terminal")
def test_no_color_takes_the_colour_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    assert not re.search(r"\x1b\[[0-9;]*[34]\d", shown_on(Terminal()))


@pytest.mark.usefixtures("_color_terminal")
def test_what_is_no_terminal_gets_plain_text() -> None:
    assert "\x1b" not in shown_on(io.StringIO())


@pytest.mark.parametrize("width", [24, 40, 60, 80, 100, 140])
def test_no_line_is_wider_than_the_terminal_but_those_to_copy(width: int) -> None:
    before = an_evaluation(TWELVE, ALL_MISSED, provenance=a_provenance(), depth=50)
    now = an_evaluation(TWELVE, provenance=a_provenance(pipeline="p" * 100))
    subject, comparison = against(now, before)

    lines = printed(subject, comparison, verbose=True, width=width).splitlines()

    too_wide = [line for line in lines if cell_len(line) > width]
    assert all(line.startswith("    evenhand run") for line in too_wide)
    assert not any(line.endswith(" ") for line in lines)


def test_a_narrow_terminal_loses_no_number() -> None:
    subject, comparison = against(an_evaluation(TWELVE, ALL_MISSED))

    wide, narrow = (printed(subject, comparison, width=width) for width in (140, 40))

    number = re.compile(r"\d\.\d{3} \(\d+ of \d+\)")
    assert sorted(number.findall(wide)) == sorted(number.findall(re.sub(r"\s+", " ", narrow)))


def test_missed_questions_are_counted_and_named_only_when_asked_for() -> None:
    subject = fresh_subject(an_evaluation(TWELVE, ALL_MISSED))

    quiet, verbose = printed(subject), printed(subject, verbose=True)

    assert "Missed at top 3: 12. Option -v names them." in quiet
    assert "q00" not in quiet
    assert "  q00  [not among 1 document]" in verbose
    assert "  q09  " in verbose
    assert "q10" not in verbose
    assert "  and 2 more" in verbose


def test_failed_questions_are_named_with_their_error_class_and_nothing_of_its_message() -> None:
    given: dict[str, Given] = {**ALL_MISSED, "q07": TimeoutError("canary-message")}

    text = printed(fresh_subject(an_evaluation(TWELVE, given)))

    assert "  q07  [TimeoutError]" in text
    assert "canary-message" not in text


def test_digests_are_shortened_and_shown_whole_when_asked_for() -> None:
    evaluation = an_evaluation(TWELVE, provenance=a_provenance(corpus="ab" * 32))
    subject = fresh_subject(evaluation)
    assert evaluation.identity is not None
    benchmark = evaluation.identity.fingerprints.benchmark or ""

    assert benchmark not in printed(subject)
    assert benchmark in printed(subject, verbose=True)


@pytest.mark.parametrize("width", [40, 100])
def test_hostile_texts_reach_the_terminal_harmless_and_visible(width: int) -> None:
    subject, comparison = against(
        hostile.an_evaluation_of_it(fails=True), hostile.an_evaluation_of_it()
    )
    hints = Hints(command=hostile.EVERYTHING, declaration=hostile.EVERYTHING)

    text = printed(subject, comparison, hints=hints, verbose=True, width=width)

    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e\udc80-\udcff]", text)
    together = re.sub(r"\s", "", text)
    for visible in ("<U+001B>[2J", "safe<U+202E>gnp.exe", "caf<0xE9><0xFF>", r"one\ntwo\r\nthree"):
        assert visible in together
    assert "[boldred]canary[/boldred]:boom:" in together


def test_a_hostile_collection_reaches_the_terminal_harmless() -> None:
    file = io.StringIO()

    print_collection(hostile.a_hostile_collection(), make_console(file, width=100))

    assert not re.search(
        r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e\udc80-\udcff]", file.getvalue()
    )


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8"])
def test_no_encoding_of_a_terminal_makes_printing_fail(encoding: str) -> None:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding, errors="strict", newline="")
    golden_set = a_set(a_question("q1 中文 \U0001f600", "d1", text="Größe → 中文?"))
    subject, comparison = against(an_evaluation(golden_set, {}, provenance=a_provenance()))

    console = make_console(file, width=80)
    print_evaluation(subject, console, comparison=comparison, verbose=True)
    print_collection(hostile.a_hostile_collection(), console)
    file.flush()

    text = raw.getvalue().decode(encoding)
    assert "Success@1" in text
    assert ("中文" in text) is (encoding == "utf-8")
    if encoding != "utf-8":
        assert "(*) Baseline" in text

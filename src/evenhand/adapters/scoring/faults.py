"""Which lines of an input break a rule? Read only where a faster reader stumbled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from evenhand.adapters.formats.lines import MAX_LINE_BYTES, without_mark
from evenhand.adapters.scoring.source import Source
from evenhand.core.identity.canonical import to_text
from evenhand.core.scoring.lines import BadLine, QrelsLine, RunLine, is_text, qrels_line

#: What messages say of a line that is not read.
TOO_LONG: Final = f"is a line of more than {MAX_LINE_BYTES} bytes"

_NAMED: Final = 5  # lines in one message
_BEGIN: Final = 2**16
_SHOWN: Final = 100  # characters of an id in a message

Parse = Callable[[bytes], RunLine] | Callable[[bytes], QrelsLine]


def refuse(source: Source, parse: Parse, *, query: bytes | None = None) -> None:
    """Raise what is wrong with the lines of an input; return where nothing is.

    Args:
        source: the input.
        parse: the rule of a line.
        query: the only one whose repeats are looked for; None for all.

    Raises:
        InvalidFile: names the first line that breaks a rule and others that break the same one,
            or both lines that give one document for one query.
    """
    rule, lines = "", []
    first: dict[tuple[bytes, bytes], int] = {}
    repeat: tuple[bytes, int, int] | None = None
    for number, line in numbered_lines(source):
        try:
            row = parse(line)
        except BadLine as error:
            rule = rule or str(error)
            lines += [number] if str(error) == rule else []
            if len(lines) == _NAMED:
                break
            continue
        if repeat is None and query in (None, row.query):
            before = first.setdefault((row.query, row.document), number)
            repeat = (row.document, before, number) if before != number else None
    if lines:
        rule += _hint(source, parse)
        raise source.refused(rule + _also(lines[1:]), line=lines[0])
    if repeat is not None:
        document, before, number = repeat
        raise source.refused(_twice(document, before), line=number)


def numbered_lines(source: Source) -> Iterator[tuple[int, bytes]]:
    """The lines that are neither blank nor comments, without their ends, numbered from 1.

    Raises:
        InvalidFile: the input cannot be read, is UTF-16, or a line is too long.
    """
    with source.opened() as stream:
        for number, raw in enumerate(stream.lines(MAX_LINE_BYTES), start=1):
            if len(raw) > MAX_LINE_BYTES:
                raise source.refused(TOO_LONG, line=number)
            line = without_mark(raw, source.label) if number == 1 else raw
            line = line.removesuffix(b"\n").removesuffix(b"\r")
            if is_text(line):
                yield number, line


def _hint(source: Source, parse: Parse) -> str:
    """What the input is instead, where that is plain."""
    from evenhand.adapters.formats.foreign.misfits import is_page, is_run

    with source.opened() as stream:
        begin = stream.read(_BEGIN)
    text = begin[: begin.rfind(b"\n") + 1].decode("utf-8", "replace")
    if is_page(text):
        return "; it is an HTML page"
    return "; it is a run, no judgements" if parse is qrels_line and is_run(text) else ""


def _also(lines: list[int]) -> str:
    return f" (also on line {', '.join(map(str, lines))})" if lines else ""


def _twice(document: bytes, line: int) -> str:
    shown = ascii(to_text(document[:_SHOWN]))
    return f"gives document {shown} for a query that has it on line {line} already"

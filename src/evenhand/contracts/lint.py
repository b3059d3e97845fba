"""Does a contract hold together? Fields, schema, fixtures and queries against each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import msgspec

from evenhand.contracts.contract import (
    FIXTURES,
    QUESTIONS,
    SCHEMA_FILE,
    Contract,
    Privacy,
    read_contract,
)
from evenhand.contracts.decoding import decode_event
from evenhand.contracts.events import Event
from evenhand.contracts.schema import schema_bytes
from evenhand.contracts.trusted import (
    CASES,
    Execute,
    Question,
    Window,
    ask,
    load_question,
    question_names,
)
from evenhand.core.errors import EvenhandError, InvalidEvent

#: Makes what carries queries out over some events.
Over = Callable[[Sequence[Event]], Execute]

_FAIL: Final = ".fail.json"
_KINDS: Final = ("pass", "fail", "alternative", "duplicate", "conflict")
_MEAN_TOLERANCE: Final = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong.

    Attributes:
        place: file or field.
        rule: what it breaks.
    """

    place: str
    rule: str


class QueryCase(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Events with a known answer.

    Attributes:
        about: what the case is for.
        window_start: in UTC.
        window_end: in UTC.
        events: what is stored.
        rows: what the query gives, in order.
    """

    about: str
    window_start: datetime
    window_end: datetime
    events: tuple[msgspec.Raw, ...]
    rows: tuple[Mapping[str, Any], ...]


def lint_contract(folder: Path, over: Over) -> list[Problem]:
    """Everything that is wrong with the folder of a contract's version.

    Args:
        folder: with ``contract.toml``.
        over: makes what carries queries out.

    Raises:
        InvalidFile: there is no contract to look at.
    """
    contract = read_contract(folder)
    return [
        *_field_problems(contract),
        *_schema_problems(folder, contract),
        *_fixture_problems(folder),
        *_question_problems(folder, over),
    ]


def load_case(path: Path) -> QueryCase:
    """The case of a file."""
    return msgspec.json.decode(path.read_bytes(), type=QueryCase)


def case_paths(folder: Path, question: str) -> list[Path]:
    """The cases of a question, in order."""
    return sorted((folder / QUESTIONS / question / CASES).glob("*.json"))


def case_window(case: QueryCase) -> Window:
    """The window of a case."""
    return Window(start=case.window_start, end=case.window_end)


def differences(
    expected: Sequence[Mapping[str, Any]], found: Sequence[Mapping[str, Any]]
) -> list[str]:
    """How two answers differ: counts and groups exactly, means beyond 1e-9."""
    if len(expected) != len(found):
        return [f"{len(found)} groups, expected {len(expected)}"]
    return [
        f"group {number}: {name}"
        for number, (one, other) in enumerate(zip(expected, found, strict=True), 1)
        for name in sorted({*one, *other})
        if not _is_equal(one.get(name), other.get(name))
    ]


def _is_equal(one: object, other: object) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= _MEAN_TOLERANCE
    return one == other


def _field_problems(contract: Contract) -> Iterator[Problem]:
    names = contract.names
    if len(set(names)) != len(names):
        yield Problem(place="fields", rule="no two fields have one name")
    for name in contract.grain_key:
        field = contract.find(name)
        if field is None or not field.required:
            yield Problem(place=name, rule="a field of the grain is a required field")
    for field in contract.fields:
        if not field.required and not field.decision:
            yield Problem(place=field.name, rule="an optional field says which decision it serves")
        if field.privacy is Privacy.PSEUDONYMOUS and not field.need:
            rule = "an identifier says why it is needed: investigation, access, retention"
            yield Problem(place=field.name, rule=rule)
        if not field.meaning.strip():
            yield Problem(place=field.name, rule="a field says what it means")


def _schema_problems(folder: Path, contract: Contract) -> Iterator[Problem]:
    file = folder / SCHEMA_FILE
    if not file.is_file() or file.read_bytes() != schema_bytes(contract):
        rule = "is not what the contract's fields make: evenhand contract show --as json-schema"
        yield Problem(place=SCHEMA_FILE, rule=rule)


def _fixture_problems(folder: Path) -> Iterator[Problem]:
    files = sorted((folder / FIXTURES).glob("*.json"))
    for kind in _KINDS:
        if not any(kind in file.name for file in files):
            yield Problem(place=FIXTURES, rule=f"there is no fixture of the kind {kind}")
    for file in files:
        is_event = True
        try:
            decode_event(file.read_bytes())
        except InvalidEvent:
            is_event = False
        if is_event is file.name.endswith(_FAIL):
            rule = "is an event" if is_event else "is no event"
            yield Problem(place=f"{FIXTURES}/{file.name}", rule=rule)


def _question_problems(folder: Path, over: Over) -> Iterator[Problem]:
    names = question_names(folder)
    if not names:
        yield Problem(place=QUESTIONS, rule="a contract has a reviewed query")
    for name in names:
        try:
            question = load_question(name, folder)
        except EvenhandError as error:
            yield Problem(place=f"{QUESTIONS}/{name}", rule=str(error))
            continue
        paths = case_paths(folder, name)
        if not paths:
            yield Problem(place=f"{QUESTIONS}/{name}", rule="a query has a case with its answer")
        for path in paths:
            place = f"{QUESTIONS}/{name}/{CASES}/{path.name}"
            yield from (
                Problem(place=place, rule=rule) for rule in _case_rules(path, question, over)
            )


def _case_rules(path: Path, question: Question, over: Over) -> list[str]:
    """What is wrong with a case, or with the answer to it."""
    try:
        case = load_case(path)
        events = [decode_event(one) for one in case.events]
        answer = ask(question, case_window(case), over(events))
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return ["is not JSON of a case"]
    except EvenhandError as error:
        return [str(error)]
    rows = [{**one.of, **one.measures} for one in answer.groups]
    return [f"the answer differs: {one}" for one in differences(case.rows, rows)]

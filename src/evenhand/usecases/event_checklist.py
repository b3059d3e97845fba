"""Does a running hub keep the contract? The checklist of the source, point by point (E-33..37)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from evenhand.contracts.contract import FieldType, shipped_contract

#: In which no result of anybody lies.
START, END = "2000-01-01T00:00:00Z", "2000-01-02T00:00:00Z"
_QUESTION = "relevant_grounded_accepted"
_NUMBERS = (int, float)


class AskedHub(Protocol):
    """A running hub."""

    def send(self, document: Mapping[str, Any]) -> tuple[int, Any]:
        """Status and answer to one event."""

    def get(self, event_id: str) -> tuple[int, Any]:
        """Status and what is stored under an id."""

    def ask(self, question: str, start: str, end: str) -> tuple[int, Any]:
        """Status and the trusted answer over a window."""

    def delete(self, account_id: str) -> tuple[int, Any]:
        """Status and how many events of an account were deleted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One point of the checklist.

    Attributes:
        id: of the statement.
        asks: what is looked at.
        problem: what was found instead; None where it holds.
    """

    id: str
    asks: str
    problem: str | None


def walk_checklist(hub: AskedHub, mark: str) -> Iterator[Point]:
    """Walk the checklist; what was sent is deleted at the end, whatever was found.

    Args:
        hub: a running one.
        mark: a word that no other walk uses; it is in every id that is sent.
    """
    account = f"acct_verify_{mark}"
    try:
        yield from _points(hub, mark, account)
    finally:
        status, answer = hub.delete(account)
    problem = None if (status, answer) == (200, {"deleted": 2}) else _status(status)
    yield Point(id="E-32", asks="what was sent is deleted by its account", problem=problem)


def _points(hub: AskedHub, mark: str, account: str) -> Iterator[Point]:
    known = _fixture(mark, account)
    status, answer = hub.send(known)
    problem = None if status == 201 and answer.get("status") == "stored" else _status(status)
    yield Point(id="E-33", asks="a known fixture is stored", problem=problem)
    status, kept = hub.get(known["event_id"])
    yield Point(
        id="E-34",
        asks="all required fields arrive with their types",
        problem=_status(status) if status != 200 else _differences(known, kept["event"]),
    )
    yield Point(
        id="E-35",
        asks="the same event again is a duplicate, another payload a conflict",
        problem=_repetition(hub, known),
    )
    alternative = known | {
        "event_id": f"evt_verify_{mark}_2",
        "evaluation_id": f"eval_verify_{mark}_2",
        "outcome": "ineligible",
        "grounded": False,
    }
    del alternative["accepted"]
    status, _ = hub.send(alternative)
    problem = None if status == 201 else _status(status)
    yield Point(id="E-36", asks="an alternative outcome is stored", problem=problem)
    status, found = hub.ask(_QUESTION, START, END)
    yield Point(
        id="E-37",
        asks="the trusted query over a fixed window agrees with what was sent",
        problem=_status(status) if status != 200 else _reconciled(found, mark),
    )


def _fixture(mark: str, account: str) -> dict[str, Any]:
    return {
        "timestamp_utc": "2000-01-01T12:00:00.000000Z",
        "event_id": f"evt_verify_{mark}_1",
        "account_id": account,
        "release": "verify",
        "evaluation_id": f"eval_verify_{mark}_1",
        "retrieval_version": f"verify_{mark}",
        "evaluator_version": "verify",
        "retrieval_score": 0.86,
        "grounded": True,
        "accepted": True,
        "duration_ms": 1280,
    }


def _repetition(hub: AskedHub, known: Mapping[str, Any]) -> str | None:
    again, _ = hub.send(known)
    other, _ = hub.send({**known, "retrieval_score": 0.12})
    _, kept = hub.get(known["event_id"])
    if (again, other) != (200, 409):
        return f"the answers are {again} and {other}, expected 200 and 409"
    return _differences(known, kept["event"])


def _differences(sent: Mapping[str, Any], kept: Mapping[str, Any]) -> str | None:
    types: dict[FieldType, Any] = {FieldType.NUMBER: _NUMBERS, FieldType.BOOLEAN: bool}
    for field in shipped_contract().fields:
        if field.name not in sent:
            continue
        value = kept.get(field.name)
        if not isinstance(value, types.get(field.type, str)) or value != sent[field.name]:
            return f"{field.name} is not what was sent"
    return None


def _reconciled(found: Mapping[str, Any], mark: str) -> str | None:
    groups = [
        one for one in found["groups"] if one["group"]["retrieval_version"] == f"verify_{mark}"
    ]
    expected = {
        "events": 2,
        "ineligible": 1,
        "evaluated": 1,
        "mean_retrieval_score": 0.86,
        "grounded": 1,
        "accepted": 1,
    }
    if len(groups) != 1:
        return f"there are {len(groups)} groups of the fixture, expected 1"
    wrong = [name for name, value in expected.items() if groups[0].get(name) != value]
    return f"the answer differs: {', '.join(wrong)}" if wrong else None


def _status(status: int) -> str:
    return f"the hub answered with status {status}"

"""Which error of ``core.errors`` is an answer that says no? The one with the answer's code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Final

import msgspec

from evenhand.core import errors
from evenhand.core.errors import Conflict, EvenhandError, Fenced, Invalid, NotFound
from evenhand.core.errors.access import Forbidden, Unauthenticated
from evenhand.core.errors.database import DatabaseUnavailable
from evenhand.core.errors.gateway import UpstreamFailed
from evenhand.core.errors.publication import HubRefused

#: Codes that several steps of a claim share, and that no class has for its own.
_FENCES: Final = frozenset(
    {
        "already_terminal",
        "cancellation_not_requested",
        "cancellation_requested",
        "claim_interrupted",
        "deadline_passed",
        "job_backed_off",
        "job_not_prepared",
        "job_not_queued",
        "lease_expired",
        "not_claimed",
        "retries_exhausted",
        "wrong_claim_token",
    }
)
#: Status → family, where the code is not known here: a hub of a later release may have more.
_FAMILIES: Final[Mapping[int, type[EvenhandError]]] = {
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    410: Fenced,
    422: Invalid,
    502: UpstreamFailed,
    503: DatabaseUnavailable,
}
#: Of the gateway, where an upstream is busy; of the rest of a hub it is the hub itself.
_BUSY: Final = 429


class _Field(msgspec.Struct):
    field: str
    code: str


class _Problem(msgspec.Struct):
    code: str
    title: str = ""
    detail: str | None = None
    fields: list[_Field] | None = None
    is_gateways: bool = False


class _OpenAiError(msgspec.Struct):
    code: str
    message: str = ""


class _OpenAiBody(msgspec.Struct):
    error: _OpenAiError


def refusal(
    status: int, content: bytes, *, retry_after: str | None = None
) -> EvenhandError | None:
    """The error that an answer tells of.

    It is of the very class that the hub raised where one has the code, else of the family of its
    status; `code` and the message are the hub's. What a class knows beyond these is not told over
    the network, so only ``code``, ``field`` and ``rule`` are there to be read.

    Args:
        status: of the answer, 400 or above.
        content: a problem document, or an error in the form of OpenAI's API.
        retry_after: the header of that name, in seconds.

    Returns:
        None where it is neither: then no hub answered.
    """
    told = _read(content)
    if told is None:
        return None
    kind = _kind(told, status)
    rule = told.detail or told.title
    error = kind.__new__(kind)
    # The constructors ask for what was submitted, which a problem never repeats.
    Exception.__init__(error, f"{rule} ({told.code}, status {status})")
    error.code = told.code
    waits = retry_after is not None and retry_after.isdecimal()
    known: dict[str, Any] = {
        "status": status,
        "rule": rule,
        "retry_after": int(retry_after or 0) if waits else None,
    }
    if told.fields:
        known["field"] = told.fields[0].field
    for name, value in known.items():
        setattr(error, name, value)
    return error


def _read(content: bytes) -> _Problem | None:
    try:
        return msgspec.json.decode(content, type=_Problem)
    except msgspec.DecodeError:
        pass
    try:
        told = msgspec.json.decode(content, type=_OpenAiBody).error
    except msgspec.DecodeError:
        return None
    return _Problem(code=told.code, detail=told.message, is_gateways=True)


def _kind(told: _Problem, status: int) -> type[EvenhandError]:
    if told.code in _FENCES:
        return Fenced
    found = _classes().get(told.code) or _FAMILIES.get(status)
    if found is not None:
        return found
    return UpstreamFailed if told.is_gateways and status == _BUSY else HubRefused


def _classes() -> Mapping[str, type[EvenhandError]]:
    # Once, and only when something was refused: it loads the errors of every noun.
    if not _BY_CODE:
        for module in iter_modules(errors.__path__):
            import_module(f"{errors.__name__}.{module.name}")
        for kind in _below(EvenhandError):
            # The nearest to the root, where several have one code.
            if "code" in vars(kind):
                _BY_CODE.setdefault(kind.code, kind)
    return _BY_CODE


_BY_CODE: Final[dict[str, type[EvenhandError]]] = {}


def _below(kind: type[EvenhandError]) -> Iterator[type[EvenhandError]]:
    # Breadth first, so that the nearest to the root comes first.
    waiting = [kind]
    while waiting:
        waiting = [below for one in waiting for below in one.__subclasses__()]
        yield from waiting

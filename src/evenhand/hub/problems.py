"""Which status has what went wrong? The only module that knows the numbers of HTTP.

A problem repeats nothing that was submitted: its title goes with the code, its detail is a rule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from starlette.responses import Response

from evenhand.core.errors import (
    Conflict,
    CredentialNotFound,
    DatabaseNotReady,
    DatabaseUnavailable,
    EvaluationFailed,
    EvenhandError,
    Fenced,
    Forbidden,
    Invalid,
    InvalidGoldenSet,
    NotFound,
    Unauthenticated,
)
from evenhand.wire.problems import FieldProblem, Problem

MEDIA_TYPE: Final = "application/problem+json"
OK: Final = 200
CREATED: Final = 201
INVALID_REQUEST: Final = 422


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of problem that the hub itself finds.

    Attributes:
        status: of the answer.
        title: for people.
    """

    status: int
    title: str


#: Code → kind, of what is refused before any use case is asked.
KINDS: Final[Mapping[str, Kind]] = {
    "invalid_json": Kind(400, "The body is not strict JSON"),
    "route_not_found": Kind(404, "There is nothing at this address"),
    "method_not_allowed": Kind(405, "The address does not take this method"),
    "body_too_large": Kind(413, "The body is larger than the hub takes"),
    "unsupported_media_type": Kind(415, "The body must be application/json"),
    "invalid_request": Kind(422, "The request breaks a rule of its schema"),
    "invalid_cursor": Kind(422, "No page of this list gave this cursor"),
    "internal_error": Kind(500, "Something went wrong in the hub"),
}

#: Family of the domain's errors → kind; the first that fits.
_FAMILIES: Final[Sequence[tuple[type[EvenhandError], Kind]]] = (
    (Unauthenticated, Kind(401, "A token is needed that is in force")),
    (Forbidden, Kind(403, "The credential does not allow this")),
    (NotFound, Kind(404, "There is no such thing")),
    (Conflict, Kind(409, "It contradicts what is stored")),
    (Fenced, Kind(409, "Time, token or state does not allow it")),
    (Invalid, Kind(422, "A value breaks a rule")),
    (EvaluationFailed, Kind(422, "Nothing could be evaluated")),
    (DatabaseUnavailable, Kind(503, "The database does not answer")),
    (DatabaseNotReady, Kind(503, "The database cannot be used as it is")),
)
#: Code → status, where it is not that of the family (statements C.3).
_STATUS: Final[Mapping[str, int]] = {
    "wrong_claim_token": 403,
    "lease_expired": 410,
    "deadline_passed": 410,
    "claim_interrupted": 410,
}
#: What is said to be described in the API's document for every route that has it.
DESCRIBED: Final[Mapping[int, str]] = {
    200: "It was there before.",
    400: "The body is not strict JSON.",
    401: "No token, or none that is in force.",
    403: "The credential does not allow this.",
    404: "Unknown.",
    409: "It contradicts what is stored.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    422: "A value breaks a rule.",
    500: "An error of the hub.",
    503: "The database does not answer.",
}


class Refusal(Exception):
    """A request that the hub refuses before any use case is asked.

    Attributes:
        code: a key of `KINDS`.
        detail: which rule is broken; never a value of the request.
        fields: members that break a rule.
        headers: of the answer.
    """

    def __init__(
        self,
        code: str,
        *,
        detail: str | None = None,
        fields: Sequence[FieldProblem] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(code)
        self.code = code
        self.detail = detail
        self.fields = tuple(fields)
        self.headers = dict(headers or {})


def problem_response(error: Exception) -> Response:
    """The answer to a request that ended in an error; an unforeseen one says nothing of itself."""
    if isinstance(error, Refusal):
        kind = KINDS[error.code]
        return _response(error.code, kind, error.detail, error.fields, error.headers)
    if isinstance(error, EvenhandError):
        found = next((kind for family, kind in _FAMILIES if isinstance(error, family)), None)
        if found is not None:
            kind = Kind(_STATUS.get(error.code, found.status), found.title)
            return _response(error.code, kind, _detail(error), _fields(error), _headers(kind))
    return _response("internal_error", KINDS["internal_error"], None, (), {})


def _response(
    code: str,
    kind: Kind,
    detail: str | None,
    fields: Sequence[FieldProblem],
    headers: Mapping[str, str],
) -> Response:
    problem = Problem(
        type=f"urn:evenhand:problem:{code}",
        title=kind.title,
        status=kind.status,
        code=code,
        detail=detail,
        fields=list(fields) or None,
    )
    return Response(
        problem.model_dump_json(exclude_none=True),
        status_code=kind.status,
        media_type=MEDIA_TYPE,
        headers={"Cache-Control": "no-store", **headers},
    )


def _detail(error: EvenhandError) -> str | None:
    # Messages of other errors may name what was submitted, such as an id.
    if isinstance(error, Unauthenticated | Forbidden | CredentialNotFound):
        return str(error)
    rule = getattr(error, "rule", None)
    return rule if isinstance(error, Invalid) and isinstance(rule, str) else None


def _fields(error: EvenhandError) -> Sequence[FieldProblem]:
    if isinstance(error, InvalidGoldenSet) and error.question is not None:
        # Only a set that was sent has places; they count from 0 as every place of a body does.
        place = f"body.golden_set.questions.{error.question - 1}"
        return (FieldProblem(field=place, code=error.code),)
    field = getattr(error, "field", None)
    if isinstance(error, Invalid) and isinstance(field, str):
        return (FieldProblem(field=field, code=error.code),)
    return ()


def _headers(kind: Kind) -> Mapping[str, str]:
    if kind.status == 401:
        return {"WWW-Authenticate": "Bearer"}
    return {"Retry-After": "1"} if kind.status == 503 else {}

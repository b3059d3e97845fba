"""Which status has what went wrong? The only module that knows the numbers of HTTP.

A problem repeats nothing that was submitted: its title goes with the code, its detail is a rule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from starlette.responses import Response

from evenhand.core.errors import Conflict, EvenhandError, Fenced, Invalid, NotFound
from evenhand.core.errors.access import CredentialNotFound, Forbidden, Unauthenticated
from evenhand.core.errors.comparison import CountsTooLarge, IntentRefused, ReportRejected
from evenhand.core.errors.database import DatabaseNotReady, DatabaseUnavailable
from evenhand.core.errors.evaluation import EvaluationFailed, NothingScored, TooManyFailed
from evenhand.core.errors.event import (
    EventConflict,
    EventNotFound,
    EventsRefused,
    QuestionNotFound,
    UntrustedQuery,
)
from evenhand.core.errors.gateway import ModelNotFound, RateLimited, UpstreamFailed
from evenhand.core.errors.publication import IdempotencyConflict, InvalidReport
from evenhand.core.errors.retrieval import InvalidGoldenSet
from evenhand.wire.problems import FieldProblem, Problem

MEDIA_TYPE: Final = "application/problem+json"
OK: Final = 200
CREATED: Final = 201
MULTI_STATUS: Final = 207
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
    "client_left": Kind(499, "The client left before the end"),
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
    (RateLimited, Kind(429, "It is too early for more")),
    (UpstreamFailed, Kind(502, "The deployment gave no vectors")),
    (UntrustedQuery, Kind(500, "A query of this installation is not the reviewed one")),
    (DatabaseUnavailable, Kind(503, "The database does not answer")),
    (DatabaseNotReady, Kind(503, "The database cannot be used as it is")),
)
#: Code → status, where it is not that of the family (statements C.3).
_STATUS: Final[Mapping[str, int]] = {
    "wrong_claim_token": 403,
    "lease_expired": 410,
    "deadline_passed": 410,
    "claim_interrupted": 410,
    # What a client may wait for; any other failure of an upstream is of no use to it (settled 23).
    "upstream_busy": 429,
    "client_left": 499,
    "upstream_unavailable": 503,
    "circuit_open": 503,
    "deployment_overloaded": 503,
}
#: How many faults of a report are told one by one: both sides of the largest suite.
_MOST_FAULTS: Final = 200
#: What is said to be described in the API's document for every route that has it.
DESCRIBED: Final[Mapping[int, str]] = {
    200: "It was there before.",
    201: "It was stored.",
    207: "Not each was stored; each has a result.",
    400: "The body is not strict JSON.",
    401: "No token, or none that is in force.",
    403: "The credential does not allow this.",
    404: "Unknown.",
    409: "It contradicts what is stored.",
    410: "The claim is over.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    422: "A value breaks a rule.",
    429: "It is busy; wait before asking again.",
    500: "An error of the hub.",
    502: "The deployment gave no vectors.",
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a request is refused with, before it is put into a form.

    Attributes:
        code: stable name.
        kind: status and title.
        detail: the rule that is broken, or None.
        fields: members that break a rule.
        headers: of the answer.
    """

    code: str
    kind: Kind
    detail: str | None = None
    fields: Sequence[FieldProblem] = ()
    headers: Mapping[str, str]


def look_up(error: Exception) -> Found:
    """What an error is to a client; an unforeseen one says nothing of itself."""
    if isinstance(error, Refusal):
        return Found(
            code=error.code,
            kind=KINDS[error.code],
            detail=error.detail,
            fields=error.fields,
            headers=error.headers,
        )
    if isinstance(error, EvenhandError):
        found = next((kind for family, kind in _FAMILIES if isinstance(error, family)), None)
        if found is not None:
            kind = Kind(_STATUS.get(error.code, found.status), found.title)
            return Found(
                code=error.code,
                kind=kind,
                detail=_detail(error),
                fields=_fields(error),
                headers=_headers(kind, error),
            )
    return Found(code="internal_error", kind=KINDS["internal_error"], headers={})


def problem_response(error: Exception) -> Response:
    """The answer to a request that ended in an error, as a problem."""
    found = look_up(error)
    problem = Problem(
        type=f"urn:evenhand:problem:{found.code}",
        title=found.kind.title,
        status=found.kind.status,
        code=found.code,
        detail=found.detail,
        fields=list(found.fields) or None,
    )
    return Response(
        problem.model_dump_json(exclude_none=True),
        status_code=found.kind.status,
        media_type=MEDIA_TYPE,
        headers={"Cache-Control": "no-store", **found.headers},
    )


def _detail(error: EvenhandError) -> str | None:
    # Messages of other errors may name what was submitted, such as an id.
    if isinstance(error, _SAYS_NOTHING_SUBMITTED):
        return str(error)
    rule = getattr(error, "rule", None)
    return rule if isinstance(error, Invalid) and isinstance(rule, str) else None


def _fields(error: EvenhandError) -> Sequence[FieldProblem]:
    if isinstance(error, InvalidGoldenSet) and error.question is not None:
        # Only a set that was sent has places; they count from 0 as every place of a body does.
        place = f"body.golden_set.questions.{error.question - 1}"
        return (FieldProblem(field=place, code=error.code),)
    if isinstance(error, ReportRejected):
        places = error.faults[:_MOST_FAULTS]
        return [FieldProblem(field=f"body.{one.place}", code=one.code) for one in places]
    if isinstance(error, EventsRefused):
        return tuple(
            FieldProblem(field=f"body.events.{place}.{field}", code=code)
            for place, field, code in error.places
        )
    field = getattr(error, "field", None)
    if isinstance(error, EventConflict):
        return (FieldProblem(field=error.field, code=error.code),)
    if isinstance(error, InvalidReport | IntentRefused | CountsTooLarge):
        # It names its place in the body, as the schema's refusals do.
        field = f"body.{error.field}"
    if isinstance(error, Invalid) and isinstance(field, str):
        return (FieldProblem(field=field, code=error.code),)
    return ()


_SAYS_NOTHING_SUBMITTED: Final = (
    Unauthenticated,
    Forbidden,
    CredentialNotFound,
    ModelNotFound,
    RateLimited,
    UpstreamFailed,
    IdempotencyConflict,
    ReportRejected,
    EventConflict,
    EventNotFound,
    EventsRefused,
    QuestionNotFound,
    UntrustedQuery,
    NothingScored,
    TooManyFailed,
)


def _headers(kind: Kind, error: EvenhandError) -> Mapping[str, str]:
    if kind.status == 401:
        return {"WWW-Authenticate": "Bearer"}
    if isinstance(error, RateLimited):
        return {"Retry-After": str(error.retry_after)}
    if isinstance(error, UpstreamFailed):
        # As the upstream asked for it, or not at all.
        return {} if error.retry_after is None else {"Retry-After": str(error.retry_after)}
    return {"Retry-After": "1"} if kind.status == 503 else {}

"""In which form is a request refused? Its address says: a problem, or what OpenAI's clients read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from starlette.responses import Response
from starlette.types import Scope

from evenhand.core.errors.gateway import InvalidInput
from evenhand.hub.problems import look_up, problem_response
from evenhand.hub.table import Form, form_at
from evenhand.wire import openai_errors as wire

#: Status of a problem → status in OpenAI's form, which knows no 422 for what a client got wrong.
_OPENAI: Final[Mapping[int, int]] = {422: 400}


def refusal_response(error: Exception, scope: Scope) -> Response:
    """The answer to a request that ended in an error, in the form of its address.

    Args:
        error: as it was raised.
        scope: of the request.
    """
    if form_at(scope["path"]) is Form.PROBLEM:
        return problem_response(error)
    return openai_response(error)


def openai_response(error: Exception) -> Response:
    """The answer to a request that ended in an error, as OpenAI's clients read it."""
    found = look_up(error)
    status = _OPENAI.get(found.kind.status, found.kind.status)
    fields = [problem.field for problem in found.fields]
    # The position of an item is told, and no more of it.
    rule = str(error) if isinstance(error, InvalidInput) else found.detail
    body = wire.encode_error(
        found.kind.title if rule is None else f"{found.kind.title}: {rule}",
        status=status,
        code=found.code,
        param=fields[0] if fields else None,
    )
    headers = {"Cache-Control": "no-store", **found.headers}
    return Response(body, status_code=status, media_type=wire.MEDIA_TYPE, headers=headers)

"""How does a program say a value to a hub, and what does it make of the answer?

A body is a shape of the API as JSON; an answer is a value of another, or an error that says that
no hub answered.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, TypeVar
from urllib.parse import quote

from pydantic import BaseModel, ValidationError

from evenhand.core.errors import InvalidValue
from evenhand.core.errors.publication import HubUnavailable
from evenhand.sdk.transport import Answer, Transport

STRANGE: Final = "its answer is none of a hub of this release"

T = TypeVar("T", bound=BaseModel)


def post(transport: Transport, path: str, body: BaseModel, kind: type[T]) -> T:
    """The answer to a value that is posted.

    Raises:
        EvenhandError, HubUnavailable: as `Transport.ask` and `read_answer`.
    """
    return read_answer(transport.ask("POST", path, encoded(body)), kind)


def read_answer(answer: Answer, kind: type[T]) -> T:
    """An answer as a value; members that this release does not know are passed over.

    Raises:
        HubUnavailable: it is something else.
    """
    try:
        return kind.model_validate_json(answer.content, extra="ignore")
    except ValidationError:
        # Not chained: the message of the cause shows what was read, a claim's token too.
        raise HubUnavailable(STRANGE, is_stored=False) from None


def encoded(body: BaseModel) -> bytes:
    """A value as JSON."""
    return body.model_dump_json().encode()


@contextmanager
def saying_what_is_wrong(*within: str) -> Iterator[None]:
    """Within it, a value that is made of what somebody typed.

    Args:
        within: as members of which value its own are named.

    Raises:
        InvalidValue: a member breaks its rule; the first one, without what was typed.
    """
    try:
        yield
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        field = ".".join(str(part) for part in (*within, *first["loc"]))
        raise InvalidValue(field, f"is not as the API takes it: {first['msg']}") from None


def path_part(reference: str) -> str:
    """An id as one part of a path, whatever is in it."""
    return quote(reference, safe="")

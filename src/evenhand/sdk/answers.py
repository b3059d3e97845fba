"""What does a program make of an answer? A value, or an error that says that no hub answered."""

from __future__ import annotations

from typing import Final, TypeVar

from pydantic import BaseModel, ValidationError

from evenhand.core.errors.publication import HubUnavailable
from evenhand.sdk.transport import Answer

STRANGE: Final = "its answer is none of a hub of this release"

T = TypeVar("T", bound=BaseModel)


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

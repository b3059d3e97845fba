"""How does a list go on behind its last item? Pages with an opaque cursor (settled 15)."""

from __future__ import annotations

import base64
import binascii
import re
from datetime import UTC, datetime
from typing import Annotated, Final, Generic, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

Item = TypeVar("Item")

#: How many items a page may have.
MOST: Final = 100
_USUAL: Final = 50
_LONGEST_CURSOR: Final = 200
_INSTANT: Final = "%Y-%m-%dT%H:%M:%S.%fZ"
_ID: Final = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")

_WHOLE: Final = re.compile(r"-?[0-9]{1,10}")


def _spelt_whole(stated: object) -> object:
    if isinstance(stated, str) and not _WHOLE.fullmatch(stated):
        raise PydanticCustomError("int_parsing", "must be a whole number in digits")
    return stated


#: A number of an address: digits behind a minus or none, and not what else could be read as a
#: whole number ("1.0").
WholeNumber = Annotated[int, BeforeValidator(_spelt_whole)]
#: Where a page ended: the time and the id of its last item.
Place = tuple[datetime, str]


class PageQuery(BaseModel):
    """What the address of a list may say behind its question mark."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    limit: Annotated[WholeNumber, Field(ge=1, le=MOST, description="How many items at most.")] = (
        _USUAL
    )
    cursor: Annotated[
        str | None,
        Field(max_length=_LONGEST_CURSOR, description="next_cursor of the page before."),
    ] = None


class Page(BaseModel, Generic[Item]):
    """Some items of a list, newest first."""

    model_config = ConfigDict(frozen=True)

    items: list[Item]
    next_cursor: str | None = Field(description="Null on the last page.")


class InvalidCursor(ValueError):
    """A cursor that no page gave."""


def write_cursor(place: Place) -> str:
    """The cursor of a place; text that an address can hold.

    Args:
        place: aware UTC, and a row's id.
    """
    at, row = place
    stated = f"{at.astimezone(UTC).strftime(_INSTANT)} {row}"
    return base64.urlsafe_b64encode(stated.encode()).rstrip(b"=").decode()


def read_cursor(cursor: str) -> Place:
    """The place that :func:`write_cursor` wrote.

    Raises:
        InvalidCursor: anything else; the cursor is not repeated.
    """
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        stated = base64.b64decode(padded, altchars=b"-_", validate=True).decode("ascii")
        instant, _, row = stated.partition(" ")
        at = datetime.strptime(instant, _INSTANT).replace(tzinfo=UTC)
    except (ValueError, binascii.Error):
        raise InvalidCursor from None
    if not _ID.fullmatch(row) or write_cursor((at, row)) != cursor:
        raise InvalidCursor
    return at, row

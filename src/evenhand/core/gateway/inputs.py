"""What does a client want embedded? Texts or lists of token ids, never both, never nothing.

Whatever an upstream would have to be paid for in order to refuse it is refused here, with the
position of the item that is wrong. White space is text: it goes on as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from evenhand.core.errors.gateway import InvalidInput
from evenhand.core.identity.canonical import query_digest

#: How many inputs one request may hold, whatever its deployment takes at a time.
MAX_INPUTS: Final = 2048
#: The greatest token id; no vocabulary comes near.
MAX_TOKEN: Final = 2**32 - 1

Tokens: TypeAlias = tuple[int, ...]


class InputKind(StrEnum):
    """In which of its four shapes an input came."""

    TEXT = "text"
    TEXTS = "texts"
    TOKENS = "tokens"
    TOKEN_LISTS = "token_lists"  # noqa: S105 -- a shape, no password


class Purpose(StrEnum):
    """What the inputs are for: the request's ``input_type``. Only queries are evidence."""

    QUERY = "query"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """What is to be embedded, in order.

    Attributes:
        kind: in which shape it came.
        texts: for the kinds ``text`` and ``texts``, else empty. None of them is empty.
        tokens: for the kinds ``tokens`` and ``token_lists``, else empty. None of them is empty.
        purpose: what it is for.
    """

    kind: InputKind
    texts: tuple[str, ...] = ()
    tokens: tuple[Tokens, ...] = ()
    purpose: Purpose = Purpose.QUERY

    @property
    def count(self) -> int:
        """How many vectors are due, at least 1."""
        return len(self.texts) or len(self.tokens)

    @property
    def is_text(self) -> bool:
        """Whether these are texts rather than token ids."""
        return bool(self.texts)

    @property
    def text_bytes(self) -> int | None:
        """Size of the texts in UTF-8; None for token ids, whose texts are not known here."""
        return sum(len(text.encode()) for text in self.texts) if self.texts else None

    @property
    def query_digest(self) -> str | None:
        """Digest of the query, where the request holds exactly one text and it is a query.

        It is of the client's text: a prefix of the deployment is not in it.

        Source: statements C-58, C-77, C-95, C-96; settled 23.
        """
        if len(self.texts) != 1 or self.purpose is not Purpose.QUERY:
            return None
        return query_digest(self.texts[0])


def read_inputs(
    value: object, *, purpose: Purpose = Purpose.QUERY, max_inputs: int = MAX_INPUTS
) -> Inputs:
    """What a member ``input`` asks for.

    Args:
        value: a decoded JSON value; texts are whole Unicode.
        purpose: what it is for.
        max_inputs: how many inputs are taken, at least 1.

    Raises:
        InvalidInput: nothing, an empty item, items of several kinds, a number that is no token
            id, too many. It names the position (from 0) of the first item that is wrong and
            never repeats it.

    Source: cases B-094, B-095, B-103.
    """
    if isinstance(value, str):
        return Inputs(kind=InputKind.TEXT, texts=(_text(value, None),), purpose=purpose)
    if not isinstance(value, list):
        raise InvalidInput("must be text, a list of texts, or token ids")
    if not value:
        raise InvalidInput("must not be empty")
    first = value[0]
    if _is_number(first):
        # One list of numbers is one input: its length is no number of inputs.
        tokens = _tokens(value, None)
        return Inputs(kind=InputKind.TOKENS, tokens=(tokens,), purpose=purpose)
    if len(value) > max_inputs:
        raise InvalidInput(_too_many(max_inputs))
    if isinstance(first, str):
        texts = tuple(_text(item, at) for at, item in enumerate(value))
        return Inputs(kind=InputKind.TEXTS, texts=texts, purpose=purpose)
    if isinstance(first, list):
        lists = tuple(_token_list(item, at) for at, item in enumerate(value))
        return Inputs(kind=InputKind.TOKEN_LISTS, tokens=lists, purpose=purpose)
    raise InvalidInput("must be text or token ids", position=0)


def with_prefix(texts: Sequence[str], prefix: str) -> list[str]:
    """The texts as a deployment wants them, each behind its instruction."""
    return [prefix + text for text in texts]


def _text(item: object, at: int | None) -> str:
    if not isinstance(item, str):
        raise InvalidInput("must be text, as the first item is", position=at)
    if not item:
        raise InvalidInput("must not be empty", position=at)
    if "\x00" in item:
        # Servers written in C embed what stands before it, and no one would know.
        raise InvalidInput("must not hold NUL", position=at)
    return item


def _token_list(item: object, at: int) -> Tokens:
    if not isinstance(item, list):
        raise InvalidInput("must be a list of token ids, as the first item is", position=at)
    if not item:
        raise InvalidInput("must not be empty", position=at)
    return _tokens(item, at)


def _tokens(items: Sequence[object], outer: int | None) -> Tokens:
    for inner, item in enumerate(items):
        # A boolean is an int to Python, and to nobody else.
        if type(item) is not int or not 0 <= item <= MAX_TOKEN:
            place = inner if outer is None else outer
            raise InvalidInput(_NO_TOKEN, position=place)
    return tuple(items)  # type: ignore[arg-type] # each was looked at


def _is_number(item: object) -> bool:
    return isinstance(item, int | float)


_NO_TOKEN: Final = f"token ids must be whole numbers from 0 to {MAX_TOKEN}"


def _too_many(limit: int) -> str:
    return f"must not hold more than {limit} items"

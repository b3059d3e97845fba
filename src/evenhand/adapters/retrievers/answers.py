"""What may a retriever outside this process say? The JSON that commands and HTTP share.

Asked ``{"question": "…", "limit": 12}`` it answers one of ``{"ids": ["d1", …]}``,
``{"results": [["d1", 0.9], …]}`` and ``{"error": "code"}``; other members are ignored. Whatever
else comes is a failed question with a code. No text of an answer gets into an error.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import msgspec

from evenhand.adapters.formats.strict_json import decode_value
from evenhand.core.errors import InvalidFile
from evenhand.core.errors.retrieval import RetrievalFailed

#: Longest answer that is read, in bytes.
MAX_ANSWER_BYTES: Final = 16 * 2**20

TIMEOUT: Final = "timeout"
MALFORMED: Final = "malformed_answer"
TOO_LARGE: Final = "answer_too_large"

_CODE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")


class _Answer(msgspec.Struct):
    ids: list[str] | msgspec.UnsetType = msgspec.UNSET
    results: list[tuple[str, float]] | msgspec.UnsetType = msgspec.UNSET
    error: str | msgspec.UnsetType = msgspec.UNSET


_DECODER: Final = msgspec.json.Decoder(_Answer)


def encode_request(question: str, limit: int) -> bytes:
    """The request, without a line end.

    Raises:
        RetrievalFailed: ``question_not_utf8``; JSON cannot carry such a question.
    """
    try:
        return msgspec.json.encode({"question": question, "limit": limit})
    except UnicodeEncodeError:
        # Not chained: the driver's message repeats the text.
        raise RetrievalFailed("question_not_utf8") from None


def decode_ids(content: bytes) -> list[str]:
    """Document ids of an answer, best first; scores are left out.

    Raises:
        RetrievalFailed: the code that the answer states, or ``malformed_answer``.
    """
    answer = _decode(content)
    if isinstance(answer.ids, list):
        return answer.ids
    return [identifier for identifier, _ in _results(answer)]


def decode_scored(content: bytes) -> list[tuple[str, float]]:
    """Pairs of document id and score, best first.

    Raises:
        RetrievalFailed: the code that the answer states, or ``malformed_answer``; the latter also
            for an answer without scores.
    """
    return list(_results(_decode(content)))


def _decode(content: bytes) -> _Answer:
    try:
        # A key that occurs twice says two things; the faster reader would take the last.
        decode_value(content, "answer", None)
        answer = _DECODER.decode(content)
    except (InvalidFile, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        # Not chained: the driver's message may repeat a text.
        raise RetrievalFailed(MALFORMED) from None
    members = (answer.ids, answer.results, answer.error)
    if sum(member is not msgspec.UNSET for member in members) != 1:
        raise RetrievalFailed(MALFORMED)
    if isinstance(answer.error, str):
        # A code, never a text: only what reads as a name is passed on.
        raise RetrievalFailed(answer.error if _CODE.fullmatch(answer.error) else MALFORMED)
    return answer


def _results(answer: _Answer) -> Sequence[tuple[str, float]]:
    if not isinstance(answer.results, list):
        raise RetrievalFailed(MALFORMED)
    return answer.results

"""Which sentences, words, numbers, names and negations does a text hold? Nothing is understood.

Words are taken as they are written: an ending that English often adds is cut off, and letters of
scripts that put no blanks between words are taken in pairs. No dictionary and no model is asked.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Final

from evenhand.core.review.word_lists import ENDINGS, FUNCTION_WORDS, NEGATORS, NUMERALS

#: Scripts without blanks between words: Thai to Khmer, kana, Han, Hangul.
_UNSPACED: Final = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
_WORD: Final = re.compile(
    rf"[{_UNSPACED}]+|\d+(?:[.,]\d+)*|[^\W\d_{_UNSPACED}]+(?:['\u2019][^\W\d_]+)?"
)
_IS_UNSPACED: Final = re.compile(rf"[{_UNSPACED}]")
_THOUSANDS: Final = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
# A sentence ends at its mark before a blank, and at a line's end; a number's point is no mark.
_SENTENCE_END: Final = re.compile(
    r"(?<=[.!?\u2026])[\"')\]\u201d\u2019]*\s+|(?<=[\u3002\uff01\uff1f])|\s*\n+\s*"
)
# Points that end no sentence: of a single letter, and of a few words of two letters and more.
_ABBREVIATED: Final = re.compile(
    r"(?:^|[\s(])(?:[^\W\d_]|e\.g|i\.e|etc|vs|cf|dr|mr|mrs|ms|prof|st|no|u\.s|fig|approx|bzw|usw)\.$",
    re.IGNORECASE,
)
_BULLET: Final = re.compile(r"^\s*(?:[-*\u2022\u2013]+|\(?\d{1,2}[.)])\s+")
_CLAUSE_END: Final = re.compile(r"[,;:()\u2013\u2014]")
_ITEM: Final = re.compile(r"\(?\d{1,2}[.)]")
_STEM: Final = 3
_SPEAKER: Final = "i"
_CONTRACTED: Final = ("n't", "n\u2019t")


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One word of a text.

    Attributes:
        stem: by which it is found again.
        is_name: whether it is written as names are, and not because a sentence begins.
        is_negator: whether it turns a claim around.
        number: its value, where it is one.
        clause: of the sentence, from 0; a comma and its like begin the next.
    """

    stem: str
    is_name: bool = False
    is_negator: bool = False
    number: Decimal | None = None
    clause: int = 0

    @property
    def is_content(self) -> bool:
        """Whether it says something: neither a number, a negation nor a word of grammar."""
        return self.number is None and not self.is_negator and self.stem not in _FUNCTION_STEMS


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text, in order, each without bullet and blanks around it."""
    found: list[str] = []
    for part in _SENTENCE_END.split(text):
        piece = _BULLET.sub("", part).strip()
        if not piece:
            continue
        if found and _ITEM.fullmatch(found[-1]):
            found[-1] = piece
        elif found and _ABBREVIATED.search(found[-1]):
            found[-1] = f"{found[-1]} {piece}"
        else:
            found.append(piece)
    return tuple(found)


def words(sentence: str) -> tuple[Word, ...]:
    """The words of a sentence, in order."""
    text = unicodedata.normalize("NFKC", sentence)
    found: list[Word] = []
    clause = end = 0
    for match in _WORD.finditer(text):
        clause += _CLAUSE_END.search(text, end, match.start()) is not None
        end = match.end()
        found += _written(match[0], clause, is_first=not found)
    return tuple(found)


def _written(written: str, clause: int, *, is_first: bool) -> Iterator[Word]:
    if _IS_UNSPACED.match(written):
        for pair in _pairs(written):
            yield Word(stem=pair, clause=clause)
    elif written[0].isdigit():
        number = _number(written)
        yield Word(stem=written if number is None else f"{number:f}", number=number, clause=clause)
    else:
        yield replace(_word(written, is_first=is_first), clause=clause)


def is_about_conversation(said: Sequence[Word]) -> bool:
    """Whether a sentence of English says what its speaker does not know or is sorry for."""
    is_first_person = any(word.stem == _SPEAKER for word in said)
    says_no = any(word.is_negator or word.stem in _APOLOGIES for word in said)
    is_fact = any(word.is_name or word.number is not None for word in said)
    return is_first_person and says_no and not is_fact


def _word(written: str, *, is_first: bool) -> Word:
    folded = written.casefold()
    if folded in NUMERALS and not written[0].isupper():
        return Word(stem=NUMERALS[folded], number=Decimal(NUMERALS[folded]))
    is_capital = any(letter.isupper() for letter in (written[1:] if is_first else written))
    return Word(
        stem=_stem(folded),
        is_name=is_capital and folded not in FUNCTION_WORDS and len(written) > 1,
        is_negator=folded in NEGATORS or folded.endswith(_CONTRACTED),
    )


def _stem(folded: str) -> str:
    bare = folded.replace("\u2019", "'").split("'")[0]
    for ending in ENDINGS:
        if bare.endswith(ending) and len(bare) - len(ending) >= _STEM:
            return bare.removesuffix(ending)
    return bare


def _pairs(written: str) -> tuple[str, ...]:
    if len(written) == 1:
        return (written,)
    return tuple(written[at : at + 2] for at in range(len(written) - 1))


def _number(written: str) -> Decimal | None:
    plain = written.replace(",", "") if _THOUSANDS.fullmatch(written) else written
    try:
        return Decimal(plain.replace(",", ".")).normalize()
    except InvalidOperation:
        # A date or a version, such as 1.2.3: it is found again as it is written.
        return None


_APOLOGIES: Final = frozenset(_stem(word) for word in ("sorry", "apologize", "apologise"))
_FUNCTION_STEMS: Final = frozenset(_stem(word) for word in FUNCTION_WORDS)

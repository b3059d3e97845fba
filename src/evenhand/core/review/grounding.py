"""Does each claim of an answer stand in the passages that were retrieved? By rules, not by meaning.

A claim is a sentence. Its numbers, its names and its negations must be found in the passages, and
most of its other words; each of the four is looked at by itself, so that many shared words never
outweigh a number that is nowhere. The question is taken as given: what it says needs no passage.

What this cannot see: two names of one passage that changed places, a wrong unit, irony, what
follows from two passages together, and a claim in other words than the passages use. It says that
a claim was not found, never that it is false.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum

from evenhand.core.errors import InvalidValue
from evenhand.core.identity.canonical import json_ascii_v1
from evenhand.core.review.words import Word, is_about_conversation, sentences, words


class ClaimState(StrEnum):
    """What was found of a claim."""

    SUPPORTED = "supported"
    NUMBER_MISSING = "number_missing"
    NAME_MISSING = "name_missing"
    POLARITY_DIFFERS = "polarity_differs"
    WORDS_MISSING = "words_missing"
    NOT_CHECKABLE = "not_checkable"

    @property
    def is_fault(self) -> bool:
        """Whether it speaks against the answer."""
        return self not in (ClaimState.SUPPORTED, ClaimState.NOT_CHECKABLE)


class Grounding(StrEnum):
    """What the claims of an answer come to."""

    GROUNDED = "grounded"
    NOT_GROUNDED = "not_grounded"
    CANNOT_BE_JUDGED = "cannot_be_judged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """By what is decided; all of it is in the digest of the prompt.

    Attributes:
        version: rises with each change of what the rules mean, here, in `core.review.words` or
            in `core.review.word_lists`.
        least_words: words of content from which a sentence is a claim, where it is not the only
            one; at least 1.
        least_covered_percent: of a claim's words of content that the passages must hold.
        polarity_window: so many words before and behind a negated word a passage must negate it.
        polarity_covered_percent: of the words of a claim, and of a sentence of a passage, that
            both have, from which the two count as the same statement, so that a negation of the
            passage must be in the claim.
        denied_covered_percent: of a claim's words that a sentence of a passage must have, so that
            a negation in it can be the claim's.

    Raises:
        InvalidValue: a share outside 0 to 100, or a count below 1.
    """

    version: int = 1
    least_words: int = 2
    least_covered_percent: int = 60
    polarity_window: int = 4
    polarity_covered_percent: int = 80
    denied_covered_percent: int = 30

    def __post_init__(self) -> None:
        shares = ("least_covered_percent", "polarity_covered_percent", "denied_covered_percent")
        for name in shares:
            if not 0 <= getattr(self, name) <= 100:
                raise InvalidValue(name, "must be from 0 to 100")
        for name in ("version", "least_words", "polarity_window"):
            if getattr(self, name) < 1:
                raise InvalidValue(name, "must be at least 1")

    @property
    def text(self) -> str:
        """All of them, ``json-ascii-v1``."""
        return json_ascii_v1(asdict(self))


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One sentence of an answer.

    Attributes:
        position: of the sentence, from 1.
        state: what was found of it.
        passages: positions, from 1, of those that hold the most of its words; best first.
    """

    position: int
    state: ClaimState
    passages: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What became of an answer.

    Attributes:
        claims: one for each sentence, in order.
    """

    claims: tuple[Claim, ...]

    @property
    def verdict(self) -> Grounding:
        """Grounded where every claim that can be checked is supported, and there is one."""
        states = [one.state for one in self.claims]
        if any(state.is_fault for state in states):
            return Grounding.NOT_GROUNDED
        if ClaimState.SUPPORTED in states:
            return Grounding.GROUNDED
        return Grounding.CANNOT_BE_JUDGED


def judge_grounding(
    question: str, answer: str, passages: Sequence[str], rules: Rules
) -> Judgement:
    """Each claim of an answer held against the passages.

    Args:
        question: what was asked; what it says is taken as given.
        answer: as it was given.
        passages: as they were retrieved, in any order.
        rules: by which is decided.

    Returns:
        A judgement without a claim for an answer without a sentence; without passages every
        claim that says anything is a fault.
    """
    sources, stated = _Sources(question, passages), sentences(answer)
    # A single sentence is the answer, however short: "France" is a claim.
    own = replace(rules, least_words=1) if len(stated) == 1 else rules
    claims = [
        _claim(position, sentence, sources, own)
        for position, sentence in enumerate(stated, start=1)
    ]
    return Judgement(claims=tuple(claims))


class _Sources:
    """The passages, taken apart once."""

    def __init__(self, question: str, passages: Sequence[str]) -> None:
        self.given = words(question)
        self.passages = [[words(one) for one in sentences(passage)] for passage in passages]
        self.stems = [
            frozenset(word.stem for sentence in passage for word in sentence)
            for passage in self.passages
        ]
        every = [word for passage in self.passages for sentence in passage for word in sentence]
        self.known = frozenset(word.stem for word in (*every, *self.given))
        self.numbers = frozenset(
            word.number for word in (*every, *self.given) if word.number is not None
        )

    def sentences(self) -> Iterator[tuple[Word, ...]]:
        """Each sentence of each passage."""
        for passage in self.passages:
            yield from passage


def _claim(position: int, sentence: str, sources: _Sources, rules: Rules) -> Claim:
    said = words(sentence)
    content = frozenset(word.stem for word in said if word.is_content)
    return Claim(
        position=position,
        state=_state(sentence, said, content, sources, rules),
        passages=_passages(content, sources),
    )


def _state(
    sentence: str,
    said: Sequence[Word],
    content: frozenset[str],
    sources: _Sources,
    rules: Rules,
) -> ClaimState:
    if not _is_checkable(sentence, said, content, rules):
        return ClaimState.NOT_CHECKABLE
    numbers = [word.number for word in said if word.number is not None]
    if not sources.numbers.issuperset(numbers):
        return ClaimState.NUMBER_MISSING
    if not _names(said) <= sources.known:
        return ClaimState.NAME_MISSING
    if 100 * len(content & sources.known) < rules.least_covered_percent * len(content):
        return ClaimState.WORDS_MISSING
    if _is_turned(said, content, sources, rules):
        return ClaimState.POLARITY_DIFFERS
    return ClaimState.SUPPORTED


def _is_checkable(
    sentence: str, said: Sequence[Word], content: frozenset[str], rules: Rules
) -> bool:
    """Whether a sentence says something of its own: no question, and enough of it."""
    if sentence.endswith(("?", "\uff1f")) or is_about_conversation(said):
        return False
    has_fact = any(word.is_name or word.number is not None for word in said)
    return has_fact or len(content) >= rules.least_words


def _names(said: Sequence[Word]) -> frozenset[str]:
    return frozenset(word.stem for word in said if word.is_name)


def _is_turned(
    said: Sequence[Word], content: frozenset[str], sources: _Sources, rules: Rules
) -> bool:
    """Whether the claim denies what no passage denies, or says what a passage denies."""
    negators = [at for at, word in enumerate(said) if word.is_negator]
    if negators:
        return not all(_is_denied(said, at, sources, rules) for at in negators)
    nearest = max(
        sources.sentences(),
        key=lambda one: len(content & {word.stem for word in one}),
        default=(),
    )
    there = {word.stem for word in nearest if word.is_content}
    shared = len(content & there)
    is_same = 100 * shared >= rules.polarity_covered_percent * max(len(content), len(there))
    return bool(content) and is_same and any(word.is_negator for word in nearest)


def _is_denied(said: Sequence[Word], at: int, sources: _Sources, rules: Rules) -> bool:
    """Whether a passage has a negation near a word that the claim's negation stands by."""
    around = [word.stem for word in _around(said, at, rules.polarity_window) if word.is_content]
    content = frozenset(word.stem for word in said if word.is_content)
    for sentence in sources.sentences():
        shared = content & {word.stem for word in sentence}
        if 100 * len(shared) < rules.denied_covered_percent * len(content):
            continue
        for place, word in enumerate(sentence):
            if word.is_negator:
                near = {one.stem for one in _around(sentence, place, rules.polarity_window)}
                if near.intersection(around):
                    return True
    return False


def _around(said: Sequence[Word], at: int, window: int) -> Sequence[Word]:
    near = said[max(0, at - window) : at + window + 1]
    return [word for word in near if word.clause == said[at].clause]


def _passages(content: frozenset[str], sources: _Sources) -> tuple[int, ...]:
    shared = [len(content & stems) for stems in sources.stems]
    most = max(shared, default=0)
    if not most:
        return ()
    return tuple(at for at, count in enumerate(shared, start=1) if count == most)

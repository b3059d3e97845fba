"""What is wrong with the wording of a gap question? Used by the tests, shown to be able to fail.

A gap question is an everyday rewording: no content word of it may begin with the same four
letters as a word in the name or in the first sentence of one of its targets. A word of three
letters counts as a whole.
"""

import re
from collections import Counter
from collections.abc import Iterable

#: Function words only: articles, pronouns, prepositions, conjunctions, auxiliaries, question
#: words and a few adverbs without content.
STOP_WORDS = frozenset(
    """
    about above after again against all also and another any anyone anything are around away
    because been before being below between both but can cannot could did does down each either
    else even ever every everybody everyone few for from had has have her here him his how however
    into its itself just least less like many may might mine more most much must myself near
    neither never next none nor not nothing now off often once one only onto other others
    otherwise our out over own per quite rather same shall she should since some someone something
    still such than that the their them themselves then there these they thing this those though
    through thus till together too toward under unless until upon very via was well were what
    whatever when where whether which while who whole whom whose why will with within without
    would yet you your
    """.split()  # noqa: SIM905 -- a list of words, to be read as one
)
_FIRST_SENTENCE = re.compile(r"\n\s*\n|\.\s")


def content_words(text: str) -> set[str]:
    """Lowercase words of three letters or more that are no stop words; camelCase is split."""
    split = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text)
    words = {word.lower() for word in re.findall(r"[A-Za-z]+", split) if len(word) > 2}
    return words - STOP_WORDS


def first_sentence(text: str) -> str:
    """Everything up to the first blank line or the first full stop before white space."""
    return _FIRST_SENTENCE.split(text.strip(), maxsplit=1)[0]


def shared_words(question: str, name: str, text: str) -> set[str]:
    """Content words of a question that begin like one in a target's name or first sentence."""
    target = {word[:4] for word in content_words(f"{name} {first_sentence(text)}")}
    return {word for word in content_words(question) if word[:4] in target}


def overused_patterns(questions: Iterable[str], limit: int) -> dict[str, int]:
    """Opening three words, in lower case, of more than ``limit`` questions."""
    openings = Counter(" ".join(question.lower().split()[:3]) for question in questions)
    return {opening: count for opening, count in openings.items() if count > limit}

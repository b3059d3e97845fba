"""The rules over every answer with passages in the shared collections, and over spoiled copies.

The figures are those of docs/reviews.md; `python -m tests.core.review.test_grounding_shared`
prints them. Without the collections these tests are skipped, and say so.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable

import pytest

from evenhand.core.review.grounding import Grounding, Rules, judge_grounding
from tests.answers_at_hand import (
    Answer,
    extracted_answers,
    spoiled_answers,
    written_answers,
)

#: Of each kind of spoiling.
EACH = 25


def verdicts(answers: Iterable[Answer]) -> list[tuple[Answer, Grounding]]:
    return [
        (one, judge_grounding(one.question, one.text, one.passages, Rules()).verdict)
        for one in answers
    ]


def counted(judged: list[tuple[Answer, Grounding]]) -> Counter[Grounding]:
    return Counter(verdict for _, verdict in judged)


def test_spoiled_copies_of_answers_that_pass_are_found() -> None:
    judged = verdicts(written_answers())
    assert len(judged) == 427
    # People wrote these answers from these passages: what is not grounded is a false alarm, or an
    # answer that says more than its passages. It is told beside the rate at which spoiling is found.
    assert counted(judged) == {
        Grounding.GROUNDED: 257,
        Grounding.NOT_GROUNDED: 169,
        Grounding.CANNOT_BE_JUDGED: 1,
    }
    passed = [answer for answer, verdict in judged if verdict is Grounding.GROUNDED]
    spoiled = verdicts(spoiled_answers(passed, EACH))
    assert len(spoiled) == 4 * EACH
    found = Counter(one.spoiled for one, verdict in spoiled if verdict is Grounding.NOT_GROUNDED)
    assert found == {"number": 25, "name": 25, "negation": 23, "splice": 25}


@pytest.mark.torture
def test_every_answer_that_is_a_span_of_its_passage_is_judged() -> None:
    judged = verdicts(extracted_answers())
    assert len(judged) == 8860
    assert counted(judged)[Grounding.GROUNDED] > 0.9 * len(judged)


def half_of(one: Answer) -> int:
    """In which half an answer is, by a digest of question and answer."""
    return hashlib.sha256(f"{one.question}\0{one.text}".encode()).digest()[0] & 1


def figures() -> None:
    """Print what the page of the docs says."""
    written, extracted = verdicts(written_answers()), verdicts(extracted_answers())
    passed = [answer for answer, verdict in written if verdict is Grounding.GROUNDED]
    spoiled = verdicts(spoiled_answers(passed, EACH))
    for name, judged in (("written", written), ("extracted", extracted)):
        print(name, len(judged), {one.value: count for one, count in counted(judged).items()})  # noqa: T201
        by_source = Counter((one.source, verdict.value) for one, verdict in judged)
        print(dict(sorted(by_source.items())))  # noqa: T201
    by_kind = Counter((str(one.spoiled), verdict.value) for one, verdict in spoiled)
    print("spoiled", len(spoiled), dict(sorted(by_kind.items())))  # noqa: T201
    for half in (0, 1):
        own = [(one, verdict) for one, verdict in written if half_of(one) == half]
        passed = [answer for answer, verdict in own if verdict is Grounding.GROUNDED]
        copies = counted(verdicts(spoiled_answers(passed, EACH)))
        print("half", half, len(own), dict(counted(own)), "spoiled", dict(copies))  # noqa: T201


if __name__ == "__main__":
    figures()

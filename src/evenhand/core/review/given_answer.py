"""Which answers did a pipeline give to the questions of a run, and what of them is kept?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.core.errors import InvalidValue
from evenhand.core.identity.canonical import sha256_hex
from evenhand.core.privacy import PrivacyLevel, PrivacyPolicy, kept_text
from evenhand.core.retrieval.golden import GoldenSet


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenAnswer:
    """One answer as it was given.

    Attributes:
        query_id: of the question, as bytes.
        text: of the answer; empty where the pipeline said nothing.
        prompt: label of the prompt that made it, None where nobody says.
        model: label of the model that made it, None where nobody says.
    """

    query_id: bytes
    text: str
    prompt: str | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptAnswer:
    """What is stored of one answer beside a run.

    Attributes:
        position: of the question, in byte order of the ids of its set, from 0.
        answer_sha256: of its text as UTF-8, 64 lowercase hex digits.
        characters: how long it is.
        text: at ``full`` only, else None.
        prompt, model: labels; None is unknown.
    """

    position: int
    answer_sha256: str
    characters: int
    text: str | None
    prompt: str | None
    model: str | None


def keep_answers(
    given: Sequence[GivenAnswer], golden_set: GoldenSet, policy: PrivacyPolicy
) -> tuple[KeptAnswer, ...]:
    """What a policy lets be kept of answers, in order of position.

    At ``none`` nothing is; at ``metadata`` and ``redacted`` digest, length and labels are; at
    ``full`` the text is as well, as the policy leaves it.

    Args:
        given: at most one for each question.
        golden_set: whose questions they answer.
        policy: what may be kept.

    Raises:
        InvalidValue: an answer to a question that the set does not have, or two to one.
        Exception: whatever a custom policy raises.
    """
    places = {question.id: at for at, question in enumerate(golden_set.by_position)}
    by_place: dict[int, GivenAnswer] = {}
    for one in given:
        place = places.get(one.query_id)  # type: ignore[call-overload]  # ids are bytes
        if place is None or place in by_place:
            raise InvalidValue("answers", "must answer questions of the set, each once")
        by_place[place] = one
    level = PrivacyLevel(policy.level)
    if not level.keeps_outcomes:
        return ()
    return tuple(_kept(place, one, level, policy) for place, one in sorted(by_place.items()))


def _kept(place: int, one: GivenAnswer, level: PrivacyLevel, policy: PrivacyPolicy) -> KeptAnswer:
    return KeptAnswer(
        position=place,
        answer_sha256=sha256_hex(one.text.encode()),
        characters=len(one.text),
        text=kept_text(policy, one.text) if level.keeps_run else None,
        prompt=one.prompt,
        model=one.model,
    )

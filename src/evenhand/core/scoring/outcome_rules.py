"""Could these outcomes have come out of an evaluation? Rules for outcomes that came from a file.

Outcomes that Evenhand made itself obey them; whoever edits a file may not.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import NamedTuple

from evenhand.core.retrieval.grades import MIN_RELEVANCE
from evenhand.core.scoring.outcome import Outcome, OutcomeState
from evenhand.core.scoring.protocols import WINDOW


class BrokenRule(NamedTuple):
    """A rule that an outcome breaks, and where: place in the order given, from 0."""

    place: int
    rule: str


def find_broken_rule(outcomes: tuple[Outcome, ...]) -> BrokenRule | None:
    """The first rule that outcomes break, None where they could be those of an evaluation.

    Args:
        outcomes: in order of position.
    """
    for place, outcome in enumerate(outcomes):
        rule = _broken(place, outcome)
        if rule is not None:
            return BrokenRule(place, rule)
    return None


def _broken(place: int, outcome: Outcome) -> str | None:
    if outcome.position != place:
        return "positions must run from 0 without a gap"
    if (outcome.state is OutcomeState.UNJUDGED) is not (outcome.targets is None):
        return "exactly an unjudged question has no number of targets"
    broken = _broken_answer(outcome) if outcome.error_class is None else _broken_failure(outcome)
    return broken or broken_grades(outcome)


def _broken_failure(outcome: Outcome) -> str | None:
    if outcome.state is OutcomeState.SCORED:
        return "a scored question has no error class"
    seen = (outcome.retrieved, outcome.window, outcome.latency_ms)
    if seen != (None, None, None) or outcome.judged_hits:
        return "a failed question has neither results nor a latency"
    return None


def _broken_answer(outcome: Outcome) -> str | None:
    if outcome.state is OutcomeState.FAILED:
        return "a failed question needs an error class"
    if outcome.retrieved is None or outcome.window is None:
        return "a question that did not fail needs the number of its results"
    if outcome.window > min(outcome.retrieved, WINDOW):
        return "the protocol's window holds no more than was retrieved"
    return _broken_hits(outcome, outcome.retrieved)


def _broken_hits(outcome: Outcome, retrieved: int) -> str | None:
    hits = outcome.judged_hits
    if any(one.rank >= other.rank for one, other in pairwise(hits)):
        return "ranks of judged hits must rise"
    if hits and not 1 <= hits[0].rank <= hits[-1].rank <= retrieved:
        return "a judged hit is not among what was retrieved"
    if sum(hit.grade >= 1 for hit in hits) > (outcome.targets or 0):
        return "more targets were hit than there are"
    return None


def broken_grades(outcome: Outcome) -> str | None:
    """The rule that the grades of a question's judgements break, None where they fit the rest."""
    judged = outcome.judged_grades
    if judged is None:
        return None
    if any(one < other for one, other in pairwise(judged)):
        return "grades of judgements must not rise"
    if sum(grade >= MIN_RELEVANCE for grade in judged) != (outcome.targets or 0):
        return "as many grades of 1 and above as targets are needed"
    if Counter(hit.grade for hit in outcome.judged_hits) - Counter(judged):
        return "a judged hit has a grade that no judgement has"
    return None

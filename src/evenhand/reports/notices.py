"""What about a result must not be overlooked? Lines that a reader sees without looking for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from evenhand.core.retrieval.coverage import Coverage
from evenhand.core.retrieval.golden import QueryId
from evenhand.core.scoring.outcome import Outcome, OutcomeState
from evenhand.core.scoring.protocols import TOP_K, HitCounts
from evenhand.reports import numbers
from evenhand.reports.safe_text import shown_id
from evenhand.reports.subject import Subject
from evenhand.reports.view import Notice, NoticeKind

#: How many ids of a longer list are named.
FIRST_IDS: Final = 5
HELD_OUT: Final = "Held out: its questions are counted, and none of them is shown."


def result_notices(subject: Subject) -> tuple[Notice, ...]:
    """What stands out about a result by itself, flags first."""
    return flags_first(_notices(subject))


def count_notices(counts: HitCounts, *, is_holdout: bool) -> tuple[Notice, ...]:
    """What stands out about a result by its whole numbers alone, flags first.

    Args:
        counts: of the result.
        is_holdout: whether it is of the part that a set holds out.
    """
    return flags_first(_count_notices(counts, is_holdout=is_holdout))


def _count_notices(counts: HitCounts, *, is_holdout: bool) -> Iterator[Notice]:
    if returned_nothing(counts, None):
        yield flag(_returned_nothing(counts))
    if never_abstained(counts, None):
        yield flag(_never_abstained(counts))
    if counts.failed:
        yield flag(_failed(counts))
    if counts.unjudged:
        yield note(_unjudged(counts, None))
    if is_holdout:
        yield note(HELD_OUT)


def flags_first(notices: Iterable[Notice]) -> tuple[Notice, ...]:
    """Flags in their order, then notes in theirs."""
    return tuple(sorted(notices, key=lambda notice: notice.kind is NoticeKind.NOTE))


def flag(text: str) -> Notice:
    """A line that needs a look."""
    return Notice(kind=NoticeKind.FLAG, text=text)


def note(text: str) -> Notice:
    """A line for the record."""
    return Notice(kind=NoticeKind.NOTE, text=text)


def returned_nothing(counts: HitCounts, outcomes: tuple[Outcome, ...] | None) -> bool:
    """Whether nothing came back for any question that did not fail."""
    if counts.abstained + counts.false_abstained != counts.scored or not counts.scored:
        return False
    # Counts speak of judged questions only.
    return outcomes is None or not any(outcome.window for outcome in outcomes)


def never_abstained(counts: HitCounts, outcomes: tuple[Outcome, ...] | None) -> bool:
    """Whether something came back for a no-answer question, and for none of them nothing did."""
    if counts.abstained:
        return False
    if outcomes is None:
        return counts.no_answer > counts.failed
    return any(outcome.is_no_answer and outcome.window for outcome in outcomes)


def short_lists(outcomes: tuple[Outcome, ...]) -> list[int]:
    """How many distinct documents came back where it was fewer than three."""
    windows = (outcome.window for outcome in outcomes if outcome.window is not None)
    return [window for window in windows if window < TOP_K]


def _notices(subject: Subject) -> Iterator[Notice]:
    counts, outcomes = subject.counts, subject.outcomes
    if returned_nothing(counts, outcomes):
        yield flag(_returned_nothing(counts))
    if never_abstained(counts, outcomes):
        yield flag(_never_abstained(counts))
    if counts.failed:
        yield flag(_failed(counts))
    if subject.coverage is not None:
        yield from _coverage(subject.coverage, counts, is_named=not subject.is_holdout)
    if outcomes is None:
        yield note(
            "No outcomes are stored at this privacy level: splits, latency and single questions "
            "cannot be shown."
        )
    else:
        yield from _short_lists(outcomes)
    if counts.unjudged:
        yield note(_unjudged(counts, outcomes))
    if subject.is_holdout:
        yield note(HELD_OUT)
    if subject.not_joined:
        yield note(subject.not_joined)


def _coverage(coverage: Coverage, counts: HitCounts, *, is_named: bool) -> Iterator[Notice]:
    """What of a result comes from what a run file does not have.

    Args:
        coverage: what the run file and the set do not have in common.
        counts: of the result.
        is_named: whether ids may be shown.
    """
    absent, foreign = coverage.absent, coverage.foreign
    if absent:
        which = "question is" if len(absent) == 1 else "questions are"
        yield flag(
            f"{len(absent)} of {counts.attempted} {which} absent from the run file and "
            f"{'counts' if len(absent) == 1 else 'count'} as if nothing came back"
            f"{_first_ids(absent, is_named=is_named)}."
        )
    if counts.abstained and counts.abstained <= coverage.absent_no_answer:
        yield flag(
            f"Abstention rests on absence alone: "
            f"{numbers.fraction_text(counts.abstained, counts.no_answer)} no-answer questions "
            "count as abstained because the run file does not have them; whether they were asked "
            "is not known."
        )
    if foreign:
        which = "query" if len(foreign) == 1 else "queries"
        verb = "is none" if len(foreign) == 1 else "are none"
        yield note(
            f"{len(foreign)} {which} of the run file {verb} of the questions asked"
            f"{_first_ids(foreign, is_named=is_named)}."
        )


def _first_ids(ids: Sequence[QueryId], *, is_named: bool) -> str:
    if not is_named:
        return ""
    more = len(ids) - FIRST_IDS
    named = ", ".join(map(shown_id, ids[:FIRST_IDS]))
    return f": {named} and {more} more" if more > 0 else f": {named}"


def _short_lists(outcomes: tuple[Outcome, ...]) -> Iterator[Notice]:
    windows = short_lists(outcomes)
    if windows:
        answered = sum(outcome.window is not None for outcome in outcomes)
        yield note(
            f"Short lists: for {numbers.of_text(len(windows), answered, 'question')} that did not "
            f"fail, fewer than three distinct documents came back; for {windows.count(0)} of them, none."
        )


def _returned_nothing(counts: HitCounts) -> str:
    which = "any question that did not fail" if counts.failed else "any question"
    text = f"The retriever returned nothing for {which}."
    if counts.top1_hits:
        pooled = numbers.rate_text(counts.top1_hits, counts.questions)
        text += (
            f" Its pooled top-1 of {pooled} comes from no-answer questions alone; "
            f"Success@1 is {numbers.fraction_text(counts.answerable_top1_hits, counts.answerable)}."
        )
    return text


def _never_abstained(counts: HitCounts) -> str:
    return (
        f"Never abstains: {numbers.fraction_text(0, counts.no_answer)} no-answer questions came "
        "back empty."
    )


def _failed(counts: HitCounts) -> str:
    return (
        f"{numbers.count(counts.failed, 'question')} of {counts.questions} failed and "
        f"{'counts' if counts.failed == 1 else 'count'} as a miss in every rate."
    )


def _unjudged(counts: HitCounts, outcomes: tuple[Outcome, ...] | None) -> str:
    verb = "is" if counts.unjudged == 1 else "are"
    text = (
        f"{numbers.count(counts.unjudged, 'question')} {verb} unjudged: asked and counted as "
        "attempted, in no rate"
    )
    failed = sum(
        one.state is OutcomeState.UNJUDGED and one.error_class is not None
        for one in outcomes or ()
    )
    return f"{text}; for {failed} of them retrieval failed." if failed else f"{text}."

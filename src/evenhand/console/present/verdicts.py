"""How does a verdict read before anything that it allows? State, reasons, and what would help."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from evenhand.core.comparison.baseline import baseline_verdict
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.core.verdict import Verdict, VerdictState
from evenhand.reports import wording
from evenhand.reports.safe_text import shown_lines
from evenhand.reports.verdict_view import reason_views
from evenhand.reports.view import ReasonView
from evenhand.reports.wording import Advice
from evenhand.usecases.ports.browsing import BaselineEntry

#: Stands in a command for a set whose place is not known.
_SET: Final = "SET"


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictCard:
    """A verdict on a result against another one.

    Attributes:
        title: against what.
        state, word, sentence, reasons: the verdict.
        other, other_address: what it was compared with; empty where there is nothing.
        later, earlier: what the two are called beside the reasons.
        advice: what gives a fair answer; None where there is one.
        compare: address at which the difference is shown; empty unless comparable.
    """

    title: str
    state: VerdictState
    word: str
    sentence: str
    reasons: tuple[ReasonView, ...]
    other: str = ""
    other_address: str = ""
    later: str = wording.THIS_RESULT
    earlier: str = wording.PREVIOUS
    advice: Advice | None = None
    compare: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """What somebody types in a command.

    Attributes:
        golden_set: for the set; None where its place is not known.
        retriever: for the retriever.
    """

    golden_set: str | None
    retriever: str


def verdict_of(
    record: EvaluationRecord, other: EvaluationRecord | BaselineEntry | None
) -> Verdict:
    """The verdict on a result against another one, by what the two state; None is no other one."""
    identity = None if other is None else other.identity
    return baseline_verdict(record.identity, identity, has_previous=other is not None)


def verdict_card(  # noqa: PLR0913 -- what one card is made of, by keyword
    verdict: Verdict,
    typed: Typed,
    *,
    title: str,
    earlier: str,
    other: str = "",
    other_address: str = "",
    compare: str = "",
) -> VerdictCard:
    """A verdict with what would give a fair answer.

    Args:
        verdict: on a result against an earlier one.
        typed: for the commands.
        title: against what.
        earlier: what the earlier result is called, to begin a sentence with.
        other: which result that is, for people.
        other_address: of its page.
        compare: where the difference is shown.
    """
    golden_set = typed.golden_set or _SET
    return VerdictCard(
        title=title,
        state=verdict.state,
        word=wording.state_word(verdict.state),
        sentence=wording.state_sentence(verdict.state),
        reasons=reason_views(verdict, previous=earlier),
        other=other,
        other_address=other_address,
        earlier=earlier,
        advice=wording.fair_answer(
            verdict,
            shown_lines(wording.run_command(golden_set, typed.retriever)),
            "",
            pair=shown_lines(wording.ab_command(golden_set, wording.BEFORE, typed.retriever)),
        ),
        compare=compare if verdict.is_comparable else "",
    )

"""Which sentence says it? One for each verdict state, reason, basis and privacy level.

Every report takes its sentences from here, so that terminal, page and test agree. They say what
is known and no more: labels are what a retriever states, a result that cannot be compared gets
no number, and nothing here speaks of what anyone did with a result.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Final, assert_never

from evenhand.core.privacy import PrivacyLevel
from evenhand.core.scoring.evaluation import Basis
from evenhand.core.verdict import Dimension, ReasonCode, Verdict, VerdictState

UNKNOWN: Final = "unknown"
NOT_APPLICABLE: Final = "not applicable"
THIS_RESULT: Final = "This result"
PREVIOUS: Final = "The previous result"
# Stand near every label.
DECLARED: Final = (
    "Declared by the retriever, not checked by Evenhand. "
    "Labels state what the consumer says it ran; they prove nothing about it."
)
DERIVED: Final = (
    "Derived by Evenhand from digests of the corpus, the model file and all settings. "
    "Labels state what was run; they prove nothing about where it came from."
)
DECLARED_OR_DERIVED: Final = (
    "Declared by the retriever, or derived by Evenhand from digests (all labels of a built-in "
    "one; the corpus label where a path names the corpus); which of the two is not stored. Labels "
    "state what was run; they prove nothing about it."
)
#: Of a retriever of somebody else's whose corpus was named by a path.
CORPUS_DIGESTED: Final = (
    "The corpus label is a digest that Evenhand made of the corpus or manifest at hand; that the "
    "retriever searched just that is not checked. The other labels are declared, not checked: "
    "they state what the consumer says it ran and prove nothing about it."
)
NOTHING_DECLARED: Final = (
    "The retriever declared nothing about what it ran, so this result equals no other."
)
DESCRIPTIVE: Final = "descriptive: no verdict is drawn from a part"
POOLED: Final = (
    "Pooled over answerable and no-answer questions: a no-answer question is a hit when nothing "
    "came back. Not a headline."
)
FAILED_COUNT: Final = "A failed question stays in every total and counts as a miss."

NO_SUCH_RATE: Final = "no such questions"
PASTE: Final = "To declare what is run, paste:"
BOUNDS: Final = (
    "Bounds: the difference with every failed question decided against, or for, the later result. "
    "An open circle is incomplete: its sign depends on them."
)
SIDE_BY_SIDE: Final = (
    "Rates stand in one table only where the benchmark is the same. Across tables they are not to "
    "be read against each other."
)
PLAIN: Final = (
    "Plain differences of rates, without an interval: whether one is more than chance is not "
    "decided here."
)
REFUSED: Final = "These pairs have reasons and no number."
ROUNDING: Final = "Decisions use whole counts and exact fractions; decimals are rounded for show."
FAIR_PAIR: Final = (
    "For a fair answer, run both on one corpus with the same questions, each declaring what it "
    "runs:"
)
#: Stands in a command for the version that has no name of its own any more.
BEFORE: Final = "BEFORE"
_NAME_IT: Final = f"; {BEFORE} stands for the earlier version, under a name of its own:"
_REASONS: Final = {
    ReasonCode.NO_PREVIOUS: "No earlier result of this set and retriever is stored.",
    ReasonCode.CURRENT_UNKNOWN: "{current} does not say what was run.",
    ReasonCode.PREVIOUS_UNKNOWN: (
        "{previous} does not say what was run; nothing is inferred from its name."
    ),
    ReasonCode.CORPUS_CHANGED: "The two results state different corpora.",
    ReasonCode.LABELS_CHANGED: (
        "The golden questions differ in an id, a text, a form, a hard class or a target."
    ),
    ReasonCode.SCORING_CHANGED: "The two results were scored under different protocols.",
    ReasonCode.GRADES_CHANGED: (
        "The targets are the same and the judgements are not: a grade differs, or what was "
        "judged as not relevant."
    ),
    ReasonCode.DEPTH_CHANGED: (
        "The two results were asked for to different depths, which graded values see."
    ),
    ReasonCode.CURRENT_GRADES_UNKNOWN: (
        "{current} does not say by which graded judgements it was scored."
    ),
    ReasonCode.PREVIOUS_GRADES_UNKNOWN: (
        "{previous} does not say by which graded judgements it was scored."
    ),
    ReasonCode.CONFIGURATION_CHANGED: "The reviews ran by different configurations.",
    ReasonCode.PROMPT_CHANGED: "The reviews had different prompts.",
    ReasonCode.COHORT_CHANGED: "The reviews are of different cases.",
    ReasonCode.PRACTICE_CHANGED: "The reviews judged by different revisions of criteria.",
}


def typed_in(folder: str) -> str:
    """Where the commands of a report run as they are printed."""
    return f"Their commands are typed in the folder {folder}."


def incomplete(measures: list[str]) -> str:
    """That failed questions decide the sign of a difference."""
    return (
        f"Incomplete: the sign of the difference in {', '.join(measures)} depends on questions "
        "that failed."
    )


def state_word(state: VerdictState) -> str:
    """The state as a word."""
    return state.value.capitalize()


def state_sentence(state: VerdictState) -> str:
    """What a verdict means for whoever reads two results."""
    match state:
        case VerdictState.COMPARABLE:
            return (
                "Both results state the same corpus, and their labels and scoring protocol are "
                "equal: they may be compared."
            )
        case VerdictState.BASELINE:
            return "Nothing to compare with yet: the next result is compared with this one."
        case VerdictState.UNKNOWN:
            return (
                "Comparison skipped: it is not known of both sides what was run, and unknown "
                "equals nothing."
            )
        case VerdictState.MISMATCH:
            return "Comparison skipped: the two results ran on different benchmarks."
        case _:
            assert_never(state)


def reason_sentence(
    code: ReasonCode, *, current: str = THIS_RESULT, previous: str = PREVIOUS
) -> str:
    """Why a verdict is not ``comparable``.

    Args:
        code: the reason.
        current: what the one result is called, to begin a sentence with.
        previous: what the other is called.
    """
    return _REASONS[code].format(current=current, previous=previous)


def dimension_word(dimension: Dimension) -> str:
    """The identity that a reason speaks of."""
    return dimension.value


def privacy_sentence(level: PrivacyLevel | None) -> str:
    """What is stored of an evaluation; None when it is not stored."""
    match level:
        case None:
            return "not stored"
        case PrivacyLevel.NONE:
            return "none: only aggregates and identities are stored"
        case PrivacyLevel.METADATA:
            return "metadata: outcomes are stored as well, but no ids and no texts"
        case PrivacyLevel.REDACTED:
            return "redacted: outcomes and a scrubbed, bounded copy of the details are stored"
        case PrivacyLevel.FULL:
            return "full: outcomes, rankings and details are stored as they are"
        case _:
            assert_never(level)


def basis_sentence(basis: Basis, *, from_baseline_file: bool = False) -> str:
    """Who saw the rankings come into being.

    Args:
        basis: of the result.
        from_baseline_file: whether the result itself was read from a baseline file.
    """
    match basis:
        case Basis.IMPORTED if from_baseline_file:
            return "imported: the result comes from a baseline file"
        case Basis.IMPORTED:
            return "imported: the rankings come from a run file or an imported evaluation"
        case Basis.LOCAL:
            return "local: Evenhand called the retriever"
        case Basis.REPORTED:
            return "reported: a consumer reported the rankings"
        case Basis.WITNESSED:
            return (
                "witnessed: each successful query's model call is matched to the gateway; "
                "the rankings are reported"
            )
        case _:
            assert_never(basis)


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """How to get a fair answer where there is none.

    Attributes:
        sentence: what to do.
        commands: what to type, in order.
        paste: lines for the configuration, empty when there are none to give.
    """

    sentence: str
    commands: tuple[str, ...]
    paste: str = ""


def run_command(set_operand: str, retriever: str) -> str:
    """The command that evaluates this retriever on this set, quoted for a shell."""
    return shlex.join(("evenhand", "run", set_operand, retriever))


def ab_command(set_operand: str, current: str, candidate: str, *options: str) -> str:
    """The command that runs both retrievers over one corpus, quoted for a shell."""
    return shlex.join(("evenhand", "ab", set_operand, current, candidate, *options))


def fair_pair_answer(verdict: Verdict, pair: str, declaration: str) -> Advice | None:
    """What gives a fair answer about two sides, None where there is one.

    Args:
        verdict: the verdict to help with.
        pair: the command that runs both over one corpus.
        declaration: lines by which a retriever would declare what it runs.
    """
    if verdict.is_comparable:
        return None
    sentence = FAIR_PAIR
    if verdict.state is VerdictState.UNKNOWN:
        sentence = (
            "For a fair answer, let both sides declare what they run, then run both over one "
            "corpus with the same questions:"
        )
    return Advice(sentence=_with_name(sentence, pair), commands=(pair,), paste=declaration)


def fair_answer(
    verdict: Verdict, command: str, declaration: str, *, pair: str = ""
) -> Advice | None:
    """What gives a fair answer, None where there is one.

    Args:
        verdict: the verdict to help with.
        command: the command that runs the retriever again.
        declaration: lines by which the retriever would declare what it runs.
        pair: the command that runs the version before and this one over one corpus, empty where
            the caller cannot tell.
    """
    match verdict.state:
        case VerdictState.COMPARABLE:
            return None
        case VerdictState.BASELINE:
            return Advice(sentence="After the next change, run again:", commands=(command,))
        case VerdictState.UNKNOWN:
            return _declare(verdict, command, declaration)
        case VerdictState.MISMATCH:
            return Advice(
                sentence=_with_name(
                    "For a fair answer, run both versions of the retriever on one corpus with "
                    "the same questions, one directly after the other:",
                    pair,
                ),
                commands=(pair or command,),
            )
        case _:
            assert_never(verdict.state)


def _with_name(sentence: str, pair: str) -> str:
    return sentence.removesuffix(":") + _NAME_IT if f" {BEFORE} " in pair else sentence


def _declare(verdict: Verdict, command: str, declaration: str) -> Advice:
    codes = {reason.code for reason in verdict.reasons}
    if ReasonCode.CURRENT_UNKNOWN not in codes:
        return Advice(
            sentence=(
                "This result says what was run. For a fair answer, run again after the next "
                "change; that run is compared with this one:"
            ),
            commands=(command,),
            paste=declaration,
        )
    return Advice(
        sentence=(
            "For a fair answer, declare what the retriever runs, then run twice: once to record "
            "the identity, and again after the next change:"
        ),
        commands=(command, command),
        paste=declaration,
    )

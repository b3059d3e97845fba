"""Which sentence says what a comparison found? Nothing here claims that two sides are equal."""

from __future__ import annotations

from typing import Final, assert_never

from evenhand.core.comparison.checks import CheckCode, SelfCheck, Which
from evenhand.core.comparison.comparison import Comparison
from evenhand.core.comparison.coverage import Judged, JudgedAt
from evenhand.core.comparison.paired import Conclusion, PairedDifference
from evenhand.core.comparison.set_use import SetUseCounts, SetUseKind
from evenhand.core.comparison.speed import LatencyDifference, NoLatency
from evenhand.core.scoring.power import POWER, Detectable
from evenhand.core.scoring.significance import Method, Refusal, RefusalReason
from evenhand.reports import numbers, wording

CURRENT: Final = "The current side"
CANDIDATE: Final = "The candidate"
DELTA: Final = "Differences are candidate less current; a failed question counts as a miss."
DESCRIPTIVE: Final = (
    "Descriptive: only the primary measure decides, and these are not corrected for being many."
)
SPLITS: Final = "Primary measure by {} (descriptive: no verdict is drawn from a part)"
BOUNDS: Final = "Bounds: the difference with every failed question decided against it, and for it."
NOTHING_MOVED: Final = "Nothing that both sides state is different."
PLOT: Final = (
    "A dot is the difference, the bar its interval; an open circle is decided by failed questions."
)

_METHODS: Final = {
    Method.MCNEMAR: "exact McNemar test",
    Method.RANDOMISATION_EXACT: "exact randomisation test",
    Method.RANDOMISATION: "randomisation test",
    Method.PAIRED_T: "paired t test",
}
REFUSALS: Final = {
    RefusalReason.TOO_FEW_QUESTIONS: "too few questions",
    RefusalReason.TOO_FEW_DIFFERENCES: "too few questions differ",
    RefusalReason.ZERO_VARIANCE: "all differences are equal",
    RefusalReason.NEARLY_CONSTANT: "nearly all differences are equal",
}
_SMALLEST_P: Final = 0.001


def comparable_sentence(comparison: Comparison) -> str:
    """What a comparable verdict rests on: for a graded measure that of its own benchmark."""
    if comparison.graded is None:
        return wording.state_sentence(comparison.verdict.state)
    sentence = (
        "Both results state the same corpus, and their labels, judgements and depth are equal: "
        f"they may be compared on {comparison.graded}."
    )
    if comparison.current.protocol != comparison.candidate.protocol:
        sentence += (
            " Their hits were counted under different protocols, so no rate of hits is compared."
        )
    return sentence


def conclusion_word(conclusion: Conclusion | None) -> str:
    """The conclusion as a word."""
    return "Not decided" if conclusion is None else conclusion.value.capitalize()


def conclusion_sentence(comparison: Comparison) -> str:
    """What the primary measure says of the candidate."""
    decided = comparison.primary_difference
    if decided is None:
        return f"The two may be compared, but {_undecided(comparison)}"
    measure, questions = decided.measure, numbers.count(decided.questions, "question")
    match decided.conclusion:
        case Conclusion.BETTER:
            return f"The candidate does better on {measure}, over {questions}."
        case Conclusion.WORSE:
            return f"The candidate does worse on {measure}, over {questions}."
        case Conclusion.INCONCLUSIVE:
            one = decided.questions == 1
            alike = "the one question" if one else f"all {questions}"
            shown = (
                f"On {measure}, {alike} came out alike"
                if decided.is_identical
                else f"On {measure}, {questions} {'does' if one else 'do'} not decide it"
            )
            return f"{shown}. That is no evidence that the two sides are equal."
        case Conclusion.INCOMPLETE:
            if not decided.current_failed + decided.candidate_failed:
                # Holm's method looks at all that is decided together.
                return (
                    "No question failed here, but some of another candidate did, and how they "
                    f"would have gone decides the p value on {measure} that is adjusted over all "
                    "candidates. Make them succeed and run again."
                )
            return (
                f"Questions failed, and how they would have gone decides the answer on {measure}. "
                "Make them succeed and run again."
            )
        case _:
            assert_never(decided.conclusion)


def detectable_sentence(difference: PairedDifference) -> str:
    """What so many questions can show; empty where the difference is decided."""
    if not difference.detectable:
        return ""
    lead = f"With {numbers.count(difference.questions, 'question')}"
    rows = [one for one in difference.detectable if one.difference is not None]
    if not rows:
        return f"{lead}, even a large difference would hardly ever be found."
    sizes = _listed([f"{one.difference:.3f}" for one in rows])
    shares = _listed([f"{100 * one.discordance:g}" for one in rows if isinstance(one, Detectable)])
    where = f" where {shares} % of the questions come out differently" if shares else ""
    power = f"power {POWER:g}, alpha {difference.alpha:g}"
    return (
        f"{lead}, the smallest difference that is likely to be found is {sizes}{where} ({power})."
    )


def significance_text(difference: PairedDifference) -> str:
    """``p 0.012, exact McNemar test``, adjusted where it is one of several; or why there is none."""
    significance = difference.point.significance
    if isinstance(significance, Refusal):
        return f"no test: {REFUSALS[significance.reason]}"
    text = f"p {p_text(significance.p)}, {_METHODS[significance.method]}"
    if significance.seed is not None:
        text += f" of {significance.assignments} draws, seed {significance.seed}"
    if difference.family > 1 and difference.adjusted_p is not None:
        adjusted = p_text(difference.adjusted_p)
        text += f"; p {adjusted} after Holm over {difference.family} candidates"
    return text


def interval_text(difference: PairedDifference) -> str:
    """``-0.010 to +0.031``, or why there is none."""
    interval = difference.interval
    if isinstance(interval, Refusal):
        return f"none: {REFUSALS[interval.reason]}"
    return numbers.interval_text(interval.low, interval.high)


def confidence_text(difference: PairedDifference) -> str:
    """``95 %``."""
    return f"{100 * (1 - difference.alpha):g} %"


def p_text(p: float) -> str:
    """Three decimals, or that it is smaller."""
    return f"< {_SMALLEST_P}" if p < _SMALLEST_P else f"{p:.3f}"


def check_sentence(
    check: SelfCheck, *, candidate: str = CANDIDATE, both: str = "Both sides"
) -> str:
    """What a self-check found.

    Args:
        check: the finding.
        candidate: what the candidate is called, to begin a sentence with.
        both: what the two are called together, likewise.
    """
    side = candidate if check.which is Which.CANDIDATE else _side(check.which)
    match check.code:
        case CheckCode.DIRTY_CHECKOUT:
            return (
                f"{side} ran a checkout with uncommitted changes: its execution revision names "
                "no code that can be had again."
            )
        case CheckCode.SAME_FINGERPRINTS_OTHER_RANKINGS:
            least, shown = ("at least ", ", as outcomes show") if check.at_least else ("", "")
            return (
                f"{both} declare the same of everything, and {least}{_of(check)} "
                f"{numbers.verb(check.count or 0, 'was', 'were')} ranked otherwise{shown}: "
                "something that is not declared moved."
            )
        case CheckCode.OUTSIDE_CORPUS:
            return f"{side}: for {_of(check)} came a document that the corpus at hand lacks."
        case CheckCode.CORPUS_LABEL_MOVED:
            return (
                f"{side} states a corpus label that stood for other documents before. A label "
                "has to change with the documents."
            )
        case CheckCode.NOT_DETERMINISTIC:
            return (
                f"{side} is not deterministic: asked again, it ranked {_of(check)} otherwise. "
                "Differences of that size are chance."
            )
        case _:
            assert_never(check.code)


def judged_sentence(at: JudgedAt) -> str:
    """Judged@k of both sides."""
    return (
        f"Judged@{at.cutoff}: current {_judged(at.current)}, candidate {_judged(at.candidate)} "
        "of the documents that came back for answerable questions are judged; what nobody "
        "judged counts as not relevant."
    )


def latency_sentence(latency: LatencyDifference | NoLatency) -> str:
    """The difference of latencies, or why none is told."""
    match latency:
        case LatencyDifference():
            return (
                f"Median {latency.current_ms} ms for the current side, {latency.candidate_ms} ms "
                f"for the candidate; question by question {latency.delta_ms:+d} ms, over "
                f"{numbers.count(latency.questions, 'question')}."
            )
        case NoLatency.OTHER_CONDITIONS:
            return "Not compared: machine, calls at a time, questions per call or warm-up differ."
        case NoLatency.NOT_MEASURED:
            return "Not compared: no question has a latency on both sides."
        case NoLatency.NOT_LOCAL:
            return "Not compared: the retrievals of a side were not timed by Evenhand here."
        case _:
            assert_never(latency)


def uses_sentence(uses: SetUseCounts | None) -> str:
    """How often the set was decided on; empty where that is not known."""
    if uses is None:
        return ""
    if not uses.total:
        return "No decision rested on these labels so far."
    readings = uses.of(SetUseKind.HOLDOUT)
    others = numbers.count(uses.total - readings, "other decision" if readings else "decision")
    rested = f"{others} rested on these labels so far"
    if readings:
        read = f"This holdout part was read {numbers.count(readings, 'time')} so far"
        rested = read if readings == uses.total else f"{read}, and {rested}"
    return f"{rested}; each makes a win by chance a little more likely."


def _listed(texts: list[str]) -> str:
    """``0.1``, ``0.1 or 0.2``, ``0.1, 0.2 or 0.3``."""
    return " or ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def _undecided(comparison: Comparison) -> str:
    sides = (("the current side", comparison.current), ("the candidate", comparison.candidate))
    lacking = [name for name, side in sides if side.outcomes is None]
    if not lacking:
        return (
            f"no question of the set has a value of {comparison.primary}: there is nothing to "
            "score by it, so nothing is decided."
        )
    verb = numbers.verb(len(lacking), "keeps", "keep")
    return (
        f"{' and '.join(lacking)} {verb} no outcomes at this privacy level: which questions were "
        "won or lost is not known, so nothing is decided."
    )


def _side(which: Which) -> str:
    match which:
        case Which.CURRENT:
            return CURRENT
        case Which.CANDIDATE:
            return CANDIDATE
        case Which.BOTH:
            return "Both sides"
        case _:
            assert_never(which)


def _of(check: SelfCheck) -> str:
    return numbers.of_text(check.count or 0, check.total or 0, "question")


def _judged(judged: Judged) -> str:
    return numbers.rate_text(judged.judged, judged.documents)

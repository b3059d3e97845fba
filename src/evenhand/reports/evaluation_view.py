"""How does one evaluation read, whether it is fresh or stored?"""

from __future__ import annotations

from typing import Final

from evenhand.core.comparison.checks import SelfCheck
from evenhand.core.comparison.previous import PreviousComparison
from evenhand.core.identity.provenance import RetrievalProvenance
from evenhand.core.scoring.evaluation import Conditions
from evenhand.core.scoring.outcome import Outcome
from evenhand.reports import numbers, wording
from evenhand.reports.comparison_wording import check_sentence
from evenhand.reports.graded import graded_views, shallow_measures
from evenhand.reports.notices import flag, note, result_notices
from evenhand.reports.question_lists import question_lists
from evenhand.reports.rates import count_views, headline_rates, pooled_rows, split_tables
from evenhand.reports.safe_text import shown_id, shown_text
from evenhand.reports.subject import Subject
from evenhand.reports.verdict_view import Hints, build_verdict_view
from evenhand.reports.view import EvaluationView, Fact, LatencyView

_LABEL_NAMES: Final = (
    ("Corpus revision", "corpus_revision"),
    ("Model revision", "model_revision"),
    ("Chunking identity", "chunking_identity"),
    ("Pipeline identity", "pipeline_identity"),
    ("Execution revision", "execution_revision"),
)


def build_evaluation_view(
    subject: Subject, comparison: PreviousComparison | None = None, hints: Hints | None = None
) -> EvaluationView:
    """Everything that a report of one evaluation shows.

    Args:
        subject: the evaluation.
        comparison: against the previous one, None when nothing was compared.
        hints: what only the caller knows.
    """
    record = subject.record
    known = hints or Hints()
    verdict = None if comparison is None else build_verdict_view(subject, comparison, known)
    return EvaluationView(
        retriever=shown_id(subject.retriever),
        set_name=shown_text(subject.set_name),
        set_identifier=shown_id(subject.set_identifier),
        stored_as="" if record is None else shown_id(record.id),
        started=numbers.instant_text(subject.started_at),
        duration=numbers.duration_text(subject.finished_at - subject.started_at),
        headline=headline_rates(subject.counts),
        counts=count_views(subject.counts),
        graded=graded_views(subject.graded),
        privacy=wording.privacy_sentence(None if record is None else record.privacy),
        basis=wording.basis_sentence(subject.basis),
        verdict=verdict,
        notices=(
            *(flag(_check(check)) for check in known.checks),
            *result_notices(subject),
            *(note(text) for text in shallow_measures(subject.graded)),
        ),
        splits=split_tables(subject),
        pooled=pooled_rows(subject),
        lists=question_lists(subject, comparison),
        latency=latency_view(subject),
        identities=identity_facts(subject),
        identity_note=_identity_note(subject),
        facts=_facts(subject),
        release="" if record is None else shown_id(record.release),
    )


def _check(check: SelfCheck) -> str:
    return check_sentence(
        check, candidate=wording.THIS_RESULT, both="This result and the previous one"
    )


def identity_facts(subject: Subject) -> tuple[Fact, ...]:
    """Each declared revision and each fingerprint; what is not known says so."""
    identity = subject.identity
    benchmark = variant = None
    if identity is not None:
        benchmark, variant = identity.fingerprints.benchmark, identity.fingerprints.variant
    return (
        *label_facts(subject),
        _derived("Labels fingerprint", subject.labels),
        _derived("Benchmark fingerprint", benchmark),
        _derived("Variant fingerprint", variant),
        _derived("Scoring version", subject.protocol),
    )


def label_facts(subject: Subject) -> tuple[Fact, ...]:
    """The five revisions: None reads ``unknown``, the sentinel ``not applicable`` (G-03)."""
    provenance = None if subject.identity is None else subject.identity.provenance
    note = {True: "derived", False: "declared", None: "stated"}[subject.labels_derived]
    first, *others = label_values(provenance)
    corpus_note = "digested here" if _is_only_corpus_digested(subject) else note
    return (
        Fact(name=first[0], value=first[1], note=corpus_note),
        *(Fact(name=name, value=value, note=note) for name, value in others),
    )


def _is_only_corpus_digested(subject: Subject) -> bool:
    return (
        subject.identity is not None
        and subject.labels_derived is False
        and subject.corpus_digested
    )


def label_values(provenance: RetrievalProvenance | None) -> tuple[tuple[str, str], ...]:
    """Name and value of the five revisions, in words where there is no label."""
    return tuple(
        (name, _label(None if provenance is None else getattr(provenance, field)))
        for name, field in _LABEL_NAMES
    )


def latencies(outcomes: tuple[Outcome, ...] | None) -> list[int]:
    """Whole milliseconds of the questions that did not fail, ascending."""
    return sorted(
        outcome.latency_ms
        for outcome in outcomes or ()
        if outcome.latency_ms is not None and outcome.error_class is None
    )


def nearest_rank(ascending: list[int], percent: int) -> int:
    """The smallest value with at least so many percent of all values at or below it.

    Args:
        ascending: at least one value.
        percent: above 0, at most 100.
    """
    return ascending[-(-len(ascending) * percent // 100) - 1]


def latency_view(subject: Subject) -> LatencyView | None:
    """Median and 90th percentile by nearest rank, None when nothing was measured."""
    measured = latencies(subject.outcomes)
    if not measured:
        return None
    return LatencyView(
        median=f"{nearest_rank(measured, 50)} ms",
        p90=f"{nearest_rank(measured, 90)} ms",
        questions=len(measured),
        conditions=_conditions(subject.conditions),
    )


def _identity_note(subject: Subject) -> str:
    if subject.identity is None:
        return wording.NOTHING_DECLARED
    if _is_only_corpus_digested(subject):
        return wording.CORPUS_DIGESTED
    match subject.labels_derived:
        case True:
            return wording.DERIVED
        case False:
            return wording.DECLARED
        case None:
            return wording.DECLARED_OR_DERIVED


def _conditions(conditions: Conditions) -> str:
    return (
        f"on {shown_id(conditions.machine)}, "
        f"{numbers.count(conditions.jobs, 'call')} at a time, "
        f"{numbers.count(conditions.batch, 'question')} per call, "
        f"{conditions.warmup} unmeasured before the first"
    )


def _label(label: str | None) -> str:
    if label is None:
        return wording.UNKNOWN
    if label == RetrievalProvenance.NOT_APPLICABLE:
        return wording.NOT_APPLICABLE
    return shown_id(label)


def _derived(name: str, digest: str | None) -> Fact:
    return Fact(name=name, value=digest or wording.UNKNOWN, note="derived")


def _facts(subject: Subject) -> tuple[Fact, ...]:
    return (
        Fact(name="Golden set", value=shown_id(subject.set_identifier)),
        Fact(name="Retriever", value=shown_id(subject.retriever)),
        Fact(name="Depth", value=f"{numbers.count(subject.depth, 'result')} asked for"),
        Fact(name="Started", value=numbers.instant_text(subject.started_at)),
        Fact(
            name="Duration",
            value=numbers.duration_text(subject.finished_at - subject.started_at),
        ),
    )

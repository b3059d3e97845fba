"""How do a review's trail and the counts of a stratum read? As lines, unknown shown as unknown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from evenhand.core.review.attempt import Attempt
from evenhand.core.review.feedback import placement_evidence
from evenhand.core.review.grounds import GroundingPermission
from evenhand.core.review.observation import Observation
from evenhand.core.review.practice import PracticeRevision
from evenhand.core.review.rates import PairedStrata, Rates
from evenhand.core.review.reaction import current_responses
from evenhand.core.review.trail import FeedbackTrail, Trail
from evenhand.core.review.usage import Usage
from evenhand.core.scoring.intervals import Interval
from evenhand.reports.review_words import (
    cohort_text,
    cost_text,
    counts_text,
    known_text,
    output_text,
    share_text,
    tokens_text,
    truth_text,
)
from evenhand.reports.reviews_grounding import permission_lines
from evenhand.reports.safe_text import shown_id, shown_text
from evenhand.reports.wording import UNKNOWN, reason_sentence
from evenhand.usecases.reviews.reading import Strata, StratumRates


def trail_lines(trail: Trail) -> Iterator[str]:
    """One review, from its configuration to what came back."""
    job, prepared = trail.job, trail.job.prepared
    asked = job.submission
    yield f"review {job.id}  {job.state.value}  attempt {job.attempt}"
    yield f"  of             {asked.artifact_kind.value} {shown_id(asked.artifact_id)}"
    yield f"  cohort         {asked.cohort_kind.value}: {cohort_text(trail.job)}"
    yield f"  case           {shown_id(asked.case_id) if asked.case_id else UNKNOWN}"
    yield f"  repository     {known_text(asked.repository_revision)}"
    yield f"  model          {shown_id(job.effective_snapshot.model)}"
    yield "  configuration"
    yield f"    {UNKNOWN if job.snapshot is None else job.snapshot.sha256}"
    yield "  prompt"
    yield f"    {UNKNOWN if prepared is None else prepared.prompt_digest or UNKNOWN}"
    yield "  inputs"
    yield f"    {UNKNOWN if prepared is None else prepared.inputs_digest}"
    yield from _section("criteria", trail.revisions, "unknown: it was not prepared")
    for one in trail.revisions:
        yield f"    {one.practice_name} revision {one.number}  {one.id}"
    yield from _section("attempts", trail.attempts, "none has ended")
    used = {one.attempt: one for one in trail.usage}
    for attempt in trail.attempts:
        yield from _attempt(attempt, used.get(attempt.attempt))
    yield from _section("observations", trail.observations, "none")
    for observation in trail.observations:
        yield from _observation(observation)
    yield from _section("refused candidates", trail.rejections, "none")
    for refused in trail.rejections:
        yield f"    {refused.position}  {refused.reason.value}"
    yield from _section("feedback", trail.feedback, "none was composed")
    for feedback in trail.feedback:
        yield from _feedback(feedback)
    said = trail.acceptances[-1].accepted if trail.acceptances else None
    yield f"  answer accepted  {truth_text(said)}"


def revision_lines(found: Iterable[PracticeRevision]) -> Iterator[str]:
    """Revisions of a practice, two lines for each: which one and its title; its id."""
    for one in found:
        kind = one.criteria.artifact_kind.value
        yield f"{one.practice_name} revision {one.number}  {kind}  {shown_text(one.criteria.title)}"
        yield f"  since {one.created_at:%Y-%m-%d %H:%M} UTC  {one.id}"


def strata_lines(found: Strata) -> Iterator[str]:
    """Every stratum by itself, and the rows in none; there is no total."""
    for one in found.strata:
        yield from _rates(one, found.permissions[one.stratum])
    left_out = sum(1 for count in found.excluded.values() if count)
    yield f"rows: {found.rows}; strata: {len(found.strata)}"
    if left_out:
        yield f"in no stratum: {counts_text(found.excluded)}"


def stratum_lines(found: StratumRates) -> Iterator[str]:
    """One stratum, and where there is another both side by side with their verdict."""
    yield from _rates(found.rates, found.permissions[found.rates.stratum])
    if found.other is not None and found.paired is not None:
        yield from _rates(found.other, found.permissions[found.other.stratum])
        yield from _paired(found.paired)
    if found.excluded:
        yield f"in no stratum: {counts_text(found.excluded)}"


def _rates(one: Rates, permission: GroundingPermission) -> Iterator[str]:
    named = one.identities
    yield f"stratum {one.stratum}"
    yield f"  configuration  {named.config_digest}"
    yield f"  prompt         {named.prompt_digest}"
    yield f"  cohort         {named.cohort_kind.value}: {shown_id(named.cohort or UNKNOWN)}"
    yield f"  criteria       {named.practice_revision_id}"
    yield f"  attempts       {counts_text(one.attempts)}"
    yield f"  failures       {share_text(one.failures)}"
    yield f"  invalid output {share_text(one.invalid_outputs)}"
    yield f"  candidates refused {share_text(one.rejected)}"
    yield f"  usage told     {share_text(one.calls_told)}  {tokens_text(one.tokens)}"
    yield f"  cost           {cost_text(one.cost)}  ({counts_text(one.pricing)})"
    yield f"  cases good     {share_text(one.good)}"
    if one.excluded:
        yield f"  cases left out {counts_text(one.excluded)}"
    yield from permission_lines(permission)


def _paired(one: PairedStrata) -> Iterator[str]:
    yield f"verdict: {one.verdict.state.value}"
    for reason in one.verdict.reasons:
        yield f"  {reason_sentence(reason.code, current='The candidate', previous='The current')}"
    if one.counts is None:
        return
    counts = one.counts
    yield (
        f"  cases {counts.questions}: both good {counts.both}, only the candidate"
        f" {counts.candidate_only}, only the current {counts.current_only},"
        f" neither {counts.neither}"
    )
    if one.delta is None:
        yield "  delta unknown: no case is assessed by both"
    elif isinstance(one.interval, Interval):
        yield (
            f"  delta {one.delta:+.3f}  95 % interval {one.interval.low:+.3f} to"
            f" {one.interval.high:+.3f}  ({one.interval.method.value})"
        )
    elif one.interval is not None:
        yield f"  delta {one.delta:+.3f}  no interval: {one.interval.reason.value}"
    if one.excluded:
        yield f"  cases in no pair: {counts_text(one.excluded)}"


def _attempt(one: Attempt, usage: Usage | None) -> Iterator[str]:
    failed = "" if one.error_class is None else f"  {shown_id(one.error_class)}"
    yield f"    {one.attempt}  {one.outcome.value}{failed}  worker {known_text(one.worker)}"
    yield f"       output     {output_text(one.candidates)}"
    if usage is None:
        yield "       usage      unknown"
        return
    yield f"       usage      {usage.calls} calls  {tokens_text(usage.tokens)}"
    yield f"       cost       {cost_text(usage.cost)}  ({usage.pricing.value})"


def _observation(one: Observation) -> Iterator[str]:
    parts = [one.presence.value]
    parts += [word.value for word in (one.assessment, one.severity) if word is not None]
    yield f"    {one.position}  {' '.join(parts)}  {one.practice_revision_id}"
    yield f"       {UNKNOWN + ': not kept' if one.summary is None else shown_text(one.summary)}"


def _feedback(trail: FeedbackTrail) -> Iterator[str]:
    one = trail.feedback
    why = "" if one.suppression_reason is None else f" ({one.suppression_reason.value})"
    yield f"    {one.position}  {one.state.value}{why}  {one.id}"
    yield f"       placement  {placement_evidence(trail.placements, trail.dispatches).value}"
    for placement in trail.placements:
        yield f"         {placement.type.value}  {known_text(placement.channel_reference)}"
    for dispatch in trail.dispatches:
        said = known_text(dispatch.acknowledgement)
        yield f"         dispatch {dispatch.attempt}  acknowledged: {said}"
    responses = current_responses(trail.reactions)
    if not responses:
        yield "       reaction   unknown"
    for (_, reactor), newest in responses.items():
        useful = UNKNOWN if newest.usefulness is None else newest.usefulness.value
        resolved = UNKNOWN if newest.resolution is None else newest.resolution.value
        yield f"       reaction   {shown_id(reactor)}: usefulness {useful}, resolution {resolved}"


def _section(name: str, found: Iterable[Any], without: str) -> Iterator[str]:
    yield f"  {name}" if any(True for _ in found) else f"  {name}: {without}"

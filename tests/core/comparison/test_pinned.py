import pytest

from evenhand.core.comparison.pinned import content_of, pin
from evenhand.core.errors.evaluation import InvalidBaseline
from evenhand.core.privacy import PrivacyLevel
from tests.builders import START, a_provenance, a_record, an_evaluation

EVALUATION = an_evaluation(provenance=a_provenance())
RECORD = a_record(EVALUATION)


def test_a_baseline_holds_its_own_copy_of_what_a_comparison_needs() -> None:
    content = content_of(RECORD, EVALUATION.outcomes, level=PrivacyLevel.METADATA)
    assert EVALUATION.identity is not None
    fingerprints = EVALUATION.identity.fingerprints
    assert content.counts == EVALUATION.counts
    assert content.outcomes == EVALUATION.outcomes
    assert (content.set_identifier, content.retriever) == ("tiny", "fake")
    assert (content.basis, content.depth) == (EVALUATION.basis, EVALUATION.depth)
    assert content.conditions == EVALUATION.conditions
    assert content.provenance == a_provenance()
    assert content.labels_fingerprint == fingerprints.labels
    assert content.benchmark_fingerprint == fingerprints.benchmark
    assert content.variant_fingerprint == fingerprints.variant
    assert content.scoring_version == fingerprints.scoring_version


def test_pinning_adds_who_when_and_why_to_the_content() -> None:
    content = content_of(RECORD, EVALUATION.outcomes, level=PrivacyLevel.METADATA)
    pinned = pin(
        content, id="i", evaluation_id=RECORD.id, set_at=START, actor="somebody", note="why"
    )
    assert (pinned.id, pinned.evaluation_id, pinned.set_at) == ("i", RECORD.id, START)
    assert (pinned.actor, pinned.note) == ("somebody", "why")
    assert pinned.outcomes == content.outcomes
    assert pinned.benchmark_fingerprint == content.benchmark_fingerprint


def test_an_evaluation_that_does_not_say_what_was_run_cannot_be_a_baseline() -> None:
    unknown = an_evaluation()
    with pytest.raises(InvalidBaseline, match="does not say what was run") as error:
        content_of(a_record(unknown), unknown.outcomes, level=PrivacyLevel.FULL)
    assert error.value.code == "invalid_baseline"


def test_an_evaluation_without_outcomes_cannot_be_a_baseline() -> None:
    with pytest.raises(InvalidBaseline, match="without outcomes"):
        content_of(RECORD, None, level=PrivacyLevel.FULL)


def test_a_level_that_keeps_no_outcomes_keeps_no_baseline() -> None:
    with pytest.raises(InvalidBaseline, match="privacy level none"):
        content_of(RECORD, EVALUATION.outcomes, level=PrivacyLevel.NONE)

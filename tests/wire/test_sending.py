"""What is sent of a stored result: no more than was kept, and what the hub makes of it is the same."""

import json
from dataclasses import replace
from typing import Any

import pytest

from evenhand.core.errors.publication import NotPublishable
from evenhand.core.privacy import LevelPolicy, PrivacyLevel
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.core.scoring.details import build_rankings
from evenhand.core.scoring.evaluation import Basis, Evaluation
from evenhand.core.scoring.reported import score_answers
from evenhand.core.scoring.reported_rows import score_rows
from evenhand.wire.publications import NewEvaluation
from evenhand.wire.sending import evaluation_body, needs_set
from tests.builders import START, a_provenance, a_question, a_record, a_set, an_evaluation

ASKED = a_set(
    *a_set().questions,
    a_question("q0", unjudged=True),
    a_question(b"q\xff", b"d\xff", text=b"t\xff", hard_class="rare"),
)
GIVEN: dict[str, Any] = {
    "q1": ["x", "d1"],
    "q2": ConnectionError("canary"),
    "q3": ["d4", "d4", "x"],
    "q4": [],
    "q0": ["x"],
    "t\udcff": [b"d\xff"],
}
WHOLE = an_evaluation(ASKED, GIVEN, provenance=a_provenance())


def sent(
    whole: Evaluation = WHOLE,
    *,
    level: PrivacyLevel = PrivacyLevel.FULL,
    golden_set: GoldenSet | None = ASKED,
    **stated: Any,
) -> dict[str, Any]:
    """The body that is sent of an evaluation that was stored at a level."""
    record = replace(a_record(whole, privacy=level), **stated)
    body: dict[str, Any] = json.loads(
        evaluation_body(
            record,
            whole.outcomes if level.keeps_outcomes else None,
            build_rankings(whole, LevelPolicy(level=level)),
            golden_set=golden_set,
            project="search",
        )
    )
    return body


def the_set(body: NewEvaluation) -> Any:
    """What is told of the set."""
    assert body.asked is not None
    return body.asked


def test_what_was_kept_at_full_goes_as_rankings_and_scores_the_same_there() -> None:
    body = NewEvaluation.model_validate(sent())

    assert body.questions is not None
    there = score_answers(
        the_set(body),
        body.stated,
        [one.to_core(body.depth) for one in body.questions],
        at=START,
    )
    assert there.counts == WHOLE.counts
    assert there.identity == WHOLE.identity
    assert there.golden_set.qrels_digest == ASKED.qrels_digest
    assert [replace(one, error_class=None) for one in there.outcomes] == [
        replace(one, error_class=None) for one in WHOLE.outcomes
    ]
    assert "CONNECTION_ERROR" in {one.error_class for one in there.outcomes}


@pytest.mark.parametrize("level", [PrivacyLevel.METADATA, PrivacyLevel.REDACTED])
def test_what_was_kept_below_full_goes_as_rows_without_id_and_text(level: PrivacyLevel) -> None:
    document = sent(level=level, golden_set=None)
    body = NewEvaluation.model_validate(document)

    assert body.outcomes is not None
    there = score_rows(the_set(body), body.stated, [one.to_core() for one in body.outcomes])
    assert there.counts == WHOLE.counts
    assert there.identity == WHOLE.identity
    assert [replace(one, error_class=None) for one in there.outcomes] == [
        replace(one, error_class=None) for one in WHOLE.outcomes
    ]
    text = json.dumps(document)
    assert not [one for one in ("q1", "d1", "rare", "canary", "t\\udc") if one in text]


def test_a_run_file_s_result_and_one_with_an_empty_id_go_as_rows() -> None:
    imported = an_evaluation(ASKED, GIVEN, provenance=a_provenance(), basis=Basis.IMPORTED)
    empty = an_evaluation(ASKED, {**GIVEN, "q1": ["", "d1"]}, provenance=a_provenance())

    for whole in (imported, empty):
        document = sent(whole, golden_set=None)
        assert "outcomes" in document
        assert NewEvaluation.model_validate(document).described_set is not None


def test_to_send_again_is_the_same_call() -> None:
    first, again = (NewEvaluation.model_validate(sent()) for _ in range(2))

    assert first.idempotency_key == again.idempotency_key == f"evenhand:{a_record().id}"
    assert first.digest == again.digest
    other = NewEvaluation.model_validate(sent(level=PrivacyLevel.METADATA))
    assert other.digest != first.digest


@pytest.mark.parametrize(
    "golden_set",
    [
        None,
        a_set(),
        replace(ASKED, identifier="another"),
        a_set(*ASKED.questions[:-1], a_question("q9", "d9")),
    ],
    ids=["none", "fewer", "another", "edited"],
)
def test_rankings_need_the_very_set_that_they_were_made_on(golden_set: GoldenSet | None) -> None:
    with pytest.raises(NotPublishable, match="--set"):
        sent(golden_set=golden_set)


def test_what_was_kept_at_none_and_what_is_held_out_is_not_sent() -> None:
    with pytest.raises(NotPublishable, match="none"):
        sent(level=PrivacyLevel.NONE)
    with pytest.raises(NotPublishable, match="held out"):
        sent(set_identifier="tiny.holdout")


def test_a_result_that_declared_nothing_goes_as_unknown() -> None:
    body = NewEvaluation.model_validate(
        sent(an_evaluation(ASKED, GIVEN), level=PrivacyLevel.METADATA)
    )

    assert body.provenance is None
    assert body.described_set is not None
    assert body.described_set.labels_fingerprint is None


def test_the_set_is_asked_for_only_where_rankings_are_sent() -> None:
    rankings = build_rankings(WHOLE, LevelPolicy(level=PrivacyLevel.FULL))
    full = a_record(WHOLE)

    assert needs_set(full, rankings)
    assert not needs_set(replace(full, basis=Basis.IMPORTED), rankings)
    assert not needs_set(replace(full, privacy=PrivacyLevel.METADATA), None)

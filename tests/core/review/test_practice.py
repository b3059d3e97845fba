"""By what are criteria told apart? By every field of what they say, under a named scheme."""

import hashlib
import json
from dataclasses import replace

import pytest

from evenhand.core.review.practice import Criteria
from evenhand.core.review.states import ArtifactKind

CRITERIA = Criteria(
    artifact_kind=ArtifactKind.ANSWER, title="Grounded", group="answers", text="Each claim."
)


@pytest.mark.proves("BR-07")
def test_the_digest_of_criteria_names_its_scheme_and_keeps_each_field_apart() -> None:
    members = {
        "schema": "practice-revision-v1",
        "artifact_kind": "rag.answer",
        "title": "Grounded",
        "group": "answers",
        "text": "Each claim.",
    }
    text = json.dumps(members, sort_keys=True, separators=(",", ":"))
    assert CRITERIA.digest == hashlib.sha256(text.encode("ascii")).hexdigest()
    # The same letters, parted elsewhere, are other criteria.
    others = (
        replace(CRITERIA, title="Groundedanswers", group="s"),
        replace(CRITERIA, title="Grounde", group="danswers"),
        replace(CRITERIA, group="answersEach", text=" claim."),
        replace(CRITERIA, artifact_kind=ArtifactKind.RETRIEVAL_RUN),
    )
    assert len({CRITERIA.digest, *(one.digest for one in others)}) == 5

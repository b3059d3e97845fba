"""The rules as reviewer: one candidate that a hub keeps, without a word of the answer."""

from typing import Any

import pytest

from evenhand.adapters.reviewers.configuration import model_config, rules_config
from evenhand.adapters.reviewers.rules import RuleReviewer
from evenhand.adapters.reviewers.scaffolding import shipped_scaffolding
from evenhand.core.review.candidates import sort_candidates
from evenhand.core.review.evidence import Completeness, Source, SourceState, StagedFile
from evenhand.core.review.review_case import ReviewCase
from tests.review_builders import an_evidence

PASSAGES = ("The quokka is 3 m long.", "It was not seen before 1889.")


def looked_at(answer: str, *passages: str) -> dict[str, Any]:
    """What the rules say, once a hub has taken it in."""
    case = ReviewCase(
        case_id="c", answer_id="a", question="?", answer=answer, passages=passages or PASSAGES
    )
    reviewer = RuleReviewer(shipped_scaffolding(), practice="grounded")
    found = reviewer.review(dict(case.files), rules_config(), seconds=1)
    assert (found.used.calls, found.used.tokens.buckets) == (0, (0, 0, 0))
    files = tuple(StagedFile(path=path, sha256="c" * 64) for path, _ in case.files)
    source = Source(
        kind="all",
        state=SourceState.AVAILABLE,
        completeness=Completeness.UNKNOWN,
        is_empty=False,
        files=files,
    )
    (candidate,) = found.candidates or ()
    assert sort_candidates([candidate], an_evidence(sources=(source,))).counts.persisted == 1
    assert isinstance(candidate, dict)
    assert "quokka" not in repr(candidate)
    return candidate


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("The quokka is 3 m long.", ("present", "good", None)),
        ("The quokka is 4 m long.", ("absent", "bad", "major")),
        ("The quokka sings lovely melodies.", ("absent", "bad", "minor")),
        ("What is a quokka?", ("inconclusive", None, None)),
    ],
)
@pytest.mark.proves("BR-24")
def test_each_verdict_is_a_candidate_that_is_kept(
    answer: str, said: tuple[str, str | None, str | None]
) -> None:
    candidate = looked_at(answer)
    members = ("presence", "assessment", "severity")
    assert tuple(candidate.get(name) for name in members) == said


def test_a_finding_names_sentences_by_their_place_and_cites_staged_passages() -> None:
    candidate = looked_at("The quokka is 3 m long. The quokka is 4 m long. It was seen in 1800.")
    assert candidate["rationale"].splitlines() == [
        "sentence 2: number_missing",
        "sentence 3: number_missing",
    ]
    assert candidate["evidence"] == ["passages/0001.txt", "passages/0002.txt"]
    assert "quokka" not in candidate["summary"]


def test_many_sentences_fit_into_one_rationale() -> None:
    candidate = looked_at(" ".join(f"The quokka weighs {n} kg." for n in range(1000, 1500)))
    assert len(candidate["rationale"]) <= 10_000


def test_rules_carry_out_their_configuration_and_no_other() -> None:
    reviewer = RuleReviewer(shipped_scaffolding(), practice="grounded")
    assert reviewer.carries_out(rules_config() | {"reviewer": "evenhand 1"})
    assert not reviewer.carries_out(rules_config() | {"temperature": 0})
    assert not reviewer.carries_out(model_config("m", "http://x/v1"))

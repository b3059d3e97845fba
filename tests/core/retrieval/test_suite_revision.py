"""What is frozen in a revision, under which digest, and when a suite may change."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.errors import Invalid
from evenhand.core.errors.registry import InvalidSuite
from evenhand.core.identity.canonical import json_ascii_v1, query_digest, sha256_hex
from evenhand.core.retrieval.golden import GoldenQuestion, LabelProvenance
from evenhand.core.retrieval.suite_revision import (
    FrozenContent,
    freeze_content,
    number_cases,
)
from tests.builders import a_set, row_id
from tests.suite_builders import CORPUS, a_case_question, a_frozen_suite, a_suite

SETTINGS = {"top_k": 10}


def frozen(*questions: GoldenQuestion, settings: object = SETTINGS, **more: str) -> FrozenContent:
    given_set = a_set(*(questions or (a_case_question("q1", "d1"),)))
    return freeze_content(given_set, corpus_sha256=CORPUS, retrieval_settings=settings, **more)


def test_questions_and_targets_are_frozen_in_byte_order() -> None:
    content = frozen(
        a_case_question("\U00010000"), a_case_question(b"\xff", "d2", "d10"), a_case_question("a")
    )
    assert [one.id for one in content.golden_set.questions] == [b"a", b"\xf0\x90\x80\x80", b"\xff"]
    assert content.golden_set.questions[2].expected_document_ids == (b"d10", b"d2")


@given(st.permutations(["q1", "q2", "q3"]), st.permutations(["d1", "d2", "d3"]))
def test_order_of_questions_and_targets_is_no_content(
    questions: list[str], targets: list[str]
) -> None:
    made = frozen(*(a_case_question(one, *targets) for one in questions))
    same = frozen(*(a_case_question(one, "d1", "d2", "d3") for one in ("q1", "q2", "q3")))
    assert made == same
    assert made.digest == same.digest


@pytest.mark.proves("C-16")
def test_whatever_is_frozen_changes_the_digest() -> None:
    whole = a_case_question(
        "q1", "d1", hard_class="normal", answer_gist="there", grades=[("d1", 2), ("d2", 0)]
    )
    changes: dict[str, Any] = {
        "id": b"q2",
        "question": b"where else?",
        "form": "gap",
        "expected_document_ids": (b"d3",),
        "hard_class": None,
        "answer_gist": b"here",
        "critical": True,
        "label_provenance": LabelProvenance(corpus_revision=CORPUS, model_revision="m"),
        "grades": ((b"d1", 3), (b"d2", 0)),
    }
    changed = {
        name: frozen(
            replace(whole, **{name: value, **({"grades": ()} if "expected" in name else {})})
        )
        for name, value in changes.items()
    }
    # What is left cannot differ: a case is reviewed, and so it is judged.
    assert set(changes) == {
        name for name in GoldenQuestion.__slots__ if name not in ("reviewed", "unjudged")
    }
    contents = {
        **changed,
        "unchanged": frozen(whole),
        "settings": frozen(whole, settings={"top_k": 10.0}),
        "one more": frozen(whole, a_case_question("q9")),
        **{
            f"set {number}": replace(frozen(whole), golden_set=changed_set)
            for number, changed_set in enumerate(
                (
                    replace(frozen(whole).golden_set, identifier="x"),
                    replace(frozen(whole).golden_set, name="x"),
                    replace(frozen(whole).golden_set, description="x"),
                )
            )
        },
    }
    digests = {name: content.digest for name, content in contents.items()}
    assert len(set(digests.values())) == len(contents), digests
    other = frozen(whole)
    assert replace(other, corpus_sha256="b" * 64).digest not in digests.values()


def test_equal_content_has_one_digest_whoever_freezes_it_and_when() -> None:
    one = a_frozen_suite(number=1)
    other = a_frozen_suite(number=2, suite=a_suite(2))
    assert one.revision.id != other.revision.id
    assert one.content.digest == other.content.digest == one.revision.content_digest


@pytest.mark.proves("C-92")
def test_the_content_digest_is_the_plain_digest_of_the_canonical_object() -> None:
    content = frozen()
    assert content.digest == sha256_hex(json_ascii_v1(content.document).encode())
    assert content.document["schema"] == "evenhand.suite-revision/1"
    assert content.document["retrieval_config_sha256"] == content.settings.sha256


@pytest.mark.proves("G-72")
def test_a_case_keeps_every_field_of_its_question() -> None:
    question = a_case_question(
        b"q\xff",
        "d1",
        hard_class="near-duplicate",
        answer_gist="there",
        critical=True,
        grades=[("d1", 2), ("d2", -1)],
    )
    [kept] = frozen(question).golden_set.questions
    assert kept == question
    [case] = number_cases([kept], [row_id(7)])
    assert (case.case_id, case.question.id) == (row_id(7), b"q\xff")
    assert case.query_digest == query_digest(question.question)


def test_what_is_held_out_is_not_frozen() -> None:
    content = freeze_content(
        a_set(a_case_question("q1"), holdout=[a_case_question("q2", reviewed=False)]),
        corpus_sha256=CORPUS,
        retrieval_settings={},
    )
    assert [one.id for one in content.golden_set.with_holdout] == [b"q1"]


@pytest.mark.proves("G-47")
@pytest.mark.parametrize(
    ("questions", "corpus", "config", "code"),
    [
        ([a_case_question(f"q{n}") for n in range(101)], CORPUS, None, "suite_size"),
        ([a_case_question("q", reviewed=False)], CORPUS, None, "suite_review"),
        ([a_case_question("q", corpus="b" * 64)], CORPUS, None, "suite_corpus"),
        ([a_case_question("q", corpus="c-1")], "c-1", None, "corpus_digest"),
        ([a_case_question("q")], CORPUS, "0" * 64, "retrieval_config_digest"),
    ],
    ids=["size", "review", "corpus", "digest", "config"],
)
def test_each_rule_has_a_code_of_its_own(
    questions: list[GoldenQuestion], corpus: str, config: str | None, code: str
) -> None:
    with pytest.raises(InvalidSuite) as refused:
        freeze_content(
            a_set(*questions),
            corpus_sha256=corpus,
            retrieval_settings=SETTINGS,
            retrieval_config_sha256=config,
        )
    assert refused.value.code == code


def test_a_digest_of_settings_that_is_right_is_taken() -> None:
    stated = frozen().settings.sha256
    assert frozen(retrieval_config_sha256=stated).settings.sha256 == stated


def test_a_refusal_repeats_no_text() -> None:
    with pytest.raises(InvalidSuite) as refused:
        frozen(a_case_question("canary-id", "canary-doc", text="canary?", reviewed=False))
    assert "canary" not in str(refused.value)


# A revision and its cases --------------------------------------------------------------------


@pytest.mark.parametrize("change", ["fewer", "place", "twice", "no uuid"])
def test_cases_that_are_not_those_of_the_revision_are_refused(change: str) -> None:
    whole = a_frozen_suite()
    one, two, *rest = whole.cases
    cases = {
        "fewer": (one,),
        "place": (two, one, *rest),
        "twice": (one, replace(two, case_id=one.case_id), *rest),
        "no uuid": (replace(one, case_id="q1"), two, *rest),
    }
    with pytest.raises(Invalid, match="cases: "):
        replace(whole, cases=cases[change])

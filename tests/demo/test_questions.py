"""The demo's questions: how many, of which kinds, about documents that exist, each with a note."""

import json
from collections import Counter
from pathlib import Path

from evenhand.core.retrieval.golden import (
    CUSTOMARY_HARD_CLASSES,
    Form,
    GoldenQuestion,
    GoldenSet,
)
from evenhand.demo.harvest import Harvest
from evenhand.demo.questions import load_fitting, missing_targets, write_questions
from tools.demo_names import VERSIONS, read_names


def _targets(golden_set: GoldenSet) -> set[str]:
    return {
        target.decode()
        for question in golden_set.questions
        for target in question.expected_document_ids
    }


def _texts(golden_set: GoldenSet) -> list[bytes]:
    return [question.question for question in golden_set.questions]


def _no_answer(golden_set: GoldenSet) -> list[GoldenQuestion]:
    return [one for one in golden_set.questions if not one.expected_document_ids]


def test_at_least_120_are_scored_and_at_least_20_have_no_answer(scored: GoldenSet) -> None:
    assert len(scored.questions) >= 120
    assert len(_no_answer(scored)) >= 20
    assert not any(question.unjudged for question in scored.questions)


def test_at_least_40_fit_a_threshold_with_and_without_an_answer(fitting: GoldenSet) -> None:
    assert len(fitting.questions) >= 40
    assert len(_no_answer(fitting)) >= 10


def test_both_forms_and_all_five_hard_classes_occur_often(scored: GoldenSet) -> None:
    forms = Counter(question.form for question in scored.questions)
    classes = Counter(question.hard_class for question in scored.questions)
    assert min(forms[form] for form in Form) >= 50
    assert set(classes) == {name.encode() for name in CUSTOMARY_HARD_CLASSES}
    assert min(classes.values()) >= 15


def test_questions_with_several_targets_occur_often(scored: GoldenSet) -> None:
    several = [one for one in scored.questions if len(one.expected_document_ids) > 1]
    assert len(several) >= 36


def test_every_question_was_reviewed_and_has_a_gist(scored: GoldenSet, fitting: GoldenSet) -> None:
    for question in (*scored.questions, *fitting.questions):
        assert question.reviewed
        assert question.answer_gist


def test_fitting_questions_are_disjoint_from_scored_ones(
    scored: GoldenSet, fitting: GoldenSet
) -> None:
    assert not {one.id for one in scored.questions} & {one.id for one in fitting.questions}
    assert not set(_texts(scored)) & set(_texts(fitting))
    assert not _targets(scored) & _targets(fitting)
    assert scored.identifier != fitting.identifier


def test_no_text_is_asked_twice(scored: GoldenSet, fitting: GoldenSet) -> None:
    texts = [text.decode().casefold() for text in (*_texts(scored), *_texts(fitting))]
    assert len(texts) == len(set(texts))


def test_every_question_has_one_note_with_both_halves(
    scored: GoldenSet, fitting: GoldenSet, data: Path
) -> None:
    notes = [json.loads(line) for line in (data / "notes.jsonl").read_text("utf-8").splitlines()]
    questions = [one.id.decode() for one in (*scored.questions, *fitting.questions)]
    assert [note["id"] for note in notes] == questions
    for note in notes:
        assert sorted(note) == ["id", "rejected", "why"]
        assert len(note["why"].split()) >= 4, note["id"]
        assert len(note["rejected"].split()) >= 4, note["id"]


def test_every_target_is_documented_in_each_version_from_3_11_to_3_14(
    scored: GoldenSet, fitting: GoldenSet
) -> None:
    known = read_names()
    targets = _targets(scored) | _targets(fitting)
    missing = {name: known.get(name) for name in targets if known.get(name) != set(VERSIONS)}
    assert missing == {}


def test_no_target_is_missing_on_the_running_python(
    scored: GoldenSet, fitting: GoldenSet, harvested: Harvest
) -> None:
    assert missing_targets(scored, harvested.texts) == ()
    assert missing_targets(fitting, harvested.texts) == ()


def test_a_missing_target_is_listed(scored: GoldenSet, harvested: Harvest) -> None:
    fewer = harvested.texts.keys() - {"functools.wraps", "heapq"}
    assert missing_targets(scored, fewer) == ("functools.wraps", "heapq")


def test_the_copy_for_a_reader_is_the_packaged_file(tmp_path: Path, data: Path) -> None:
    assert write_questions(tmp_path).read_bytes() == (data / "stdlib.jsonl").read_bytes()


def test_fitting_questions_load_from_the_package(fitting: GoldenSet) -> None:
    assert load_fitting() == fitting

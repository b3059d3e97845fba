"""Keep the answers of a pipeline beside a run, and read them for a review."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evenhand.core.errors import InvalidValue
from evenhand.core.privacy import PrivacyPolicy
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.core.retrieval.ranking import StoredRanking
from evenhand.core.review.given_answer import GivenAnswer, KeptAnswer, keep_answers
from evenhand.core.review.review_case import ReviewCase
from evenhand.usecases.ports import UnitOfWork


def keep(
    uow: UnitOfWork,
    evaluation_id: str,
    given: Sequence[GivenAnswer],
    *,
    golden_set: GoldenSet,
    policy: PrivacyPolicy,
) -> tuple[KeptAnswer, ...]:
    """Store what privacy keeps of answers, beside an evaluation of the same transaction.

    Args:
        uow: the open transaction.
        evaluation_id: of an evaluation of this set, stored by the same policy.
        given: at most one for each question.
        golden_set: whose questions they answer.
        policy: what may be kept.

    Raises:
        EvaluationNotFound: there is no such evaluation.
        InvalidValue: an answer to a question that the set does not have, or two to one.
        Exception: whatever a custom policy raises; then nothing is stored.
    """
    kept = keep_answers(given, golden_set, policy)
    uow.answers.add(evaluation_id, kept)
    return kept


def build_cases(
    answers: Sequence[KeptAnswer],
    rankings: Sequence[StoredRanking],
    golden_set: GoldenSet,
    texts: Mapping[bytes, str],
    *,
    evaluation_id: str,
    depth: int,
) -> tuple[ReviewCase, ...]:
    """What a review looks at, for each answer whose text was kept.

    Args:
        answers: of the evaluation.
        rankings: of the evaluation, as far as questions did not fail.
        golden_set: whose questions were asked, as it was then.
        texts: of the corpus, by id.
        evaluation_id: whose answers they are; with the question's id it is the answer's.
        depth: so many documents of each ranking are passages, best first.

    Raises:
        InvalidValue: no text of an answer was kept; the set is another one; or a document of a
            ranking is not in the corpus.
    """
    if not any(one.text is not None for one in answers):
        raise InvalidValue("answers", "no text of an answer is stored beside this evaluation")
    questions = golden_set.by_position
    found = {one.position: one for one in rankings}
    cases = []
    for answer in answers:
        ranking = found.get(answer.position)
        if answer.text is None:
            continue
        if answer.position >= len(questions):
            raise InvalidValue("golden_set", "is not the one that was asked")
        question = questions[answer.position]
        if ranking is not None and ranking.query_id != question.id:
            raise InvalidValue("golden_set", "is not the one that was asked")
        documents = () if ranking is None else ranking.documents[:depth]
        if not all(document in texts for document in documents):
            raise InvalidValue("corpus", "lacks a document that was retrieved")
        case_id = question.id.decode("utf-8", "surrogateescape")
        cases.append(
            ReviewCase(
                case_id=case_id,
                answer_id=f"{evaluation_id}/{answer.position}",
                question=question.question.decode("utf-8", "replace"),
                answer=answer.text,
                passages=tuple(texts[document] for document in documents),
            )
        )
    return tuple(cases)

"""What is a golden set made of, in counts?"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from evenhand.core.retrieval.golden import Answerability, Form, GoldenSet


@dataclass(frozen=True, slots=True, kw_only=True)
class SetProfile:
    """Counts over a set's questions. Every share has `judged` or the field beside it as its total.

    Attributes:
        questions: all of them; the sum of the next three.
        answerable, no_answer, unjudged: by what the labels say.
        forms: every form with its judged questions, in the order ``match``, ``gap``.
        hard_classes: every hard class that occurs with its judged questions, by byte order;
            questions without a class are in none.
        targets: (question, document) pairs.
        documents: distinct target documents.
        reviewed: judged questions that a second person has looked at.
        critical: questions marked as critical.
        labelled: judged questions that say against which corpus they were labelled.
    """

    questions: int
    answerable: int
    no_answer: int
    unjudged: int
    forms: tuple[tuple[Form, int], ...]
    hard_classes: tuple[tuple[bytes, int], ...]
    targets: int
    documents: int
    reviewed: int
    critical: int
    labelled: int

    @property
    def judged(self) -> int:
        """Questions that labels digest and rates cover."""
        return self.answerable + self.no_answer


def build_profile(golden_set: GoldenSet) -> SetProfile:
    """The counts of a set."""
    kinds = Counter(question.answerability for question in golden_set.questions)
    judged = golden_set.judged
    forms = Counter(question.form for question in judged)
    classes = Counter(q.hard_class for q in judged if q.hard_class is not None)
    targets = [target for question in judged for target in question.expected_document_ids]
    return SetProfile(
        questions=len(golden_set.questions),
        answerable=kinds[Answerability.ANSWERABLE],
        no_answer=kinds[Answerability.NO_ANSWER],
        unjudged=kinds[Answerability.UNJUDGED],
        forms=tuple((form, forms[form]) for form in Form),
        hard_classes=tuple(sorted(classes.items())),
        targets=len(targets),
        documents=len(set(targets)),
        reviewed=sum(question.reviewed for question in judged),
        critical=sum(question.critical for question in golden_set.questions),
        labelled=sum(question.label_provenance is not None for question in judged),
    )

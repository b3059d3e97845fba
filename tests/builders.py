"""Values that many tests need: questions, sets, retrievers and finished evaluations.

A test names what it is about; everything else has a quiet default here.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from evenhand.core.access.audit import AuditEntry
from evenhand.core.access.credential import Credential, token_digest
from evenhand.core.access.roles import Actor, ActorKind, Role
from evenhand.core.comparison.pinned import PinnedBaseline, content_of, pin
from evenhand.core.comparison.previous import (
    PreviousComparison,
    Tolerance,
    compare_with_previous,
)
from evenhand.core.comparison.set_use import SetUse, SetUseKind
from evenhand.core.identity.provenance import RetrievalProvenance
from evenhand.core.privacy import PrivacyLevel
from evenhand.core.retrieval.golden import Form, GoldenQuestion, GoldenSet
from evenhand.core.scoring.evaluation import Basis, Evaluation, EvaluationRecord, build_record
from evenhand.core.scoring.graded import GradedValue, StoredScore, build_score
from evenhand.core.scoring.publication import Publication
from evenhand.usecases.evaluate import EvaluateOptions, evaluate
from evenhand.usecases.ports import Retriever

START = datetime(2026, 9, 9, 12, 0, tzinfo=UTC)
MACHINE = "test-machine"
RELEASE = "0.0.test"

Text = str | bytes
#: What a fake retriever gives for one question: ids best first, or the fault it raises.
Given = Sequence[Text] | Exception


class FakeClock:
    """A clock that moves on by one step whenever its monotonic side is read.

    A retrieval reads it twice, so each takes exactly one step.
    """

    def __init__(self, *, start: datetime = START, step_ms: int = 5) -> None:
        self._start = start
        self._step_ms = step_ms
        self._elapsed_ms = 0

    def now(self) -> datetime:
        return self._start + timedelta(milliseconds=self._elapsed_ms)

    def monotonic(self) -> float:
        self._elapsed_ms += self._step_ms
        return self._elapsed_ms / 1000


class DictRetriever:
    """Looks its answers up by question text; a question that is not there gets nothing."""

    def __init__(self, given: Mapping[str, Given], *, identifier: str = "fake") -> None:
        self._given = given
        self._identifier = identifier

    @property
    def identifier(self) -> str:
        return self._identifier

    def retrieve(self, question: str, limit: int) -> Sequence[Text]:
        given = self._given.get(question, ())
        if isinstance(given, Exception):
            raise given
        return given[:limit]


class DeclaredRetriever(DictRetriever):
    """The same with the provenance capability."""

    def __init__(
        self,
        given: Mapping[str, Given],
        provenance: RetrievalProvenance,
        *,
        identifier: str = "fake",
    ) -> None:
        super().__init__(given, identifier=identifier)
        self._provenance = provenance

    def get_retrieval_provenance(self) -> RetrievalProvenance:
        return self._provenance


def a_provenance(
    *,
    corpus: str = "corpus-1",
    model: str = "model-1",
    chunking: str = "chunks-1",
    pipeline: str = "pipeline-1",
    execution: str | None = None,
) -> RetrievalProvenance:
    return RetrievalProvenance(corpus, model, chunking, pipeline, execution)


def a_question(
    id: Text,  # noqa: A002 -- the field's name
    *targets: Text,
    text: Text | None = None,
    form: Form | str = Form.MATCH,
    hard_class: Text | None = None,
    unjudged: bool = False,
    critical: bool = False,
    reviewed: bool = False,
) -> GoldenQuestion:
    """A question; without targets it is one that nothing answers. Its text is its id."""
    return GoldenQuestion(
        id=id,
        question=id if text is None else text,
        form=form,
        expected_document_ids=targets,
        hard_class=hard_class,
        unjudged=unjudged,
        critical=critical,
        reviewed=reviewed,
    )


def a_set(
    *questions: GoldenQuestion,
    identifier: str = "tiny",
    name: str = "Tiny set",
    holdout: Sequence[GoldenQuestion] = (),
) -> GoldenSet:
    """A golden set of these questions, or of three answerable and one that nothing answers."""
    return GoldenSet(
        identifier=identifier,
        name=name,
        holdout=tuple(holdout),
        questions=questions
        or (
            a_question("q1", "d1", hard_class="normal"),
            a_question("q2", "d2", "d3", form=Form.GAP),
            a_question("q3", "d4", form=Form.GAP, hard_class="near-duplicate"),
            a_question("q4"),
        ),
    )


def an_evaluation(
    golden_set: GoldenSet | None = None,
    given: Mapping[str, Given] | None = None,
    *,
    retriever: Retriever | None = None,
    provenance: RetrievalProvenance | None = None,
    identifier: str = "fake",
    basis: Basis = Basis.LOCAL,
    depth: int = 12,
    clock: FakeClock | None = None,
) -> Evaluation:
    """The evaluation of a fake retriever; its provenance is unknown unless one is given.

    Args:
        golden_set: by default `a_set()`.
        given: question text → answer; by default each question gets its own targets.
        retriever: instead of a fake one made of `given`.
        provenance: what the retriever declares, None for a retriever without the capability.
    """
    asked = golden_set or a_set()
    answers = right_answers(asked) if given is None else given
    if retriever is None:
        retriever = (
            DictRetriever(answers, identifier=identifier)
            if provenance is None
            else DeclaredRetriever(answers, provenance, identifier=identifier)
        )
    return evaluate(
        asked,
        retriever,
        clock=clock or FakeClock(),
        machine=MACHINE,
        basis=basis,
        options=EvaluateOptions(depth=depth),
    )


def right_answers(golden_set: GoldenSet) -> dict[str, Given]:
    """Question text → exactly its targets: every question is a hit."""
    return {q.text: q.expected_document_ids for q in golden_set.questions}


def row_id(number: int) -> str:
    """The UUIDv7 text of a row in a test; a higher number is a later row."""
    return f"01990000-0000-7000-8000-{number:012d}"


def a_record(
    evaluation: Evaluation | None = None,
    *,
    number: int = 1,
    created_at: datetime | None = None,
    privacy: PrivacyLevel = PrivacyLevel.FULL,
) -> EvaluationRecord:
    """The row that an evaluation becomes; row number *n* is stored *n* minutes after `START`."""
    return build_record(
        evaluation or an_evaluation(),
        id=row_id(number),
        created_at=created_at or START + timedelta(minutes=number),
        privacy=privacy,
        release=RELEASE,
    )


def a_score(record: EvaluationRecord, measure: str = "nDCG@10", mean: float = 0.5) -> StoredScore:
    """A graded value of an evaluation, whatever its outcomes are."""
    return build_score(
        record,
        GradedValue(measure=measure, mean=mean, questions=3, failed=0),
        qrels_digest=record.qrels_digest or "",
        scored_at=record.created_at,
    )


def a_comparison(
    current: Evaluation,
    previous: Evaluation | None = None,
    *,
    previous_keeps_outcomes: bool = True,
    tolerance: Tolerance | None = None,
) -> PreviousComparison:
    """What the current evaluation says against the previous one, as `usecases` would find it."""
    before = None
    if previous is not None and previous_keeps_outcomes:
        before = previous.outcomes
    return compare_with_previous(
        a_record(current, number=2),
        current.outcomes,
        None if previous is None else a_record(previous, number=1),
        before,
        tolerance or Tolerance(),
    )


def a_baseline(
    evaluation: Evaluation | None = None,
    *,
    number: int = 1,
    set_at: datetime | None = None,
    actor: str = "tester",
    note: str = "",
) -> PinnedBaseline:
    """A pinned baseline; number *n* copies evaluation *n* and is set *n* hours after `START`."""
    whole = evaluation or an_evaluation(provenance=a_provenance())
    record = a_record(whole, number=number, privacy=PrivacyLevel.METADATA)
    return pin(
        content_of(record, whole.outcomes, level=PrivacyLevel.METADATA),
        id=f"01990000-0000-7000-a000-{number:012d}",
        evaluation_id=record.id,
        set_at=set_at or START + timedelta(hours=number),
        actor=actor,
        note=note,
    )


def a_set_use(
    *,
    number: int = 1,
    kind: SetUseKind = SetUseKind.GATE,
    golden_set: GoldenSet | None = None,
    evaluation_ids: tuple[str, ...] = (),
    conclusion: str = "pass",
) -> SetUse:
    """One decision on a set; number *n* is taken *n* hours after `START`."""
    asked = golden_set or a_set()
    return SetUse(
        id=f"01990000-0000-7000-b000-{number:012d}",
        at=START + timedelta(hours=number),
        labels_fingerprint=asked.labels_fingerprint,
        set_identifier=asked.identifier,
        kind=kind,
        evaluation_ids=evaluation_ids,
        conclusion=conclusion,
    )


def a_credential(
    *,
    number: int = 1,
    name: str = "ci",
    role: Role = Role.VIEWER,
    rotated_from: str | None = None,
    client_id: str | None = None,
) -> Credential:
    """A credential in force; number *n* is made *n* hours after `START`, of a token of its own."""
    return Credential(
        id=f"01990000-0000-7000-c000-{number:012d}",
        name=name,
        role=role,
        digest=token_digest(f"token {number}"),
        created_at=START + timedelta(hours=number),
        rotated_from=rotated_from,
        client_id=client_id,
    )


def a_publication(
    record: EvaluationRecord, *, key: str = "K1", client_id: str | None = None
) -> Publication:
    """That an evaluation came to project 1 by credential 1."""
    return Publication(
        evaluation_id=record.id,
        project_id="01990000-0000-7000-e001-000000000001",
        suite_revision_id=None,
        client_id=client_id,
        credential_id=a_credential().id,
        idempotency_key=key,
        body_digest="0" * 64,
        created_at=record.created_at,
    )


def an_entry(
    *, number: int = 1, action: str = "create", of: Credential | None = None, **more: Any
) -> AuditEntry:
    """An entry of the audit on a credential; number *n* is made *n* hours after `START`."""
    states: dict[str, Any] = {"to_state": "active", **more}
    return AuditEntry(
        id=f"01990000-0000-7000-d000-{number:012d}",
        at=START + timedelta(hours=number),
        actor=Actor(kind=ActorKind.COMMAND_LINE),
        action=action,
        object_kind="credential",
        object_id=(of or a_credential()).id,
        **states,
    )


def ids(questions: Iterable[GoldenQuestion]) -> list[bytes]:
    """Their ids, for short expectations."""
    return [question.id for question in questions]

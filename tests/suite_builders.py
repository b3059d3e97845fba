"""Suites, cases and revisions for tests."""

from datetime import timedelta
from typing import Any

from evenhand.core.access.roles import Actor, ActorKind
from evenhand.core.registry.project import Project
from evenhand.core.registry.suite import Suite
from evenhand.core.retrieval.golden import Form, GoldenQuestion, LabelProvenance
from evenhand.core.retrieval.suite_revision import (
    FrozenSuite,
    SuiteRevision,
    freeze_content,
    number_cases,
)
from tests.builders import START, Text, a_set
from tests.registry_builders import a_project, registry_id

#: A digest of a corpus that is nowhere.
CORPUS = "a" * 64


def a_case_question(
    id: Text,  # noqa: A002 -- the field's name
    *targets: Text,
    text: Text | None = None,
    corpus: str = CORPUS,
    reviewed: bool = True,
    **more: Any,
) -> GoldenQuestion:
    """A question that may be a case of a suite over `CORPUS`. Its text is its id."""
    return GoldenQuestion(
        id=id,
        question=id if text is None else text,
        form=more.pop("form", Form.MATCH),
        expected_document_ids=targets,
        reviewed=reviewed,
        label_provenance=LabelProvenance(corpus_revision=corpus),
        **more,
    )


def a_suite(number: int = 1, *, of: Project | None = None, **stated: Any) -> Suite:
    """A suite of project 1; number *n* is made *n* minutes after `START`."""
    values: dict[str, Any] = {
        "id": registry_id(8, number),
        "created_at": START + timedelta(minutes=number),
        "name": f"release-{number}" if number > 1 else "release",
        "project_id": (of or a_project()).id,
    }
    return Suite(**values | stated)


def a_frozen_suite(
    *questions: GoldenQuestion,
    number: int = 1,
    suite: Suite | None = None,
    settings: dict[str, object] | None = None,
) -> FrozenSuite:
    """Revision *n* of a suite, frozen *n* hours after `START`; by default of three cases."""
    golden_set = a_set(
        *(
            questions
            or (
                a_case_question("q1", "d1", critical=True, hard_class="normal"),
                a_case_question("q2", "d3", "d2", grades=[("d2", 2), ("d3", 1), ("d4", 0)]),
                a_case_question("q3", form=Form.GAP, answer_gist="nowhere"),
            )
        )
    )
    content = freeze_content(
        golden_set,
        corpus_sha256=CORPUS,
        retrieval_settings={"top_k": 10} if settings is None else settings,
    )
    of = suite or a_suite()
    revision = SuiteRevision(
        id=f"01990000-0000-7000-a200-{number:012d}",
        suite_id=of.id,
        project_id=of.project_id,
        number=number,
        created_at=START + timedelta(hours=number),
        frozen_by=Actor(kind=ActorKind.COMMAND_LINE),
        set_identifier=content.golden_set.identifier,
        set_name=content.golden_set.name,
        set_description=content.golden_set.description,
        corpus_sha256=content.corpus_sha256,
        settings=content.settings,
        content_digest=content.digest,
        labels_fingerprint=content.golden_set.labels_fingerprint,
        case_count=len(content.golden_set.questions),
        critical_count=content.critical_count,
    )
    asked = content.golden_set.questions
    case_ids = [f"01990000-0000-7000-a300-{number:06d}{one:06d}" for one in range(len(asked))]
    return FrozenSuite(revision=revision, cases=number_cases(asked, case_ids))

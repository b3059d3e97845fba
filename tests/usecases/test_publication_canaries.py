"""Canaries: of a run that is published, what the hub's level does not keep reaches no byte of it."""

import logging
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy.engine import Engine

from evenhand.adapters.system import UuidV7Ids
from evenhand.core.access.roles import Actor, ActorKind, Principal, Role
from evenhand.core.errors import EvenhandError
from evenhand.core.privacy import LevelPolicy, PrivacyLevel
from evenhand.core.retrieval.ranking import Retrieved
from evenhand.core.scoring.evaluation import Evaluation
from evenhand.core.scoring.protocols import SCORING_VERSION
from evenhand.core.scoring.reported import ReportedAnswer, Stated
from evenhand.store.uow import Database
from evenhand.usecases import access, publications
from evenhand.usecases.publications import Published, Report
from evenhand.usecases.registry import projects
from tests.builders import RELEASE, a_provenance
from tests.event_builders import an_emitter
from tests.usecases.access_parts import CountingSecrets
from tests.usecases.conftest import CountingIds
from tests.usecases.test_privacy_canaries import (
    PLAIN,
    SECRET,
    an_evaluation_with,
    columns_with_content,
    found_in,
    stored_bytes,
)

SOMEBODY = Actor(kind=ActorKind.COMMAND_LINE)


def a_report(words: dict[str, str], **changed: Any) -> Report:
    return report_of(an_evaluation_with(words), **changed)


def report_of(whole: Evaluation, **changed: Any) -> Report:
    """The report of what an evaluation saw, as a client sends it."""
    pairs = zip(whole.golden_set.questions, whole.answers, strict=True)
    fields: dict[str, Any] = {
        "key": "K1",
        "digest": "0" * 64,
        "asked": whole.golden_set,
        "suite_revision_id": None,
        "stated": Stated(
            retriever="fake", provenance=a_provenance(), protocol=SCORING_VERSION, depth=12
        ),
        "answers": tuple(
            # A client sends no scores.
            ReportedAnswer(
                question_id=question.id,
                answer=replace(answer, scores=None) if isinstance(answer, Retrieved) else answer,
            )
            for question, answer in pairs
        ),
        "rows": None,
    }
    return Report(**(fields | changed))


@pytest.fixture
def principal(database: Database) -> Principal:
    """An operator, and a project ``search``."""
    ids = CountingIds()
    issued = database.run(
        lambda uow: access.create(
            uow,
            name="op",
            role=Role.OPERATOR,
            actor=SOMEBODY,
            ids=ids,
            secrets=CountingSecrets(),
        )
    )
    database.run(lambda uow: projects.create(uow, name="search", actor=SOMEBODY, ids=ids))
    return Principal(credential_id=issued.credential.id, role=Role.OPERATOR)


def published(
    database: Database, principal: Principal, report: Report, level: PrivacyLevel
) -> Published:
    ids = UuidV7Ids()
    return database.run(
        lambda uow: publications.publish(
            uow,
            report,
            project="search",
            principal=principal,
            ids=ids,
            policy=LevelPolicy(level=level),
            release=RELEASE,
            emitter=an_emitter(ids),
        )
    )


@pytest.mark.proves("BP-28", "P-61")
@pytest.mark.parametrize("words", [PLAIN, SECRET], ids=["plain", "secret"])
@pytest.mark.parametrize("level", [PrivacyLevel.NONE, PrivacyLevel.METADATA])
def test_below_redacted_nothing_of_a_published_run_reaches_the_database(
    database: Database,
    engine: Engine,
    principal: Principal,
    level: PrivacyLevel,
    words: dict[str, str],
) -> None:
    done = published(database, principal, a_report(words), level)

    assert done.record.privacy is level
    assert found_in(stored_bytes(engine), words) == set()
    engine.dispose()
    assert found_in(stored_bytes(engine), words) == set()


def test_at_redacted_no_secret_shape_and_at_full_only_run_and_details(
    database: Database, engine: Engine, principal: Principal
) -> None:
    published(database, principal, a_report(SECRET), PrivacyLevel.REDACTED)
    assert found_in(stored_bytes(engine), SECRET) <= {"raw_document_id"}

    published(database, principal, a_report(PLAIN, key="K2"), PrivacyLevel.FULL)
    assert columns_with_content(engine) == {
        ("evaluation", "details"),
        ("evaluation_ranking", "query_id"),
        ("evaluation_ranked_document", "document_id"),
    }
    # A canary that is not found would prove nothing above.
    assert "document_id" in found_in(stored_bytes(engine), PLAIN)
    assert "question_text" not in found_in(stored_bytes(engine), PLAIN)


@pytest.mark.parametrize("level", list(PrivacyLevel))
def test_neither_a_log_nor_an_error_nor_what_is_told_holds_content(
    database: Database,
    principal: Principal,
    caplog: pytest.LogCaptureFixture,
    level: PrivacyLevel,
) -> None:
    caplog.set_level(logging.DEBUG)
    whole = a_report(PLAIN)
    done = published(database, principal, whole, level)
    assert whole.answers is not None
    with pytest.raises(EvenhandError) as refused:
        published(
            database, principal, a_report(PLAIN, key="K2", answers=whole.answers[:1] * 2), level
        )

    assert "canary" not in repr(done)
    assert "canary" not in str(refused.value) + repr(vars(refused.value))
    assert "canary" not in caplog.text

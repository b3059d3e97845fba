"""Whichever evaluation ends later, its commit emits one event, under two transactions as well."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from evenhand.adapters.system import UuidV7Ids
from evenhand.contracts.emission import account_pseudonym
from evenhand.contracts.events import Event, EventOutcome
from evenhand.core.access.roles import Principal, Role
from evenhand.core.errors import Invalid
from evenhand.core.privacy import LevelPolicy, PrivacyLevel
from evenhand.core.review.grounds import GroundingBasis
from evenhand.core.review.states import AttemptOutcome, Origin
from evenhand.store.migrate import check
from evenhand.store.uow import Database
from evenhand.usecases import access, publications
from evenhand.usecases.ports import UnitOfWork
from evenhand.usecases.publications import Published
from tests.builders import RELEASE, a_provenance, an_evaluation
from tests.event_builders import KEY, an_emitter
from tests.review_builders import a_candidate, an_answer
from tests.store.conftest import only_postgresql, only_sqlite
from tests.usecases.access_parts import CountingSecrets
from tests.usecases.conftest import SettableClock
from tests.usecases.reviews.conftest import OPERATOR, SOMEBODY, World, made_world
from tests.usecases.test_publication_canaries import report_of

GOOD = [a_candidate(presence="present", assessment="good", severity=None)]


class Pipeline(World):
    """A project whose runs are published and whose answers are reviewed."""

    principal: Principal = OPERATOR

    def publish(
        self,
        level: PrivacyLevel = PrivacyLevel.METADATA,
        basis: GroundingBasis | None = GroundingBasis.AGREED,
        key: str = "K1",
    ) -> Published:
        done: Published = self.run(lambda uow: self.published(uow, level, basis, key))
        return done

    def published(
        self,
        uow: UnitOfWork,
        level: PrivacyLevel = PrivacyLevel.METADATA,
        basis: GroundingBasis | None = GroundingBasis.AGREED,
        key: str = "K1",
    ) -> Published:
        return publications.publish(
            uow,
            report_of(an_evaluation(provenance=a_provenance()), key=key),
            project=self.project_id,
            principal=self.principal,
            ids=self.ids,
            policy=LevelPolicy(level=level),
            release=RELEASE,
            emitter=an_emitter(self.ids, basis),
        )

    def judge(self, candidates: Any = None, **stated: Any) -> Any:
        return self.review(candidates=GOOD if candidates is None else candidates, **stated)

    def events(self) -> list[Event]:
        return self.database.read(lambda uow: list(uow.events.walk(None, project_id=None)))

    def waiting(self) -> int:
        return self.database.read(lambda uow: uow.event_outbox.count_waiting("files"))


@pytest.fixture
def pipeline(database: Database, clock: SettableClock) -> Pipeline:
    world = made_world(database, clock)
    made = Pipeline(
        database=world.database,
        clock=world.clock,
        ids=UuidV7Ids(),  # type: ignore[arg-type]
        project_id=world.project_id,
        revision=world.revision,
    )
    issued = database.run(
        lambda uow: access.create(
            uow,
            name="op",
            role=Role.OPERATOR,
            actor=SOMEBODY,
            ids=made.ids,
            secrets=CountingSecrets(),
        )
    )
    made.principal = Principal(credential_id=issued.credential.id, role=Role.OPERATOR)
    return made


@pytest.mark.proves("E-05", "E-07", "E-20", "E-30")
def test_a_review_that_ends_last_emits_in_its_own_commit(pipeline: Pipeline) -> None:
    run = pipeline.publish().record
    assert pipeline.events() == []
    pipeline.later(seconds=30)

    job = pipeline.judge(answer_of=an_answer(evaluation_id=run.id))

    (event,) = pipeline.events()
    assert pipeline.waiting() == 1
    assert event.timestamp_utc == job.finished_at
    assert run.identity is not None
    assert event.retrieval_version == run.identity.fingerprints.variant
    assert event.evaluator_version == f"{run.protocol}+{pipeline.revision.id}"
    assert (event.retrieval_score, event.grounded, event.accepted) == (1.0, True, None)
    assert (event.outcome, event.prompt_version) == (EventOutcome.EVALUATED, "prompt-v7")
    assert event.account_id == account_pseudonym(pipeline.project_id, KEY)
    said = repr(event)
    assert not any(one in said for one in (run.id, job.id, pipeline.project_id, "answer-1"))


@pytest.mark.proves("E-05", "E-12", "E-43", "G-64")
def test_both_orders_give_the_same_event(pipeline: Pipeline) -> None:
    pipeline.judge(answer_of=an_answer(publication_key="K1"))
    assert (pipeline.events(), pipeline.waiting()) == ([], 0)
    pipeline.later(seconds=30)

    run = pipeline.publish().record

    (event,) = pipeline.events()
    assert (pipeline.waiting(), event.timestamp_utc) == (1, run.created_at)
    # A second look at the same grain, told by the run's id and by its key, emits nothing more.
    for answer in (an_answer(evaluation_id=run.id), an_answer(publication_key="K1")):
        pipeline.judge(candidates=[a_candidate()], answer_of=answer)
    assert pipeline.publish().is_new is False
    assert (pipeline.events(), pipeline.waiting()) == ([event], 1)


@pytest.mark.proves("E-07", "E-43")
def test_each_case_and_each_rubric_revision_is_a_row_of_its_own(pipeline: Pipeline) -> None:
    other = pipeline.another_revision()
    for position in (0, 1):
        pipeline.judge(answer_of=an_answer(publication_key="K1", position=position))
    pipeline.judge(revision=other, answer_of=an_answer(publication_key="K1"))
    pipeline.judge(answer_of=an_answer(publication_key="K2"))
    pipeline.judge(answer_of=an_answer(publication_key="K1", position=99))

    pipeline.publish()

    events = pipeline.events()
    assert len(events) == len({one.event_id for one in events}) == pipeline.waiting() == 3
    assert len({one.evaluation_id for one in events}) == 2
    assert len({one.evaluator_version for one in events}) == 2


@pytest.mark.proves("E-38", "G-67")
def test_what_is_not_known_to_be_grounded_is_not_emitted(pipeline: Pipeline) -> None:
    answer = an_answer(publication_key="K1")
    pipeline.judge(answer_of=answer, origin=Origin.BACKFILL)
    pipeline.judge(
        [a_candidate(presence="inconclusive", assessment=None, severity=None)], answer_of=answer
    )
    claimed = pipeline.claim(pipeline.submit(answer_of=answer))
    pipeline.complete(claimed, outcome=AttemptOutcome.FAILED, error_class="UPSTREAM_DOWN")
    pipeline.judge(answer_of=None)
    pipeline.publish()
    assert (pipeline.events(), pipeline.waiting()) == ([], 0)


@pytest.mark.proves("E-25")
@pytest.mark.parametrize(
    ("basis", "ends"), [(None, []), (GroundingBasis.WAIVED, ["+waived"])], ids=str
)
def test_only_criteria_that_may_say_so_feed_grounded(
    basis: GroundingBasis | None, ends: list[str], pipeline: Pipeline
) -> None:
    pipeline.judge(answer_of=an_answer(publication_key="K1"))
    pipeline.publish(basis=basis)
    assert [one.evaluator_version[-7:] for one in pipeline.events()] == ends


@pytest.mark.proves("E-29", "E-32")
def test_at_the_level_none_nothing_is_emitted(pipeline: Pipeline) -> None:
    run = pipeline.publish(level=PrivacyLevel.NONE).record
    with pytest.raises(Invalid):
        pipeline.submit(answer_of=an_answer(evaluation_id=run.id))
    pipeline.judge(answer_of=an_answer(publication_key="K1"))
    assert pipeline.events() == []


@pytest.mark.proves("E-26", "E-43")
def test_a_word_before_the_boundary_is_in_the_event_and_a_later_one_changes_nothing(
    pipeline: Pipeline,
) -> None:
    pipeline.accept(True, "answer-1")
    pipeline.judge(answer_of=an_answer(publication_key="K1"))
    pipeline.publish()
    (event,) = pipeline.events()
    assert event.accepted is True
    pipeline.later(seconds=1)
    pipeline.accept(False, "answer-1")
    assert (pipeline.events(), pipeline.waiting()) == ([event], 1)


@pytest.mark.proves("E-26", "E-38")
def test_a_result_that_awaits_a_person_is_emitted_with_their_first_word(
    pipeline: Pipeline,
) -> None:
    run = pipeline.publish().record
    pipeline.judge(answer_of=an_answer(evaluation_id=run.id, awaits_acceptance=True))
    pipeline.accept(True, "answer-2")
    assert pipeline.events() == []
    pipeline.later(seconds=5)
    said = pipeline.accept(False)
    (event,) = pipeline.events()
    assert (event.accepted, event.timestamp_utc) == (False, said.created_at)
    pipeline.later(seconds=5)
    pipeline.accept(True)
    assert pipeline.events() == [event]


@pytest.mark.proves("E-29")
def test_a_place_that_is_not_there_is_refused(pipeline: Pipeline) -> None:
    run = pipeline.publish().record
    for answer in (
        an_answer(evaluation_id="01990000-0000-7000-8000-0000000000ff"),
        an_answer(evaluation_id=run.id, position=99),
        an_answer(evaluation_id=run.id, position=None),
        an_answer(evaluation_id=run.id, publication_key="K1"),
        an_answer(),
        an_answer(publication_key="K9", prompt_version="Be strict."),
    ):
        with pytest.raises(Invalid):
            pipeline.submit(answer_of=answer)
    latest = pipeline.database.read(lambda uow: uow.review_jobs.list_latest(limit=9))
    assert latest == ()


def test_a_database_with_results_is_whole(pipeline: Pipeline, database_url: str) -> None:
    pipeline.judge(answer_of=an_answer(publication_key="K1"))
    pipeline.publish()
    assert len(pipeline.events()) == 1
    assert check(database_url) == []


def _at_once(*works: Callable[[], object]) -> None:
    """Carry works out, each in a thread of its own, from one moment on."""
    barrier, failed = threading.Barrier(len(works)), []

    def carry(work: Callable[[], object]) -> None:
        barrier.wait()
        try:
            work()
        except BaseException as error:  # noqa: BLE001 -- told below, by the thread that looks
            failed.append(error)

    threads = [threading.Thread(target=carry, args=(one,)) for one in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


@pytest.mark.proves("E-12", "E-43")
@pytest.mark.parametrize("round_", range(3))
def test_a_review_and_a_run_that_end_at_once_emit_one_event(
    round_: int, pipeline: Pipeline
) -> None:
    claimed = pipeline.claim(pipeline.submit(answer_of=an_answer(publication_key="K1")))
    pipeline.prepare(claimed)
    pipeline.start(claimed)
    pipeline.admit(claimed, GOOD)
    works: list[Callable[[], object]] = [lambda: pipeline.complete(claimed), pipeline.publish]
    _at_once(*(works if round_ % 2 else reversed(works)))
    assert (len(pipeline.events()), pipeline.waiting()) == (1, 1)


@only_postgresql
@pytest.mark.proves("E-05", "E-43")
@pytest.mark.parametrize("first", ["review", "run"])
def test_of_two_open_transactions_the_later_one_sees_the_other_s_half(
    first: str, pipeline: Pipeline
) -> None:
    claimed = pipeline.claim(pipeline.submit(answer_of=an_answer(publication_key="K1")))
    pipeline.prepare(claimed)
    pipeline.start(claimed)
    pipeline.admit(claimed, GOOD)
    wrote, go_on = threading.Event(), threading.Event()

    def held(uow: UnitOfWork) -> None:
        # Everything is written, and nobody else sees it yet.
        if first == "run":
            pipeline.published(uow)
        else:
            pipeline.completed(uow, claimed)
        wrote.set()
        assert go_on.wait(20)

    earlier = threading.Thread(target=lambda: pipeline.run(held))
    later = threading.Thread(
        target=lambda: pipeline.complete(claimed) if first == "run" else pipeline.publish()
    )
    earlier.start()
    assert wrote.wait(20)
    later.start()
    later.join(0.3)
    assert later.is_alive()
    go_on.set()
    earlier.join()
    later.join()
    assert (len(pipeline.events()), pipeline.waiting()) == (1, 1)


@only_sqlite
@pytest.mark.proves("E-39")
def test_an_event_goes_with_the_commit_that_made_it_final_or_not_at_all(
    pipeline: Pipeline,
) -> None:
    pipeline.judge(answer_of=an_answer(publication_key="K1"))

    def broken(uow: UnitOfWork) -> None:
        pipeline.published(uow)
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        pipeline.run(broken)
    assert (pipeline.events(), pipeline.waiting()) == ([], 0)
    pipeline.publish()
    assert (len(pipeline.events()), pipeline.waiting()) == (1, 1)

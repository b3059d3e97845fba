"""What stays of reviews stays: the database itself refuses to change or delete it."""
# ruff: noqa: S608 -- the names are those of our own tables

from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from evenhand.core.review.feedback import FeedbackState
from evenhand.core.review.reaction import Usefulness
from evenhand.store.errors import broken_constraint
from evenhand.store.tables import metadata
from evenhand.store.uow import Database
from tests.review_builders import a_candidate, an_answer
from tests.usecases.conftest import SettableClock
from tests.usecases.reviews.conftest import World, made_world
from tests.usecases.reviews.test_attempts import SPENT
from tests.usecases.reviews.test_feedback import dispatch, place, react
from tests.usecases.reviews.test_grounding import label, only_stratum, record, said, waive

APPEND_ONLY = (
    "practice_revision",
    "agent_job_practice",
    "reviewed_answer",
    "review_attempt",
    "job_transition",
    "llm_usage_event",
    "observation_admission",
    "observation",
    "review_candidate_rejection",
    "feedback_observation",
    "feedback_placement",
    "feedback_dispatch",
    "reaction",
    "answer_acceptance",
    "human_label",
    "review_agreement",
    "review_waiver",
)
#: Of a table whose rows move, the columns that may.
MOVING = {
    "feedback": {"state", "suppression_reason", "delivered_at"},
    "agent_job": {
        "config_snapshot",
        "config_digest",
        "state",
        "attempt",
        "available_at",
        "worker",
        "token_digest",
        "claimed_at",
        "deadline_at",
        "prepared_at",
        "prompt_digest",
        "inputs_digest",
        "evidence_snapshot",
        "readiness",
        "execution_started_at",
        "finished_at",
        "outcome",
        "error_class",
        "cancel_reason",
        "model",
        "calls",
        "input_tokens",
        "cached_input_tokens",
        "output_tokens",
        "cost_micros",
    },
}


@pytest.fixture
def world(database: Database) -> World:
    """A review with a row in every table."""
    made = made_world(database, SettableClock())
    job = made.review(
        spent=SPENT,
        candidates=[a_candidate(), 7],
        case_id="c1",
        answer_of=an_answer(publication_key="K1"),
    )
    label(made, said("c1"))
    record(made, only_stratum(made)[0])
    waive(made)
    one = made.move(made.compose(job), FeedbackState.DELIVERED)
    place(made, one, "c1")
    dispatch(made, one, "taken")
    react(made, one, usefulness=Usefulness.USEFUL)
    made.accept(True)
    return made


def refused(world: World, statement: str) -> str | None:
    with pytest.raises(DBAPIError) as error, world.database.engine.begin() as connection:
        connection.execute(sa.text(statement))
    return broken_constraint(error.value)


def rows(world: World, table: str) -> list[tuple[Any, ...]]:
    with world.database.engine.connect() as connection:
        return [tuple(row) for row in connection.execute(sa.text(f"SELECT * FROM {table}"))]


@pytest.mark.proves("R-43", "G-28", "BR-23", "BR-30")
def test_no_row_of_an_append_only_table_is_changed_or_deleted(world: World) -> None:
    for table in APPEND_ONLY:
        before = rows(world, table)
        assert before, table
        column = metadata.tables[table].primary_key.columns[0].name
        guard = f"append_only_{table}"
        assert refused(world, f"UPDATE {table} SET {column} = {column}") == guard
        assert refused(world, f"DELETE FROM {table}") == guard
        assert rows(world, table) == before


@pytest.mark.proves("BR-26")
def test_of_a_row_that_moves_only_what_may_move_is_changed(world: World) -> None:
    for table, moving in MOVING.items():
        guard = f"append_only_{table}"
        for column in metadata.tables[table].c:
            statement = f"UPDATE {table} SET {column.name} = {column.name}"
            if column.name in moving:
                with world.database.engine.begin() as connection:
                    assert connection.execute(sa.text(statement)).rowcount == 1
            else:
                assert refused(world, statement) == guard, column.name
        assert refused(world, f"DELETE FROM {table}") == guard


@pytest.mark.proves("R-33", "R-34")
def test_states_and_reasons_outside_the_closed_sets_are_no_rows(world: World) -> None:
    for assignment in (
        "state = 'seen'",
        "state = 'suppressed', delivered_at = NULL, suppression_reason = 'artifact_draft'",
        "suppression_reason = 'artifact_gone'",
        "state = 'suppressed', delivered_at = NULL",
    ):
        found = refused(world, f"UPDATE feedback SET {assignment}")
        assert (found or "").startswith("ck_feedback_"), assignment


@pytest.mark.proves("R-23", "R-24")
def test_an_observation_names_only_a_revision_that_its_attempt_was_prepared_for(
    world: World,
) -> None:
    other = world.another_revision()
    copied = ", ".join(
        {
            "id": "'01990000-0000-7000-9000-00000000ffff'",
            "position": "9",
            "occurrence_key": f"'{'e' * 64}'",
            "practice_revision_id": f"'{other.id}'",
        }.get(column.name, column.name)
        for column in metadata.tables["observation"].c
    )
    statement = f"INSERT INTO observation SELECT {copied} FROM observation"
    assert refused(world, statement) in ("fk_observation_agent_job_practice", "foreign key")

"""Canaries: what a level does not keep never reaches the bytes of a database, a log or an error.

The file of SQLite is read as bytes together with its log, also while it is open; of PostgreSQL
every column of every table is read.
"""

import logging
import struct
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from evenhand.core.errors import EvenhandError
from evenhand.core.errors.evaluation import EvaluationFailed
from evenhand.core.privacy import LevelPolicy, PrivacyLevel
from evenhand.core.retrieval.golden import GoldenQuestion
from evenhand.core.scoring.evaluation import Evaluation
from evenhand.store.uow import Database
from evenhand.usecases import evaluations
from evenhand.usecases.evaluate import EvaluateOptions, evaluate
from evenhand.usecases.evaluations import Recorded
from tests.builders import MACHINE, FakeClock, a_provenance, a_set

NONE, METADATA, REDACTED, FULL = PrivacyLevel
Record = Callable[..., Recorded]

#: Where a canary sits → what it is. None has the shape of a secret.
PLAIN = {
    "question_text": "canarytextaa where is it",
    "question_id": "canaryquestionbb",
    "unjudged_id": "canaryunjudgedcc",
    "target_id": "canarytargetdd",
    "document_id": "canarydocumentee",
    "fourth_document_id": "canaryfourthff",
    "hard_class": "canaryclassgg",
    "gist": "canarygisthh",
    "error_message": "canaryerrorii",
}
#: The same places with shapes that scrubbing knows.
SECRET = {
    "question_text": "canarytext@example.test",
    "question_id": "canary.question@example.test",
    "unjudged_id": "sk-canaryunjudged0123456789",
    "target_id": "https://canary:target@host.test/1",
    "document_id": "ghp_canarydocument0123456789",
    "fourth_document_id": "Bearer canaryFourth0123",
    "hard_class": "canary.class@example.test",
    "gist": "canary.gist@example.test",
    "error_message": "?api_key=canaryerror",
}
RAW = b"canaryraw\xff\xfe"
SCORE = 0.7234567890123


@dataclass(frozen=True, slots=True)
class Scored:
    """Answers one question with scores, fails another with a telling message."""

    words: dict[str, str]
    identifier: str = "fake"

    def retrieve(self, question: str, limit: int) -> Sequence[str]:
        raise AssertionError("a retriever that gives scores is asked for them")

    def retrieve_scored(self, question: str, limit: int) -> Sequence[tuple[str | bytes, float]]:
        if question != self.words["question_text"]:
            raise ConnectionError(self.words["error_message"])
        documents: list[str | bytes] = [
            self.words["document_id"],
            self.words["target_id"],
            RAW,
            self.words["fourth_document_id"],
        ]
        return [(one, SCORE) for one in documents]

    def get_retrieval_provenance(self) -> object:
        return a_provenance()


def question(words: dict[str, str], place: str, text: str, **more: object) -> GoldenQuestion:
    return GoldenQuestion(
        id=words[place],
        question=text,
        form="match",
        hard_class=words["hard_class"],
        answer_gist=words["gist"],
        **more,  # type: ignore[arg-type]
    )


def an_evaluation_with(words: dict[str, str]) -> Evaluation:
    asked = a_set(
        question(
            words,
            "question_id",
            words["question_text"],
            expected_document_ids=[words["target_id"]],
        ),
        question(words, "unjudged_id", "another text", unjudged=True),
    )
    return evaluate(asked, Scored(words), clock=FakeClock(), machine=MACHINE)


def needles(words: dict[str, str]) -> dict[str, list[bytes]]:
    """Canary → the spellings under which it could be stored."""
    spelt = {
        place: [text.encode(), text.replace("/", "\\/").encode(), text.encode("utf-16-le")]
        for place, text in words.items()
    }
    return spelt | {
        "raw_document_id": [b"canaryraw"],
        "score": [
            struct.pack(">d", SCORE),
            struct.pack("<d", SCORE),
            str(SCORE)[:12].encode(),
        ],
    }


def found_in(haystack: bytes, words: dict[str, str]) -> set[str]:
    return {
        place
        for place, spellings in needles(words).items()
        if any(one in haystack for one in spellings)
    }


def stored_bytes(engine: Engine) -> bytes:
    """Everything that the database holds, as bytes."""
    if engine.dialect.name == "sqlite":
        folder = Path(str(engine.url.database)).parent
        files = sorted(path for path in folder.iterdir() if path.is_file())
        assert files
        return b"\n".join(path.read_bytes() for path in files)
    with engine.connect() as connection:
        tables = sa.inspect(connection).get_table_names()
        assert "evaluation" in tables
        rows = [
            value
            for table in tables
            for row in connection.execute(sa.text(f'SELECT * FROM "{table}"'))  # noqa: S608
            for value in row
        ]
    return b"\n".join(
        bytes(value)
        if isinstance(value, bytes | memoryview)
        else (struct.pack(">d", value) if isinstance(value, float) else str(value).encode())
        for value in rows
    )


# What is in the database ---------------------------------------------------------------------


@pytest.mark.proves("P-47", "P-61", "BP-28")
@pytest.mark.parametrize("words", [PLAIN, SECRET], ids=["plain", "secret"])
@pytest.mark.parametrize("level", [NONE, METADATA])
def test_below_redacted_no_content_reaches_the_database(
    record: Record, engine: Engine, level: PrivacyLevel, words: dict[str, str]
) -> None:
    record(an_evaluation_with(words), 1, level)
    assert found_in(stored_bytes(engine), words) == set()
    engine.dispose()
    assert found_in(stored_bytes(engine), words) == set()


@pytest.mark.proves("P-60", "BP-29", "G-15")
def test_at_redacted_no_secret_shape_reaches_the_database(record: Record, engine: Engine) -> None:
    record(an_evaluation_with(SECRET), 1, REDACTED)
    # The tail of an id that is not UTF-8 is substituted; its readable part is no secret shape.
    assert found_in(stored_bytes(engine), SECRET) == {"raw_document_id"}
    assert b"***" in stored_bytes(engine)


@pytest.mark.proves("P-60", "BP-26")
def test_at_redacted_the_details_are_all_that_is_kept_of_content(
    record: Record, engine: Engine
) -> None:
    record(an_evaluation_with(PLAIN), 1, REDACTED)
    in_details = {
        "question_id",
        "unjudged_id",
        "target_id",
        "document_id",
        "raw_document_id",
        "hard_class",
    }
    assert found_in(stored_bytes(engine), PLAIN) == in_details
    assert columns_with_content(engine) == {("evaluation", "details")}
    assert RAW not in stored_bytes(engine)


@pytest.mark.proves("P-47", "BP-28", "BP-26")
def test_at_full_only_run_and_details_hold_content(record: Record, engine: Engine) -> None:
    record(an_evaluation_with(PLAIN), 1, FULL)
    kept = found_in(stored_bytes(engine), PLAIN)
    # The texts of questions, gists and errors are in no record of an evaluation.
    assert set(needles(PLAIN)) - kept == {"question_text", "gist", "error_message"}
    assert columns_with_content(engine) == {
        ("evaluation", "details"),
        ("evaluation_ranking", "query_id"),
        ("evaluation_ranked_document", "document_id"),
        ("evaluation_ranked_document", "score"),
    }


def columns_with_content(engine: Engine) -> set[tuple[str, str]]:
    """The columns in which a canary can be found."""
    found = set()
    with engine.connect() as connection:
        for table in sa.inspect(connection).get_table_names():
            rows = connection.execute(sa.text(f'SELECT * FROM "{table}"'))  # noqa: S608
            for row in rows.mappings():
                for column, value in row.items():
                    is_text = isinstance(value, str | bytes | memoryview)
                    content = value.encode() if isinstance(value, str) else value
                    if value == SCORE or (is_text and b"canary" in bytes(content)):
                        found.add((table, str(column)))
    return found


@pytest.mark.proves("P-62", "G-14")
def test_what_a_policy_of_one_s_own_drops_at_full_reaches_no_column(
    record: Record, engine: Engine
) -> None:
    class WithoutCanaries:
        """Drops each value, and each payload, that holds a canary."""

        level = FULL

        def filter_content(self, value: str | bytes | None) -> str | bytes | None:
            if value is None:
                return None
            held = value.encode() if isinstance(value, str) else value
            return None if b"canary" in held else value

    record(an_evaluation_with(PLAIN), 1, WithoutCanaries())
    assert found_in(stored_bytes(engine), PLAIN) <= {"score"}
    assert columns_with_content(engine) <= {("evaluation_ranked_document", "score")}


@pytest.mark.proves("BP-27")
def test_a_payload_that_a_policy_drops_leaves_the_row_and_its_aggregates(
    record: Record, database: Database
) -> None:
    class WithoutPayload:
        level = FULL

        def filter_content(self, value: str | bytes | None) -> str | bytes | None:
            return None if isinstance(value, str) and value.startswith("[") else value

    made = record(an_evaluation_with(PLAIN), 1, WithoutPayload())
    kept = database.read(lambda uow: evaluations.find_everything(uow, "latest"))
    assert kept.record.counts == made.record.counts
    assert kept.details == ""
    assert kept.rankings


# What is in logs, errors and what is read ----------------------------------------------------


@pytest.mark.parametrize("level", list(PrivacyLevel))
def test_no_level_writes_content_to_a_log(
    record: Record, database: Database, caplog: pytest.LogCaptureFixture, level: PrivacyLevel
) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("sqlalchemy.engine", "sqlalchemy.pool", "evenhand"):
        caplog.set_level(logging.DEBUG, logger=name)
    record(an_evaluation_with(SECRET), 1, level)
    database.read(lambda uow: evaluations.find_everything(uow, "latest"))
    assert "canary" not in caplog.text
    assert str(SCORE) not in caplog.text


@pytest.mark.parametrize("level", list(PrivacyLevel))
def test_an_error_of_the_store_shows_no_content(record: Record, level: PrivacyLevel) -> None:
    record(an_evaluation_with(SECRET), 1, level)
    with pytest.raises(EvenhandError) as refused:
        record(an_evaluation_with(SECRET), 1, level)
    assert "canary" not in "".join(traceback.format_exception(refused.value))


def test_an_error_of_the_evaluator_shows_no_content_in_its_message() -> None:
    words = {**SECRET, "question_text": "asked by nobody"}
    asked = a_set(question(SECRET, "question_id", SECRET["question_text"]))
    for strict in (True, False):
        with pytest.raises(EvaluationFailed) as ended:
            evaluate(
                asked,
                Scored(words),
                clock=FakeClock(),
                machine=MACHINE,
                options=EvaluateOptions(strict=strict),
            )
        assert "canary" not in str(ended.value)
        assert "canary" not in repr(ended.value)


@pytest.mark.proves("P-56")
def test_summaries_of_evaluations_hold_no_content_at_any_level(
    record: Record, database: Database
) -> None:
    for number, level in enumerate(PrivacyLevel, 1):
        made = record(an_evaluation_with(PLAIN), number, level)
        assert "canary" not in repr(made)
    listed = database.read(
        lambda uow: uow.evaluations.list_latest(set_identifier=None, retriever=None, limit=9)
    )
    assert len(listed) == 4
    assert "canary" not in repr(listed)


def test_the_canaries_would_be_found_where_they_are(record: Record, engine: Engine) -> None:
    # Without this the searches above could pass by looking for the wrong thing.
    policy = LevelPolicy(level=FULL)
    record(an_evaluation_with(SECRET), 1, policy)
    kept = found_in(stored_bytes(engine), SECRET)
    assert {"question_id", "target_id", "document_id", "raw_document_id", "score"} <= kept

"""The shipped worker against the real hub: from a file of answers to rates that a hand can count."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from evenhand.adapters.reviewers.chat import ChatEndpoint
from evenhand.adapters.reviewers.configuration import model_config, rules_config
from evenhand.adapters.reviewers.model import ModelReviewer
from evenhand.adapters.reviewers.rules import RuleReviewer
from evenhand.adapters.reviewers.scaffolding import shipped_scaffolding
from evenhand.core.errors import Invalid
from evenhand.core.identity.file_digests import inputs_digest, root_digest
from evenhand.core.review.grounding import Rules
from evenhand.core.review.review_case import ReviewCase
from evenhand.core.review.reviewer import Found, NoOutput, Reviewer
from evenhand.core.review.usage import Rates
from evenhand.sdk import ReviewClient
from evenhand.sdk.review_staging import Criteria
from evenhand.sdk.review_submission import Asked, submit_reviews
from evenhand.sdk.reviewing import Bench, Carried, End, carry_out_reviews
from tests.builders import START
from tests.chat_answers import GOOD, chat_answer
from tests.hub.conftest import BODY_LIMIT, Hub, only_sqlite
from tests.hub.test_reviews import WORKER, Reviews
from tests.upstream_server import Scripted, ScriptedUpstream, serving

pytestmark = [only_sqlite, pytest.mark.parametrize("instances", ["one"], indirect=True)]

SCAFFOLDING = shipped_scaffolding()
RATES = Rates(input=Decimal(2), cached_input=Decimal("0.5"), output=Decimal(10))
KEY = "key-1"
PASSAGE = "The tower of Northam is 120 m high. It was not built before 1889."


def a_case(number: int, answer: str = "The tower is 120 m high.", **stated: Any) -> ReviewCase:
    values: dict[str, Any] = {
        "case_id": f"c{number}",
        "answer_id": f"a{number}",
        "question": "How high is the tower of Northam?",
        "answer": answer,
        "passages": (PASSAGE,),
    }
    return ReviewCase(**values | stated)


class Fixed:
    """A clock."""

    def now(self) -> datetime:
        return START


class Workshop:
    """A project with a practice, a client, and a worker."""

    def __init__(self, hub: Hub) -> None:
        self.reviews = Reviews(hub)
        transport: Any = hub.client._transport
        self.client = ReviewClient("http://testserver", hub.tokens[WORKER], transport=transport)
        self.criteria = Criteria(
            practice="grounded",
            revision_id=self.reviews.revision(SCAFFOLDING.rubric.decode()),
            text_sha256=SCAFFOLDING.text_sha256,
        )

    def asked(self, config: dict[str, Any], **stated: Any) -> Asked:
        values: dict[str, Any] = {
            "config": config,
            "subject_id": "pipeline",
            "cohort": "release-1",
            "suite_revision_id": None,
            "origin": "live",
            "repository_revision": None,
            "again": None,
        }
        return Asked(**values | stated)

    def submit(self, config: dict[str, Any], *cases: ReviewCase, **stated: Any) -> list[str]:
        asked = self.asked(config, **stated)
        return [job.id for job in submit_reviews(self.client, cases, asked)]

    def work(
        self, *cases: ReviewCase, reviewer: Reviewer | None = None, most: int = 100
    ) -> list[Carried]:
        bench = Bench(
            worker="w1",
            release="evenhand test",
            reviewers=[reviewer or RuleReviewer(SCAFFOLDING, practice="grounded")],
            cases={case.case_id: case for case in cases},
            criteria=self.criteria,
            clock=Fixed(),
        )
        left = iter(range(most))
        return list(
            carry_out_reviews(self.client, bench, is_told_to_stop=lambda: next(left, None) is None)
        )

    def rates(self) -> Any:
        path = f"reviews/strata?project_id={self.reviews.project_id}"
        return self.reviews.call("GET", path, "operator")


@pytest.fixture
def workshop(hub: Hub) -> Workshop:
    return Workshop(hub)


@pytest.fixture
def server() -> Iterator[ScriptedUpstream]:
    with serving(chat_answer(GOOD)) as made:
        yield made


@pytest.fixture
def judge(server: ScriptedUpstream) -> Iterator[ModelReviewer]:
    endpoint = ChatEndpoint(server.url, secret=KEY)
    yield ModelReviewer(
        endpoint, SCAFFOLDING, practice="grounded", rates=RATES, pause=lambda seconds: None
    )
    endpoint.close()


@pytest.mark.proves("R-08", "R-10")
def test_the_rules_judge_a_file_of_answers(workshop: Workshop) -> None:
    cases = [a_case(1), a_case(2, "The tower is 121 m high."), a_case(3, "Really?")]
    jobs = workshop.submit(rules_config(), *cases)
    assert workshop.submit(rules_config(), *cases) == jobs
    assert [one.end for one in workshop.work(*cases)] == [End.REVIEWED] * 3

    reviewer = RuleReviewer(SCAFFOLDING, practice="grounded")
    job = workshop.client.get(jobs[0])
    assert job.prompt_digest == root_digest(reviewer.scaffolding)
    assert job.inputs_digest == inputs_digest(cases[0].files, job_id=jobs[0])
    (stratum,) = workshop.rates()["items"]
    assert stratum["practice_revision_id"] == workshop.criteria.revision_id
    assert stratum["good"] == {"count": 1, "total": 2}
    assert (stratum["pricing"]["no_charge"], stratum["cost"]) == (3, "0.000000")


@pytest.mark.proves("R-11", "R-48", "R-49", "BR-33")
def test_cost_tokens_and_invalid_output_are_what_a_hand_counts(
    workshop: Workshop, server: ScriptedUpstream, judge: ModelReviewer
) -> None:
    cases = [a_case(number) for number in range(1, 7)]
    workshop.submit(model_config("judge-small", server.url), *cases)
    script = iter(
        [
            chat_answer(GOOD),
            chat_answer("no JSON"),
            chat_answer({"observations": [GOOD | {"presence": "maybe"}]}),
            chat_answer({"observations": [GOOD, 7]}),
            Scripted(status=429),
            chat_answer(GOOD, finish_reason="length"),
            chat_answer(GOOD),
        ]
    )
    server.answer = lambda _: next(script)

    done = workshop.work(*cases, reviewer=judge)

    reviewed, invalid = End.REVIEWED, End.INVALID
    assert [one.end for one in done] == [reviewed, invalid, invalid, reviewed, invalid, reviewed]
    (stratum,) = workshop.rates()["items"]
    outcomes = {name: count for name, count in stratum["attempts"].items() if count}
    assert outcomes == {"reviewed": 3, "failed": 3}
    assert stratum["failures"] == {"count": 3, "total": 6}
    # Two that cannot be read, two with a candidate that is refused; of four candidates two.
    assert stratum["invalid_outputs"] == {"count": 4, "total": 6}
    assert stratum["rejected_candidates"] == {"count": 2, "total": 5}
    assert stratum["tokens"] == {"input": 480, "cached_input": 120, "output": 180}
    # Six answers of 80 tokens at 2, 20 at 0.5 and 30 at 10 a million.
    assert stratum["cost"] == "0.002820"
    assert stratum["good"] == {"count": 3, "total": 3}


@pytest.mark.proves("BR-13")
def test_what_cannot_be_looked_at_ends_without_a_prompt_and_without_cost(
    workshop: Workshop, server: ScriptedUpstream, judge: ModelReviewer
) -> None:
    bare, unknown = a_case(1, passages=("  ",)), a_case(2)
    jobs = workshop.submit(model_config("judge-small", server.url), bare, unknown)
    done = workshop.work(bare, reviewer=judge)
    assert [one.end for one in done] == [End.INSUFFICIENT] * 2
    for job_id in jobs:
        job = workshop.client.get(job_id)
        assert (job.outcome, job.prompt_digest) == ("insufficient_evidence", None)
        assert job.inputs_digest is not None
    assert server.received == []


def test_a_busy_server_gives_the_review_back_and_a_refusal_ends_the_work(
    workshop: Workshop, server: ScriptedUpstream, judge: ModelReviewer
) -> None:
    cases = [a_case(1), a_case(2), a_case(3)]
    jobs = workshop.submit(model_config("judge-small", server.url), *cases)
    server.answer = lambda _: Scripted(status=503 if len(server.received) < 4 else 401)
    done = workshop.work(*cases, reviewer=judge)
    assert [(one.end, one.error_class) for one in done] == [
        (End.GIVEN_BACK, "UPSTREAM_FAILED"),
        (End.GIVEN_BACK, "UPSTREAM_REFUSED"),
    ]
    assert [workshop.client.get(job).state for job in jobs] == ["queued"] * 3
    assert [workshop.client.get(job).attempt for job in jobs] == [2, 2, 1]


def test_output_larger_than_the_hub_reads_is_invalid_and_the_work_goes_on(
    workshop: Workshop, server: ScriptedUpstream, judge: ModelReviewer
) -> None:
    cases = [a_case(1), a_case(2)]
    workshop.submit(model_config("judge-small", server.url), *cases)
    long = {"observations": [GOOD | {"rationale": "x" * BODY_LIMIT}]}
    answers = iter([chat_answer(long), chat_answer(GOOD)])
    server.answer = lambda _: next(answers)
    done = workshop.work(*cases, reviewer=judge)
    assert [one.end for one in done] == [End.INVALID, End.REVIEWED]
    # What the lost output cost is not lost with it.
    rates = workshop.rates()["items"]
    assert sum(one["pricing"]["priced"] for one in rates) == 2


def test_a_review_of_a_configuration_that_is_not_here_goes_back(workshop: Workshop) -> None:
    (job_id,) = workshop.submit(rules_config() | {"strictness": "high"}, a_case(1))
    (other,) = workshop.submit(model_config("m", "http://elsewhere/v1"), a_case(2))
    done = workshop.work(a_case(1), a_case(2))
    assert {one.error_class for one in done} == {"CONFIGURATION_NOT_AT_HAND"}
    assert workshop.client.get(job_id).state == workshop.client.get(other).state == "queued"


def test_a_worker_that_is_told_to_stop_claims_no_more(workshop: Workshop) -> None:
    cases = [a_case(1), a_case(2)]
    jobs = workshop.submit(rules_config(), *cases)
    assert len(workshop.work(*cases, most=1)) == 1
    assert [workshop.client.get(job).state for job in jobs] == ["completed", "queued"]


class _Interrupted:
    """A reviewer during whose work something happens."""

    scaffolding = (("rules", b"none"),)

    def __init__(self, happens: Any) -> None:
        self.happens = happens

    def carries_out(self, config: Any) -> bool:
        return True

    def review(self, staged: Any, config: Any, *, seconds: float) -> Found | NoOutput:
        self.happens(seconds)
        raise KeyboardInterrupt


def test_a_worker_that_is_interrupted_gives_its_review_back(workshop: Workshop) -> None:
    (job_id,) = workshop.submit(rules_config(timeout_seconds=50), a_case(1))
    left: list[float] = []
    with pytest.raises(KeyboardInterrupt):
        workshop.work(a_case(1), reviewer=_Interrupted(left.append))
    job = workshop.client.get(job_id)
    assert (job.state, job.attempt) == ("queued", 2)
    # The attempt's own time is what a reviewer is given.
    assert 40 < left[0] <= 50


def test_a_worker_that_breaks_gives_its_review_back(workshop: Workshop) -> None:
    (job_id,) = workshop.submit(rules_config(), a_case(1))

    def fill_the_disk(seconds: float) -> None:
        raise OSError

    with pytest.raises(OSError):  # noqa: PT011 -- as it comes
        workshop.work(a_case(1), reviewer=_Interrupted(fill_the_disk))
    job = workshop.client.get(job_id)
    assert (job.state, job.attempt) == ("queued", 2)


def test_a_review_that_was_cancelled_meanwhile_is_lost_and_the_work_goes_on(
    workshop: Workshop,
) -> None:
    cases = [a_case(1), a_case(2)]
    jobs = workshop.submit(rules_config(), *cases)
    rules = RuleReviewer(SCAFFOLDING, practice="grounded")

    class Cancelling:
        scaffolding = rules.scaffolding
        carries_out = rules.carries_out

        def review(self, staged: Any, config: Any, *, seconds: float) -> Found | NoOutput:
            path = f"agent-jobs/{jobs[0]}/cancel"
            workshop.reviews.ask("POST", path, "operator", {"reason": "drain_immediate"})
            return rules.review(staged, config, seconds=seconds)

    done = workshop.work(*cases, reviewer=Cancelling())
    assert [one.end for one in done] == [End.LOST, End.REVIEWED]


@pytest.mark.proves("R-07", "R-19")
def test_equal_answers_have_equal_inputs_and_other_prompts_another_stratum(
    workshop: Workshop,
) -> None:
    text = "The tower is 120 m high."
    same = [a_case(1, text), a_case(2, text)]
    jobs = workshop.submit(rules_config(), *same)
    workshop.work(*same)
    digests = {workshop.client.get(job).inputs_digest for job in jobs}
    assert len(digests) == 1
    workshop.submit(rules_config(), *same, again="stricter")
    strict = RuleReviewer(SCAFFOLDING, practice="grounded", rules=Rules(least_covered_percent=90))
    workshop.work(*same, reviewer=strict)
    strata = workshop.rates()["items"]
    assert len({one["prompt_digest"] for one in strata}) == len(strata) == 2


def test_no_text_of_a_review_is_in_what_the_hub_wrote_down(
    workshop: Workshop, server: ScriptedUpstream, judge: ModelReviewer
) -> None:
    canary = "xylophone-canary"
    case = a_case(1, f"The {canary} is high.", question=f"Is the {canary} high?")
    (job_id,) = workshop.submit(model_config("judge-small", server.url), case)
    said = GOOD | {"summary": f"It says {canary}.", "rationale": f"{canary}!"}
    server.answer = lambda _: chat_answer({"observations": [said]})
    workshop.work(case, reviewer=judge)
    assert canary in json.dumps(server.received[0].json)
    hub = workshop.reviews.hub
    assert canary not in hub.log.getvalue()
    kept = hub.parts.database.read(lambda uow: uow.observations.list_of(job_id))
    assert [one.summary for one in kept] == [None]
    assert canary not in repr(kept)


@pytest.mark.proves("R-10", "R-22", "BR-12")
def test_criteria_that_the_revision_does_not_say_are_refused_and_the_review_goes_back(
    workshop: Workshop,
) -> None:
    (job_id,) = workshop.submit(rules_config(), a_case(1))
    workshop.criteria = replace(workshop.criteria, text_sha256="0" * 64)
    with pytest.raises(Invalid) as error:
        workshop.work(a_case(1))
    assert error.value.code == "invalid_evidence"
    job = workshop.client.get(job_id)
    assert (job.state, job.attempt, job.prompt_digest) == ("queued", 2, None)

"""A consumer carries a comparison out against the hub itself, over the wire."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from evenhand.core.comparison.pins import LegName
from evenhand.core.errors import Fenced, Invalid
from evenhand.core.errors.access import Forbidden
from evenhand.core.errors.comparison import AlreadyClaimed
from evenhand.sdk import Embedded, Hit, HubClient, consume_claim
from evenhand.wire.claims import CaseResult
from evenhand.wire.intents import PinnedLeg, Pins
from tests.hub.comparing import CONSUMER, OTHER, Comparing, comparing

__all__ = ["comparing"]


REVISION = "e" * 64


class Calls(HubClient):
    """A client whose embeddings are rows that the gateway would have kept."""

    def __init__(self, comparing: Comparing, role: str = CONSUMER) -> None:
        # Requests go into the applications of this process, with or without a round-robin.
        transport = comparing.hub.client._transport
        token = comparing.hub.tokens[role]
        super().__init__("http://testserver", token, transport=transport)
        self._comparing = comparing
        self.asked: list[tuple[str, str]] = []

    def embed(self, model: str, text: str) -> Embedded:
        self.asked.append((model, text))
        world = self._comparing.world
        leg = LegName.CURRENT if model == world.shop.route.name else LegName.CANDIDATE
        (case,) = (one for one in world.cases if one.question.question.decode() == text)
        made = self._comparing.requests(leg, cases=[case])
        dimension = (
            world.shop.deployment if leg is LegName.CURRENT else world.candidate
        ).dimension
        return Embedded(vector=(0.5,) * dimension, request_id=made[case.case_id])


@dataclass
class PinnedIndex:
    """An index that is what was pinned, whatever that is."""

    pins: Pins
    leg: PinnedLeg
    settings: Mapping[str, object]

    @property
    def corpus_sha256(self) -> str:
        return self.pins.corpus_sha256

    @property
    def embedding_identity(self) -> str:
        return self.leg.embedding_identity

    @property
    def embedding_dimension(self) -> int:
        return self.leg.embedding_dimension

    @property
    def retrieval_settings(self) -> Mapping[str, object]:
        return self.settings

    def search(self, vector: Sequence[float]) -> list[Hit]:
        return [Hit(chunk_id="chunk", document_id="document", score=0.9)]


@dataclass
class Engine:
    pins: Pins
    settings: Mapping[str, object]
    consumer_revision_sha256: str = REVISION

    def open_index(self, index_ref: str) -> Any:
        for leg in (self.pins.current, self.pins.candidate):
            if leg.index_ref == index_ref:
                return PinnedIndex(self.pins, leg, self.settings)
        raise LookupError


def engine_for(comparing: Comparing, pins: Pins) -> Engine:
    return Engine(pins, comparing.world.suite.revision.settings.value)


@pytest.mark.proves("C-36", "C-37", "C-47", "C-85")
def test_what_is_assigned_is_claimed_carried_out_and_published(comparing: Comparing) -> None:
    comparing.prepare()
    hub = Calls(comparing)
    (assigned,) = hub.list_assigned()
    assert assigned.state == "pending"
    session = hub.claim(assigned.id)
    done = consume_claim(hub, session, engine_for(comparing, session.pins))
    assert done.comparison.state == "completed"
    assert done.failed_cases == 0
    summary = done.comparison.evaluation_summary
    assert summary.comparable
    assert summary.basis is not None
    assert {summary.basis.current, summary.basis.candidate} == {"witnessed"}
    assert len(hub.asked) == 2 * len(comparing.world.cases)
    assert hub.list_assigned() == []


@pytest.mark.proves("C-41", "C-53")
def test_a_second_claim_is_refused_with_the_hubs_own_error(comparing: Comparing) -> None:
    told = comparing.prepare().json()
    hub = Calls(comparing)
    session = hub.claim(told["id"])
    with pytest.raises(AlreadyClaimed):
        hub.claim(told["id"])
    session.fail("STOPPED_BY_TEST")


@pytest.mark.proves("C-45")
def test_another_client_is_told_that_it_is_not_the_one(comparing: Comparing) -> None:
    told = comparing.prepare().json()
    with pytest.raises(Forbidden) as raised:
        Calls(comparing, OTHER).claim(told["id"])
    assert raised.value.code == "not_designated_client"


@pytest.mark.proves("C-100", "C-66")
def test_a_cancellation_ends_the_work_and_is_acknowledged(comparing: Comparing) -> None:
    told = comparing.prepare().json()
    hub = Calls(comparing)
    session = hub.claim(told["id"])
    comparing.cancel(session.comparison.model_dump(mode="json"))
    session.report_progress()
    done = consume_claim(hub, session, engine_for(comparing, session.pins))
    assert done.comparison.state == "cancelled"
    assert hub.asked == []


@pytest.mark.proves("C-104", "C-105")
def test_an_expired_claim_takes_no_progress(comparing: Comparing) -> None:
    told = comparing.prepare().json()
    session = Calls(comparing).claim(told["id"])
    comparing.at(120)
    with pytest.raises(Fenced) as raised:
        session.report_progress()
    assert raised.value.code == "lease_expired"


def test_a_report_that_proves_nothing_is_refused_and_can_be_mended(comparing: Comparing) -> None:
    told = comparing.prepare().json()
    hub = Calls(comparing)
    session = hub.claim(told["id"])
    cases = [
        CaseResult(case_id=one.case_id, ranked_results=[], latency_ms=1) for one in session.cases
    ]
    with pytest.raises(Invalid, match="request_missing"):
        session.publish(
            consumer_revision_sha256=REVISION,
            current=cases,
            candidate=cases,
            current_gateway_requests={},
            candidate_gateway_requests={},
        )
    done = consume_claim(hub, session, engine_for(comparing, session.pins))
    assert done.comparison.state == "completed"


@pytest.mark.proves("C-50", "C-51")
def test_nothing_that_a_run_leaves_behind_holds_the_token(comparing: Comparing) -> None:
    told = comparing.prepare().json()
    hub = Calls(comparing)
    session = hub.claim(told["id"])
    token = session._token
    done = consume_claim(hub, session, engine_for(comparing, session.pins))
    left = f"{done} {session} {vars(hub)} {comparing.hub.log.getvalue()}"
    shown = comparing.get(f"/{told['id']}").text + comparing.get("").text
    assert token not in left + shown

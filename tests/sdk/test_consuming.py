"""One comparison is carried out over indexes that are what was pinned."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import nan
from typing import Any

import httpx2
import pytest

from evenhand.core.errors import NotFound
from evenhand.sdk import Consumed, Hit, consume_claim
from tests.sdk.scripted_hub import (
    CORPUS,
    SETTINGS,
    Clock,
    ScriptedHub,
    a_problem,
    claimed,
    comparison,
    progressed,
    told,
    vector,
)

REVISION = "e" * 64


@dataclass
class FakeIndex:
    """Finds what a test says, for every vector."""

    embedding_identity: str
    corpus_sha256: str = CORPUS
    embedding_dimension: int = 2
    retrieval_settings: Mapping[str, object] = field(default_factory=lambda: SETTINGS)
    found: Sequence[Hit] = (Hit(chunk_id="c1", document_id="d1", score=0.5),)
    error: Exception | None = None

    def search(self, vector: Sequence[float]) -> Sequence[Hit]:
        if self.error is not None:
            raise self.error
        return self.found


@dataclass
class Engine:
    """An adapter of two indexes."""

    indexes: dict[str, FakeIndex]
    consumer_revision_sha256: str = REVISION

    def open_index(self, index_ref: str) -> FakeIndex:
        return self.indexes[index_ref]


def an_engine(**stated: Any) -> Engine:
    current = FakeIndex("model-1")
    return Engine({"index-1": current, "index-2": replace(FakeIndex("model-2"), **stated)})


def consume(hub: ScriptedHub, engine: Engine, *, cases: int = 2, pause: Any = None) -> Consumed:
    session = hub.session(Clock(), cases=cases)
    return consume_claim(hub.client(), session, engine, pause=pause or (lambda seconds: None))


def a_hub(*embeddings: httpx2.Response | None) -> ScriptedHub:
    hub = ScriptedHub()
    hub.will("embeddings", *(embeddings or (vector(1.0, 0.0),)))
    hub.will("progress", told(progressed()))
    hub.will("result", told(comparison("completed")))
    hub.will("finish", told(comparison("failed")))
    return hub


def results(hub: ScriptedHub, leg: str) -> Any:
    return hub.bodies("result")[0][leg]["results"]


@pytest.mark.proves("C-58", "C-59", "C-60", "C-70")
def test_each_query_goes_out_alone_and_unchanged_through_the_route_of_its_side() -> None:
    hub = a_hub(*(vector(1.0, 0.0, request_id=f"req_{n}") for n in range(4)))
    consumed = consume(hub, an_engine())
    # The side that comes first changes from case to case.
    assert hub.bodies("embeddings") == [
        {"model": "stable", "input": "query 0"},
        {"model": "try", "input": "query 0"},
        {"model": "try", "input": "query 1"},
        {"model": "stable", "input": "query 1"},
    ]
    (body,) = hub.bodies("result")
    assert body["current_gateway_requests"] == {"case-0": "req_0", "case-1": "req_3"}
    assert body["candidate_gateway_requests"] == {"case-0": "req_1", "case-1": "req_2"}
    assert [one["case_id"] for one in body["current"]["results"]] == ["case-0", "case-1"]
    assert (consumed.comparison.state, consumed.failed_cases) == ("completed", 0)


@pytest.mark.proves("C-56")
@pytest.mark.parametrize(
    ("stated", "code"),
    [
        ({"corpus_sha256": "d" * 64}, "CANDIDATE_CORPUS_NOT_AS_PINNED"),
        ({"embedding_identity": "model-3"}, "CANDIDATE_EMBEDDING_IDENTITY_NOT_AS_PINNED"),
        ({"embedding_dimension": 3}, "CANDIDATE_EMBEDDING_DIMENSION_NOT_AS_PINNED"),
        ({"retrieval_settings": {"cutoff": 4}}, "CANDIDATE_RETRIEVAL_SETTINGS_NOT_AS_PINNED"),
    ],
)
def test_nothing_is_embedded_where_an_index_is_not_as_pinned(
    stated: dict[str, Any], code: str
) -> None:
    hub = a_hub()
    consumed = consume(hub, an_engine(**stated))
    assert consumed.comparison.state == "failed"
    assert hub.bodies("embeddings") == []
    assert hub.bodies("finish")[0]["error_code"] == code


def test_nothing_is_embedded_where_an_index_is_not_there() -> None:
    hub, engine = a_hub(), an_engine()
    del engine.indexes["index-1"]
    consume(hub, engine)
    assert hub.bodies("embeddings") == []
    assert hub.bodies("finish")[0]["error_code"] == "CURRENT_INDEX_NOT_AS_PINNED"


@pytest.mark.proves("C-80", "C-81")
@pytest.mark.parametrize(
    ("stated", "code"),
    [
        ({"error": RuntimeError("what the engine says")}, "SEARCH_FAILED"),
        ({"found": [Hit(chunk_id="c", score=nan)]}, "RANKING_NOT_VALID"),
        ({"found": [Hit(chunk_id="c\n", score=1)]}, "RANKING_NOT_VALID"),
        ({"found": [Hit(chunk_id="c", score=1)] * 2}, "RANKING_NOT_VALID"),
    ],
)
def test_a_case_that_fails_is_reported_as_failed_and_ends_nothing(
    stated: dict[str, Any], code: str
) -> None:
    hub = a_hub()
    consumed = consume(hub, an_engine(**stated))
    assert consumed.failed_cases == 2
    assert [one["error_code"] for one in results(hub, "candidate")] == [code, code]
    assert [one["ranked_results"] for one in results(hub, "candidate")] == [[], []]
    assert hub.bodies("result")[0]["candidate_gateway_requests"] == {}
    assert [one["error_code"] for one in results(hub, "current")] == [None, None]
    assert "engine says" not in str(hub.asked)


def test_a_vector_of_another_dimension_is_no_ranking() -> None:
    hub = a_hub(vector(1.0, 0.0, 0.0))
    consumed = consume(hub, an_engine())
    assert consumed.failed_cases == 4


def test_a_busy_deployment_is_asked_again_when_it_says() -> None:
    busy = told(
        {"error": {"message": "m", "type": "t", "param": None, "code": "upstream_busy"}},
        429,
        retry_after="7",
    )
    hub = a_hub(busy, None, vector(1.0, 0.0))
    waited: list[float] = []
    consumed = consume(hub, an_engine(), cases=1, pause=waited.append)
    assert waited == [7, 2.0]
    assert consumed.failed_cases == 0


def test_a_deployment_that_gives_nothing_fails_the_case_alone() -> None:
    hub = a_hub(
        told({"error": {"message": "m", "type": "t", "param": None, "code": "wrong_count"}}, 502)
    )
    consume(hub, an_engine(), cases=1)
    assert [one["error_code"] for one in results(hub, "current")] == ["EMBEDDING_FAILED"]


def test_what_will_not_pass_ends_the_claim_as_failed() -> None:
    hub = a_hub(
        told(
            {"error": {"message": "m", "type": "t", "param": None, "code": "model_not_found"}}, 404
        )
    )
    with pytest.raises(NotFound):
        consume(hub, an_engine())
    assert hub.bodies("finish")[0]["error_code"] == "CONSUMER_FAILED"
    assert len(hub.bodies("embeddings")) == 1


def test_results_below_the_cutoff_of_a_deployment_are_no_answer() -> None:
    hub = a_hub()
    document = comparison()
    document["pins"]["candidate"]["score_cutoff"] = 0.6
    hub.will("claim", told({**claimed(), "comparison": document}))
    session = hub.client().claim("c-1")
    found = [Hit(chunk_id="a", score=0.6), Hit(chunk_id="b", score=0.59)]
    consume_claim(hub.client(), session, an_engine(found=found))
    kept = [one["ranked_results"] for one in results(hub, "candidate")]
    assert [[hit["chunk_id"] for hit in one] for one in kept] == [["a"], ["a"]]


@pytest.mark.proves("C-66")
def test_a_cancellation_that_came_with_the_result_is_acknowledged() -> None:
    hub = a_hub()
    hub.will("result", a_problem(409, "cancellation_requested"))
    hub.will("progress", told(progressed(cancel_requested=True)))
    hub.will("finish", told(comparison("cancelled")))
    consumed = consume(hub, an_engine())
    assert consumed.comparison.state == "cancelled"
    assert hub.bodies("finish")[0]["outcome"] == "cancelled"


@pytest.mark.proves("C-57")
def test_what_is_searched_is_the_projects_own_index_with_the_gateways_vector() -> None:
    hub, engine, searched = a_hub(vector(0.25, -1.5)), an_engine(), list[Sequence[float]]()

    class Watched(FakeIndex):
        def search(self, vector: Sequence[float]) -> Sequence[Hit]:
            searched.append(vector)
            return super().search(vector)

    engine.indexes["index-1"] = Watched("model-1", found=[Hit(chunk_id="own", score=7.5)])
    consume(hub, engine, cases=1)
    assert searched == [(0.25, -1.5)]
    (told,) = results(hub, "current")
    assert told["ranked_results"] == [{"chunk_id": "own", "document_id": None, "score": 7.5}]


@pytest.mark.proves("C-81")
@pytest.mark.parametrize(
    "found",
    [
        [Hit(chunk_id="c", score=nan)],
        [Hit(chunk_id="a", score=0.9), Hit(chunk_id="c\n", score=0.1)],
        [Hit(chunk_id="a", score=0.9), Hit(chunk_id="a", score=0.1)],
    ],
)
def test_what_the_cutoff_leaves_out_has_to_be_a_ranking_too(found: Sequence[Hit]) -> None:
    hub = a_hub()
    document = comparison()
    document["pins"]["candidate"]["score_cutoff"] = 0.6
    hub.will("claim", told({**claimed(), "comparison": document}))
    consume_claim(hub.client(), hub.client().claim("c-1"), an_engine(found=found))
    codes = [one["error_code"] for one in results(hub, "candidate")]
    assert codes == ["RANKING_NOT_VALID"] * 2

"""Requests to the gateway on pages: which and how they ended, and never a text."""

import pytest

from evenhand.core.gateway.request import GatewayRequest
from tests.console.conftest import Console, only_sqlite
from tests.console.rows import fill_gateway
from tests.registry_builders import Shop

LIST = "/console/gateway-requests"


@pytest.fixture
def kept(console: Console) -> tuple[GatewayRequest, ...]:
    return fill_gateway(console.parts.database, Shop())


def shown(console: Console, query: str = "") -> list[str]:
    """Public ids of the rows of a page of the list, in order."""
    page = console.get(f"{LIST}{query}")
    assert page.status == 200
    return [link.removeprefix(f"{LIST}/") for link in page.links() if link.startswith(f"{LIST}/")]


def test_the_list_is_newest_first_and_by_what_is_looked_for(
    console: Console, kept: tuple[GatewayRequest, ...]
) -> None:
    ids = [one.public_id for one in kept]

    assert shown(console) == ids[::-1]
    assert shown(console, "?state=failed") == [ids[1]]
    assert shown(console, f"?client={Shop().client.id}") == [ids[3]]
    assert shown(console, f"?deployment={Shop().deployment.id}&state=completed") == [
        ids[3],
        ids[0],
    ]
    assert shown(console, "?since=2026-09-09T12:00:03&until=2026-09-10") == [ids[3]]


@only_sqlite
def test_a_page_of_the_list_leads_on_and_back(
    console: Console, kept: tuple[GatewayRequest, ...]
) -> None:
    first, *_, last = (one.public_id for one in reversed(kept))

    assert shown(console, f"?after={first}")[0] == kept[2].public_id
    assert shown(console, f"?before={last}") == [one.public_id for one in reversed(kept[1:])]


@only_sqlite
def test_a_request_shows_its_calls_and_what_it_proves(
    console: Console, kept: tuple[GatewayRequest, ...]
) -> None:
    completed = console.get(f"{LIST}/{kept[3].public_id}")
    failed = console.get(f"{LIST}/{kept[1].public_id}")
    refused = console.get(f"{LIST}/{kept[2].public_id}")

    assert "It can prove that one query was embedded by its deployment." in completed.text
    assert kept[3].asked is not None
    assert str(kept[3].asked.query_digest) in completed.text
    assert "Where is the office?" not in completed.response.text
    assert "wrong_count" in failed.text
    assert "wrong count" in failed.text
    assert "It proves nothing in a comparison." in failed.text
    assert "No deployment was called." in refused.text
    assert "It was refused before its input was read." in refused.text


@only_sqlite
def test_unknown_tokens_are_unknown_and_not_zero(
    console: Console, kept: tuple[GatewayRequest, ...]
) -> None:
    page = console.get(f"{LIST}/{kept[2].public_id}")

    assert "Prompt tokens unknown" in page.text


@only_sqlite
@pytest.mark.parametrize(
    ("query", "rule"),
    [
        ("?state=lost", "state: must be one of completed, refused, failed, aborted"),
        ("?since=yesterday", "since: must be a time in UTC"),
        ("?since=2026-09-01T00:00%2B02:00", "since: must be a time in UTC"),
        ("?since=2026-09-02&until=2026-09-01", "until: must not be before since"),
        ("?after=req_nothing", "after: names a request that is not kept any more"),
    ],
)
def test_a_wrong_filter_is_refused_by_its_rule(console: Console, query: str, rule: str) -> None:
    page = console.get(f"{LIST}{query}")

    assert page.status == 422
    assert rule in page.text


@only_sqlite
def test_an_unknown_request_has_no_page(
    console: Console, kept: tuple[GatewayRequest, ...]
) -> None:
    for name in ("req_nothing", kept[0].id):
        assert console.get(f"{LIST}/{name}").status == 404


@only_sqlite
def test_a_laptop_without_requests_has_no_such_place(console: Console) -> None:
    assert LIST not in console.get("/console/").links()
    assert "Nothing was asked yet" in console.get(LIST).text

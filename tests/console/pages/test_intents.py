"""Comparisons of deployments in the console: an operator's whole way from intent to evidence."""

from typing import Any

import pytest

from evenhand.core.access.roles import Role
from evenhand.core.comparison.pins import LegName
from tests.comparison_builders import add_world, case_results
from tests.console.conftest import Console, Page, only_sqlite
from tests.console.hub_console import Browser, HubConsole, forms_of

ALL, NEW = "/console/comparisons", "/console/comparisons/new"
PAYLOAD = "<script>window.__xss=1</script>"


def prepared(hub: HubConsole, browser: Browser, **typed: str) -> Page:
    """The answer to the form of the only binding, filled in."""
    page = browser.get(f"{NEW}?binding={hub.world.shop.binding.id}")
    chosen = {
        "client": hub.world.client.id,
        "current_index_ref": "index-1",
        "candidate_index_ref": "index-2",
    }
    return browser.submit(page, NEW, **chosen | typed)


def location(page: Page) -> str:
    assert page.status == 303, page.text
    return page.response.headers["Location"]


def claim(hub: HubConsole, address: str) -> Any:
    """The answer to the consumer's claim of what a page shows."""
    answer = hub.comparing.claim({"id": address.rsplit("/", 1)[1]})
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.proves("C-03", "C-21", "C-32")
def test_an_operator_s_way_from_intent_to_evidence(hub_console: HubConsole) -> None:
    operator, viewer = hub_console.browser("operator"), hub_console.browser("viewer")
    binding = hub_console.world.shop.binding

    assert f"{NEW}?binding={binding.id}" in operator.get(NEW).links()
    address = location(prepared(hub_console, operator))

    waiting = viewer.get(address)
    assert "pending" in waiting.text
    assert "0 of 3" in waiting.text
    claimed = claim(hub_console, address)
    hub_console.comparing.progress(claimed, 2, 1)
    running = viewer.get(address)
    assert "running" in running.text
    assert ("2 of 3" in running.text, "1 of 3" in running.text) == (True, True)

    body = hub_console.comparing.result(claimed)
    assert hub_console.comparing.publish(claimed, body).status_code == 200
    page = operator.get(address)

    assert "completed" in page.text
    assert "Eligible" in page.text
    assert "Nothing was put into production" in page.text
    for requests in ("current_gateway_requests", "candidate_gateway_requests"):
        for request_id in body[requests].values():
            assert page.all("button", data_copy=request_id), request_id
    assert body["consumer_revision_sha256"] in page.text
    assert claimed["claim_token"] not in page.response.text
    assert "Audit of this comparison" in page.text
    listed = viewer.get(ALL)
    assert address in listed.links()
    assert "eligible" in listed.text
    assert "Audit of this comparison" not in viewer.get(address).text


@pytest.mark.proves("C-35", "C-100", "C-103")
def test_a_running_comparison_is_cancelled_by_the_version_that_its_page_showed(
    hub_console: HubConsole,
) -> None:
    operator = hub_console.browser("operator")
    address = location(prepared(hub_console, operator))
    stale = operator.get(address)
    claimed = claim(hub_console, address)

    # The page was loaded before the claim: its state is not what the operator decided on.
    refused = operator.submit(stale, f"{address}/cancel")
    assert (refused.status, "version_conflict" in refused.text) == (409, True)
    assert address in refused.links()
    assert hub_console.comparing.state(claimed["comparison"]) == "running"

    page = operator.get(address)
    assert "No program is stopped by this" in page.text
    assert location(operator.submit(page, f"{address}/cancel")) == address
    asked = operator.get(address)
    assert "cancel requested" in asked.text
    hub_console.comparing.finish(claimed, "cancelled")
    assert "It was cancelled; there is no result." in operator.get(address).text
    assert "Prepare another one" in operator.get(address).text


@only_sqlite
def test_a_cancellation_without_its_session_s_token_changes_nothing(
    hub_console: HubConsole,
) -> None:
    operator, other = hub_console.browser("operator"), hub_console.browser("operator")
    address = location(prepared(hub_console, operator))
    fields = forms_of(operator.get(address))[f"{address}/cancel"]
    theirs = forms_of(other.get(address))[f"{address}/cancel"]["form_token"]
    version = {"expected_version": fields["expected_version"]}

    answers = [
        operator.post(f"{address}/cancel", version),
        operator.post(f"{address}/cancel", version | {"form_token": theirs}),
        operator.post(f"{address}/cancel", fields, **{"Sec-Fetch-Site": "cross-site"}),
        operator.post(f"{address}/cancel", fields, Origin="https://evil.example"),
        operator.post(f"{address}/cancel", {"form_token": fields["form_token"]}),
    ]

    assert [one.status for one in answers] == [403, 403, 403, 403, 422]
    assert "form_refused" in answers[0].text
    assert "pending" in operator.get(address).text
    assert location(operator.post(f"{address}/cancel", fields)) == address


@only_sqlite
def test_progress_is_told_only_where_it_has_changed(hub_console: HubConsole) -> None:
    operator = hub_console.browser("operator")
    address = location(prepared(hub_console, operator))
    claimed = claim(hub_console, address)
    path = f"{address}/progress"
    first = operator.send("GET", path)
    tag = first.headers["ETag"]

    again = operator.send("GET", path, headers={"If-None-Match": tag})
    hub_console.comparing.progress(claimed, 1, 0)
    later = operator.send("GET", path, headers={"If-None-Match": tag})

    assert (first.status_code, again.status_code, later.status_code) == (200, 304, 200)
    assert again.text == ""
    assert "1 of 3" in later.text
    assert later.headers["ETag"] != tag
    assert later.headers["Cache-Control"] == "private, no-cache"
    assert "<html" not in first.text


@pytest.mark.proves("C-107", "C-117")
def test_after_an_interruption_the_form_asks_for_the_program_first(
    hub_console: HubConsole,
) -> None:
    operator = hub_console.browser("operator")
    address = location(prepared(hub_console, operator))
    claim(hub_console, address)
    hub_console.comparing.at(121)

    # To look is what ends a claim that ran out.
    assert "interrupted" in operator.get(address).text
    page = operator.get(f"{NEW}?binding={hub_console.world.shop.binding.id}")
    assert "I looked at that program" in page.text
    refused = prepared(hub_console, operator)
    assert (refused.status, "look at it and say that you did" in refused.text) == (409, True)
    # What was typed is still there.
    assert refused.all("input", id="candidate_index_ref", value="index-2")

    former = address.rsplit("/", 1)[1]
    made = location(prepared(hub_console, operator, looked_at=former))

    assert made != address
    assert "process looked at" in operator.get(address).text


@only_sqlite
@pytest.mark.proves("C-30", "G-44")
def test_a_form_that_is_sent_twice_prepares_one_comparison(hub_console: HubConsole) -> None:
    operator = hub_console.browser("operator")
    page = operator.get(f"{NEW}?binding={hub_console.world.shop.binding.id}")
    typed = {
        "client": hub_console.world.client.id,
        "current_index_ref": "index-1",
        "candidate_index_ref": "index-2",
    }

    first, again = (operator.submit(page, NEW, **typed) for _ in range(2))

    assert location(first) == location(again)
    assert hub_console.comparing.count("comparison_intent") == 1


@only_sqlite
@pytest.mark.proves("C-22", "C-29")
def test_a_refusal_stands_beside_what_was_typed(hub_console: HubConsole) -> None:
    operator = hub_console.browser("operator")
    page = operator.get(f"{NEW}?binding={hub_console.world.shop.binding.id}")
    client = hub_console.world.client.id
    same = {"client": client, "current_index_ref": "one", "candidate_index_ref": "one"}
    # Of several nobody is chosen for an operator.
    assert forms_of(page)[NEW]["client"] == ""
    assert operator.submit(page, NEW, **same | {"client": ""}).status == 422

    refused = operator.submit(page, NEW, **same)
    assert refused.status == 422
    assert refused.all("input", id="candidate_index_ref", aria_invalid="true", value="one")
    for typed in ({"candidate_index_ref": "a\x07"}, {"route": ""}, {"route": "nothing"}):
        assert operator.submit(page, NEW, **same | typed).status == 422
    assert operator.submit(page, NEW, **same, idempotency_key="no key").status == 422
    assert hub_console.comparing.count("comparison_intent") == 0

    assert prepared(hub_console, operator).status == 303
    active = operator.get(f"{NEW}?binding={hub_console.world.shop.binding.id}")
    assert "at most one runs at a time" in active.text
    assert NEW not in forms_of(active)


@only_sqlite
@pytest.mark.proves("C-88", "G-56")
def test_what_speaks_against_a_candidate_stands_first(hub_console: HubConsole) -> None:
    operator = hub_console.browser("operator")
    address = location(prepared(hub_console, operator))
    claimed = claim(hub_console, address)
    body = hub_console.comparing.result(claimed)
    body["candidate"]["results"] = case_results(hub_console.world, {"q1": ["x", "d1"]})
    assert hub_console.comparing.publish(claimed, body).status_code == 200

    page = operator.get(address)

    assert "Not eligible" in page.text
    assert "Success@1 fell by more than the tolerance" in page.text
    assert "-0.500" in page.text
    assert "hit at 2" in page.text
    assert page.text.index("Not eligible") < page.text.index("-0.500")


@only_sqlite
def test_the_history_is_paged_and_of_one_binding(hub_console: HubConsole) -> None:
    operator = hub_console.browser("operator")
    for _ in range(26):
        address = location(prepared(hub_console, operator))
        operator.submit(operator.get(address), f"{address}/cancel")
    viewer = hub_console.browser("viewer")

    first = viewer.get(ALL)
    second = viewer.get(f"{ALL}?offset=25")

    assert len(first.all("tr", data_row="")) == 25
    assert len(second.all("tr", data_row="")) == 1
    assert f"{ALL}?offset=25" in first.links()
    assert ALL in second.links()
    assert viewer.get(f"{ALL}?binding=nothing").all("tr", data_row="") == []
    assert [
        viewer.get(f"{ALL}?{bad}").status for bad in ("offset=x", "offset=10001", "size=7")
    ] == [
        422,
        422,
        422,
    ]


@only_sqlite
@pytest.mark.proves("C-51")
def test_what_somebody_else_wrote_is_shown_and_never_carried_out(hub_console: HubConsole) -> None:
    operator = hub_console.browser("operator")
    index = f'"{PAYLOAD}\u202e{{{{7919*7919}}}}'
    page = operator.get(f"{NEW}?binding={hub_console.world.shop.binding.id}")
    refused = operator.submit(page, NEW, current_index_ref=index, candidate_index_ref="a")
    assert refused.status == 422
    printable = index.replace("\u202e", "")

    address = location(
        prepared(hub_console, operator, current_index_ref=printable, candidate_index_ref="a")
    )
    claimed = claim(hub_console, address)
    hub_console.comparing.finish(claimed, "failed", error_code="NO_INDEX")

    for shown in (operator.get(address), refused):
        assert PAYLOAD not in shown.response.text
        assert str(7919**2) not in shown.text
        assert all("src" in given for given in shown.all("script"))
    assert PAYLOAD in operator.get(address).text
    assert "NO_INDEX" in operator.get(address).text


@only_sqlite
def test_one_side_that_failed_is_told_by_its_code(hub_console: HubConsole) -> None:
    operator = hub_console.browser("operator")
    address = location(prepared(hub_console, operator))
    claimed = claim(hub_console, address)
    made = {leg: hub_console.comparing.requests(leg) for leg in LegName}
    body = hub_console.comparing.result(claimed)
    failed = body["candidate"]["results"][0]
    failed |= {"ranked_results": [], "error_code": "TIMEOUT"}
    del body["candidate_gateway_requests"][failed["case_id"]], made
    answer = hub_console.comparing.publish(claimed, body)
    assert answer.status_code == 200, answer.text

    page = operator.get(address)

    assert "Not complete" in page.text
    assert "failed (TIMEOUT)" in page.text
    assert Role.OPERATOR.value in page.text


@only_sqlite
def test_on_a_laptop_whoever_started_the_console_acts_for_the_command_line(
    console: Console,
) -> None:
    world = console.parts.database.run(add_world)
    address = f"{NEW}?binding={world.shop.binding.id}"
    typed = {"current_index_ref": "index-1", "candidate_index_ref": "index-2"}
    fields = forms_of(console.get(address))[NEW] | typed

    refused = console.client.post(NEW, data=fields | {"form_token": ""})
    made = console.client.post(NEW, data=fields)

    assert (refused.status_code, made.status_code) == (403, 303)
    [entry] = console.parts.database.read(
        lambda uow: uow.audit.list_latest(object_kind="comparison", limit=9)
    )
    assert (entry.actor.kind.value, entry.actor.id) == ("command_line", None)
    assert "create" in console.get(made.headers["Location"]).text

"""Who gets in, and for how long: by a token on a hub, by a ticket on a laptop."""

import io
import re
from collections.abc import Callable
from http.cookies import SimpleCookie
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from evenhand.bootstrap import App
from evenhand.console.addresses import enter_address
from evenhand.core.access.roles import Actor, ActorKind
from evenhand.hosting import hub_with_console
from evenhand.settings import load_settings
from evenhand.usecases import access
from tests.console.conftest import Console, only_sqlite
from tests.console.hub_console import Browser, HubConsole, forms_of, opened_hub_console

SIGN_IN, OVERVIEW = "/console/sign-in", "/console/"
SOMEBODY = Actor(kind=ActorKind.COMMAND_LINE)


def revoke(hub: HubConsole, name: str) -> None:
    parts = hub.hub.parts
    parts.database.run(lambda uow: access.revoke(uow, name, actor=SOMEBODY, ids=parts.ids))


def attributes(given: str) -> dict[str, str | bool]:
    """What a cookie says of itself."""
    cookie: SimpleCookie = SimpleCookie(given)
    [morsel] = cookie.values()
    return {name: morsel[name] for name in ("path", "httponly", "secure", "samesite", "max-age")}


@pytest.mark.parametrize("role", ["operator", "viewer"])
def test_a_token_opens_a_session_that_every_page_knows(hub_console: HubConsole, role: str) -> None:
    browser = hub_console.browser()
    token = hub_console.hub.tokens[role]

    answer = browser.sign_in(token, "/console/comparisons?size=50")

    assert (answer.status, answer.response.headers["Location"]) == (
        *(303, "/console/comparisons?size=50"),
    )
    page = browser.get(answer.response.headers["Location"])
    assert page.status == 200
    assert role in page.text
    # The token is in nothing that stays.
    assert token not in "".join(browser.cookies.values())
    assert token not in page.response.text
    assert token not in hub_console.log.getvalue()


@only_sqlite
def test_the_session_s_cookie_is_out_of_reach_of_scripts_and_other_sites(
    hub_console: HubConsole,
) -> None:
    browser = hub_console.browser()
    answer = browser.sign_in(hub_console.hub.tokens["viewer"]).response

    [given] = [
        one
        for one in answer.headers.get_list("set-cookie")
        if "_session_" in one.split("=")[0] and "Max-Age=0" not in one
    ]
    assert attributes(given) == {
        "path": "/console",
        "httponly": True,
        "secure": "",
        "samesite": "lax",
        "max-age": "43200",
    }


@only_sqlite
def test_behind_tls_the_cookie_is_for_tls_only(hub_console: HubConsole) -> None:
    browser = hub_console.browser()
    page = browser.get(SIGN_IN)
    fields = forms_of(page)[SIGN_IN] | {"token": hub_console.hub.tokens["viewer"]}

    # Over TLS the browser says so with its form, and the host is the one that it asked.
    answer = browser.post(SIGN_IN, fields, Origin="https://testserver").response

    [given] = [
        one
        for one in answer.headers.get_list("set-cookie")
        if one.startswith("__Secure-evenhand_session") and "Max-Age=0" not in one
    ]
    assert attributes(given)["secure"] is True
    assert browser.get(OVERVIEW).status == 200


@only_sqlite
def test_a_configured_address_decides_on_tls_and_on_the_site(
    database_url: str, tmp_path: Path
) -> None:
    url = "https://testserver"
    with opened_hub_console(database_url, tmp_path, serve_public_url=url) as hub:
        browser = hub.browser()
        page = browser.get(SIGN_IN)
        fields = forms_of(page)[SIGN_IN] | {"token": hub.hub.tokens["viewer"]}

        refused = browser.post(SIGN_IN, fields, Origin="http://testserver")
        answer = browser.post(SIGN_IN, fields, Origin=url)

        assert (refused.status, answer.status) == (403, 303)
        assert all(name.startswith("__Secure-") for name in browser.cookies)
        assert browser.get(OVERVIEW).status == 200
        assert browser.get(OVERVIEW, headers={"Host": "evil.example"}).status == 421


@only_sqlite
@pytest.mark.parametrize(
    "token",
    ["", "no-token-at-all", "evh_op_" + "A" * 43, "evh_vw_" + "é" * 43],
    ids=["none", "short", "unknown", "odd"],
)
def test_a_wrong_token_opens_nothing_and_is_not_repeated(
    hub_console: HubConsole, token: str
) -> None:
    browser = hub_console.browser()

    page = browser.sign_in(token)

    assert page.status == 401
    assert "no such token is in force" in page.text
    assert not token or token not in page.response.text
    assert browser.get(OVERVIEW).status == 303


@only_sqlite
@pytest.mark.proves("C-44", "C-46")
def test_a_service_client_has_no_pages_to_look_at(hub_console: HubConsole) -> None:
    browser = hub_console.browser()

    page = browser.sign_in(hub_console.hub.tokens["consumer"])

    assert page.status == 403
    assert "service_client" in page.text
    assert browser.get(OVERVIEW).status == 303


@only_sqlite
def test_a_sign_in_form_that_this_browser_was_not_given_opens_nothing(
    hub_console: HubConsole,
) -> None:
    token = hub_console.hub.tokens["operator"]
    theirs = forms_of(hub_console.browser().get(SIGN_IN))[SIGN_IN]
    victim = hub_console.browser()
    victim.get(SIGN_IN)

    for fields in (theirs, {}, {"form_token": ""}):
        page = victim.post(SIGN_IN, fields | {"token": token})
        assert page.status == 403
        assert victim.get(OVERVIEW).status == 303


@only_sqlite
def test_two_windows_of_a_browser_may_ask_at_once(hub_console: HubConsole) -> None:
    browser, token = hub_console.browser(), hub_console.hub.tokens["viewer"]
    first, second = browser.get(SIGN_IN), browser.get(SIGN_IN)
    browser.cookies = {name: text for name, text in browser.cookies.items() if "sign_in" in name}

    assert browser.submit(first, SIGN_IN, token="no-token").status == 401  # noqa: S106 -- none
    assert browser.submit(second, SIGN_IN, token=token).status == 303


def test_every_process_of_a_hub_knows_a_session(hub_console: HubConsole, tmp_path: Path) -> None:
    browser = hub_console.browser("operator")
    settings = load_settings(
        {"database_url": hub_console.hub.parts.database_url}, start=tmp_path, environment={}
    )
    other = App(settings, clock=hub_console.comparing.clock)
    with TestClient(hub_with_console(other, io.StringIO()), follow_redirects=False) as client:
        there = Browser(client=client, cookies=browser.cookies)
        page = there.get("/console/comparisons/new")
        assert (page.status, "operator" in page.text) == (200, True)
        # A form that one process made is one of the session at the other.
        assert browser.submit(page, "/console/sign-out").status == 303
    other.close()


@only_sqlite
@pytest.mark.parametrize(
    "goes_to",
    [
        *(
            "//evil.example/",
            "https://evil.example/",
            "/console//evil.example\\..",
            "/api/v1/audit",
        ),
        *("/console/sign-out", "/console/\r\nX: y", "javascript:alert(1)", "/consolex/"),
    ],
)
def test_a_sign_in_leads_to_a_page_of_the_console_only(
    hub_console: HubConsole, goes_to: str
) -> None:
    answer = hub_console.browser().sign_in(hub_console.hub.tokens["viewer"], goes_to)

    assert (answer.status, answer.response.headers["Location"]) == (303, OVERVIEW)


@only_sqlite
def test_who_is_not_signed_in_is_asked_to_and_comes_back(hub_console: HubConsole) -> None:
    browser = hub_console.browser()

    asked = browser.get("/console/comparisons?binding=x").response

    assert asked.status_code == 303
    assert asked.headers["Location"] == f"{SIGN_IN}?next=%2Fconsole%2Fcomparisons%3Fbinding%3Dx"
    page = browser.get(asked.headers["Location"])
    assert forms_of(page)[SIGN_IN]["next"] == "/console/comparisons?binding=x"


def test_a_revoked_token_ends_its_sessions_with_the_next_request(hub_console: HubConsole) -> None:
    first, second = hub_console.browser("operator"), hub_console.browser("viewer")
    page = first.get("/console/comparisons/new")
    assert page.status == 200
    revoke(hub_console, "operator")

    assert first.get(OVERVIEW).status == 303
    sent = first.post("/console/comparisons/new", forms_of(page).get("/console/sign-out", {}))
    assert (sent.status, "You are not signed in" in sent.text) == (401, True)
    assert second.get(OVERVIEW).status == 200


@only_sqlite
def test_a_session_ends_after_a_working_day(hub_console: HubConsole) -> None:
    browser = hub_console.browser("viewer")
    hub_console.comparing.at(12 * 3600 - 1)
    assert browser.get(OVERVIEW).status == 200
    hub_console.comparing.at(12 * 3600)
    assert browser.get(OVERVIEW).status == 303


@only_sqlite
def test_to_sign_out_takes_the_session_from_the_browser(hub_console: HubConsole) -> None:
    browser = hub_console.browser("viewer")
    page = browser.get(OVERVIEW)

    assert browser.post("/console/sign-out", {}).status == 403
    assert browser.get(OVERVIEW).status == 200
    answer = browser.submit(page, "/console/sign-out")

    assert (answer.status, answer.response.headers["Location"]) == (303, SIGN_IN)
    assert browser.get(OVERVIEW).status == 303


@only_sqlite
def test_a_cookie_opens_nothing_of_the_api_and_a_token_no_page(hub_console: HubConsole) -> None:
    browser = hub_console.browser("operator")
    bearer = {"Authorization": f"Bearer {hub_console.hub.tokens['operator']}"}

    assert browser.send("GET", "/api/v1/audit").status_code == 401
    assert hub_console.browser().get(OVERVIEW, headers=bearer).status == 303


@only_sqlite
def test_who_signs_in_is_told_in_the_log_by_credential_and_never_by_address(
    hub_console: HubConsole,
) -> None:
    browser = hub_console.browser("viewer")
    browser.get("/console/comparisons?binding=secret-word")
    browser.get("/console/comparisons/secret-id")

    lines = hub_console.log.getvalue()
    assert "secret" not in lines
    assert '"route":"/console/comparisons/{intent_id}"' in lines
    assert '"role":"viewer"' in lines
    told = hub_console.hub.client.get("/metrics").text
    assert re.search(
        r'evenhand_http_requests_total\{method="GET",route="/console/comparisons"', told
    )
    assert "secret" not in told


@only_sqlite
def test_a_ticket_of_the_terminal_lets_one_browser_in_once(
    open_console: Callable[[str], Console], database_url: str
) -> None:
    console = open_console(database_url)
    tickets = console.client.app.state.parts.tickets  # type: ignore[attr-defined]
    address = enter_address(tickets.issue())
    mine, theirs = Browser(client=console.client), Browser(client=console.client)
    console.client.cookies.clear()

    assert theirs.get(OVERVIEW).status == 401
    looked = theirs.send("HEAD", address)
    assert "set-cookie" not in looked.headers
    answer = mine.get(address)
    assert (answer.status, answer.response.headers["Location"]) == (303, OVERVIEW)
    given = answer.response.headers.get_list("set-cookie")[0]
    console.client.cookies.clear()
    assert attributes(given)["samesite"] == "strict"
    assert mine.get(OVERVIEW).status == 200
    console.client.cookies.clear()
    assert theirs.get(address).status == 401
    assert theirs.get(SIGN_IN).status == 401
    assert theirs.get(OVERVIEW).status == 401

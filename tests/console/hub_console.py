"""A hub with its console beside it, what a comparison names, and browsers that sign in."""

import io
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.cookiejar import DefaultCookiePolicy
from pathlib import Path
from typing import Any, Final

import httpx2
from starlette.testclient import TestClient

from evenhand.bootstrap import App
from evenhand.core.access.roles import Role
from evenhand.hosting import hub_with_console
from evenhand.settings import load_settings
from tests.builders import START
from tests.comparison_builders import World, add_world, another_client
from tests.console.conftest import Page, read_page
from tests.database_clock import DatabaseClock
from tests.hub.comparing import CONSUMER, OTHER, Comparing
from tests.hub.conftest import Hub, made_token

PATIENCE: Final = 60
ORIGIN: Final = "http://testserver"
_FORM = {"Content-Type": "application/x-www-form-urlencoded", "Origin": ORIGIN}


class _Forms(HTMLParser):
    """The forms of a page: where each is sent, and what it holds before anybody types."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.forms: list[tuple[str, dict[str, str]]] = []
        self._select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append((given.get("action", ""), {}))
        elif tag == "select":
            self._select = given["name"]
        elif tag == "option" and self.forms:
            fields = self.forms[-1][1]
            if "selected" in given or self._select not in fields:
                fields[self._select] = given["value"]
        elif tag == "input" and self.forms and given.get("type") != "checkbox":
            self.forms[-1][1][given.get("name", "")] = given.get("value", "")


def forms_of(page: Page) -> dict[str, dict[str, str]]:
    """The fields of a page's forms, by where each is sent."""
    reader = _Forms()
    reader.feed(page.response.text)
    reader.close()
    return dict(reader.forms)


@dataclass(slots=True)
class Browser:
    """A browser without script, with cookies of its own.

    Attributes:
        client: of the hub.
        cookies: that it was given.
    """

    client: httpx2.Client
    cookies: dict[str, str] = field(default_factory=dict)

    def send(self, method: str, path: str, **request: Any) -> httpx2.Response:
        """The answer to a request with its cookies."""
        headers = dict(request.pop("headers", {}))
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={text}" for name, text in self.cookies.items())
        answer = self.client.request(method, path, headers=headers, **request)
        for given in answer.headers.get_list("set-cookie"):
            name, _, rest = given.partition("=")
            text = rest.partition(";")[0]
            if re.search(r"Max-Age=0\b", given):
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = text
        return answer

    def get(self, path: str, **request: Any) -> Page:
        """The page at a path."""
        return read_page(self.send("GET", path, **request))

    def post(self, path: str, fields: dict[str, str], **headers: str) -> Page:
        """The answer to a form."""
        return read_page(self.send("POST", path, data=fields, headers={**_FORM, **headers}))

    def submit(self, page: Page, action: str, **typed: str) -> Page:
        """The answer to a form of a page, with what somebody typed into it."""
        return self.post(action, forms_of(page)[action] | typed)

    def sign_in(self, token: str, goes_to: str = "") -> Page:
        """The answer to a token."""
        page = self.get("/console/sign-in", params={"next": goes_to} if goes_to else {})
        return self.submit(page, "/console/sign-in", token=token)


@dataclass(frozen=True, slots=True, kw_only=True)
class HubConsole:
    """A hub with its console.

    Attributes:
        comparing: the hub, what is registered in it, and its clock.
        log: what it said.
    """

    comparing: Comparing
    log: io.StringIO

    @property
    def hub(self) -> Hub:
        """The hub that it is beside."""
        return self.comparing.hub

    @property
    def world(self) -> World:
        """What is registered."""
        return self.comparing.world

    def browser(self, role: str | None = None) -> Browser:
        """A browser; of a role, somebody of that role is signed in."""
        made = Browser(client=self.hub.client)
        if role is not None:
            answer = made.sign_in(self.hub.tokens[role])
            assert answer.status == 303, answer.text
        return made


@contextmanager
def opened_hub_console(url: str, folder: Path, **more: str) -> Iterator[HubConsole]:
    """A hub with its console over a database that is ready, at `START`."""
    with ExitStack() as opened:
        clock = DatabaseClock(url)
        opened.callback(clock.close)
        settings = load_settings({"database_url": url, **more}, start=folder, environment={})
        parts, log = App(settings, clock=clock), io.StringIO()
        opened.callback(parts.close)
        app = hub_with_console(parts, log)
        client = opened.enter_context(TestClient(app, follow_redirects=False))
        # Each browser has its own.
        client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        roles = {"operator": Role.OPERATOR, "viewer": Role.VIEWER}
        tokens = {name: made_token(parts, role, name) for name, role in roles.items()}
        other = another_client(World())
        world = parts.database.run(lambda uow: add_world(uow, None, other))
        for name, one in ((CONSUMER, world.client), (OTHER, other)):
            tokens[name] = made_token(parts, Role.SERVICE_CLIENT, name, client_id=one.id)
        hub = Hub(parts=parts, app=app, client=client, log=log, tokens=tokens)  # type: ignore[arg-type]  # the API is behind it
        comparing = Comparing(hub=hub, world=world, clock=clock)
        clock.set(START)
        yield HubConsole(comparing=comparing, log=log)

"""Forms are read strictly, and by whom they were sent is asked."""

import asyncio
from typing import Any

import pytest
from starlette.requests import Request

from evenhand.console.forms import FORM_BYTES, Form, read_form, require_own_site
from evenhand.core.errors.console import FormRefused, InvalidForm

MEDIA_TYPE = "application/x-www-form-urlencoded"


def a_request(body: bytes, headers: dict[str, str]) -> Request:
    given = {"host": "hub.example", **headers}
    scope: dict[str, Any] = {
        "type": "http",
        "method": "POST",
        "path": "/",
        "headers": [(name.encode(), text.encode()) for name, text in given.items()],
    }
    # In pieces, as a server hands it over.
    pieces = [body[at : at + 50_000] for at in range(0, len(body), 50_000)] or [b""]

    async def _receive() -> dict[str, Any]:
        piece = pieces.pop(0)
        return {"type": "http.request", "body": piece, "more_body": bool(pieces)}

    return Request(scope, _receive)


def read(body: bytes, media_type: str = MEDIA_TYPE) -> Form:
    return asyncio.run(read_form(a_request(body, {"content-type": media_type})))


def test_a_form_holds_what_was_sent() -> None:
    form = read(
        b"name=a%20b&empty=&sign=%E2%86%92&expected_version=3&active=no", f"{MEDIA_TYPE}; x=y"
    )

    assert (form.text("name"), form.text("empty"), form.text("sign")) == ("a b", "", "→")
    assert (form.version(), form.flag("active"), form.text("absent")) == (3, False, "")
    assert read(b"").fields == {}
    assert "a b" not in repr(form)


@pytest.mark.parametrize(
    "body",
    [b"a=1&a=2", b"a=%FF", b"a", b"\xff=1", b"&".join(b"f%d=" % number for number in range(65))],
    ids=["twice", "no text", "no value", "no ASCII", "too many"],
)
def test_what_is_no_form_of_ours_is_refused(body: bytes) -> None:
    with pytest.raises(InvalidForm):
        read(body)


def test_only_forms_are_read_and_no_larger_ones_than_ours() -> None:
    whole = b"a=" + b"x" * (FORM_BYTES - 2)
    assert len(read(whole).text("a")) == FORM_BYTES - 2
    for body, media_type in (
        (whole + b"x", MEDIA_TYPE),
        (b"{}", "application/json"),
        (b"a=1", ""),
    ):
        with pytest.raises(InvalidForm):
            read(body, media_type)


@pytest.mark.parametrize(
    "given", ["", "0", "-1", "1.0", "x", "9007199254740993", "1" * 40, "\u0661"]
)
def test_a_version_is_a_whole_number(given: str) -> None:
    with pytest.raises(InvalidForm, match="expected_version"):
        Form({"expected_version": given}).version()


def test_a_field_that_is_needed_and_a_word_that_is_none_are_told_by_name() -> None:
    with pytest.raises(InvalidForm, match="route: must be given"):
        Form({"route": "  "}).required("route")
    with pytest.raises(InvalidForm, match="active: must be yes or no"):
        Form({"active": "on"}).flag("active")


OWN = [
    {},
    {"sec-fetch-site": "same-origin"},
    {"origin": "http://hub.example"},
    {"origin": "https://HUB.example", "sec-fetch-site": "same-origin"},
    {"origin": "null", "sec-fetch-site": "same-origin"},
]
FOREIGN = [
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
    {"sec-fetch-site": "none"},
    {"origin": "https://evil.example"},
    {"origin": "https://hub.example:8443"},
    {"origin": "null"},
    {"origin": ""},
    {"origin": "http://[", "sec-fetch-site": "same-origin"},
    {"origin": "https://evil.example", "sec-fetch-site": "same-origin"},
]


@pytest.mark.parametrize("headers", OWN)
def test_a_form_of_this_site_is_let_through(headers: dict[str, str]) -> None:
    require_own_site(a_request(b"", headers), None)


@pytest.mark.parametrize("headers", FOREIGN)
def test_a_form_of_another_site_is_refused(headers: dict[str, str]) -> None:
    with pytest.raises(FormRefused):
        require_own_site(a_request(b"", headers), None)


def test_the_configured_site_counts_and_not_what_a_request_says() -> None:
    url = "https://console.example"
    require_own_site(a_request(b"", {"origin": url}), url)
    for origin in ("http://console.example", "https://hub.example", "https://console.example:1"):
        with pytest.raises(FormRefused):
            require_own_site(a_request(b"", {"origin": origin}), url)

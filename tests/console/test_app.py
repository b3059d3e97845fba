"""The frame of every page: headers, errors, files, and what a store that is not there looks like."""

from collections.abc import Callable
from pathlib import Path

import pytest

from evenhand import __version__
from evenhand.console.security import CONTENT_POLICY
from tests.console.conftest import Console, only_sqlite

STYLE = f"/console/static/console.css?v={__version__}"


@only_sqlite
@pytest.mark.parametrize("path", ["/console/", STYLE, "/console/nowhere", "/"])
def test_every_answer_has_the_headers_that_keep_a_browser_in_bounds(
    console: Console, path: str
) -> None:
    headers = console.get(path).response.headers

    assert headers["Content-Security-Policy"] == CONTENT_POLICY
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"


@only_sqlite
def test_pages_are_kept_by_no_cache_and_files_of_this_release_for_ever(console: Console) -> None:
    caches = [
        console.get(path).response.headers["Cache-Control"]
        for path in ("/console/", "/console/static/console.css", STYLE)
    ]

    assert caches == ["no-store", "no-store", "public, max-age=31536000, immutable"]


@only_sqlite
def test_page_holds_nothing_that_its_own_policy_forbids(console: Console) -> None:
    page = console.get("/console/")

    assert [given for name, given in page.elements if "style" in given] == []
    assert page.all("style") == []
    assert all("src" in given for given in page.all("script"))
    assert not [key for _, given in page.elements for key in given if key.startswith("on")]
    assert [one for one in page.links() if not one.startswith(("/console", "#"))] == []


@only_sqlite
def test_roots_lead_to_the_overview(console: Console) -> None:
    for path in ("/", "/console"):
        answer = console.get(path).response

        assert (answer.status_code, answer.headers["Location"]) == (303, "/console/")


@only_sqlite
def test_unknown_address_and_other_method_have_pages_of_their_own(console: Console) -> None:
    nowhere = console.get("/console/nowhere")
    answer = console.client.post("/console/")

    assert (nowhere.status, answer.status_code) == (404, 405)
    assert "There is no page at this address" in nowhere.text
    assert answer.headers["Allow"]


@only_sqlite
def test_name_of_somebody_else_is_refused(console: Console) -> None:
    hosts = ("127.0.0.1", "127.0.0.1:8643", "evil.example", "evil.example:8643", "")
    found = [console.get("/console/", headers={"Host": host}).status for host in hosts]

    assert found == [200, 200, 421, 421, 421]


@only_sqlite
def test_error_that_nobody_foresaw_says_nothing_of_itself_and_is_told(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    def _fail(_: object) -> None:
        raise RuntimeError("secret text")

    monkeypatch.setattr(console.client.app.state.parts.database, "read", _fail)  # type: ignore[attr-defined]
    page = console.get("/console/")

    assert page.status == 500
    assert "Something went wrong" in page.text
    assert "secret text" not in page.response.text
    assert [type(error) for error in console.failures] == [RuntimeError]


def test_looking_makes_no_store_and_finds_one_that_is_made_later(
    open_console: Callable[[str], Console], tmp_path: Path
) -> None:
    file = tmp_path / "later" / "store.db"
    console = open_console(f"sqlite:///{file}")
    before = console.get("/console/")
    made = file.exists()
    console.add()
    after = console.get("/console/")

    assert (before.status, made) == (200, False)
    assert "evenhand demo" in before.text
    assert "Latest evaluations" in after.text

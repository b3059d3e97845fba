"""The page about the gateway names every failure, member and limit."""

import re
from pathlib import Path

from evenhand.core.errors.gateway import UpstreamFailed
from evenhand.core.gateway.circuit import FIRST_REST_SECONDS, MAX_REST_SECONDS
from evenhand.core.gateway.failure import Failure
from evenhand.core.gateway.inputs import MAX_INPUTS
from evenhand.hub.problems import look_up
from evenhand.wire.embeddings import EmbeddingsBody

PAGE = (Path(__file__).parents[2] / "docs" / "gateway.md").read_text(encoding="utf-8")


def test_every_failure_is_on_the_page_with_its_status() -> None:
    rows = re.findall(r"^\| (\d{3}) \| (.*?) \|", PAGE, re.MULTILINE)
    told = {code: int(status) for status, codes in rows for code in re.findall(r"`(\w+)`", codes)}
    errors = [UpstreamFailed("d", one.meaning, code=one.value) for one in Failure]

    assert {one.code: told.get(one.code) for one in errors} == {
        one.code: look_up(one).kind.status for one in errors
    }


def test_every_member_of_a_body_is_on_the_page() -> None:
    assert set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)) == set(
        EmbeddingsBody.__struct_fields__
    )


def test_the_limits_on_the_page_are_those_of_the_code() -> None:
    assert f"at most {MAX_INPUTS} inputs" in PAGE
    assert f"for {FIRST_REST_SECONDS:.0f} seconds" in PAGE
    assert MAX_REST_SECONDS == 60

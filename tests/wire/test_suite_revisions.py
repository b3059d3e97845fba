"""Settings that go out have the digest that stands beside them, over HTTP and on a terminal."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.identity.settings_digest import retrieval_config_sha256
from evenhand.reports.suites import revision_document
from evenhand.wire.suite_revisions import detail_to_wire
from tests.suite_builders import a_frozen_suite

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**40), 10**40)
    | st.floats(allow_nan=False, allow_infinity=False)
    | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.proves("C-91", "C-92", "C-93", "G-74")
@given(st.dictionaries(text, values, max_size=4))
def test_whoever_reads_the_settings_of_an_answer_finds_their_digest(
    settings: dict[str, object],
) -> None:
    revision = a_frozen_suite(settings=settings).revision
    over_http = json.loads(detail_to_wire(revision).model_dump_json())
    shown = json.loads(msgspec.json.format(msgspec.json.encode(revision_document(revision))))
    for answer in (over_http, shown):
        found = retrieval_config_sha256(answer["retrieval_settings"])
        assert found == answer["retrieval_config_sha256"] == retrieval_config_sha256(settings)

import base64
import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.errors.retrieval import InvalidGoldenSet
from evenhand.core.identity.labels_bytes import LabelRow, labels_fingerprint, labels_members

A = LabelRow(b"a", b"Question A?", "match", b"normal", (b"doc-b", b"doc-a"))
B = LabelRow(b"b", b"Question B?", "gap", None, ())
ROWS = st.lists(
    st.builds(
        LabelRow,
        id=st.binary(min_size=1),
        question=st.binary(min_size=1),
        form=st.sampled_from(["match", "gap"]),
        hard_class=st.none() | st.binary(min_size=1),
        targets=st.lists(st.binary(min_size=1), unique=True).map(tuple),
    ),
    unique_by=lambda row: row.id,
)


@pytest.mark.proves("BP-16", "G-07")
def test_the_digest_is_that_of_the_documented_json_text() -> None:
    text = (
        '["labels-bytes-v1",[["YQ==","UXVlc3Rpb24gQT8=","match","bm9ybWFs",'
        '["ZG9jLWE=","ZG9jLWI="]],["Yg==","UXVlc3Rpb24gQj8=","gap",null,[]]]]'
    )
    assert labels_fingerprint([A, B]) == "v1:" + hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.proves("P-35")
@pytest.mark.parametrize(
    "changed",
    [
        A._replace(id=b"a2"),
        A._replace(question=b"Question A"),
        A._replace(form="gap"),
        A._replace(hard_class=None),
        A._replace(hard_class=b"rare"),
        A._replace(targets=(b"doc-a",)),
        A._replace(targets=()),
    ],
)
def test_each_part_of_a_label_changes_the_digest(changed: LabelRow) -> None:
    assert labels_fingerprint([changed, B]) != labels_fingerprint([A, B])


@pytest.mark.proves("P-36")
@given(ROWS, st.data())
def test_the_order_of_questions_does_not_matter(rows: list[LabelRow], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(rows))
    assert labels_fingerprint(shuffled) == labels_fingerprint(rows)


@pytest.mark.proves("P-35")
def test_the_order_of_targets_does_not_matter() -> None:
    turned = A._replace(targets=A.targets[::-1])
    assert labels_fingerprint([turned, B]) == labels_fingerprint([A, B])


@pytest.mark.proves("P-37", "P-38")
def test_a_row_has_no_place_for_presentation_text_or_a_gist() -> None:
    assert LabelRow._fields == ("id", "question", "form", "hard_class", "targets")


@pytest.mark.proves("P-39")
def test_bytes_are_sorted_before_they_become_base64() -> None:
    targets = (b"ca", b"c-1", b"\xff", b"a")
    rows = [LabelRow(name, b"?", "match", None, targets) for name in (b"ca", b"c-1")]
    in_order = ["YQ==", "Yy0x", "Y2E=", "/w=="]
    members = ["labels-bytes-v1", [["Yy0x", "Pw==", "match", None, in_order],
                                   ["Y2E=", "Pw==", "match", None, in_order]]]  # fmt: skip
    assert labels_members(rows) == members
    assert in_order != sorted(in_order)


@pytest.mark.proves("P-41")
def test_bytes_that_a_lossy_reading_would_merge_stay_apart() -> None:
    digests = {
        labels_fingerprint([A._replace(id=name)])
        for name in (b"id\xff", b"id\xfe", "id\ufffd".encode(), "größe".encode(), b"gr\xf6\xdfe")
    }
    assert len(digests) == 5


@pytest.mark.proves("P-40")
@given(ROWS)
def test_any_bytes_have_a_digest_that_equals_one_computed_by_hand(rows: list[LabelRow]) -> None:
    def b64(content: bytes) -> str:
        return base64.b64encode(content).decode()

    by_hand = [
        [
            b64(row.id),
            b64(row.question),
            row.form,
            None if row.hard_class is None else b64(row.hard_class),
            [b64(target) for target in sorted(row.targets)],
        ]
        for row in sorted(rows, key=lambda row: row.id)
    ]
    text = json.dumps(["labels-bytes-v1", by_hand], separators=(",", ":"))
    assert labels_fingerprint(rows) == "v1:" + hashlib.sha256(text.encode()).hexdigest()


def test_two_questions_of_one_id_have_no_digest() -> None:
    with pytest.raises(InvalidGoldenSet):
        labels_fingerprint([A, B, A._replace(question=b"other")])

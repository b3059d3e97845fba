import tracemalloc
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.errors.identity import InvalidCorpus
from evenhand.core.identity.corpus import DocumentIdentity, corpus_digest
from evenhand.core.identity.corpus_diff import Change, DiffSummary, DocumentChange, diff, summarize

Facts = dict[bytes, tuple[str, bytes | None]]
FACTS = st.dictionaries(
    st.sampled_from([b"a", b"b", b"c", b"d", b"\xff"]),
    st.tuples(st.sampled_from(["0" * 64, "1" * 64]), st.sampled_from([None, b"", b"s"])),
)


def corpus(facts: Facts) -> list[DocumentIdentity]:
    return [
        DocumentIdentity(id=name, content_sha256=content, scope=scope)
        for name, (content, scope) in sorted(facts.items())
    ]


def test_each_kind_of_change_is_named_in_order_of_ids() -> None:
    old = corpus({b"a": ("0" * 64, None), b"b": ("0" * 64, None), b"c": ("0" * 64, b"s")})
    new = corpus({b"b": ("1" * 64, None), b"c": ("1" * 64, b"t"), b"d": ("0" * 64, None)})
    changes = list(diff(old, new))
    assert changes == [
        DocumentChange(id=b"a", change=Change.REMOVED),
        DocumentChange(id=b"b", change=Change.CONTENT),
        DocumentChange(id=b"c", change=Change.CONTENT),
        DocumentChange(id=b"c", change=Change.SCOPE),
        DocumentChange(id=b"d", change=Change.ADDED),
    ]
    assert summarize(changes) == DiffSummary(added=1, removed=1, content=2, scope=1)


@given(FACTS, FACTS)
def test_a_diff_equals_one_found_by_looking_up_each_id(old: Facts, new: Facts) -> None:
    expected = []
    for name in sorted(old.keys() | new.keys()):
        if name not in new:
            expected.append((name, "removed"))
        elif name not in old:
            expected.append((name, "added"))
        else:
            expected += [(name, "content")] if old[name][0] != new[name][0] else []
            expected += [(name, "scope")] if old[name][1] != new[name][1] else []
    found = [(change.id, change.change.value) for change in diff(corpus(old), corpus(new))]
    assert found == expected


@pytest.mark.proves("P-30", "P-31", "P-32")
@given(FACTS, FACTS)
def test_nothing_changed_exactly_where_the_labels_are_equal(old: Facts, new: Facts) -> None:
    before, after = corpus(old), corpus(new)
    is_empty = summarize(diff(before, after)).is_empty
    assert is_empty is (corpus_digest(before) == corpus_digest(after))


@pytest.mark.parametrize("names", [[b"b", b"a"], [b"a", b"a"]])
def test_a_side_that_is_not_in_order_is_refused(names: list[bytes]) -> None:
    wrong = [DocumentIdentity(id=name, content_sha256="0" * 64) for name in names]
    for old, new in ((wrong, []), ([], wrong)):
        with pytest.raises(InvalidCorpus) as caught:
            list(diff(old, new))
        assert caught.value.position == 2


def documents(count: int, content: str) -> Iterator[DocumentIdentity]:
    for number in range(count):
        yield DocumentIdentity(id=b"%08d" % number, content_sha256=content)


def test_a_diff_does_not_keep_what_has_passed() -> None:
    tracemalloc.start()
    summary = summarize(diff(documents(5_000, "0" * 64), documents(5_001, "1" * 64)))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert summary == DiffSummary(added=1, content=5_000)
    assert peak < 200_000

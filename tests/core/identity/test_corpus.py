import base64
import hashlib
import json
import tracemalloc
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.errors.identity import InvalidCorpus
from evenhand.core.identity.canonical import b64, json_ascii_v1
from evenhand.core.identity.corpus import (
    CorpusDigest,
    DocumentIdentity,
    content_sha256,
    corpus_digest,
    manifest_line,
    parse_manifest,
)

ONE = DocumentIdentity(id=b"d1", content_sha256=content_sha256("a", "bc"))
TWO = DocumentIdentity(id=b"d2", content_sha256=content_sha256("ab", "c"), scope=b"team-a")
CORPUS = st.lists(
    st.builds(
        DocumentIdentity,
        id=st.binary(min_size=1).filter(lambda content: b"\0" not in content),
        content_sha256=st.binary().map(lambda content: hashlib.sha256(content).hexdigest()),
        scope=st.none() | st.binary(),
    ),
    unique_by=lambda document: document.id,
).map(lambda documents: sorted(documents, key=lambda document: document.id))


def test_content_is_digested_as_the_canonical_list_of_title_and_text() -> None:
    text = json.dumps(["Größe", "x"], separators=(",", ":"))
    assert content_sha256("Größe", "x") == hashlib.sha256(text.encode()).hexdigest()
    assert content_sha256("ab", "c") != content_sha256("a", "bc")


def test_a_corpus_is_digested_as_its_manifest_lines() -> None:
    b64 = [base64.b64encode(part).decode() for part in (b"d1", b"d2", b"team-a")]
    text = (
        f'["{b64[0]}","{ONE.content_sha256}",null]\n'
        f'["{b64[1]}","{TWO.content_sha256}","{b64[2]}"]\n'
    )
    assert corpus_digest([ONE, TWO]) == hashlib.sha256(text.encode()).hexdigest()
    assert corpus_digest([]) == hashlib.sha256(b"").hexdigest()


@pytest.mark.proves("P-30")
def test_the_label_changes_with_the_content_of_a_document() -> None:
    edited = DocumentIdentity(id=ONE.id, content_sha256=content_sha256("a", "bd"))
    assert corpus_digest([edited, TWO]) != corpus_digest([ONE, TWO])


@pytest.mark.proves("P-31")
def test_the_label_changes_with_membership() -> None:
    renamed = DocumentIdentity(id=b"d0", content_sha256=ONE.content_sha256)
    assert len({corpus_digest(c) for c in ([ONE, TWO], [ONE], [TWO], [], [renamed, TWO])}) == 5


@pytest.mark.proves("P-32")
def test_the_label_changes_with_the_access_scope() -> None:
    scopes = [None, b"", b"team-a", b"team-b"]
    corpora = [
        [DocumentIdentity(id=b"d1", content_sha256=ONE.content_sha256, scope=scope)]
        for scope in scopes
    ]
    assert len({corpus_digest(corpus) for corpus in corpora}) == 4


def test_documents_out_of_byte_order_are_refused() -> None:
    high, astral = (
        DocumentIdentity(id=name, content_sha256=ONE.content_sha256)
        for name in (b"\xff", "\U00010000".encode())
    )
    corpus_digest([astral, high])
    with pytest.raises(InvalidCorpus, match="document 2: is not in byte order"):
        corpus_digest([high, astral])


def test_a_repeated_id_is_refused_by_position() -> None:
    with pytest.raises(InvalidCorpus, match="document 3: repeats the id") as caught:
        corpus_digest([ONE, TWO, TWO])
    assert caught.value.position == 3
    assert "d2" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "digest"),
    [
        (b"", "0" * 64),
        (b"a\0", "0" * 64),
        (b"a", "0" * 63),
        (b"a", "A" * 64),
        (b"a", "0" * 64 + "\n"),
    ],
)
def test_an_id_or_digest_that_breaks_its_rule_is_refused(name: bytes, digest: str) -> None:
    with pytest.raises(InvalidCorpus):
        DocumentIdentity(id=name, content_sha256=digest)


@given(CORPUS)
def test_a_manifest_reads_back_as_its_corpus(corpus: list[DocumentIdentity]) -> None:
    digest = CorpusDigest()
    lines = [digest.add(document) for document in corpus]
    assert list(parse_manifest(lines)) == corpus
    assert digest.documents == len(corpus)
    assert digest.hexdigest() == hashlib.sha256("".join(lines).encode()).hexdigest()


@given(CORPUS)
def test_a_manifest_line_is_the_canonical_list_of_its_parts(
    corpus: list[DocumentIdentity],
) -> None:
    for document in corpus:
        scope = None if document.scope is None else b64(document.scope)
        parts = [b64(document.id), document.content_sha256, scope]
        assert manifest_line(document) == json_ascii_v1(parts) + "\n"


LINE = manifest_line(TWO)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "\n",
        LINE[:-1],
        LINE[:-1] + "\r\n",
        " " + LINE,
        LINE.replace(",", ", ", 1),
        LINE.replace("ZDI=", "ZDI"),
        LINE.replace("ZDI=", "ZDJ="),
        LINE.replace("ZDI=", "\\u005aDI="),
        LINE.replace("ZDI=", ""),
        LINE.replace('"ZDI="', "null"),
        LINE.replace('"ZDI="', "7"),
        LINE.replace(TWO.content_sha256, TWO.content_sha256.upper()),
        LINE.replace("]", ',"more"]'),
        '{"id":"ZDI="}\n',
        "[]\n",
        "null\n",
        "[" * 100_000 + "\n",
        "text\n",
    ],
    ids=range(19),
)
def test_a_line_that_is_not_canonical_is_refused_by_its_number(line: str) -> None:
    with pytest.raises(InvalidCorpus) as caught:
        list(parse_manifest([manifest_line(ONE), line]))
    assert caught.value.position == 2


def test_a_manifest_out_of_order_or_with_a_repeated_id_is_refused() -> None:
    for lines in ([LINE, manifest_line(ONE)], [LINE, LINE]):
        with pytest.raises(InvalidCorpus) as caught:
            list(parse_manifest(lines))
        assert caught.value.position == 2


def documents(count: int) -> Iterator[DocumentIdentity]:
    for number in range(count):
        yield DocumentIdentity(id=b"%08d" % number, content_sha256=f"{number:064x}")


def test_digesting_and_parsing_do_not_keep_what_has_passed() -> None:
    tracemalloc.start()
    corpus_digest(parse_manifest(manifest_line(document) for document in documents(5_000)))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 200_000

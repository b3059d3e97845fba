"""Which addresses may be registered and called: a strict grammar, and nothing that is not public."""
# ruff: noqa: S104 -- nothing is bound to here

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.errors import InvalidText
from evenhand.core.errors.registry import InvalidUpstream
from evenhand.core.registry.upstream import (
    LONGEST_URL,
    UpstreamAllow,
    is_allowed_address,
    parse_upstream,
    parse_upstream_allow,
    require_upstream_host,
)

INSIDE = [
    "127.0.0.1",
    "127.255.255.254",
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.0.1",
    "169.254.169.254",
    "100.64.0.1",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "192.0.2.1",
    "198.18.0.1",
    "198.51.100.7",
    "203.0.113.7",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "fe80::1",
    "fe80::1%eth0",
    "2606:4700::1111%eth0",
    "fc00::1",
    "fd00:ec2::254",
    "fec0::1",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:169.254.169.254",
    "::127.0.0.1",
    "64:ff9b::127.0.0.1",
    "64:ff9b::a00:1",
    "64:ff9b:1::1",
    "2001::1",
    "2001:20::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:808:808::",
    "3fff::1",
    "100::1",
]
OUTSIDE = [
    "8.8.8.8",
    "1.1.1.1",
    "100.63.255.255",
    "100.128.0.1",
    "172.15.255.255",
    "172.32.0.1",
    "168.63.129.17",
    "223.255.255.254",
    "2606:4700::1111",
    "2a00:1450:4001:80b::200e",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
]
NO_ADDRESS = [
    "",
    "x",
    "1.2.3",
    "0x7f.0.0.1",
    "0177.0.0.1",
    "2130706433",
    "127.1",
    "1.2.3.4/8",
    "🦆",
]


@pytest.mark.parametrize("address", INSIDE)
def test_an_address_that_is_not_public_may_not_be_called(address: str) -> None:
    assert not is_allowed_address(address, host="embeddings.example")


@pytest.mark.parametrize("address", OUTSIDE)
def test_a_public_address_may_be_called(address: str) -> None:
    assert is_allowed_address(address, host="embeddings.example")


@pytest.mark.parametrize("address", NO_ADDRESS)
def test_what_is_no_address_may_not_be_called(address: str) -> None:
    everything = parse_upstream_allow("0.0.0.0/0, ::/0, embeddings.example")
    assert not is_allowed_address(address, host="embeddings.example", allow=everything)


@given(st.ip_addresses())
def test_nothing_is_let_through_that_the_standard_library_calls_closed(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    if is_allowed_address(str(address), host="x"):
        mapped = address if address.version == 4 else address.ipv4_mapped
        meant = mapped or address
        if meant not in ipaddress.ip_network("64:ff9b::/96"):
            assert meant.is_global
            closed = ("private", "loopback", "link_local", "multicast", "unspecified", "reserved")
            assert not any(getattr(meant, f"is_{one}") for one in closed)


@given(st.ip_addresses(v=4))
def test_an_address_within_an_address_is_judged_as_the_one_it_stands_for(
    inner: ipaddress.IPv4Address,
) -> None:
    alone = is_allowed_address(str(inner), host="x")
    assert is_allowed_address(f"::ffff:{inner}", host="x") == alone
    assert is_allowed_address(f"64:ff9b::{inner}", host="x") == alone


# What is listed.


def test_a_listed_network_may_be_called_and_no_other() -> None:
    allow = parse_upstream_allow("127.0.0.1/32, 10.0.0.0/8,fd00::/8, 192.168.7.7")
    listed = ("127.0.0.1", "10.9.9.9", "fd12::1", "192.168.7.7", "::ffff:10.0.0.1")
    assert all(is_allowed_address(one, host="x", allow=allow) for one in listed)
    others = ("127.0.0.2", "192.168.0.1", "fc00::1", "192.168.7.8", "::1")
    assert not any(is_allowed_address(one, host="x", allow=allow) for one in others)


def test_a_network_of_ipv6_lists_the_spelling_and_not_what_it_stands_for() -> None:
    allow = parse_upstream_allow("::ffff:127.0.0.1/128")
    assert is_allowed_address("::ffff:127.0.0.1", host="x", allow=allow)
    assert not is_allowed_address("127.0.0.1", host="x", allow=allow)


def test_a_listed_host_may_be_called_whatever_address_it_has() -> None:
    allow = parse_upstream_allow("Embeddings.Internal., other")
    assert allow == UpstreamAllow(hosts=frozenset({"embeddings.internal", "other"}))
    assert is_allowed_address("10.0.0.1", host="embeddings.internal", allow=allow)
    assert not is_allowed_address("10.0.0.1", host="x.embeddings.internal", allow=allow)
    require_upstream_host(parse_upstream("http://EMBEDDINGS.internal:8080/v1"), allow)


@pytest.mark.parametrize("text", ["", " ", ",", " , "])
def test_an_empty_list_allows_nothing(text: str) -> None:
    assert parse_upstream_allow(text) == UpstreamAllow()


@pytest.mark.parametrize(
    "entry",
    [
        "10.0.0.1/8",
        "10.0.0.0/33",
        "a b",
        "http://host",
        "host:80",
        "*",
        "127.1",
        "0x7f.0.0.1",
        "-a",
        "localho\u017ft",
        "\u212a",
    ],
)
def test_an_entry_that_is_none_is_named_by_its_position(entry: str) -> None:
    with pytest.raises(InvalidText, match=r"^entry 2: must be"):
        parse_upstream_allow(f"localhost, {entry}")


# What may be registered.


@pytest.mark.parametrize(
    ("text", "host", "port", "path"),
    [
        ("https://embeddings.example/v1", "embeddings.example", 443, "/v1"),
        ("http://embeddings.example", "embeddings.example", 80, ""),
        (
            "HTTPS://Embeddings.Example.:8443/a/b-c_d~e%20/",
            "embeddings.example",
            8443,
            "/a/b-c_d~e%20",
        ),
        ("https://8.8.8.8/v1", "8.8.8.8", 443, "/v1"),
        ("http://[2606:4700::1111]:8080/v1/", "2606:4700::1111", 8080, "/v1"),
        ("https://a_b.example", "a_b.example", 443, ""),
        ("https://1.example", "1.example", 443, ""),
    ],
)
def test_an_address_is_taken_apart(text: str, host: str, port: int, path: str) -> None:
    found = parse_upstream(text)
    assert (found.host, found.port, found.path) == (host, port, path)
    assert found.scheme == text.partition(":")[0].lower()
    require_upstream_host(found)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "embeddings.example",
        "ftp://embeddings.example",
        "file:///etc/passwd",
        "http://",
        "http:///v1",
        "http://user@embeddings.example",
        "http://user:SECRET-p@embeddings.example/v1",
        "http://embeddings.example/v1?key=SECRET-q",
        "http://embeddings.example?",
        "http://embeddings.example/v1#x",
        "http://embeddings.example/a@b",
        "http://embeddings.example\\@other",
        "http://embeddings.example:0",
        "http://embeddings.example:65536",
        "http://embeddings.example:",
        "http://embeddings.example: 80",
        "http://embeddings.example/a b",
        "http://embeddings.example/v1\n",
        "http://embeddings..example",
        "http://-a.example",
        "http://.example",
        "http://exa%6dple.com",
        "http://ex\u00e4mple.com",
        "http://localho\u017ft/v1",
        "http://embeddings.loca\u017f",
        "http://\u212a.example",
        "http://k.example/\u212a",
        "http\u017f://embeddings.example",
        "http://127.1",
        "http://2130706433",
        "http://0x7f000001",
        "http://0x7f.0.0.1",
        "http://0177.0.0.1",
        "http://017700000001",
        "http://1.2.3.4.5",
        "http://256.1.1.1",
        "http://a.0x",
        "http://[::1",
        "http://[1.2.3.4]extra",
        "http://[fe80::1%25eth0]",
        "http://[::g]",
        "https://" + "a" * LONGEST_URL,
    ],
)
def test_what_is_no_plain_address_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(InvalidUpstream) as refused:
        parse_upstream(text)
    assert refused.value.code == "invalid_upstream"
    assert "SECRET" not in str(refused.value)


@pytest.mark.parametrize(
    "host",
    [
        *(f"[{one}]" if ":" in one else one for one in INSIDE if "%" not in one),
        "localhost",
        "LOCALHOST",
        "localhost.",
        "127.0.0.1.",
        "a.localhost",
        "localhost.localdomain",
        "ip6-localhost",
    ],
)
def test_a_literal_address_that_is_not_public_is_refused_at_registration(host: str) -> None:
    upstream = parse_upstream(f"http://{host}:8080/v1")
    with pytest.raises(InvalidUpstream, match="serve_upstream_allow") as refused:
        require_upstream_host(upstream)
    assert refused.value.code == "upstream_not_allowed"


def test_names_of_this_machine_are_registered_where_they_are_listed() -> None:
    allow = parse_upstream_allow("localhost, 127.0.0.0/8, ::1")
    for host in ("localhost", "127.0.0.1", "[::1]"):
        require_upstream_host(parse_upstream(f"http://{host}:8080"), allow)


@given(st.text(max_size=60))
def test_any_text_is_taken_apart_or_refused(text: str) -> None:
    for tail in (text, f"http://{text}", f"http://host/{text}"):
        try:
            found = parse_upstream(tail)
        except InvalidUpstream:
            continue
        assert tail.isascii()
        assert not set("@?#\\ ") & set(tail)
        assert found.host
        assert found.path == found.path.rstrip("/")

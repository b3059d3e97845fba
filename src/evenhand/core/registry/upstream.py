"""Which address may the hub call? A strict grammar, and a guard against calls to the inside.

A hub that calls whatever address somebody registers can be made to call the machine it runs on,
its neighbours, or a cloud's metadata service. So only public addresses may be called, unless an
operator lists a network or a host (`serve_upstream_allow`).

The guard is asked twice. At registration `require_upstream_host` refuses literal addresses and
names of this machine. A name can be given another address at any time, so whoever connects must
resolve it, ask `is_allowed_address` of the very address that it connects to, and follow no
redirect; the gateway does so on every connection.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

from evenhand.core.errors import InvalidText
from evenhand.core.errors.registry import InvalidUpstream

#: How many characters an address may have.
LONGEST_URL: Final = 500
_NAME: Final = r"(?!-)[a-z0-9_-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9_-]{1,63}(?<!-))*\.?"
#: In ASCII only: Unicode takes a long s for an s and a Kelvin sign for a k.
_CASELESS: Final = re.IGNORECASE | re.ASCII
_URL: Final = re.compile(
    rf"(?P<scheme>https?)://(?:\[(?P<six>[0-9a-f:.]{{2,45}})\]|(?P<host>{_NAME}))"
    r"(?::(?P<port>[0-9]{1,5}))?(?P<path>(?:/[a-z0-9._~%+-]*)*)",
    _CASELESS,
)
_HOST: Final = re.compile(_NAME, _CASELESS)
#: A last label of digits, or of hex digits behind 0x: some resolvers take such a host for a number.
_NUMBER: Final = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)", _CASELESS)
_LAST_PORT: Final = 65535
_LOCAL_NAMES: Final = ("localhost", "localdomain", "ip6-localhost", "ip6-loopback")

# From the registries of special-purpose addresses at IANA, spelt out: what the standard library
# calls private or global differs between versions of Python.
_CLOSED: Final = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",  # this network
            "10.0.0.0/8",
            "100.64.0.0/10",  # behind a provider's address translation
            "127.0.0.0/8",
            "168.63.129.16/32",  # a cloud's own service at an address that looks public
            "169.254.0.0/16",  # link-local, and clouds' metadata
            "172.16.0.0/12",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.88.99.0/24",
            "192.168.0.0/16",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved, and broadcast
        ),
    )
)
#: What is public in IPv6 lies in here …
_GLOBAL: Final = IPv6Network("2000::/3")
#: … but for these.
_CLOSED_IN_GLOBAL: Final = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # protocol assignments, Teredo among them
            "2001:db8::/32",
            "2002::/16",  # 6to4: an IPv4 address inside
            "3fff::/20",
        ),
    )
)
#: Addresses that stand for the IPv4 address in their last four bytes: mapped, and translated.
_HOLDS_IPV4: Final = (IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96"))

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """An address taken apart.

    Attributes:
        scheme: ``http`` or ``https``.
        host: lowercase name without a dot at its end, or an address as it is written.
        port: 1 to 65535.
        path: without a slash at its end; may be empty.
    """

    scheme: str
    host: str
    port: int
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UpstreamAllow:
    """What may be called although it is not public.

    Attributes:
        networks: whose addresses may be called.
        hosts: lowercase names that may be called, whatever address they have.
    """

    networks: tuple[Network, ...] = ()
    hosts: frozenset[str] = frozenset()


#: Public addresses only.
PUBLIC_ONLY: Final = UpstreamAllow()


def parse_upstream(text: str) -> Upstream:
    """The parts of an address.

    Raises:
        InvalidUpstream: ``invalid_upstream``: it is none, or could hold a secret: user info, a
            query or a fragment. The value is not repeated.
    """
    found = _URL.fullmatch(text) if len(text) <= LONGEST_URL else None
    if found is None:
        raise InvalidUpstream("must be http or https, a host, and no more than a port and a path")
    scheme = found["scheme"].lower()
    port = int(found["port"] or (443 if scheme == "https" else 80))
    if not 1 <= port <= _LAST_PORT:
        raise InvalidUpstream("must have a port from 1 to 65535")
    host = found["six"] or _bare(found["host"])
    if _parse_address(host) is None and (found["six"] or _is_number(host)):
        raise InvalidUpstream("must spell a numeric host as an IPv4 or IPv6 address is written")
    return Upstream(scheme=scheme, host=host, port=port, path=found["path"].rstrip("/"))


def parse_upstream_allow(text: str) -> UpstreamAllow:
    """What a list allows, such as ``127.0.0.1/32, 10.0.0.0/8, embeddings.internal``.

    Args:
        text: networks, addresses and host names between commas; empty allows nothing.

    Raises:
        InvalidText: an entry is none of them; it is named by its position from 1.
    """
    networks: list[Network] = []
    hosts: set[str] = set()
    for position, entry in enumerate(filter(None, map(str.strip, text.split(","))), start=1):
        network = _parse_network(entry)
        if network is not None:
            networks.append(network)
        elif _HOST.fullmatch(entry) and not _is_number(_bare(entry)):
            hosts.add(_bare(entry))
        else:
            rule = "must be a network, an address or a host name"
            raise InvalidText(_entry(position), rule)
    return UpstreamAllow(networks=tuple(networks), hosts=frozenset(hosts))


def require_upstream_host(upstream: Upstream, allow: UpstreamAllow = PUBLIC_ONLY) -> None:
    """Let an address through that may be registered. Nothing is resolved here.

    Raises:
        InvalidUpstream: ``upstream_not_allowed``: a literal address that is not public, or a name
            of this machine, and neither is listed. The value is not repeated.
    """
    host = upstream.host
    if host in allow.hosts:
        return
    is_local = host in _LOCAL_NAMES or host.endswith(tuple(f".{name}" for name in _LOCAL_NAMES))
    is_literal = _parse_address(host) is not None
    if is_local or (is_literal and not is_allowed_address(host, host=host, allow=allow)):
        rule = "must be public, or listed in serve_upstream_allow"
        raise InvalidUpstream(rule, code="upstream_not_allowed")


def is_allowed_address(address: str, *, host: str, allow: UpstreamAllow = PUBLIC_ONLY) -> bool:
    """Whether the hub may connect to an address. Ask this of every connection.

    Args:
        address: what the host was resolved to, and what is then connected to.
        host: the upstream's host, as `Upstream` has it.
        allow: what may be called although it is not public.

    Returns:
        False for what is no address, for an IPv6 address with a zone, and for every one that is
        not public: this machine, private networks, link-local, shared, multicast, unspecified,
        documentation, metadata services, and IPv6 addresses that stand for such an IPv4 address.
    """
    found = _parse_address(address)
    if found is None:
        return False
    if host in allow.hosts:
        return True
    meant = _meant(found)
    if any(_lies_in(one, network) for network in allow.networks for one in (found, meant)):
        return True
    return _is_public(meant)


def _is_public(address: Address) -> bool:
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _CLOSED)
    return address in _GLOBAL and not any(address in network for network in _CLOSED_IN_GLOBAL)


def _meant(address: Address) -> Address:
    """The IPv4 address that an IPv6 address stands for, else the address itself."""
    if isinstance(address, IPv6Address) and any(address in one for one in _HOLDS_IPV4):
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address


def _lies_in(address: Address, network: Network) -> bool:
    return address.version == network.version and address in network


def _parse_address(text: str) -> Address | None:
    """An address in its plain spelling; None for a name and for any other spelling of a number."""
    if "%" in text:
        # A zone says which of this machine's links is meant.
        return None
    try:
        return ip_address(text)
    except ValueError:
        return None


def _parse_network(text: str) -> Network | None:
    try:
        return ip_network(text)
    except ValueError:
        return None


def _is_number(host: str) -> bool:
    """Whether some resolver takes a host for a number, such as 0x7f.1, 127.1 or 2130706433."""
    return _NUMBER.fullmatch(host.rpartition(".")[2]) is not None


def _bare(host: str) -> str:
    return host.lower().removesuffix(".")


def _entry(position: int) -> str:
    return f"entry {position}"

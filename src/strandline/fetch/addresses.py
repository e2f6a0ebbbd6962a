"""Which network addresses an archive may talk to. Pages choose our targets, so this is the wall against them.

A page, a redirect or a name server can point us at the machine we run on or at the network behind the firewall.
Names are therefore never judged, only the numeric address of each connection. The table is our own reading of
the IANA special-purpose registries: `ipaddress.is_global` of Python 3.11 lets through NAT64 and 6to4 forms of
127.0.0.1, site-local and multicast addresses. Forms that carry an IPv4 address inside are unwrapped first.

An archivist may open a network of the house with `allow`, as CIDR.
"""

from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

from strandline.core.quick_dataclass import dataclass

Network = IPv4Network | IPv6Network
Address = IPv4Address | IPv6Address

_SPECIAL: Final[tuple[tuple[str, str], ...]] = (
    ("0.0.0.0/8", "this network"),
    ("10.0.0.0/8", "private network"),
    ("100.64.0.0/10", "shared address space of providers"),
    ("127.0.0.0/8", "this machine"),
    ("169.254.0.0/16", "link-local"),
    ("172.16.0.0/12", "private network"),
    ("192.0.0.0/24", "protocol assignments"),
    ("192.0.2.0/24", "documentation"),
    ("192.88.99.0/24", "6to4 relay"),
    ("192.168.0.0/16", "private network"),
    ("198.18.0.0/15", "benchmarking"),
    ("198.51.100.0/24", "documentation"),
    ("203.0.113.0/24", "documentation"),
    ("224.0.0.0/4", "multicast"),
    ("240.0.0.0/4", "reserved"),
    ("::/128", "unspecified"),
    ("::1/128", "this machine"),
    ("64:ff9b:1::/48", "translation inside a network"),
    ("100::/64", "discard-only"),
    ("100:0:0:1::/64", "dummy prefix"),
    ("2001::/23", "protocol assignments and Teredo"),
    ("2001:db8::/32", "documentation"),
    ("3fff::/20", "documentation"),
    ("5f00::/16", "segment routing"),
    ("fc00::/7", "private network"),
    ("fe80::/10", "link-local"),
    ("fec0::/10", "site-local"),
    ("ff00::/8", "multicast"),
)
_TABLE: Final = tuple((ip_network(block), reason) for block, reason in _SPECIAL)
_TABLE_4: Final = tuple((net, reason) for net, reason in _TABLE if isinstance(net, IPv4Network))
_TABLE_6: Final = tuple((net, reason) for net, reason in _TABLE if isinstance(net, IPv6Network))
_UNICAST_6: Final = IPv6Network("2000::/3")
"""The only part of IPv6 that was ever given out."""
_NAT64: Final = IPv6Network("64:ff9b::/96")
_COMPATIBLE: Final = IPv6Network("::/96")
_6TO4: Final = IPv6Network("2002::/16")

# The ports browsers refuse (WHATWG Fetch, "bad port"), then services that take HTTP for commands.
_BROWSER_PORTS: Final = (
    "0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 "
    "135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 "
    "995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080"
)
_SERVICE_PORTS: Final = "445 1433 1521 2375 2376 2379 3306 3389 5432 5900 6379 11211 27017"
BLOCKED_PORTS: Final = frozenset(map(int, f"{_BROWSER_PORTS} {_SERVICE_PORTS}".split()))


def special_use(address: Address) -> str:
    """Why an address is not a public one, empty when it is.

    >>> special_use(ip_address("64:ff9b::7f00:1"))
    'this machine (127.0.0.1 inside 64:ff9b::7f00:1)'
    >>> special_use(ip_address("2606:2800:220:1:248:1893:25c8:1946"))
    ''
    """
    if isinstance(address, IPv4Address):
        return next((reason for net, reason in _TABLE_4 if address in net), "")
    for net, reason in _TABLE_6:
        if address in net:
            return reason
    inner = _inside(address)
    if inner is not None:
        reason = special_use(inner)
        return f"{reason} ({inner} inside {address})" if reason else ""
    return "" if address in _UNICAST_6 else "not given out"


def _inside(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address a packet to this IPv6 address ends at (Teredo is refused as a whole)."""
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address in _NAT64 or address in _COMPATIBLE:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    if address in _6TO4:
        return IPv4Address(int(address) >> 80 & 0xFFFFFFFF)
    return None


@dataclass(frozen=True)
class AddressPolicy:
    """What may be connected to."""

    allow: tuple[Network, ...] = ()
    """Networks that may be reached although they are special."""
    allow_ports: frozenset[int] = frozenset()

    @classmethod
    def allowing(cls, blocks: Iterable[str]) -> "AddressPolicy":
        """Policy from CIDR texts; ValueError names the one that is none.

        >>> AddressPolicy.allowing(["127.0.0.1/32"]).check("127.0.0.2", 80)
        '127.0.0.2 is special: this machine'
        """
        return cls(tuple(ip_network(block.strip()) for block in blocks))

    @lru_cache(maxsize=4096)  # noqa: B019 - policies live as long as the process
    def check(self, ip: str, port: int) -> str | None:
        """Reason why a connection to a numeric address must not be made, None when it may."""
        if not 0 < port < 65536 or (port in BLOCKED_PORTS and port not in self.allow_ports):
            return f"port {port} is not for the web"
        try:
            address = ip_address(ip.partition("%")[0])
        except ValueError:
            return f"{ip[:60]!r} is no address"
        mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
        asked = mapped or address
        if any(asked in net for net in self.allow if net.version == asked.version):
            return None
        reason = special_use(address)
        return f"{address} is special: {reason}" if reason else None

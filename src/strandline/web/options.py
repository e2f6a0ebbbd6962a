"""How the server is reached: addresses, names it answers to, tokens, limits."""

import ipaddress
import re
from dataclasses import dataclass, field
from pathlib import Path

from strandline.core.discovery.websub import LARGEST

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^\s:/@\[\]]*)(?::\d*)?")
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """Settings of `strandline serve`."""

    host: str = "127.0.0.1"
    port: int = 8080
    """Port of the interface; 0 takes a free one."""
    replay_port: int = 8081
    token_file: Path | None = None
    """Holds the sum of the access token; made, and the token told once, when it does not exist."""
    token: str = ""
    """The access token itself, from the environment; instead of a file."""
    read_token: str = ""
    """A second token, from the environment, that lets look at everything and change nothing."""
    names: tuple[str, ...] = ()
    """Further host names under which the server is reached."""
    outside: str = ""
    """The name under which hubs reach the server. Where nobody has to say who they are, nothing else is answered to
    it.
    """
    behind_tls: bool = False
    """A front end terminates TLS on both ports: addresses are https, cookies `__Host-` and Secure."""
    span: float = 86400.0
    """Seconds by which a part of a page may differ from the page before it is marked as of another time."""
    largest_request: int = 64 * 1024
    """Bytes of a request body."""
    largest_replayed: int = 4 * 1024 * 1024
    """The same of what archived pages send: it is looked up, not kept."""
    largest_message: int = LARGEST
    """The same of what hubs send: it is looked at for its signature, not kept."""
    slowest_request: float = 10.0
    """Seconds in which head and body of a request have to arrive."""

    @property
    def loopback(self) -> bool:
        """Whether only this machine can connect."""
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """Whether an address to bind is reachable from this machine only.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


@dataclass(frozen=True, slots=True)
class Origins:
    """The two origins as a reader reaches them, and the host names that are answered at all.

    Archived content lives on the replay origin and nowhere else. Requests for other host names are refused: a page
    of the live web could have its own name point here.
    """

    scheme: str
    port: int
    replay_port: int
    names: frozenset[str]
    any_address: bool = False
    """Whether every IP address is a good name: no name can be rebound to stand for one."""
    default: str = field(default="127.0.0.1")

    def known(self, host: str) -> bool:
        """Whether the host part of a Host field is one of ours."""
        if host in self.names:
            return True
        if not self.any_address:
            return False
        try:
            ipaddress.ip_address(host.strip("[]"))
        except ValueError:
            return False
        return True

    def interface(self, host: str) -> str:
        """Origin of the interface for someone who reached us by this name."""
        return f"{self.scheme}://{host}:{self.port}"

    def replay(self, host: str) -> str:
        """Origin of archived content."""
        return f"{self.scheme}://{host}:{self.replay_port}"


def host_of(field_value: str) -> str:
    """The host in a Host field, without port.

    >>> host_of("LocalHost:8080"), host_of("[::1]:8080"), host_of("example.com")
    ('localhost', '[::1]', 'example.com')

    What is more than a host and a port is no host:

    >>> host_of("127.0.0.1:9210@evil.test"), host_of("[::1]evil.test"), host_of("localhost:port")
    ('', '', '')
    """
    found = _HOST.fullmatch(field_value.strip().lower())
    return found[1] if found else ""
